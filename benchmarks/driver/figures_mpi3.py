"""Figures of paper 000, "An Implementation and Evaluation of the MPI 3.0 One-Sided Communication Interface", and what
allocations cost."""

from dataclasses import replace

from figure import OURS, PEER, Column, Figure

# Rows of MPI itself, by the programs of this library (mpi3.h).
MPI_CREATE = Column("MPI, MPI_Win_create", {"BENCHMARK_MPI": "create"})
# MPICH 4.0.2 gets these windows wrong (mpich 6140).
MPI_ALLOCATE = Column("MPI, MPI_Win_allocate", {"BENCHMARK_MPI": "allocate"}, mpi="openmpi")
MPI_DYNAMIC = Column("MPI, dynamic window", {"BENCHMARK_MPI": "dynamic"})

QUICK = ("--seconds", "0.01")


def through_mpi(name: str, mpi: str = "", **settings: str) -> Column:
    """This library with every operation through MPI, those of the own node too; between hosts, where that is its way."""
    forced = {"ARMCI_FORCE_MPI": "1"} | {f"ARMCI_{key}": value for key, value in settings.items()}
    return Column(f"ours, MPI, {name}", forced, mpi=mpi, places=("cluster",))


EXCLUSIVE_EPOCHS = through_mpi("exclusive epochs", EPOCHS="exclusive")

ACCESS_NOTE = (
    "plain: loads and stores without any call, so that puts over the network wait until the computing process calls "
    "MPI; probe: MPI_Iprobe between the accesses; access: ARMCI_Access_begin and _end around each, and MPI_Iprobe "
    "between. separate and unified: an exclusive or a shared lock around each. With more processes than cores they "
    "share what there is."
)
LIST_NOTE = (
    "mutex and swap know where the tail is; traverse does not, and its elements come from the processes in turn. The "
    "MPI columns traverse, in the three idioms of the paper. With more processes than cores each turn of traverse waits "
    "for the scheduler."
)
LIST_COLUMNS = (OURS, PEER, MPI_CREATE, MPI_DYNAMIC)
# Copies and page faults of the largest regions take most of the time, and are the same in all columns: two have them.
GROWTH_COLUMNS = (OURS, PEER) + tuple(
    replace(column, arguments=("--most", "16777216")) for column in (
        through_mpi("MPI_Win_create", WINDOW="create"),
        through_mpi("MPI_Win_allocate", mpi="openmpi", WINDOW="allocate"),
        through_mpi("MPI_Win_allocate_shared", mpi="openmpi", WINDOW="shared"),
        through_mpi("dynamic window", WINDOW="dynamic"),
        MPI_CREATE,
        MPI_ALLOCATE,
        MPI_DYNAMIC,
    ))
GROWTH_NOTE = (
    "reallocate: with the copy, which touches all pages of the new region; add: none is touched. add locally: the "
    "others are not told where the memory is."
)

FIGURES = [
    Figure(
        name="000-fig4",
        title="A process computes on its slice while another puts to it, by length of an access",
        source="000 Fig. 4",
        program="access_models",
        arguments=("interval", "--seconds", "0.02"),
        quick=("interval", *QUICK),
        x="microseconds of one access",
        y="us of an access, of a put with fence",
        columns=(OURS, PEER, MPI_CREATE, MPI_ALLOCATE),
        note=ACCESS_NOTE,
    ),
    Figure(
        name="000-fig4-writers",
        title="A process computes on its slice while others put to it, by number of writers",
        source="000 Fig. 4",
        program="access_models",
        arguments=("writers", "--seconds", "0.0125"),
        quick=("writers", *QUICK),
        x="writers",
        y="us of an access, of a put with fence",
        columns=(OURS, PEER, MPI_CREATE, MPI_ALLOCATE),
        ranks=(2, 4),
        places=("node",),
        note=ACCESS_NOTE,
    ),
    Figure(
        name="000-fig4-writers-cluster",
        title="A process computes on its slice while others put to it, by number of writers",
        source="000 Fig. 4",
        program="access_models",
        arguments=("writers", "--seconds", "0.0125"),
        quick=("writers", *QUICK),
        x="writers",
        y="us of an access, of a put with fence",
        columns=(OURS, PEER, MPI_CREATE),
        ranks=(2, 4),
        places=("cluster",),
        note=ACCESS_NOTE,
    ),
    Figure(
        name="000-fig7",
        title="Write, then read of the same place",
        source="000 Fig. 7",
        program="write_then_read",
        arguments=("--seconds", "0.0125"),
        quick=(*QUICK, "--most", "4096"),
        x="bytes",
        y="us of a pair",
        columns=(
            OURS,
            PEER,
            through_mpi("flushes", ORDERING="flush"),
            # Open MPI 4 keeps no accumulates in order.
            through_mpi("ordered accumulates", mpi="mpich", ORDERING="accumulate"),
            EXCLUSIVE_EPOCHS,
            MPI_CREATE,
            MPI_ALLOCATE,
        ),
        note="fence: put, fence, get; location consistency: put, get. A row of MPI's ordered accumulates is left out "
        "where MPI did not keep the order.",
    ),
    Figure(
        name="000-fig10",
        title="A linked list that all processes build",
        source="000 Fig. 10",
        program="linked_list",
        arguments=("--seconds", "0.03"),
        quick=QUICK,
        x="processes",
        y="us per element",
        columns=LIST_COLUMNS,
        ranks=(2, 4),
        places=("node",),
        note=LIST_NOTE,
    ),
    Figure(
        name="000-fig10-cluster",
        title="A linked list that all processes build",
        source="000 Fig. 10",
        program="linked_list",
        arguments=("--seconds", "0.03"),
        quick=QUICK,
        x="processes",
        y="us per element",
        columns=LIST_COLUMNS,
        ranks=(2, 4),
        places=("cluster",),
        note=LIST_NOTE,
    ),
    Figure(
        name="000-fig11",
        title="One operation by style of epoch",
        source="000 Fig. 11",
        program="lock_styles",
        arguments=("bytes", "--seconds", "0.0125"),
        quick=("bytes", *QUICK, "--most", "512"),
        x="bytes",
        y="us, complete at the target",
        columns=(OURS, PEER, through_mpi("shared epochs", EPOCHS="shared"), EXCLUSIVE_EPOCHS, MPI_CREATE),
        note="Puts and accumulates with a fence. shared, exclusive: a lock and an unlock around each operation; "
        "lock_all: one epoch for all, and a flush.",
    ),
    Figure(
        name="000-fig11-targets",
        title="8 bytes to several targets in turn, by style of epoch",
        source="000 Fig. 11",
        program="lock_styles",
        arguments=("targets", "--seconds", "0.0125"),
        quick=("targets", *QUICK),
        x="targets",
        y="us, complete at the target",
        columns=(OURS, PEER, MPI_CREATE),
        ranks=(2, 4),
        note="Puts and accumulates with a fence.",
    ),
    Figure(
        name="000-fig13",
        title="Doubling a region: a new one and a copy, or one more of the same size",
        source="000 Fig. 13",
        program="region_growth",
        arguments=("--seconds", "0.0125"),
        quick=(*QUICK, "--most", "1048576"),
        x="bytes of each process before it grows",
        y="us of the slowest process",
        columns=GROWTH_COLUMNS,
        note=GROWTH_NOTE,
    ),
    Figure(
        name="000-fig13-processes",
        title="Doubling a region of 4 KiB of each process, by number of processes",
        source="000 Fig. 13",
        program="region_growth",
        arguments=("processes", "--seconds", "0.0125"),
        quick=("processes", *QUICK),
        x="processes",
        y="us of the slowest process",
        columns=GROWTH_COLUMNS,
        ranks=(2, 4),
        places=("node",),
        note=GROWTH_NOTE,
    ),
    Figure(
        name="allocations-live",
        title="Many live allocations",
        source="",
        program="allocations",
        arguments=("--rows", "live", "--seconds", "0.04"),
        quick=("--rows", "live", *QUICK, "--most", "100"),
        x="live allocations",
        y="us; mappings and descriptors of the process",
        note="Puts to any of them, and to as many places of one that has the bytes of all. The peer has a window for "
        "each, of which MPI makes few: its lines end at 100.",
    ),
    Figure(
        name="allocations-processes",
        title="An allocation by number of processes",
        source="",
        program="allocations",
        arguments=("--rows", "processes", "--seconds", "0.04"),
        quick=("--rows", "processes", *QUICK),
        x="processes",
        y="us; bytes of private memory of each process beside the allocation's own",
        ranks=(1, 2, 4),
        places=("node",),
        note="Nobody touches the allocations, so that the memory is the library's and MPI's.",
    ),
    Figure(
        name="dirty-regions",
        title="Fences and barriers by number of regions, one of which is dirty",
        source="",
        program="dirty_regions",
        arguments=("--rows", "--seconds", "0.015"),
        quick=("--rows", *QUICK, "--most", "10"),
        x="regions",
        y="us",
        note="The peer has a window for each, of which MPI makes few: its lines end at 100.",
    ),
]
