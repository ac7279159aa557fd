"""Measures the figures, this library and the peer in turns, and leaves rows, pictures and a report. `scripts/bench`
builds what it runs and starts it."""

import argparse
import contextlib
import datetime
import io
import re
import shutil
import signal
import sys
import time
from pathlib import Path

import budgets
import jobs
import machine
import models
import pictures
import report
from catalogue import FIGURES
from figure import Column, Figure
from points import Point, Points, read_csv

PLACES = ("node", "cluster")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--mpi", action="append", choices=("openmpi", "mpich"), help="this one alone; may be repeated")
    parser.add_argument("--place", action="append", choices=PLACES,
                        help="'node': all ranks on this host; 'cluster': on hosts made of namespaces, over TCP")
    parser.add_argument("--only", default="", metavar="REGEX", help="figures whose name matches")
    parser.add_argument("--quick", action="store_true", help="fewer figures, shorter, once, at one number of ranks, on this host: what works, not how fast")
    parser.add_argument("--runs", type=int, help="of each point, instead of what the figure says")
    parser.add_argument("--minutes", type=float, default=17, help="nothing begins after so many (%(default)s)")
    parser.add_argument("--check", action="store_true",
                        help="measure what benchmarks/budgets.tsv needs, and fail when a budget is missed")
    parser.add_argument("--list", action="store_true", help="name the figures and end")
    parser.add_argument("--redraw", action="store_true", help="pictures and report anew from the rows in --out")
    parser.add_argument("--out", type=Path, default=jobs.SOURCE / "build/bench", metavar="DIR")
    parser.add_argument("--build", type=Path, default=jobs.SOURCE / "build", metavar="DIR",
                        help="holds build folders by MPI")
    options = parser.parse_args(arguments)
    if options.check and options.quick:
        parser.error("--quick tells what works, --check how fast it is: one of them")
    if options.redraw and (options.mpi or options.place or options.only or options.quick):
        parser.error("--redraw takes all that was measured")
    options.mpi = options.mpi or ["openmpi", "mpich"]
    options.place = options.place or (["node"] if options.quick else list(PLACES))
    return options


def wanted(options: argparse.Namespace) -> list[Figure]:
    chosen = [figure for figure in FIGURES if re.search(options.only, figure.name)]
    if options.check:
        chosen = [figure for figure in chosen if figure.name in budgets.figures()]
    elif options.quick:
        chosen = [figure for figure in chosen if figure.quick is not None]
    return chosen


class Measurement:
    """All jobs of a call, one after the other, with a line on the terminal that says where it is."""

    def __init__(self, options: argparse.Namespace, figures: list[Figure]) -> None:
        self.options = options
        self.points = Points()
        self.failures: list[str] = []
        self.left_out: list[str] = []
        self.done = 0
        self.began = time.monotonic()
        places = list(options.place)
        if "cluster" in places:
            reason = jobs.cluster_is_possible()
            if reason:
                self.left_out.append(f"hosts made of namespaces: {reason}")
                places.remove("cluster")
        needed = {(budget.figure, budget.place, mpi) for budget in budgets.read() for mpi in budget.mpis(options.mpi)}
        self.plan = [(mpi, place, figure) for mpi in options.mpi for place in places for figure in figures
                     if place in figure.places and (not options.check or (figure.name, place, mpi) in needed)]
        self.jobs = sum(len(self.ranks(figure, place)) * len(self.columns(figure, mpi, place)) * self.runs(figure)
                        for mpi, place, figure in self.plan)

    def runs(self, figure: Figure) -> int:
        return self.options.runs or (1 if self.options.quick else figure.runs)

    def ranks(self, figure: Figure, place: str) -> list[int]:
        possible = [n for n in figure.ranks if place == "node" or n % figure.cluster_hosts == 0]
        if self.options.quick and len(possible) > 1:
            return [min(possible, key=lambda n: abs(n - 2))]
        return possible

    def is_built(self, figure: Figure, mpi: str, column: Column) -> bool:
        return jobs.program_path(self.options.build / mpi, figure.program, column.peer).exists()

    def columns(self, figure: Figure, mpi: str, place: str) -> list[Column]:
        columns = [column for column in figure.columns_at(mpi, place) if self.is_built(figure, mpi, column)]
        if self.options.quick:
            return columns[:1] + [column for column in columns[1:] if column.peer][:1]
        return columns

    def all(self) -> None:
        """Every figure once, then again, as often as each wants and time allows: what ends early has all of them."""
        for mpi, place, figure in self.plan:
            missing = [column.name for column in figure.columns_at(mpi, place)
                       if not self.is_built(figure, mpi, column)]
            if missing:
                self.left_out.append(f"{figure.name}, {mpi}, {', '.join(missing)}: the program was not built")
        broken: set[tuple] = set()
        for run in range(max((self.runs(figure) for _, _, figure in self.plan), default=0)):
            for mpi, place, figure in self.plan:
                if run >= self.runs(figure):
                    continue
                columns = self.columns(figure, mpi, place)
                for ranks in self.ranks(figure, place):
                    for column in columns if run % 2 == 0 else reversed(columns):  # nobody always comes first
                        if time.monotonic() - self.began > 60 * self.options.minutes:
                            what = "repeats of points" if run > 0 else f"{figure.name}, {mpi}, {place} and all after it"
                            self.left_out.append(f"{self.jobs - self.done} of {self.jobs} jobs after "
                                                 f"{self.options.minutes:g} minutes: {what}")
                            return
                        self.done += 1
                        job = (mpi, place, figure.name, ranks, column.name)
                        if job not in broken and not self.one(mpi, place, figure, column, ranks, run):
                            broken.add(job)

    def one(self, mpi: str, place: str, figure: Figure, column: Column, ranks: int, run: int) -> bool:
        self.say(f"{mpi}, {place}: {figure.name}, {column.name}, {ranks} ranks")
        arguments = figure.quick if self.options.quick and figure.quick is not None else figure.arguments
        outcome = jobs.run(self.options.build / mpi, mpi, place, figure.cluster_hosts, ranks, column, figure.program,
                           arguments + column.arguments, timeout=120)
        for row in outcome.rows:
            self.points.add(Point(figure.name, place, mpi, ranks, column.name, row.series, row.x, run, row.value,
                                  row.unit))
        if outcome.error:
            self.failures.append(f"{figure.name}, {mpi}, {place}, {column.name}, {ranks} ranks: {outcome.error}")
        return not outcome.error

    def say(self, what: str) -> None:
        passed = int(time.monotonic() - self.began)
        line = f"[{self.done}/{self.jobs}, {passed // 60}:{passed % 60:02}] {what}"
        if sys.stderr.isatty():
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)


def fit_costs(options: argparse.Namespace, points: Points) -> dict[str, Path]:
    """By MPI, where its costs were measured: models with residuals, self-consistency, projections; and a tune file."""
    written = {}
    for mpi in sorted({point.mpi for point in points.all if point.figure in models.FIGURES}):
        said = io.StringIO()
        rows = str(options.out / "rows.csv")
        steps = (
            ("Models: T = a + b * bytes + c * segments, us",
             ["fit", rows, "--mpi", mpi, "--build", str(options.build / mpi),
              "--out", str(options.out / f"tune-{mpi}.txt")]),
            ("Self-consistency: each operation against the best other way to do the same",
             ["consistency", rows, "--mpi", mpi, "--all"]),
            ("Allocations", ["allocations", rows, "--mpi", mpi]))
        with contextlib.redirect_stdout(said):
            for title, arguments in steps:
                print(f"{title}\n")
                try:
                    models.main(arguments)
                except SystemExit as problem:
                    print(problem)
                print()
        written[mpi] = options.out / f"models-{mpi}.txt"
        written[mpi].write_text(said.getvalue(), encoding="utf-8")
    return written


def draw(options: argparse.Namespace, figures: list[Figure], points: Points, about: dict) -> dict[tuple[str, str, str], Path]:
    """Pictures by figure, MPI and place; one that cannot be drawn is told, and costs no other."""
    folder = options.out / "pictures"
    folder.mkdir(exist_ok=True)
    drawn: dict[tuple[str, str, str], Path] = {}
    for figure in figures:
        for mpi in options.mpi:
            for place in PLACES:
                try:
                    picture = pictures.draw(figure, points, place, mpi, folder)
                except (OSError, RuntimeError) as problem:
                    about["failed"].append(f"picture of {figure.name}, {mpi}, {place}: {problem}")
                    continue
                if picture:
                    drawn[figure.name, mpi, place] = picture.relative_to(options.out)
    return drawn


def finish(options: argparse.Namespace, figures: list[Figure], points: Points, about: dict) -> int:
    """Files, report, and the status to end with."""
    points.write_json(options.out / "points.json", about)
    names = {figure.name for figure in figures}
    # Of quick runs nothing is said: they are too short.
    verdicts = [] if about["quick"] else [
        verdict for verdict in budgets.verdicts(points, options.mpi)
        if verdict.budget.figure in names and verdict.budget.place in options.place]
    drawn = draw(options, figures, points, about)
    report.write(options.out / "report.md", figures, points, drawn, verdicts, about, fit_costs(options, points))
    if sys.stderr.isatty():
        print(file=sys.stderr)
    for line in about["left out"]:
        print(f"left out: {line}")
    for line in about["failed"]:
        print(f"failed: {line}")
    if options.check:
        print(budgets.table(verdicts))
    wrong = [verdict for verdict in verdicts if not verdict.held and (options.check or verdict.measured is not None)]
    for verdict in wrong:
        print(f"{verdict.budget.name}, {verdict.mpi}: {verdict.said()}")
    print(f"report: {options.out / 'report.md'}")
    if options.check and wrong:
        return 3
    return 1 if about["failed"] else 0


OWN = ("rows.csv", "points.json", "about.json", "report.md", "pictures", "models-*.txt", "tune-*.txt")


def clear(folder: Path) -> None:
    """Takes away what an earlier run left in the folder, and nothing else."""
    for pattern in OWN:
        for old in folder.glob(pattern):
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def main() -> int:
    options = parse(sys.argv[1:])
    figures = wanted(options)
    if options.list:
        for figure in figures:
            print(f"{figure.name:28} {figure.source:22} {figure.title}")
        return 0
    if not figures:
        print(f"bench: no figure matches '{options.only}'", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))
    rows = options.out / "rows.csv"
    if options.redraw:
        about = machine.read(options.out / "about.json")
        return finish(options, figures, read_csv(rows), about)
    options.out.mkdir(parents=True, exist_ok=True)
    clear(options.out)
    about = machine.about(options.build, options.mpi) | {
        "when": datetime.datetime.now().astimezone().isoformat(timespec="minutes"), "quick": options.quick}
    measurement = Measurement(options, figures)
    try:
        measurement.all()
    finally:  # what is measured is not lost
        measurement.points.write_csv(rows)
        about |= {"minutes": round((time.monotonic() - measurement.began) / 60, 1),
                  "left out": measurement.left_out, "failed": measurement.failures}
        machine.write(options.out / "about.json", about)
    return finish(options, figures, measurement.points, about)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
