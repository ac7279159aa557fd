"""This library and the peer in one job, batch by batch."""

from figure import Column, Figure
from jobs import peer_needs

NOTE = (
    "Settings and MPI's buffers are shared, so on Open MPI the peer has this library's single receive. 'ahead_of' is the "
    "median of neighbouring batches' ratios to this library with its defaults: above 1, this library is ahead.")


def fixed(setting: str, *methods: str) -> tuple[str, ...]:
    """Arguments: this library once more with each method."""
    return tuple(word for method in methods for word in ("--with", f"{setting}={method}"))


def segments_together(layout: str, setting: str, openmpi: tuple[str, ...], mpich: tuple[str, ...]) -> Figure:
    return Figure(
        name=f"001-fig4-{layout}-together", title=f"{layout.capitalize()} transfers: all methods and the peer in one job",
        source="001 Fig. 4", program="segments_together", arguments=(layout, "--seconds", "0.1"), x="segments", y="us",
        places=("cluster",), runs=3, note=NOTE,
        columns=(Column("together", peer_needs("openmpi"), fixed(setting, *openmpi), mpi="openmpi", label=""),
                 Column("together", peer_needs("mpich"), fixed(setting, *mpich), mpi="mpich", label="")))


FIGURES = [
    Figure(name="network-together", title="One process and the memory of the last: both libraries in one job", source="",
           program="network_together", arguments=("--seconds", "0.055"), x="bytes", y="us", places=("cluster",), runs=3,
           columns=tuple(Column("together", peer_needs(mpi), mpi=mpi, label="") for mpi in ("openmpi", "mpich")),
           undrawn=("ahead_of_*",), note=NOTE),
    segments_together("strided", "ARMCI_STRIDED_METHOD", ("iov", "segments", "spans"), ("iov", "direct", "packed")),
    segments_together("vector", "ARMCI_IOV_METHOD", ("consrv", "batched"), ("consrv", "batched", "direct")),
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
