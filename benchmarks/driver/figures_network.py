"""What one process pays for the memory of another: single calls, Fig. 4 of paper 001 by method, both libraries in one job,
costs of every operation (models.py); barriers and fences."""

from figure import CLUSTER, NODE, OURS, PEER, Column, Figure
from jobs import peer_needs


# Messages of the library's own take no method; over TCP they are the default.
BY_MPI = {"ARMCI_TRANSPORT": "mpi"}


def methods(who: str, setting: str, **mpi_of: str) -> tuple[Column, ...]:
    """A column for each method, with the MPI that it is for; '': both."""
    peer = who == "peer"
    return tuple(Column(f"{who}, {method}", {setting: method.upper()} if peer else {setting: method} | BY_MPI, peer=peer, mpi=mpi)
                 for method, mpi in mpi_of.items())


# What a method other than the default changes where operations go by MPI. Between hosts alone: on a node this library takes
# no method. On Open MPI this library's direct and packed are iov, and batched for vectors: derived types leak there
# (docs/mpi-facts.md).
STRIDED = (OURS, *methods("ours", "ARMCI_STRIDED_METHOD", iov="", segments="openmpi", spans="openmpi", direct="mpich",
                          packed="mpich"))
PEER_STRIDED = (PEER, *methods("peer", "ARMCI_STRIDED_METHOD", iov="mpich", direct="openmpi"))
VECTOR = (OURS, *methods("ours", "ARMCI_IOV_METHOD", consrv="", batched="", direct="mpich"))
PEER_VECTOR = (PEER, *methods("peer", "ARMCI_IOV_METHOD", consrv="", auto="", batched="mpich", direct="openmpi"))

# For models.py, which knows the path by the name. On Open MPI 4 derived types leak, and the library takes other methods.
COSTS = {
    "segments": ({"ARMCI_STRIDED_METHOD": "segments", "ARMCI_IOV_METHOD": "batched"}, ""),
    "spans": ({"ARMCI_STRIDED_METHOD": "spans"}, "openmpi"),
    "iov": ({"ARMCI_STRIDED_METHOD": "iov"}, ""),
    "consrv": ({"ARMCI_IOV_METHOD": "consrv"}, ""),
    "direct": ({"ARMCI_STRIDED_METHOD": "direct", "ARMCI_IOV_METHOD": "direct"}, "mpich"),
    "packed": ({"ARMCI_STRIDED_METHOD": "packed"}, "mpich"),
}
FORCED = {"ARMCI_FORCE_MPI": "1"}
# Lines are named by the methods.
COST_COLUMNS = (
    OURS, Column("ours, MPI", BY_MPI, places=CLUSTER, label="mpi"),
    *(Column(name, settings | BY_MPI, mpi=mpi, places=CLUSTER, label="") for name, (settings, mpi) in COSTS.items()),
    Column("mpi", FORCED, places=NODE),
    *(Column(f"mpi-{name}", settings | FORCED, mpi=mpi, places=NODE, label="mpi") for name, (settings, mpi) in COSTS.items()),
    PEER)


def segments(name: str, title: str, layout: str, columns: tuple[Column, ...], places: tuple[str, ...],
             quick: tuple[str, ...] | None = None) -> Figure:
    return Figure(name=f"001-fig4-{name}", title=title, source="001 Fig. 4", program="network", x="segments", y="MB/s",
                  arguments=(layout,), seconds="0.0125", quick=quick, columns=columns, places=places, runs=2,
                  more_is_better=True,
                  note="Of doubles, as far apart again as they are long. Puts and accumulates are fenced each time. Columns "
                       "without a method: the defaults; the peer's are IOV and BATCHED with Open MPI, DIRECT with MPICH. With Open MPI "
                       "the peer warns that its DIRECT is broken, and each such transfer leaves memory at its target.")


def contestants(mpi: str, setting: str, fixed: tuple[str, ...]) -> tuple[Column, ...]:
    """Both libraries with their defaults; in a job more this library by MPI, by itself and with each method of `fixed`."""
    columns = (Column("together", peer_needs(mpi), mpi=mpi, label=""),)
    if fixed:
        each = tuple(word for method in fixed for word in ("--with", f"{setting}={method}"))
        columns += (Column("by MPI", peer_needs(mpi) | BY_MPI, each, mpi=mpi),)
    return columns


def together(name: str, title: str, source: str, seconds: str, *arguments: str, setting: str = "", x: str = "bytes",
             undrawn: tuple[str, ...] = (), **fixed: tuple[str, ...]) -> Figure:
    """`fixed`: the methods to compare, by MPI library."""
    return Figure(
        name=name, title=title, source=source, program="network_together", arguments=arguments, seconds=seconds, x=x, y="us",
        places=CLUSTER, runs=3, undrawn=undrawn,
        columns=(*contestants("openmpi", setting, fixed.get("openmpi", ())), *contestants("mpich", setting, fixed.get("mpich", ()))),
        note="Settings and MPI's buffers are shared, so on Open MPI the peer has this library's single receive. 'ahead_of' is "
             "the median of neighbouring batches' ratios to this library with its defaults, or with ARMCI_TRANSPORT=mpi alone "
             "(by MPI): above 1, this library is ahead.")


FIGURES = [
    segments("strided", "Strided transfers, by method", "strided", (*STRIDED, *PEER_STRIDED), CLUSTER, quick=()),
    segments("vector", "Vector transfers, by method", "vector", (*VECTOR, PEER), CLUSTER),
    segments("vector-peer", "Vector transfers, by method of the peer", "vector", (OURS, *PEER_VECTOR), CLUSTER),
    segments("strided-node", "Strided transfers on a node", "strided", (OURS, *PEER_STRIDED), NODE),
    segments("vector-node", "Vector transfers on a node", "vector", (OURS, *PEER_VECTOR), NODE),
    Figure(name="network", title="Latency, streams and small scattered transfers of one process", program="network", x="bytes",
           y="us", seconds="0.01", runs=2,
           note="blocking: fenced off the clock; fence: on it. Streams wait for 64 at a time and fence at the end. Scattered: "
                "each of 1,024 operations to a place of its own, in no order."),
    together("network-together", "One process and the memory of the last: both libraries in one job", "", "0.055",
             undrawn=("ahead_of_*",)),
    together("001-fig4-strided-together", "Strided transfers: all methods and the peer in one job", "001 Fig. 4", "0.1",
             "strided", x="segments", setting="ARMCI_STRIDED_METHOD", openmpi=("iov", "segments", "spans"),
             mpich=("iov", "direct", "packed")),
    together("001-fig4-vector-together", "Vector transfers: all methods and the peer in one job", "001 Fig. 4", "0.1",
             "vector", x="segments", setting="ARMCI_IOV_METHOD", openmpi=("consrv", "batched"),
             mpich=("consrv", "batched", "direct")),
    Figure(name="busy-target", title="What a process that computes costs those that ask for its memory, and what they cost it",
           program="busy_target", seconds="1", quick=("--seconds", "0.3"), x="bytes", y="us", places=CLUSTER, columns=(OURS,),
           undrawn=("slow_down/*", "idle/*"),
           note="Process 1 computes without a call, process 0 asks 200 times a second. Without a thread an answer takes what is left of "
                "the computation. slow_down: time of the computation with requests over time without."),
    Figure(name="barrier", title="Barriers and fences", program="fences", seconds="0.0125", x="processes", y="us",
           ranks=(1, 2, 4, 8),
           note="All take part, in batches of 20; the slowest counts. The neighbour is the next process, to which 8 bytes are "
                "put before each barrier or fence."),
    Figure(name="dirty-regions", title="Fences and barriers by number of regions, one of which is dirty", program="fences",
           arguments=("regions",), seconds="0.015", quick=("--most", "10"), x="regions", y="us",
           note="The peer has a window for each, of which MPI makes few: its lines end at 100."),
    Figure(name="costs", title="Cost of each operation, by each method and path", source="003", program="network",
           arguments=("costs",), seconds="0.01", quick=("--seconds", "0.005"), x="bytes", y="us",
           x_in=dict.fromkeys(("fence", "allfence", "*barrier", "lock+unlock"), "calls"), columns=COST_COLUMNS,
           note="A panel is an operation[:segments], a line a method. Puts and accumulates of several segments are fenced. "
                "On the node: by load and store, and with ARMCI_FORCE_MPI=1 (mpi). models.py fits and reports."),
]


def together_of(figure: str, series: str) -> tuple[str, str] | None:
    """The figure and the series of the same operation's ratio to the peer in one job, if there is one."""
    panel, _, line = series.partition("/")
    if figure in ("001-fig4-strided", "001-fig4-vector"):
        return f"{figure}-together", f"ahead_of_peer/{panel}"
    if figure == "network":  # "latency_put/fence" is the row "put+fence", "scattered_nbput/handles" "nbput-handles"
        kind, _, operation = panel.partition("_")
        end = {"blocking": "", "fence": "+fence"}.get(line, f"-{line}") if kind == "latency" else f"-{line}"
        return "network-together", f"ahead_of_peer/{operation}{end}"
    return None
