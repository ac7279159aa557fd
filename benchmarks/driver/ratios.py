"""How far this library is ahead of the peer, point by point: above 1 it is."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from figure import Figure
from points import Middle, Points

# All else (times, bytes) is the better the less there is of it.
RATES = {"MB/s", "million/s", "percent"}


@dataclass(frozen=True)
class Comparison:
    figure: str
    place: str
    mpi: str
    ranks: int
    series: str
    x: float
    ours: Middle
    peer: Middle  # with its documented defaults
    best_peer: Middle  # of all its columns
    rate: bool
    unit: str

    @staticmethod
    def _ratio(ours: Middle, peer: Middle, rate: bool) -> float:
        above, below = (ours.median, peer.median) if rate else (peer.median, ours.median)
        if below > 0:
            return above / below
        return float("inf") if above > 0 else 1.0

    @property
    def ratio(self) -> float:
        return self._ratio(self.ours, self.peer, self.rate)

    @property
    def runs(self) -> int:
        return min(self.ours.runs, self.peer.runs)

    def is_behind(self, peer: Middle) -> bool:
        """In every pair of runs, and by more than what equals differ by on a shared machine."""
        apart = self.ours.greatest < peer.least if self.rate else self.ours.least > peer.greatest
        if self.unit == "percent":  # of next to nothing a ratio says nothing
            return apart and peer.median - self.ours.median > 10
        return apart and self._ratio(self.ours, peer, self.rate) < 0.95


def is_rate(figure: Figure, unit: str) -> bool:
    return figure.more_is_better or unit in RATES


def comparisons(figure: Figure, points: Points, place: str, mpi: str) -> Iterator[Comparison]:
    """Of the column 'ours'; none where the peer has no such point."""
    found = points.of(figure.name, place, mpi)
    peers = [column.name for column in figure.columns if column.peer]
    for (ranks, column, series, x), ours in found.items():
        documented = found.get((ranks, "peer", series, x))
        rivals = [found[ranks, name, series, x] for name in peers if (ranks, name, series, x) in found]
        unit = points.unit[figure.name, series]
        if column != "ours" or documented is None or unit == "x" or figure.is_bound(series):
            continue
        rate = is_rate(figure, unit)
        best = (max if rate else min)(rivals, key=lambda middle: middle.median)
        yield Comparison(figure.name, place, mpi, ranks, series, x, ours, documented, best, rate, unit)


def summary(found: list[Comparison]) -> str:
    if not found:
        return ""
    all_ratios = sorted(comparison.ratio for comparison in found)
    return f"{text(all_ratios[0])} / **{text(statistics.median(all_ratios))}** / {text(all_ratios[-1])}"


def text(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"
