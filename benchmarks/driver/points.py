"""The points of figures: collecting them run by run, medians and spreads, CSV and JSON."""

import csv
import json
import statistics
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

FIELDS = ("figure", "place", "mpi", "ranks", "column", "series", "x", "run", "value", "unit")


@dataclass(frozen=True)
class Point:
    """A line of rows.csv: one figure of one run."""

    figure: str
    place: str
    mpi: str
    ranks: int
    column: str
    series: str
    x: float
    run: int
    value: float
    unit: str


@dataclass(frozen=True)
class Middle:
    median: float
    least: float
    greatest: float
    runs: int


class Points:
    def __init__(self) -> None:
        self.all: list[Point] = []
        # By figure, place and MPI; there by ranks, column, series and x.
        self._values: dict[tuple, dict[tuple, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.unit: dict[tuple[str, str], str] = {}

    def add(self, point: Point) -> None:
        self.all.append(point)
        self.unit[point.figure, point.series] = point.unit
        self._values[point.figure, point.place, point.mpi][point.ranks, point.column, point.series, point.x].append(
            point.value)

    def of(self, figure: str, place: str, mpi: str) -> dict[tuple[int, str, str, float], Middle]:
        """By ranks, column, series and x."""
        return {
            key: Middle(statistics.median(values), min(values), max(values), len(values))
            for key, values in self._values.get((figure, place, mpi), {}).items()
        }

    def table(self, figure: str, place: str, mpi: str) -> str:
        """Medians for a reader of the terminal: a column for each of the figure's."""
        found = self.of(figure, place, mpi)
        columns = list(dict.fromkeys(column for _, column, _, _ in found))
        lines = [f"{figure}, {mpi}, {place}", f"{'series':44} {'ranks':>5} {'x':>10}" + "".join(f" {name:>24}" for name in columns)]
        for ranks, series, x in dict.fromkeys((ranks, series, x) for ranks, _, series, x in found):
            cells = [found.get((ranks, column, series, x)) for column in columns]
            lines.append(f"{series:44} {ranks:5} {x:10g}" + "".join(f" {cell.median:24.4g}" if cell else f" {'-':>24}" for cell in cells)
                         + f"  {self.unit[figure, series]}")
        return "\n".join(lines) + "\n"

    def write_csv(self, path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            lines.writerow(FIELDS)
            for point in self.all:
                lines.writerow([getattr(point, name) for name in FIELDS])

    def write_json(self, path: Path, about: dict) -> None:
        medians = [
            dict(zip(("figure", "place", "mpi", "ranks", "column", "series", "x"), (*where, *key), strict=True)) | {
                "unit": self.unit[where[0], key[2]],
            } | asdict(middle) for where in self._values for key, middle in self.of(*where).items()
        ]
        path.write_text(json.dumps({"about": about, "points": medians}, indent=1), encoding="utf-8")


def read_csv(path: Path) -> Points:
    points = Points()
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            points.add(Point(line["figure"], line["place"], line["mpi"], int(line["ranks"]), line["column"],
                             line["series"], float(line["x"]), int(line["run"]), float(line["value"]), line["unit"]))
    return points
