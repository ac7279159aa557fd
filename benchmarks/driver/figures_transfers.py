"""Paper 001, "Supporting the Global Arrays PGAS Model Using MPI One-Sided Communication": Figs 3 to 5, and what else one
process pays for another's memory."""

from figure import OURS, PEER, Column, Figure

QUICK = ("--seconds", "0.01")

CONTIGUOUS_BOUNDS = ("*/MPI", "*/copy")
CONTIGUOUS_NOTE = (
    "Puts and accumulates are fenced, each or once for a stream of 256. Lines MPI: the same in raw MPI, with one flush, on "
    "a window that it allocated; copy, on a node: memcpy or a loop of sums. All three take turns, batch by batch, in bytes "
    "of their own. The others wait in MPI_Barrier, as MPICH's windows want the target's help on a node, too."
)

# What a method other than the default changes. Over TCP alone: on a node this library takes no method. On Open MPI this
# library's direct and packed are iov, and batched for vectors: derived types leak there (docs/mpi-facts.md).
STRIDED = (
    OURS,
    Column("ours, iov", {"ARMCI_STRIDED_METHOD": "iov"}),
    Column("ours, segments", {"ARMCI_STRIDED_METHOD": "segments"}, mpi="openmpi"),
    Column("ours, spans", {"ARMCI_STRIDED_METHOD": "spans"}, mpi="openmpi"),
    Column("ours, direct", {"ARMCI_STRIDED_METHOD": "direct"}, mpi="mpich"),
    Column("ours, packed", {"ARMCI_STRIDED_METHOD": "packed"}, mpi="mpich"),
)
PEER_STRIDED = (
    PEER,  # iov on Open MPI, direct on MPICH
    Column("peer, iov", {"ARMCI_STRIDED_METHOD": "IOV"}, peer=True, mpi="mpich"),
    Column("peer, direct", {"ARMCI_STRIDED_METHOD": "DIRECT"}, peer=True, mpi="openmpi"),
)
VECTOR = (
    OURS,
    Column("ours, consrv", {"ARMCI_IOV_METHOD": "consrv"}),
    Column("ours, batched", {"ARMCI_IOV_METHOD": "batched"}),
    Column("ours, direct", {"ARMCI_IOV_METHOD": "direct"}, mpi="mpich"),
)
PEER_VECTOR = (
    PEER,  # batched on Open MPI, direct on MPICH
    Column("peer, consrv", {"ARMCI_IOV_METHOD": "CONSRV"}, peer=True),
    Column("peer, auto", {"ARMCI_IOV_METHOD": "AUTO"}, peer=True),
    Column("peer, batched", {"ARMCI_IOV_METHOD": "BATCHED"}, peer=True, mpi="mpich"),
    Column("peer, direct", {"ARMCI_IOV_METHOD": "DIRECT"}, peer=True, mpi="openmpi"),
)


def contiguous(name: str, title: str, y: str, *arguments: str, quick: tuple[str, ...] | None = None) -> Figure:
    return Figure(name=name, title=title, source="001 Fig. 3", program="contiguous", x="bytes", y=y, arguments=arguments,
                  quick=quick, more_is_better=y != "us", bounds=CONTIGUOUS_BOUNDS, note=CONTIGUOUS_NOTE)


def segments(name: str, title: str, layout: str, columns: tuple[Column, ...], *places: str,
             quick: tuple[str, ...] | None = None) -> Figure:
    return Figure(name=name, title=title, source="001 Fig. 4", program="segments", x="segments", y="MB/s",
                  arguments=(layout, "--seconds", "0.0125"), quick=quick, columns=columns, places=places, runs=2,
                  more_is_better=True,
                  note="Of doubles, as far apart again as they are long. Puts and accumulates are fenced each time. Columns "
                       "without a method: the defaults; the peer's are IOV and BATCHED with Open MPI, DIRECT with MPICH. With Open MPI "
                       "the peer warns that its DIRECT is broken, and each such transfer leaves memory at its target.")


def by_processes(name: str, title: str, program: str, note: str, *places: str,
                 ranks: tuple[int, ...] = (1, 2, 4, 8)) -> Figure:
    return Figure(name=name, title=title, source="", program=program, arguments=("--seconds", "0.0125"), x="processes",
                  y="us", ranks=ranks, places=places, note=note)


FIGURES = [
    contiguous("001-fig3", "Bandwidth of contiguous put, get and accumulate", "MB/s", "bandwidth", "--seconds", "0.03",
               quick=("--largest", "65536", *QUICK)),
    contiguous("001-fig3-time", "Time of small contiguous put, get and accumulate", "us", "time", "--largest", "8192",
               "--seconds", "0.03"),
    contiguous("001-fig3-streams", "Rate of nonblocking put, get and accumulate", "million operations/s", "streams",
               "--seconds", "0.03", quick=("streams", *QUICK)),
    segments("001-fig4-strided", "Strided transfers, by method", "strided", (*STRIDED, *PEER_STRIDED), "cluster",
             quick=("strided", *QUICK)),
    segments("001-fig4-vector", "Vector transfers, by method", "vector", (*VECTOR, PEER), "cluster"),
    segments("001-fig4-vector-peer", "Vector transfers, by method of the peer", "vector", (OURS, *PEER_VECTOR), "cluster"),
    segments("001-fig4-strided-node", "Strided transfers on a node", "strided", (OURS, *PEER_STRIDED), "node"),
    segments("001-fig4-vector-node", "Vector transfers on a node", "vector", (OURS, *PEER_VECTOR), "node"),
    Figure(
        name="001-fig5",
        title="Get and put by where the origin's buffer comes from",
        source="001 Fig. 5",
        program="local_buffers",
        arguments=("--seconds", "0.08"),
        x="bytes",
        y="MB/s",
        quick=("--largest", "65536", "--seconds", "0.01"),
        more_is_better=True,
        bounds=("MPI_*/*",),
        note="untouched: new pages for each batch, a place of whole pages for each operation; the time has their faults. "
             "All other buffers were touched, and are worked through in the same way. Panels MPI_get and MPI_put: raw MPI on "
             "a window that it allocated. All eight take turns, batch by batch.",
    ),
    Figure(
        name="network",
        title="Latency, streams and small scattered transfers of one process",
        source="",
        program="network",
        x="bytes",
        y="us",
        arguments=("--seconds", "0.01"),
        runs=2,
        note="blocking: fenced off the clock; fence: on it. Streams wait for 64 at a time and fence at the end. Scattered: "
             "each of 1,024 operations to a place of its own, in no order.",
    ),
    by_processes("acc", "Accumulate of doubles by several processes", "acc",
                 "What a process takes for one, into the memory of the last: all together add as many times faster as they "
                 "are. With more processes than cores they share them.", "node", ranks=(1, 2, 4)),
    by_processes("rmw-counter", "A shared counter, as task lists use it", "rmw_counter",
                 "What a process takes for a number; all of them together draw as many times faster as they are. With more "
                 "processes than cores they share them.", "node", "cluster"),
    by_processes("barrier", "Barriers and fences", "barrier",
                 "All take part, in batches of 20. The neighbour is the next process, to which 8 bytes are put before "
                 "each barrier or fence.", "node", "cluster"),
]
