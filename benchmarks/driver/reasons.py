"""Why the peer is ahead where it is, by benchmarks/behind.tsv."""

import csv
import fnmatch
from dataclasses import dataclass
from pathlib import Path

from ratios import Comparison

TABLE = Path(__file__).resolve().parents[1] / "behind.tsv"


@dataclass(frozen=True)
class Reason:
    """A line of the table: patterns, '*' for any, and why the peer is ahead at points that match all of them."""

    figure: str
    mpi: str
    place: str
    ranks: str
    series: str
    x: str  # as f"{x:g}"
    reason: str

    def explains(self, one: Comparison) -> bool:
        pairs = ((one.figure, self.figure), (one.mpi, self.mpi), (one.place, self.place), (str(one.ranks), self.ranks),
                 (one.series, self.series), (f"{one.x:g}", self.x))
        return all(fnmatch.fnmatchcase(text, pattern) for text, pattern in pairs)


def read() -> list[Reason]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return [Reason(**line) for line in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def of(one: Comparison, table: list[Reason]) -> str:
    """Of the first line that matches; empty where none does."""
    return next((line.reason for line in table if line.explains(one)), "")
