"""All jobs of a call, one after the other, with a line on the terminal that says where it is."""

import argparse
import sys
from time import monotonic

import budgets
import jobs
from figure import Column, Figure
from groups import Group, groups, owns
from points import Point, Points
from repeats import Repeats

PLACES = ("node", "cluster")


class Measurement:
    def __init__(self, options: argparse.Namespace, figures: list[Figure]) -> None:
        self.options = options
        self.points = Points()
        self.failures: list[str] = []
        self.left_out: list[str] = []
        self.broken: set[tuple[Group, str]] = set()
        self.done = 0
        self.began = monotonic()
        places = list(options.place)
        if "cluster" in places:
            reason = jobs.cluster_is_possible()
            if reason:
                self.left_out.append(f"hosts made of namespaces: {reason}")
                places.remove("cluster")
        needed = {(budget.figure, budget.place, mpi) for budget in budgets.read() for mpi in budget.mpis(options.mpi)}
        plan = [(mpi, place, figure) for mpi in options.mpi for place in places for figure in figures
                if place in figure.places and (not options.check or (figure.name, place, mpi) in needed)]
        for mpi, place, figure in plan:
            missing = [column.name for column in figure.columns_at(mpi, place)
                       if not self.is_built(figure, mpi, column)]
            if missing:
                self.left_out.append(f"{figure.name}, {mpi}, {', '.join(missing)}: the program was not built")
        self.groups = groups(plan, options.quick, options.runs, self.is_built)
        self.planned = sum(len(group.columns) * group.runs for group in self.groups)

    def is_built(self, figure: Figure, mpi: str, column: Column) -> bool:
        return jobs.program_path(self.options.build / mpi, figure.program, column.peer).exists()

    def seconds(self) -> float:
        return monotonic() - self.began

    def seconds_left(self) -> float:
        return 60 * self.options.minutes - self.seconds()

    def all(self) -> None:
        """Every figure once, so that what ends early has all of them; then again, as repeats.py chooses."""
        for group in self.groups:
            if not self.once(group):
                self.time_is_over(f"{group.name}, {group.mpi}, {group.place} and all after it")
                return
        repeats = Repeats(self.groups, self.points, not self.options.runs and not self.options.quick)
        while group := repeats.next(self.seconds_left()):
            if group.done >= group.runs:
                self.planned += len(group.columns)
            self.once(group)
            repeats.look_at(group)
        if self.done < self.planned:
            self.time_is_over("repeats of points")

    def time_is_over(self, what: str) -> None:
        self.left_out.append(f"{self.planned - self.done} of {self.planned} jobs after {self.options.minutes:g} minutes: "
                             f"{what}")

    def once(self, group: Group) -> bool:
        """A run of all columns; False: time was over before the last of them."""
        began = self.seconds()
        for column in group.in_turn():
            if self.seconds_left() <= 0:
                return False
            self.done += 1
            if (group, column.name) not in self.broken and not self.one(group, column):
                self.broken.add((group, column.name))
        group.done += 1
        group.seconds = self.seconds() - began
        return True

    def one(self, group: Group, column: Column) -> bool:
        self.say(f"{group.mpi}, {group.place}: {group.name}, {column.name}, {group.ranks} ranks")
        first = group.figures[0]
        outcome = jobs.run(self.options.build / group.mpi, group.mpi, group.place, first.cluster_hosts, group.ranks, column,
                           first.program, group.arguments_of(column), timeout=120)
        errors = [outcome.error] if outcome.error else []
        for figure in group.figures:
            rows = [row for row in outcome.rows if owns(figure, row.series)]
            for row in rows:
                self.points.add(Point(figure.name, group.place, group.mpi, group.ranks, column.name, row.series, row.x,
                                      group.done, row.value, row.unit))
            if not rows and not outcome.error:
                errors.append(f"printed no row of {figure.name}")
        self.failures += [f"{group.name}, {group.mpi}, {group.place}, {column.name}, {group.ranks} ranks: {error}"
                          for error in errors]
        return not errors

    def say(self, what: str) -> None:
        passed = int(self.seconds())
        line = f"[{self.done}/{self.planned}, {passed // 60}:{passed % 60:02}] {what}"
        if sys.stderr.isatty():
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)
