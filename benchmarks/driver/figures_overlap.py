"""Paper 002, "Designing Passive Synchronization for MPI-2 One-Sided Communication to Maximize Overlap"."""

from figure import OURS, PEER, Column, Figure

# Over TCP with Open MPI there are no windows with threads (docs/mpi-facts.md).
THREAD = {"ARMCI_PROGRESS_THREAD": "1"}
# On the node this library copies by itself, and a thread would have nothing to do.
OURS_THREAD = Column("ours, progress thread", THREAD, mpi="mpich", places=("cluster",))
PEER_THREAD = Column("peer, progress thread", THREAD, peer=True, mpi="mpich")
COLUMNS = (OURS, PEER, OURS_THREAD, PEER_THREAD)

QUICK = ("--seconds", "0.01")

ORIGIN_NOTE = (
    "Computation without calls grows by quarters to the time of the communication alone; a point is the most of that "
    "time that any of them hid. Puts end with a fence, as the paper's with an unlock. Lines MPI: MPI_Rput and MPI_Rget, "
    "waits, and a flush after puts, in a window locked for good, in the same run. On the node the caller's own core "
    "copies: nothing can be hidden there, up to what the processor itself does at once in a copy of 16 KiB or less."
)

TARGET_NOTE = (
    "The last process computes for 0.015 s of processor time, without calls and in registers; all others work on its "
    "memory, 32 KiB at a time, each complete there before the next. Slow-down is time with traffic over time while all "
    "others sleep. With more processes than cores they share them, so that the clock (panel wall_time) tells what share "
    "of a core the target had; processor_time is what its process, its threads included, was charged. Rates are what the "
    "origins completed while it computed: of its own node, and of others. MPI over TCP needs the target: without its "
    "thread nothing is complete before it has done, and the rate is 0."
)

LU_NOTE = (
    "Order 512 unless it is x, blocks of 32 x 32 doubles. Total: the slowest process, phases: mean of all. get is what the "
    "program waits for gets, and for prefetched ones their issue. With more processes than cores the time of others on the "
    "core is in all phases, most of it in synchronisation."
)


def target(part: str, place: str, ranks: tuple[int, ...]) -> Figure:
    """Without 3 ranks where they are spread over two hosts."""
    rate = part == "rate"
    return Figure(
        name=f"002-fig6-{part}-{place}",
        title="Rate of origins at a target that computes" if rate else "Slow-down of a target that computes",
        source="002 Fig. 6",
        program="target_overlap",
        x="origins",
        y="MB/s of all origins" if rate else "time with traffic / without",
        arguments=("--seconds", "0.015"),
        quick=QUICK,
        series=("origins_*",) if rate else ("wall_time/*", "processor_time/*"),
        columns=COLUMNS,
        ranks=ranks,
        places=(place,),
        log="y" if rate else "",
        more_is_better=rate,
        note=TARGET_NOTE,
    )


def lu(place: str, ranks: tuple[int, ...]) -> Figure:
    return Figure(
        name=f"002-fig7-8-{place}",
        title="Blocked LU factorisation: total, and mean time in each phase",
        source="002 Figs 7, 8",
        program="blocked_lu",
        x="processes",
        y="ms",
        arguments=("--seconds", "0.04"),
        quick=QUICK,
        columns=COLUMNS,
        ranks=ranks,
        places=(place,),
        note=LU_NOTE,
    )


FIGURES = [
    Figure(
        name="002-fig4",
        title="Communication hidden behind computation at the origin, by message size",
        source="002 Fig. 4",
        program="overlap",
        x="bytes",
        y="% of communication hidden",
        arguments=("--only", "sizes", "--seconds", "0.0125"),
        quick=("--only", "sizes", *QUICK),
        columns=COLUMNS,
        log="x",
        more_is_better=True,
        note=ORIGIN_NOTE,
    ),
    Figure(
        name="002-fig5",
        title="Communication hidden behind computation at the origin, by operations of 32 KiB under way",
        source="002 Fig. 5",
        program="overlap",
        x="operations",
        y="% of communication hidden",
        arguments=("--only", "operations", "--seconds", "0.0125"),
        quick=("--only", "operations", *QUICK),
        columns=COLUMNS,
        log="x",
        more_is_better=True,
        note=ORIGIN_NOTE,
    ),
    target("slowdown", "node", (2, 3, 4)),
    target("slowdown", "cluster", (2, 4)),
    target("rate", "node", (2, 3, 4)),
    target("rate", "cluster", (2, 4)),
    lu("node", (1, 2, 4)),
    lu("cluster", (2, 4)),
    Figure(
        name="002-fig7-8-size",
        title="Blocked LU factorisation by order of the matrix, 4 processes",
        source="002 Figs 7, 8",
        program="blocked_lu",
        x="order",
        y="ms",
        arguments=("--by", "size", "--order", "1024", "--seconds", "0.04"),
        quick=("--by", "size", "--order", "512", *QUICK),
        columns=COLUMNS,
        ranks=(4,),
        note=LU_NOTE,
    ),
]
