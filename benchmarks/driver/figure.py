"""What a figure is: a program, the ways to run it, and how to draw what it prints."""

import fnmatch
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Column:
    """One way to run a program of a figure; each of its lines is drawn once for each column."""

    name: str
    settings: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()  # after those of the figure
    peer: bool = False  # <program>_peer instead of <program>
    mpi: str = ""  # only with this MPI
    places: tuple[str, ...] = ("node", "cluster")
    label: str | None = None  # in pictures, instead of the name; "": a line's own name says all


NODE, CLUSTER = ("node",), ("cluster",)

OURS = Column("ours")
# Documented defaults; jobs.py adds what the peer cannot do without.
PEER = Column("peer", peer=True)


@dataclass(frozen=True)
class Figure:
    """Points come from the rows that `program` prints (rows.h): series, x, value, unit.

    Ratios are peer / ours for times, ours / peer for rates: above 1, this library is ahead. Unit "x" is a ratio itself.
    """

    name: str  # of its files: "001-fig3"
    title: str
    program: str
    x: str
    y: str
    source: str = ""  # "001 Fig. 3", or "" where no paper has it
    arguments: tuple[str, ...] = ()
    seconds: str = ""  # for each point, of a program that has this option
    quick: tuple[str, ...] | None = None  # arguments of a quick run, with seconds after the others; None: left out of one
    # Figures of one program with the same arguments, columns and ranks share jobs: each adds its part to the arguments, and
    # takes the series that are its own.
    part: tuple[str, ...] = ()
    series: tuple[str, ...] = ("*",)  # patterns
    columns: tuple[Column, ...] = (OURS, PEER)
    ranks: tuple[int, ...] = (2,)
    places: tuple[str, ...] = ("node", "cluster")
    cluster_hosts: int = 2  # the ranks are spread evenly over so many
    runs: int = 3  # each point is the median
    log: str = "xy"
    more_is_better: bool = False  # y is a rate
    bounds: tuple[str, ...] = ("*/MPI*",)  # patterns of series that no ARMCI runs for: MPI itself, loops by hand
    undrawn: tuple[str, ...] = ()  # patterns of series that pictures leave out
    x_in: dict[str, str] = field(default_factory=dict)  # by pattern of panels: another name of x
    note: str = ""  # what a reader of the picture has to know

    def arguments_of(self, quick: bool) -> tuple[str, ...]:
        if not quick or self.quick is None:
            return self.arguments + (("--seconds", self.seconds) if self.seconds else ())
        return (*self.arguments, "--seconds", "0.01", *self.quick) if self.seconds else self.quick

    def columns_at(self, mpi: str, place: str) -> list[Column]:
        return [column for column in self.columns if column.mpi in ("", mpi) and place in column.places]

    def is_bound(self, series: str) -> bool:
        return any(fnmatch.fnmatchcase(series, pattern) for pattern in self.bounds)

    def is_drawn(self, series: str) -> bool:
        return not any(fnmatch.fnmatchcase(series, pattern) for pattern in self.undrawn)

    def x_of(self, panel: str) -> str:
        return next((x for pattern, x in self.x_in.items() if fnmatch.fnmatchcase(panel, pattern)), self.x)
