"""Mutexes: Fig. 5 of paper 000 and Figs 6 to 12 of paper 004."""

from figure import PEER, Column, Figure

NODE = Column("node", {"ARMCI_MUTEX_METHOD": "node"}, places=("node",))
METHODS = tuple(Column(name, {"ARMCI_MUTEX_METHOD": name}) for name in ("hybrid", "mcs", "queueing"))
POLICIES = tuple(
    Column(f"hybrid, {policy}", {"ARMCI_MUTEX_METHOD": "hybrid", "ARMCI_MUTEX_POLICY": policy}, places=("cluster",))
    for policy in ("fixed-cpu", "fixed-network", "pattern", "history"))
# What is on by default: node on one node, hybrid between nodes of several processes, else mcs.
OURS = Column("ours")

BY_METHOD = (OURS, NODE, *METHODS, PEER)
BY_POLICY = (OURS, *POLICIES, *METHODS[1:], PEER)

# Quick turns fit into a time slice, and nobody would meet.
MEETING = ("200000",)
FEWER = ("1000",)
LEAST = ("300",)  # over the network


def lock_figure(number: int, title: str, x: str, columns: tuple[Column, ...] = BY_METHOD, **others) -> Figure:
    return Figure(name=f"004-fig{number}", title=title, source=f"004 Fig. {number}", program="lock_figures", x=x,
                  y="us", arguments=(str(number),), columns=columns, ranks=(4,), runs=2, **others)


FIGURES = [
    Figure(
        name="000-fig5", title="Lock and unlock, all ranks at one mutex", source="000 Fig. 5", program="mutex",
        x="processes", y="us per turn", quick=(), log="y", ranks=(1, 2, 4, 8),
        columns=(Column("ours", arguments=MEETING, places=("node",)), Column("ours", arguments=LEAST, places=("cluster",)),
                 Column("node", NODE.settings, MEETING, places=("node",)),
                 Column("hybrid", METHODS[0].settings, MEETING, places=("node",)),
                 Column("hybrid", METHODS[0].settings, LEAST, places=("cluster",)),
                 *(Column(one.name, one.settings, turns, peer=one.peer, places=(place,))
                   for place, turns in (("node", FEWER), ("cluster", LEAST)) for one in (*METHODS[1:], PEER))),
        bounds=("two_compare_and_swaps/*",),
        note="With more ranks than cores, quick locks are taken 200,000 times by each, so that ranks meet."),
    lock_figure(6, "One process at the mutex of a neighbour on its node", "processes"),
    lock_figure(7, "The same while the owner computes", "us away from MPI", log="y",
                note="The owner waits by the clock and looks into MPI after so many us."),
    lock_figure(8, "Each process at the mutex of the next one on its node", "processes"),
    lock_figure(9, "Several processes at one mutex", "processes at it", log="y", quick=("9",)),
    lock_figure(10, "A message goes round the nodes while all compute", "us away from MPI", BY_POLICY + (NODE,), log="y",
                note="A hop ends when the successor looks, so its time grows with the computing even where the lock costs "
                     "nothing. With more ranks than cores the others' time counts as computed, too."),
    lock_figure(11, "A mutex wanted by its node, and in part by another", "% of turns from the other node", BY_POLICY,
                log="y", places=("cluster",),
                note="On the node: a turn of the owner's node. Between nodes: what a turn of the other node takes."),
    lock_figure(12, "Leaders of nodes share tasks", "processes", BY_POLICY + (NODE,), log="y"),
]
