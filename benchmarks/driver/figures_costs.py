"""Points for cost models (models.py): every operation, by every method and path."""

from figure import OURS, PEER, Column, Figure

# On Open MPI 4 derived types leak, and the library takes other methods instead.
METHODS = {
    "segments": ({"ARMCI_STRIDED_METHOD": "segments", "ARMCI_IOV_METHOD": "batched"}, ""),
    "spans": ({"ARMCI_STRIDED_METHOD": "spans"}, "openmpi"),
    "iov": ({"ARMCI_STRIDED_METHOD": "iov"}, ""),
    "consrv": ({"ARMCI_IOV_METHOD": "consrv"}, ""),
    "direct": ({"ARMCI_STRIDED_METHOD": "direct", "ARMCI_IOV_METHOD": "direct"}, "mpich"),
    "packed": ({"ARMCI_STRIDED_METHOD": "packed"}, "mpich"),
}
FORCED = {"ARMCI_FORCE_MPI": "1"}

# Lines are named by the methods.
NETWORK = tuple(Column(name, settings, mpi=mpi, places=("cluster",), label="")
                for name, (settings, mpi) in METHODS.items())
# models.py knows the path by the name.
ON_NODE = (Column("mpi", FORCED, places=("node",)),) + tuple(
    Column(f"mpi-{name}", settings | FORCED, mpi=mpi, places=("node",), label="mpi")
    for name, (settings, mpi) in METHODS.items())

FIGURES = [
    Figure(name="costs", title="Cost of each operation, by each method and path", source="003",
           program="costs", arguments=("--seconds", "0.01"), quick=("--seconds", "0.005"), x="bytes", y="us",
           x_in=dict.fromkeys(("fence", "allfence", "*barrier", "lock+unlock"), "calls"),
           columns=(OURS, *NETWORK, *ON_NODE, PEER),
           note="A panel is an operation[:segments], a line a method. Puts and accumulates of several segments are fenced. "
                "On the node: by load and store, and with ARMCI_FORCE_MPI=1 (mpi). models.py fits and reports."),
    Figure(name="costs-allocations", title="Time and memory of an allocation", source="003 section 2.2",
           program="costs", arguments=("--allocations",), quick=("--allocations", "--seconds", "0.01"), x="processes",
           y="us; bytes", ranks=(2, 4, 8),
           note="Memory: the heap of the process that has most. models.py allocations projects both to 1,048,576."),
]
