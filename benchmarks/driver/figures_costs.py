"""Points for cost models (models.py): every operation, by every method and path."""

from figure import OURS, PEER, Column, Figure

# Not what both MPIs choose anyway: on Open MPI 4 derived types leak, and the library takes others instead.
METHODS = {
    "segments": ({"ARMCI_STRIDED_METHOD": "segments", "ARMCI_IOV_METHOD": "batched"}, ""),
    "iov": ({"ARMCI_STRIDED_METHOD": "iov"}, ""),
    "consrv": ({"ARMCI_IOV_METHOD": "consrv"}, ""),
    "direct": ({"ARMCI_STRIDED_METHOD": "direct", "ARMCI_IOV_METHOD": "direct"}, "mpich"),
    "packed": ({"ARMCI_STRIDED_METHOD": "packed"}, "mpich"),
}
NETWORK = tuple(Column(name, settings, mpi=mpi) for name, (settings, mpi) in METHODS.items())
# models.py knows the path by the name.
FORCED = {"ARMCI_FORCE_MPI": "1"}
ON_NODE = (Column("mpi", FORCED),) + tuple(
    Column(f"mpi-{name}", settings | FORCED, mpi=mpi) for name, (settings, mpi) in METHODS.items()
)


def costs(name, title, columns, places, note):
    return Figure(
        name=name,
        title=title,
        source="",
        program="costs",
        arguments=("--seconds", "0.02"),
        quick=("--seconds", "0.005"),
        x="bytes",
        y="us",
        columns=columns,
        places=places,
        note=note,
    )


FIGURES = [
    costs(
        "costs",
        "Cost of each operation over the network",
        (OURS, *NETWORK, PEER),
        ("cluster",),
        "a panel is an operation[:segments], a line a method; puts and accumulates of several segments are fenced",
    ),
    costs(
        "costs-mpi",
        "Cost of each operation through MPI on the node",
        ON_NODE,
        ("node",),
        "as costs, with ARMCI_FORCE_MPI=1",
    ),
    costs(
        "costs-node",
        "Cost of each operation by load and store",
        (OURS, PEER),
        ("node",),
        "as costs; there are no methods to choose from",
    ),
    Figure(
        name="costs-allocations",
        title="Time and memory of an allocation",
        source="003 section 2.2",
        program="costs",
        arguments=("--allocations",),
        quick=("--allocations", "--seconds", "0.01"),
        x="processes",
        y="us; bytes",
        ranks=(2, 4, 8),
        note="memory is the heap of the process that has most; models.py allocations projects both",
    ),
]
