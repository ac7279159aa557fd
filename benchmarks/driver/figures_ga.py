"""Through Global Arrays as Debian packages it: the same libga on this library and on the peer."""

from figure import Figure

PROCESSES = (1, 2, 4)


def application(program: str, title: str, size: str, quick: str, source: str = "", note: str = "") -> Figure:
    """One of this project's examples, which check their own answers; the seconds of its work, set-up and checks not."""
    return Figure(name=program.replace("_", "-"), title=title, source=source, program=f"app_{program}", x="processes",
                  y="s", arguments=(size,), quick=(quick,), ranks=PROCESSES, note=f"Size {size}. {note}".strip())


FIGURES = [
    Figure(name="ga-patches", title="Global Arrays: patches of a matrix by shape", program="ga_patches",
           seconds="0.02", x="bytes", y="MB/s", quick=(), more_is_better=True,
           note="Doubles. rows: whole rows of 1 KiB each; column: one column, segments of 8 B; square_on_all: spread over "
                "all, the others are the last one's. Puts and accumulates with a fence each."),
    Figure(name="ga-calls", title="Global Arrays: single calls", program="ga_calls", x="processes", y="us",
           seconds="0.02", quick=(), ranks=PROCESSES,
           note="counter: NGA_Read_inc on the last process, a call of process 0 alone, and of each while all call. "
                "collective and product: the slowest process's time. elements: process 0 alone, all over a matrix of "
                "256 x 256."),
    Figure(name="ga-task-pool", title="Efficiency of a pool of tasks on Global Arrays", program="ga_task_pool", seconds="0.5",
           x="ms of a task", y="efficiency", quick=(), ranks=(2,), more_is_better=True, log="x",
           note="Each task: a number from a shared counter, two gets and an accumulate of 32 KiB, and a computation without a call. "
                "Efficiency: computation over the slowest process's time."),
    application("ga_fock", "Fock matrix with a shared counter, on Global Arrays", "70", "41", source="001 Fig. 6",
                note="Stands for NWChem's CCSD(T), which is not here: tasks by NGA_Read_inc, patches by NGA_Get, sums by "
                     "NGA_Acc, with far less to compute between them."),
    application("ga_dgemm", "Two matrix products, on Global Arrays", "600", "200"),
    application("ga_cg", "Conjugate gradients with ghost cells, on Global Arrays", "400", "60"),
    application("ga_groups", "Random scatter and gather, then work in groups, on Global Arrays", "200", "60",
                note="Making groups and arrays counts as work."),
    application("armci_lu", "Blocked LU, on ARMCI", "600", "200"),
]
