"""What is measured together: jobs that take turns."""

import fnmatch
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from figure import Column, Figure


@dataclass(eq=False)
class Group:
    """All columns of a figure at one number of ranks. Each run of it has them all, one after the other, so that this
    library and the peer see the same moments. Figures whose jobs are the same share them."""

    mpi: str
    place: str
    ranks: int
    columns: list[Column]
    arguments: tuple[str, ...]  # without the parts of figures
    runs: int  # wanted
    figures: list[Figure] = field(default_factory=list)
    done: int = 0  # runs
    seconds: float = 0  # that the last one took

    @property
    def name(self) -> str:
        return " + ".join(figure.name for figure in self.figures)

    def arguments_of(self, column: Column) -> tuple[str, ...]:
        return self.arguments + tuple(word for figure in self.figures for word in figure.part) + column.arguments

    def in_turn(self) -> list[Column]:
        """Nobody always comes first."""
        return self.columns if self.done % 2 == 0 else self.columns[::-1]


def owns(figure: Figure, series: str) -> bool:
    return any(fnmatch.fnmatchcase(series, pattern) for pattern in figure.series)


def ranks_of(figure: Figure, place: str, quick: bool) -> list[int]:
    possible = [n for n in figure.ranks if place == "node" or n % figure.cluster_hosts == 0]
    if quick and len(possible) > 1:
        return [min(possible, key=lambda n: abs(n - 2))]
    return possible


def columns_of(figure: Figure, mpi: str, place: str, quick: bool, is_built: Callable) -> list[Column]:
    columns = [column for column in figure.columns_at(mpi, place) if is_built(figure, mpi, column)]
    if quick:
        return columns[:1] + [column for column in columns[1:] if column.peer][:1]
    return columns


def groups(plan: Iterable[tuple[str, str, Figure]], quick: bool, runs: int | None, is_built: Callable) -> list[Group]:
    """In the order of the plan; `runs` instead of what figures want."""
    found: dict[str, Group] = {}
    for mpi, place, figure in plan:
        columns = columns_of(figure, mpi, place, quick, is_built)
        arguments = figure.arguments_of(quick)
        for ranks in ranks_of(figure, place, quick) if columns else ():
            same = repr((mpi, place, ranks, figure.program, figure.cluster_hosts, arguments, columns))
            group = found.setdefault(same, Group(mpi, place, ranks, columns, arguments, 1))
            group.figures.append(figure)
            group.runs = runs or (1 if quick else max(group.runs, figure.runs))
    return list(found.values())
