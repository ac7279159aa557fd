"""The node against memcpy and loops by hand; atomic operations of a node in a job of several; the conflict tree."""

from figure import OURS, PEER, Column, Figure

POLICIES = tuple(Column(policy, {"ARMCI_ATOMICS_POLICY": policy})
                 for policy in ("history", "fixed-cpu", "fixed-network"))

# No MPI is in it.
ONE_MPI = Column("ours", mpi="openmpi")

FIGURES = [
    Figure(name="node-latency", title="Put and get on the node beside an out-of-line memcpy of the same bytes", source="",
           program="node_latency", x="bytes", y="ns", quick=(), places=("node",),
           bounds=("*memcpy",), x_in={"putS*": "segments"},
           note="Both take turns batch by batch in one process; the ratio is of times, below 1 faster than memcpy: the median "
                "of neighbours' ratios. For the peer memcpy works on the caller's own slice."),
    Figure(name="node-strided", title="1,024 segments on the node beside a loop by hand", source="001 Fig. 4",
           program="node_kernels", arguments=("strided",), x="bytes of a segment", y="us", quick=("strided",),
           places=("node",), bounds=("*/loop_by_hand",), note="speed ratio: of the library to the loop; 1 is as fast."),
    Figure(name="node-contiguous", title="Contiguous transfers beside the best copy of the process", source="001 Fig. 3",
           program="node_kernels", arguments=("contiguous",), x="bytes", y="x", columns=(ONE_MPI,), places=("node",),
           log="x", runs=1,
           note="Speed by the best of libc, rep movsb, AVX2, AVX-512 and non-temporal copies: the least and the median of 49 "
                "pairs of places in a page. 'only': copied; 'and read': by who copied it. What writes past the caches is best at "
                "the first and worst at the second: no copy is the best at both."),
    Figure(name="atomics", title="Atomic operations within a node while another node comes by", source="004, open",
           program="atomics", x="near operations of a round", y="us", places=("cluster",), ranks=(4,),
           columns=(OURS, *POLICIES, PEER), runs=2, log="y",
           note="near: of a process on the target's node; far: of one on another. followed by: a barrier between them. "
                "ours is ARMCI_ATOMICS_POLICY=pattern. With any policy jobs are of two sorts (docs/design/0011)."),
    Figure(name="conflict-tree", title="Do the segments of a vector call overlap?", source="001, VI-B",
           program="conflict_tree", x="segments", y="ms", columns=(ONE_MPI,), places=("node",), ranks=(1,), runs=1,
           note="In order: the tree is not asked. Random: the AVL tree. All pairs: what it replaces."),
]
