"""What several processes want at once: mutexes (Fig. 5 of paper 000, Figs 6 to 12 of paper 004), sums and counters."""

from dataclasses import replace

from figure import CLUSTER, NODE, OURS, PEER, Column, Figure

# OURS, by default: node on one node, hybrid with policy pattern between nodes of several processes, else mcs.
HYBRID = Column("hybrid", {"ARMCI_MUTEX_METHOD": "hybrid"}, places=NODE)
MCS = Column("mcs", {"ARMCI_MUTEX_METHOD": "mcs"})
QUEUEING = Column("queueing", {"ARMCI_MUTEX_METHOD": "queueing"})  # as the peer's
ATOMICS = tuple(Column(policy, {"ARMCI_ATOMICS_POLICY": policy}) for policy in ("pattern", "history", "fixed-cpu", "fixed-network"))
POLICIES = tuple(
    Column(f"hybrid, {policy}", {"ARMCI_MUTEX_METHOD": "hybrid", "ARMCI_MUTEX_POLICY": policy}, places=CLUSTER)
    for policy in ("fixed-cpu", "fixed-network", "history"))

BY_METHOD = (OURS, HYBRID, MCS, PEER)
BY_POLICY = (OURS, *POLICIES, MCS, PEER)

# Quick turns fit into a time slice, and nobody would meet.
MEETING = ("--turns", "200000")
FEWER = ("--turns", "1000")
LEAST = ("--turns", "300")  # over the network


def at(place: str, turns: tuple[str, ...], *columns: Column) -> tuple[Column, ...]:
    return tuple(replace(column, arguments=turns, places=(place,)) for column in columns)


def lock_figure(number: int, title: str, x: str, series: tuple[str, ...], columns: tuple[Column, ...] = BY_METHOD,
                **others) -> Figure:
    return Figure(name=f"004-fig{number}", title=title, source=f"004 Fig. {number}", program="lock_figures", x=x,
                  y="us", part=(str(number),), series=series, columns=columns, ranks=(4,), runs=2, **others)


FIGURES = [
    Figure(
        name="000-fig5", title="Lock and unlock", source="000 Fig. 5", program="lock_figures", part=("5",),
        x="processes", y="us per turn", quick=(), log="y", ranks=(1, 2, 4, 8),
        columns=(*at("node", MEETING, OURS, HYBRID), *at("node", FEWER, MCS, QUEUEING, PEER),
                 *at("cluster", LEAST, OURS, MCS, QUEUEING, PEER)),
        bounds=("two_compare_and_swaps/*",),
        note="With more ranks than cores, quick locks are taken 200,000 times by each, so that ranks meet. Two compare "
             "and swaps: of a process on a word of its own, what no mutex can undercut."),
    lock_figure(6, "One process at the mutex of a neighbour on its node", "processes", ("neighbour/*",)),
    lock_figure(7, "The same while the owner computes", "us away from MPI", ("owner_computing/*",), log="y",
                note="The owner waits by the clock and looks into MPI after so many us."),
    lock_figure(8, "Each process at the mutex of the next one on its node", "processes", ("ring/*",)),
    lock_figure(9, "Several processes at one mutex", "processes at it", ("at_one_mutex/*", "with_a_sum_under_it/*"), log="y",
                quick=()),
    lock_figure(10, "A message goes round the nodes while all compute", "us away from MPI", ("message_round/*",), BY_POLICY,
                log="y",
                note="A hop ends when the successor looks, so its time grows with the computing even where the lock costs "
                     "nothing. With more ranks than cores the others' time counts as computed, too."),
    lock_figure(11, "A mutex wanted by its node, and in part by another", "% of turns from the other node",
                ("on_the_node/*", "between_nodes/*"), BY_POLICY, log="y", places=CLUSTER,
                note="On the node: a turn of the owner's node. Between nodes: what a turn of the other node takes."),
    lock_figure(12, "Leaders of nodes share tasks", "processes",
                ("own_node/*", "other_leaders/*", "own_node_again/*", "all_three/*", "task_of_10_us/*"), BY_POLICY, log="y"),
    Figure(name="acc", title="Accumulate of doubles by several processes", program="counters", arguments=("sums",),
           seconds="0.0125", x="processes", y="us", ranks=(1, 2, 4), places=NODE,
           note="What a process takes for one, into the memory of the last: all together add as many times faster as they are. "
                "With more processes than cores they share them."),
    Figure(name="rmw-counter", title="A shared counter, as task lists use it", program="counters", arguments=("counter",),
           seconds="0.0125", x="processes", y="us", ranks=(1, 2, 4, 8),
           note="What a process takes for a number; all of them together draw as many times faster as they are. With more "
                "processes than cores they share them."),
    Figure(name="atomics", title="Atomic operations within a node while another node comes by", source="004, open",
           program="atomics", x="near operations of a round", y="us", places=CLUSTER, ranks=(4,),
           columns=(OURS, *ATOMICS, PEER), runs=2, log="y",
           note="near: of a process on the target's node; far: of one on another. followed by: a barrier between them. "
                "ours is ARMCI_ATOMICS_POLICY=auto. With each of the others jobs are of two sorts (docs/design/0011)."),
]
