"""The node against memcpy and loops by hand; what live allocations hold; the conflict tree."""

from figure import NODE, Column, Figure

# No MPI is in it.
ONE_MPI = Column("ours", mpi="openmpi")

FIGURES = [
    Figure(name="node-latency", title="Put and get on the node beside an out-of-line memcpy of the same bytes",
           program="node_latency", x="bytes", y="ns", quick=(), places=NODE, bounds=("*memcpy",), x_in={"putS*": "segments"},
           note="Both take turns batch by batch in one process; the ratio is of times, below 1 faster than memcpy: the median "
                "of neighbours' ratios. For the peer memcpy works on the caller's own slice."),
    Figure(name="node-strided", title="1,024 segments on the node beside a loop by hand", source="001 Fig. 4",
           program="node_kernels", arguments=("strided",), x="bytes of a segment", y="us", quick=("strided",),
           places=NODE, bounds=("*/loop_by_hand",), note="speed ratio: of the library to the loop; 1 is as fast."),
    Figure(name="node-contiguous", title="Contiguous transfers beside the best copy of the process", source="001 Fig. 3",
           program="node_kernels", arguments=("contiguous",), x="bytes", y="x", columns=(ONE_MPI,), places=NODE,
           log="x", runs=1,
           note="Speed by the best of libc, rep movsb, AVX2, AVX-512 and non-temporal copies: the least and the median of 49 "
                "pairs of places in a page. 'only': copied; 'and read': by who copied it. What writes past the caches is best at "
                "the first and worst at the second: no copy is the best at both."),
    Figure(name="allocations-live", title="Many live allocations", program="allocations", arguments=("live",), seconds="0.04",
           quick=("--most", "100"), x="live allocations", y="us; mappings and descriptors of the process",
           note="Puts to any of them, and to as many places of one that has the bytes of all. The peer has a window for "
                "each, of which MPI makes few: its lines end at 100."),
    Figure(name="allocations-processes", title="An allocation by number of processes", program="allocations",
           arguments=("processes",), seconds="0.04", quick=(), x="processes",
           y="us; bytes of private memory of each process beside the allocation's own", ranks=(1, 2, 4), places=NODE,
           note="Nobody touches the allocations, so that the memory is the library's and MPI's."),
    Figure(name="costs-allocations", title="Time and memory of an allocation", source="003 section 2.2",
           program="allocations", arguments=("heap",), seconds="0.03", quick=(), x="processes", y="us; bytes", ranks=(2, 4, 8),
           note="Memory: the heap of the process that has most. models.py allocations projects both to 1,048,576."),
    Figure(name="conflict-tree", title="Do the segments of a vector call overlap?", source="001, VI-B",
           program="conflict_tree", x="segments", y="ms", columns=(ONE_MPI,), places=NODE, ranks=(1,), runs=1,
           note="In order: the tree is not asked. Random: the AVL tree. All pairs: what it replaces."),
]
