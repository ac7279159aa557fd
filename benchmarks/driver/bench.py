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
from pathlib import Path

import budgets
import jobs
import machine
import models
import pictures
import report
from catalogue import FIGURES
from figure import Figure
from measurement import PLACES, Measurement
from points import Points, read_csv


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
    parser.add_argument("--table", action="store_true", help="print the medians of all points, too")
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


def draw(options: argparse.Namespace, figures: list[Figure], points: Points, about: dict) -> dict[tuple[str, str, str], list[Path]]:
    """Pictures by figure, MPI and place; one that cannot be drawn is told, and costs no other."""
    folder = options.out / "pictures"
    folder.mkdir(exist_ok=True)
    drawn: dict[tuple[str, str, str], list[Path]] = {}
    for figure in figures:
        for mpi in options.mpi:
            for place in PLACES:
                try:
                    paths = pictures.draw(figure, points, place, mpi, folder)
                except (OSError, RuntimeError) as problem:
                    about["failed"].append(f"picture of {figure.name}, {mpi}, {place}: {problem}")
                    continue
                drawn[figure.name, mpi, place] = [path.relative_to(options.out) for path in paths]
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
    if options.table:
        for figure, mpi, place in dict.fromkeys((point.figure, point.mpi, point.place) for point in points.all):
            print(points.table(figure, place, mpi))
    if options.check:
        print(budgets.table(verdicts))
    wrong = [verdict for verdict in verdicts if not verdict.held and (options.check or verdict.measured is not None)]
    for verdict in verdicts:
        if verdict in wrong or verdict.measured is not None and not verdict.met:
            print(f"{verdict.budget.name}, {verdict.mpi}: {verdict.said()}")
    print(f"report: {options.out / 'report.md'}")
    if options.check and wrong:
        return 3
    return 1 if about["failed"] else 0


OWN = ("rows.csv", "points.json", "about.json", "report.md", "pictures", "models-*.txt", "tune-*.txt")


def clear(folder: Path) -> None:
    """Takes away what an earlier run left in the folder, and nothing else: there is none without its about.json."""
    found = [old for pattern in OWN for old in folder.glob(pattern)]
    if found and not (folder / "about.json").is_file():
        print(f"bench: {folder} has {found[0].name}, which no run of bench made; give another --out", file=sys.stderr)
        sys.exit(2)
    for old in found:
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()


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
        about |= {"minutes": round(measurement.seconds() / 60, 1),
                  "left out": measurement.left_out, "failed": measurement.failures}
        machine.write(options.out / "about.json", about)
    return finish(options, figures, measurement.points, about)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
