"""What the project promises, by benchmarks/budgets.tsv, against what was measured."""

import csv
import fnmatch
import operator
from dataclasses import dataclass
from pathlib import Path

import ratios
from catalogue import FIGURES
from points import Points

TABLE = Path(__file__).resolve().parents[1] / "budgets.tsv"
RATES = {figure.name for figure in FIGURES if figure.more_is_better}
NOISE = 0.05  # runs of one program differ by more on these machines: where no spread is recorded


@dataclass(frozen=True)
class Budget:
    """A line of the table. `of` and `against` are 'column|series|x', the latter '-' where `of` is compared itself;
    '*' stands for any, '=' in `against` for the same as in `of`, 'best of a; b' for the better column."""

    name: str
    issue: str
    figure: str
    place: str
    mpi: str  # '*': both
    ranks: str
    of: str
    against: str
    bound: str  # '<= 3.0'
    spread: str  # '27-34', least and greatest of jobs of one build, or '-'

    @property
    def tolerance(self) -> float:
        """By how much of its bound a figure may miss it and tell nothing."""
        if self.spread == "-":
            return NOISE
        least, greatest = (float(text) for text in self.spread.split("-"))
        return (greatest - least) / (greatest + least)

    def concerns(self, figure: str, place: str, mpi: str, ranks: int) -> bool:
        return ((self.figure, self.place) == (figure, place) and self.mpi in ("*", mpi)
                and (self.ranks in ("*", str(ranks)) or self.against.endswith(f"@{ranks}")))

    def mpis(self, of: list[str]) -> list[str]:
        return [mpi for mpi in of if self.mpi in ("*", mpi)]


@dataclass(frozen=True)
class Verdict:
    budget: Budget
    mpi: str
    measured: float | None  # the worst of all points
    where: str

    def _limit(self) -> tuple[str, float]:
        sign, limit = self.budget.bound.split()
        return sign, float(limit)

    @property
    def margin(self) -> float:
        """From 1 when met; nothing measured has none to tell."""
        sign, limit = self._limit()
        if self.measured is None:
            return float("inf")
        if sign == ">=":
            return self.measured / limit
        return limit / self.measured if self.measured > 0 else float("inf")

    @property
    def met(self) -> bool:
        sign, limit = self._limit()
        return self.measured is not None and (operator.le if sign == "<=" else operator.ge)(self.measured, limit)

    @property
    def held(self) -> bool:
        """Met, or so near that the next run may meet it."""
        sign, limit = self._limit()
        if self.measured is None:
            return False
        may = self.budget.tolerance
        return self.measured <= limit * (1 + may) if sign == "<=" else self.measured >= limit * (1 - may)

    @property
    def word(self) -> str:
        if self.measured is None:
            return "not measured"
        near = "close" if self.budget.spread == "-" else "within its spread"
        return "held" if self.met else near if self.held else "missed"

    def said(self) -> str:
        if self.measured is None:
            return f"{self.word}: {self.where}"
        spread = "" if self.budget.spread == "-" else f", spread {self.budget.spread}"
        return f"{self.word}: {self.measured:.3g} ({self.budget.bound}{spread}) at {self.where}"


def read() -> list[Budget]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t")
        return [Budget(**line) for line in lines]


def figures() -> set[str]:
    return {budget.figure for budget in read()}


def matches(pattern: str, x: float) -> bool:
    return fnmatch.fnmatchcase(f"{x:g}", pattern)


def other(budget: Budget, points: Points, found: dict, ranks: int, series: str, x: float) -> float | None:
    """The median that a point is held against; of several columns ('best of a; b') the best."""
    columns, series_there, x_there = budget.against.split("|")
    x_text, at, ranks_text = x_there.partition("@")
    ranks = int(ranks_text) if at else ranks
    series = series if series_there == "=" else series_there
    x = x if x_text == "=" else float(x_text)
    medians = [found[ranks, column, series, x].median for column in columns.removeprefix("best of ").split("; ")
               if (ranks, column, series, x) in found]
    rate = budget.figure in RATES or points.unit.get((budget.figure, series)) in ratios.RATES
    return (max if rate else min)(medians, default=None)


def judge(budget: Budget, points: Points, mpi: str) -> Verdict:
    found = points.of(budget.figure, budget.place, mpi)
    column_of, series_of, x_of = budget.of.split("|")
    values: list[tuple[float, str]] = []
    for (ranks, column, series, x), middle in found.items():
        if (budget.ranks not in ("*", str(ranks)) or column != column_of or not matches(x_of, x)
                or not fnmatch.fnmatchcase(series, series_of)):
            continue
        value = middle.median
        if budget.against != "-":
            there = other(budget, points, found, ranks, series, x)
            if not there:  # held on all points, or not at all
                return Verdict(budget, mpi, None, f"nothing to hold {series}, {x:g}, {ranks} ranks against")
            value /= there
        values.append((value, f"{series}, {x:g}, {ranks} ranks"))
    if not values:
        return Verdict(budget, mpi, None, "no such point")
    worst = (max if budget.bound.startswith("<=") else min)(values)
    return Verdict(budget, mpi, *worst)


def verdicts(points: Points, mpis: list[str]) -> list[Verdict]:
    return [judge(budget, points, mpi) for budget in read() for mpi in budget.mpis(mpis)]


def table(found: list[Verdict]) -> str:
    lines = ["| promised | issue | MPI | bound | spread | measured | | where |", "|---|---|---|---|---|---|---|---|"]
    for verdict in found:
        measured = "-" if verdict.measured is None else f"{verdict.measured:.3g}"
        lines.append(f"| {verdict.budget.name} | {verdict.budget.issue} | {verdict.mpi} | {verdict.budget.bound} | "
                     f"{verdict.budget.spread} | {measured} | {verdict.word if verdict.word != 'missed' else '**missed**'} | "
                     f"{verdict.where} |")
    return "\n".join(lines)
