"""This library and the peer in one job, batch by batch."""

from figure import Column, Figure
from jobs import PEER_NEEDS

FIGURES = [
    Figure(name="network-together", title="One process and the memory of the last: both libraries in one job", source="",
           program="side_by_side", arguments=("--seconds", "0.055"), x="bytes", y="us", places=("cluster",), runs=3,
           columns=tuple(Column("both", settings, mpi=mpi) for mpi, settings in PEER_NEEDS.items()),
           note="Settings and MPI's buffers are shared, so on Open MPI the peer has this library's single receive. 'ahead' "
                "is the median of neighbouring batches' ratios, peer / ours."),
]
