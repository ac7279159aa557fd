"""Figures of the papers that no other room has: 000, "An Implementation and Evaluation of the MPI 3.0 One-Sided
Communication Interface"; 001, "Supporting the Global Arrays PGAS Model Using MPI One-Sided Communication", Figs 3 and 5; 002,
"Designing Passive Synchronization for MPI-2 One-Sided Communication to Maximize Overlap"."""

from dataclasses import replace

from figure import CLUSTER, NODE, OURS, PEER, Column, Figure

# Rows of MPI itself, by the programs of this library (papers/memory.h).
MPI_CREATE = Column("MPI, MPI_Win_create", {"BENCHMARK_MPI": "create"})
# MPICH 4.0.2 gets these windows wrong (mpich 6140).
MPI_ALLOCATE = Column("MPI, MPI_Win_allocate", {"BENCHMARK_MPI": "allocate"}, mpi="openmpi")
MPI_DYNAMIC = Column("MPI, dynamic window", {"BENCHMARK_MPI": "dynamic"})


def through_mpi(name: str, mpi: str = "", **settings: str) -> Column:
    """This library with every operation through MPI, those of the own node too; between hosts, where that is its way."""
    forced = {"ARMCI_FORCE_MPI": "1"} | {f"ARMCI_{key}": value for key, value in settings.items()}
    return Column(f"ours, MPI, {name}", forced, mpi=mpi, places=CLUSTER)


EXCLUSIVE_EPOCHS = through_mpi("exclusive epochs", EPOCHS="exclusive")
# Copies and page faults of the largest regions take most of the time, and are the same in all columns: two have them.
GROWTH_COLUMNS = (OURS, PEER) + tuple(
    replace(column, arguments=("--most", "16777216")) for column in (
        through_mpi("MPI_Win_create", WINDOW="create"),
        through_mpi("MPI_Win_allocate", mpi="openmpi", WINDOW="allocate"),
        through_mpi("MPI_Win_allocate_shared", mpi="openmpi", WINDOW="shared"),
        through_mpi("dynamic window", WINDOW="dynamic"), MPI_CREATE, MPI_ALLOCATE, MPI_DYNAMIC))

ACCESS = {
    "source": "000 Fig. 4", "program": "access_models", "y": "us of an access, of a put with fence", "quick": (),
    "note": "plain: loads and stores without any call, so that puts over the network wait until the computing process calls "
            "MPI; probe: MPI_Iprobe between the accesses; access: ARMCI_Access_begin and _end around each, and MPI_Iprobe "
            "between. separate and unified: an exclusive or a shared lock around each. With more processes than cores they "
            "share what there is.",
}
WRITERS = ACCESS | {"title": "A process computes on its slice while others put to it, by number of writers", "x": "writers",
                    "arguments": ("writers",), "seconds": "0.0125", "ranks": (2, 4)}
LIST = {
    "title": "A linked list that all processes build", "source": "000 Fig. 10", "program": "linked_list", "seconds": "0.03",
    "quick": (), "x": "processes", "y": "us per element", "columns": (OURS, PEER, MPI_CREATE, MPI_DYNAMIC), "ranks": (2, 4),
    "note": "mutex and swap know where the tail is; traverse does not, and its elements come from the processes in turn. The "
            "MPI columns traverse, in the three idioms of the paper. With more processes than cores each turn of traverse waits "
            "for the scheduler.",
}
STYLES = {"source": "000 Fig. 11", "program": "lock_styles", "seconds": "0.0125", "y": "us, complete at the target"}
GROWTH = {
    "source": "000 Fig. 13", "program": "region_growth", "seconds": "0.0125", "y": "us of the slowest process",
    "columns": GROWTH_COLUMNS,
    "note": "reallocate: with the copy, which touches all pages of the new region; add: none is touched. add locally: the "
            "others are not told where the memory is.",
}
CONTIGUOUS = {
    "source": "001 Fig. 3", "program": "contiguous", "seconds": "0.03", "x": "bytes", "bounds": ("*/MPI", "*/copy"),
    "note": "Puts and accumulates are fenced, each or once for a stream of 256. Lines MPI: the same in raw MPI, with one flush, "
            "on a window that it allocated; copy, on a node: memcpy or a loop of sums. All three take turns, batch by batch, in "
            "bytes of their own. The others wait in MPI_Barrier, as MPICH's windows want the target's help on a node, too.",
}

# This library answers by a thread unless told otherwise; on the node it has none. The peer's thread wants MPI_THREAD_MULTIPLE, with
# which Open MPI 4 has no windows over TCP (docs/mpi-facts.md).
BY_THREAD = (OURS, PEER, Column("ours, no thread", {"ARMCI_PROGRESS_THREAD": "0"}, places=CLUSTER),
             Column("peer, progress thread", {"ARMCI_PROGRESS_THREAD": "1"}, peer=True, mpi="mpich"))
ORIGIN = {
    "program": "overlap", "seconds": "0.0125", "quick": (), "y": "% of communication hidden", "columns": BY_THREAD, "log": "x",
    "more_is_better": True,
    "note": "Computation without calls grows by quarters to the time of the communication alone; a point is the most of that "
            "time that any of them hid. Puts end with a fence, as the paper's with an unlock. Lines MPI: MPI_Rput and MPI_Rget, "
            "waits, and a flush after puts, in a window locked for good, in the same run. On the node the caller's own core "
            "copies: nothing can be hidden there, up to what the processor itself does at once in a copy of 16 KiB or less.",
}
TARGET = {
    "source": "002 Fig. 6", "program": "target_overlap", "seconds": "0.015", "quick": (), "x": "origins", "columns": BY_THREAD,
    "note": "The last process computes for 0.015 s of processor time, without calls and in registers; all others work on its "
            "memory, 32 KiB at a time, each complete there before the next. Slow-down is time with traffic over time while all "
            "others sleep. With more processes than cores they share them, so that the clock (panel wall_time) tells what share "
            "of a core the target had; processor_time is what its process, its threads included, was charged. Rates are what the "
            "origins completed while it computed: of its own node, and of others. MPI over TCP needs the target: without a "
            "thread nothing is complete before it has done, and the rate is 0.",
}
LU = {
    "source": "002 Figs 7, 8", "program": "blocked_lu", "seconds": "0.04", "quick": (), "y": "ms", "columns": BY_THREAD,
    "note": "Order 512 unless it is x, blocks of 32 x 32 doubles. Total: the slowest process, phases: mean of all. get is what "
            "the program waits for gets, and for prefetched ones their issue. With more processes than cores the time of others "
            "on the core is in all phases, most of it in synchronisation.",
}
LU_PHASES = LU | {"title": "Blocked LU factorisation: total, and mean time in each phase", "x": "processes"}


def target(part: str, place: tuple[str], ranks: tuple[int, ...]) -> Figure:
    """Without 3 ranks where they are spread over two hosts. Both parts are of the same jobs."""
    name = f"002-fig6-{part}-{place[0]}"
    if part == "rate":
        return Figure(name=name, title="Rate of origins at a target that computes", y="MB/s of all origins", log="y",
                      series=("origins_*",), more_is_better=True, ranks=ranks, places=place, **TARGET)
    return Figure(name=name, title="Slow-down of a target that computes", y="time with traffic / without", log="",
                  series=("wall_time/*", "processor_time/*"), ranks=ranks, places=place, **TARGET)


FIGURES = [
    Figure(name="001-fig3", title="Bandwidth of contiguous put, get and accumulate", arguments=("bandwidth",), y="MB/s",
           quick=("--largest", "65536"), more_is_better=True, **CONTIGUOUS),
    Figure(name="001-fig3-time", title="Time of small contiguous put, get and accumulate", y="us",
           arguments=("time", "--largest", "8192"), **CONTIGUOUS),
    Figure(name="001-fig3-streams", title="Rate of nonblocking put, get and accumulate", arguments=("streams",), quick=(),
           y="million operations/s", more_is_better=True, **CONTIGUOUS),
    Figure(name="001-fig5", title="Get and put by where the origin's buffer comes from", source="001 Fig. 5",
           program="local_buffers", seconds="0.08", quick=("--largest", "65536"), x="bytes", y="MB/s", more_is_better=True,
           bounds=("MPI_*/*",),
           note="untouched: new pages for each batch, a place of whole pages for each operation; the time has their faults. "
                "All other buffers were touched, and are worked through in the same way. Panels MPI_get and MPI_put: raw MPI on "
                "a window that it allocated. All eight take turns, batch by batch."),
    Figure(name="000-fig4", title="A process computes on its slice while another puts to it, by length of an access",
           arguments=("interval",), seconds="0.02", x="microseconds of one access",
           columns=(OURS, PEER, MPI_CREATE, MPI_ALLOCATE), **ACCESS),
    Figure(name="000-fig4-writers", columns=(OURS, PEER, MPI_CREATE, MPI_ALLOCATE), places=NODE, **WRITERS),
    Figure(name="000-fig4-writers-cluster", columns=(OURS, PEER, MPI_CREATE), places=CLUSTER, **WRITERS),
    Figure(name="000-fig7", title="Write, then read of the same place", source="000 Fig. 7", program="write_then_read",
           seconds="0.0125", quick=("--most", "4096"), x="bytes", y="us of a pair",
           # Open MPI 4 keeps no accumulates in order.
           columns=(OURS, PEER, through_mpi("flushes", ORDERING="flush"),
                    through_mpi("ordered accumulates", mpi="mpich", ORDERING="accumulate"), EXCLUSIVE_EPOCHS, MPI_CREATE,
                    MPI_ALLOCATE),
           note="fence: put, fence, get; location consistency: put, get. A row of MPI's ordered accumulates is left out "
                "where MPI did not keep the order."),
    Figure(name="000-fig10", places=NODE, **LIST),
    Figure(name="000-fig10-cluster", places=CLUSTER, **LIST),
    Figure(name="000-fig11", title="One operation by style of epoch", quick=("--most", "512"), x="bytes",
           columns=(OURS, PEER, through_mpi("shared epochs", EPOCHS="shared"), EXCLUSIVE_EPOCHS, MPI_CREATE), **STYLES,
           note="Puts and accumulates with a fence. shared, exclusive: a lock and an unlock around each operation; "
                "lock_all: one epoch for all, and a flush."),
    Figure(name="000-fig11-targets", title="8 bytes to several targets in turn, by style of epoch", arguments=("targets",),
           quick=(), x="targets", columns=(OURS, PEER, MPI_CREATE), ranks=(2, 4), **STYLES,
           note="Puts and accumulates with a fence."),
    Figure(name="000-fig13", title="Doubling a region: a new one and a copy, or one more of the same size",
           quick=("--most", "1048576"), x="bytes of each process before it grows", **GROWTH),
    Figure(name="000-fig13-processes", title="Doubling a region of 4 KiB of each process, by number of processes",
           arguments=("processes",), quick=(), x="processes", ranks=(2, 4), places=NODE, **GROWTH),
    Figure(name="002-fig4", title="Communication hidden behind computation at the origin, by message size",
           source="002 Fig. 4", arguments=("sizes",), x="bytes", **ORIGIN),
    Figure(name="002-fig5", title="Communication hidden behind computation at the origin, by operations of 32 KiB under way",
           source="002 Fig. 5", arguments=("operations",), x="operations", **ORIGIN),
    target("slowdown", NODE, (2, 3, 4)),
    target("slowdown", CLUSTER, (2, 4)),
    target("rate", NODE, (2, 3, 4)),
    target("rate", CLUSTER, (2, 4)),
    Figure(name="002-fig7-8-node", ranks=(1, 2, 4), places=NODE, **LU_PHASES),
    Figure(name="002-fig7-8-cluster", ranks=(2, 4), places=CLUSTER, **LU_PHASES),
    Figure(name="002-fig7-8-size", title="Blocked LU factorisation by order of the matrix, 4 processes", x="order", ranks=(4,),
           arguments=("size", "--order", "1024"), **LU | {"quick": ("--order", "512")}),
]
