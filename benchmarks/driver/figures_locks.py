"""Mutexes: Fig. 5 of paper 000 and Figs 6 to 12 of paper 004."""

from dataclasses import replace

from figure import PEER, Column, Figure

# What is on by default: node on one node, hybrid with policy pattern between nodes of several processes, else mcs.
OURS = Column("ours")
HYBRID = Column("hybrid", {"ARMCI_MUTEX_METHOD": "hybrid"}, places=("node",))
MCS = Column("mcs", {"ARMCI_MUTEX_METHOD": "mcs"})
QUEUEING = Column("queueing", {"ARMCI_MUTEX_METHOD": "queueing"})  # as the peer's
POLICIES = tuple(
    Column(f"hybrid, {policy}", {"ARMCI_MUTEX_METHOD": "hybrid", "ARMCI_MUTEX_POLICY": policy}, places=("cluster",))
    for policy in ("fixed-cpu", "fixed-network", "history"))

BY_METHOD = (OURS, HYBRID, MCS, PEER)
BY_POLICY = (OURS, *POLICIES, MCS, PEER)

# Quick turns fit into a time slice, and nobody would meet.
MEETING = ("200000",)
FEWER = ("1000",)
LEAST = ("300",)  # over the network


def at(place: str, turns: tuple[str, ...], *columns: Column) -> tuple[Column, ...]:
    return tuple(replace(column, arguments=turns, places=(place,)) for column in columns)


def lock_figure(number: int, title: str, x: str, series: tuple[str, ...], columns: tuple[Column, ...] = BY_METHOD,
                **others) -> Figure:
    return Figure(name=f"004-fig{number}", title=title, source=f"004 Fig. {number}", program="lock_figures", x=x,
                  y="us", part=(str(number),), series=series, columns=columns, ranks=(4,), runs=2, **others)


FIGURES = [
    Figure(
        name="000-fig5", title="Lock and unlock", source="000 Fig. 5", program="mutex",
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
                ("on_the_node/*", "between_nodes/*"), BY_POLICY, log="y", places=("cluster",),
                note="On the node: a turn of the owner's node. Between nodes: what a turn of the other node takes."),
    lock_figure(12, "Leaders of nodes share tasks", "processes",
                ("own_node/*", "other_leaders/*", "own_node_again/*", "all_three/*", "task_of_10_us/*"), BY_POLICY, log="y"),
]
