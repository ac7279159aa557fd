"""Tests of the driver on points made up here: `python3 driver_test.py`."""

import contextlib
import fnmatch
import io
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import behind
import bench
import budgets
import figures_network
import groups
import jobs
import measurement
import pictures
import ratios
import reasons
from catalogue import FIGURES
from figure import OURS, PEER, Column, Figure
from measurement import Measurement
from points import Point, Points, read_csv
from repeats import Repeats

FIGURE = Figure(name="made-up", title="Made up", source="000 Fig. 0", program="none", x="bytes", y="us",
                bounds=("*/bound",))


def some_points(unit: str = "us", peer: tuple[float, ...] = (4.0, 8.0, 6.0)) -> Points:
    points = Points()
    for run, (mine, theirs) in enumerate(zip((1.0, 3.0, 2.0), peer, strict=True)):
        for column, value in (("ours", mine), ("peer", theirs)):
            points.add(Point("made-up", "node", "mpich", 2, column, "put/time", 8, run, value, unit))
            points.add(Point("made-up", "node", "mpich", 2, column, "put/bound", 8, run, value, unit))
    return points


def one_budget(**changed: str) -> budgets.Budget:
    line = {"name": "n", "issue": "1", "figure": "made-up", "place": "node", "mpi": "*", "ranks": "2",
            "of": "peer|put/time|*", "against": "ours|=|=", "bound": ">= 3.0", "spread": "-"}
    return budgets.Budget(**(line | changed))


class Rows(unittest.TestCase):
    def test_rows_are_told_from_other_lines(self) -> None:
        output = """Title, on armci-rma, 2 processes
put/time                                          8          0.125  us
put                8        12.5     13.0
all, one mutex                                     0.125
get/rate                                      1e+06          -3e-2  MB/s
"""
        self.assertEqual(jobs.read_rows(output), (jobs.Row("put/time", 8, 0.125, "us"),
                                                  jobs.Row("get/rate", 1e6, -0.03, "MB/s")))


class Outcomes(unittest.TestCase):
    def test_a_job_without_a_row_failed(self) -> None:
        self.assertEqual(jobs.outcome(0, "put/time 8 0.125 us", "").error, "")
        self.assertEqual(jobs.outcome(0, "Title, on armci-rma", "").error, "printed no row")
        self.assertEqual(jobs.outcome(2, "put/time 8 0.125 us", "no memory"), jobs.Outcome((), "status 2: no memory"))


class Middles(unittest.TestCase):
    def test_median_and_spread(self) -> None:
        middle = some_points().of("made-up", "node", "mpich")[2, "ours", "put/time", 8]
        self.assertEqual((middle.median, middle.least, middle.greatest), (2, 1, 3))

    def test_a_table_has_a_column_for_each_of_the_figure(self) -> None:
        lines = some_points().table("made-up", "node", "mpich").splitlines()
        self.assertEqual([line.split() for line in lines[1:3]],
                         [["series", "ranks", "x", "ours", "peer"], ["put/time", "2", "8", "2", "6", "us"]])

    def test_csv_gives_back_what_was_written(self) -> None:
        points = some_points()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            points.write_csv(path)
            self.assertEqual(read_csv(path).all, points.all)


class Ratios(unittest.TestCase):
    def test_times_and_rates_turn_round(self) -> None:
        for unit, ratio in (("us", 3), ("MB/s", 1 / 3)):
            found = list(ratios.comparisons(FIGURE, some_points(unit), "node", "mpich"))
            self.assertEqual([(one.series, one.ratio, one.is_behind(one.peer)) for one in found], [("put/time", ratio, unit == "MB/s")])

    def test_equals_are_not_lost(self) -> None:
        found = list(ratios.comparisons(FIGURE, some_points(peer=(0.9, 2.9, 1.9)), "node", "mpich"))
        self.assertFalse(found[0].is_behind(found[0].best_peer))


    def test_of_little_hidden_communication_ten_points_tell(self) -> None:
        for peers, behind in (((4.0, 8.0, 6.0), False), ((40.0, 80.0, 60.0), True)):
            found = list(ratios.comparisons(FIGURE, some_points("percent", peers), "node", "mpich"))
            self.assertEqual(found[0].is_behind(found[0].peer), behind)

    def test_another_column_of_the_peer_is_not_the_documented_one(self) -> None:
        points = some_points()
        for point in points.all:
            if point.column == "peer":
                points.add(replace(point, column="peer, other", x=16))
        points.add(Point("made-up", "node", "mpich", 2, "ours", "put/time", 16, 0, 1.0, "us"))
        self.assertEqual([one.x for one in ratios.comparisons(FIGURE, points, "node", "mpich")], [8])


class Reasons(unittest.TestCase):
    TABLE = [reasons.Reason("made-*", "mpich", "*", "2", "put/*", "1e+06", "a long one"),
             reasons.Reason("made-up", "*", "*", "*", "*", "*", "any")]

    def lost(self, *xs: float, runs: int = 3) -> list[ratios.Comparison]:
        points = Points()
        for x in xs:
            for run in range(runs):
                for column, value in (("ours", 100 + x), ("peer", 100)):
                    points.add(Point("made-up", "node", "mpich", 2, column, "put/time", x, run, value, "us"))
        return list(ratios.comparisons(FIGURE, points, "node", "mpich"))

    def test_the_first_line_that_matches_counts(self) -> None:
        self.assertEqual([reasons.of(one, self.TABLE) for one in self.lost(8, 1e6)], ["any", "a long one"])
        self.assertEqual(reasons.of(replace(self.lost(8)[0], figure="other"), self.TABLE), "")

    def test_points_of_a_line_and_reason_share_a_row_and_those_without_come_first(self) -> None:
        with mock.patch.object(reasons, "read", return_value=self.TABLE[:1]):
            text = behind.section(self.lost(50, 60, 70, 80, 90, 1e6), Points())
        rows = [line for line in text.splitlines() if line.startswith("| made-up")]
        self.assertEqual(rows, [
            "| made-up | mpich | node | 2 | put/time | 90: 0.53, 80: 0.56, 70: 0.59, 60: 0.62, ... 1 more | 190 | 100 | "
            "3 runs | **not explained** |",
            "| made-up | mpich | node | 2 | put/time | 1e+06: 0.00 | 1e+06 | 100 | 3 runs | a long one |"])
        self.assertIn("known for 1; 5 are not explained", text.replace("\n", " "))

    def test_what_ran_once_is_told(self) -> None:
        text = behind.section(self.lost(50, runs=1), Points())
        self.assertIn("| 1 run |", text)
        self.assertIn("1 of them were measured in 1 run only", text)

    def test_a_ratio_of_one_job_is_a_reason(self) -> None:
        lost = replace(self.lost(50)[0], figure="network", place="cluster", series="latency_put/fence")
        for ratio, why in ((0.96, "Not in one job with the peer: network-together."), (0.9, "")):
            points = Points()
            points.add(Point("network-together", "cluster", "mpich", 2, "together", "ahead_of_peer/put+fence", 50, 0, ratio, "x"))
            self.assertEqual(behind.in_one_job(lost, points), why)
            self.assertEqual(behind.in_one_job(replace(lost, place="node"), points), "")

    def test_mpi_s_own_times_in_both_jobs_are_a_reason(self) -> None:
        lost = replace(self.lost(50)[0], place="cluster")
        for series, mpi, slower, is_one in (("put/malloc", "MPI_put/malloc", 145, True), ("put/ARMCI", "put/MPI", 145, True),
                                            ("put/ARMCI", "put/MPI", 120, False), ("put/time", "get/MPI", 150, False)):
            points = Points()
            for column, value in (("ours", slower), ("peer", 100)):
                points.add(Point("made-up", "cluster", "mpich", 2, column, mpi, 50, 0, value, "us"))
            why = behind.by_mpi_of_its_job(replace(lost, series=series), points)
            self.assertEqual(why != "", is_one, (series, slower))

    def test_figures_of_one_job_are_found(self) -> None:
        names = {figure.name for figure in FIGURES}
        for figure, series, row in (("network", "latency_put/blocking", "put"), ("network", "stream_put/stream", "put-stream"),
                                    ("network", "scattered_nbget/handles", "nbget-handles"),
                                    ("001-fig4-vector", "get_16_B_vector/bandwidth", "get_16_B_vector")):
            found = figures_network.together_of(figure, series)
            self.assertIn(found[0], names)
            self.assertEqual(found[1], f"ahead_of_peer/{row}")
        self.assertIsNone(figures_network.together_of("acc", "acc/time"))

    def test_table_names_figures_that_are(self) -> None:
        for line in reasons.read():
            self.assertTrue(any(fnmatch.fnmatchcase(figure.name, line.figure) for figure in FIGURES), line)
            self.assertTrue(all(vars(line).values()), line)


class Budgets(unittest.TestCase):
    def judge(self, **changed: str) -> budgets.Verdict:
        return budgets.judge(one_budget(**changed), some_points(), "mpich")

    def test_words(self) -> None:
        for bound, word in ((">= 3.0", "held"), (">= 3.1", "close"), (">= 4", "missed"), ("<= 3.0", "held"),
                            ("<= 2.9", "close"), ("<= 2", "missed")):
            verdict = self.judge(bound=bound)
            self.assertEqual((verdict.measured, verdict.said().split(":")[0]), (3, word), bound)

    def test_a_miss_within_the_spread_is_told_and_is_none(self) -> None:
        for bound, spread, word, held in ((">= 3.4", "27-34", "missed", False), (">= 3.3", "27-34", "within its spread", True),
                                          (">= 3.1", "3.0-3.1", "missed", False), ("<= 2", "1-3", "within its spread", True),
                                          ("<= 3.0", "1-3", "held", True)):
            verdict = self.judge(bound=bound, spread=spread)
            self.assertEqual((verdict.word, verdict.held), (word, held), bound)
        self.assertEqual(verdict.said(), "held: 3 (<= 3.0, spread 1-3) at put/time, 8, 2 ranks")

    def test_value_itself_and_the_best_of_several(self) -> None:
        self.assertEqual(self.judge(against="-").measured, 6)
        self.assertEqual(self.judge(of="ours|put/time|8", against="best of ours; peer|=|=").measured, 1)

    def test_the_best_of_rates_is_the_most(self) -> None:
        best = one_budget(of="ours|put/time|8", against="best of ours; peer|=|=")
        self.assertAlmostEqual(budgets.judge(best, some_points("MB/s"), "mpich").measured, 1 / 3)

    def test_nothing_measured_is_not_held(self) -> None:
        verdict = self.judge(of="ours|get/*|*")
        self.assertIsNone(verdict.measured)
        self.assertFalse(verdict.held)

    def test_a_point_without_its_rival_is_not_passed_over(self) -> None:
        points = some_points()
        points.add(Point("made-up", "node", "mpich", 2, "peer", "put/time", 16, 0, 100.0, "us"))
        verdict = budgets.judge(one_budget(), points, "mpich")
        self.assertIsNone(verdict.measured)
        self.assertIn("16", verdict.said())

    def test_an_mpi_without_points_is_told(self) -> None:
        self.assertEqual({verdict.mpi for verdict in budgets.verdicts(Points(), ["openmpi", "mpich"])}, {"openmpi", "mpich"})

    def test_table_names_figures_that_are(self) -> None:
        self.assertLessEqual(budgets.figures(), {figure.name for figure in FIGURES})
        for budget in budgets.read():
            self.assertIn(budget.place, ("node", "cluster"), budget.name)
            self.assertRegex(budget.bound, r"^(<=|>=) [0-9.]+$")
            self.assertRegex(budget.spread, r"^(-|[0-9.]+-[0-9.]+)$")
            self.assertEqual(budget.of.count("|"), 2, budget.name)

    def test_table_names_columns_that_are(self) -> None:
        for budget in budgets.read():
            for mpi in budget.mpis(["openmpi", "mpich"]):
                figure = next(figure for figure in FIGURES if figure.name == budget.figure)
                there = {column.name for column in figure.columns_at(mpi, budget.place)}
                anywhere = {column.name for column in figure.columns}
                self.assertIn(budget.of.split("|")[0], there, budget.name)
                if budget.against != "-":
                    against = set(budget.against.split("|")[0].removeprefix("best of ").split("; "))
                    self.assertLessEqual(against, anywhere, budget.name)
                    self.assertTrue(against & there, budget.name)


class FakeJobs:
    """A job takes a second by the fake clock, and prints what `values` has for its program and column."""

    def __init__(self, values: dict[str, dict[str, float]]) -> None:
        self.values = values
        self.now = 0.0
        self.ran: list[str] = []
        self.said: list[str] = []

    def run(self, _build: Path, _mpi: str, _place: str, _hosts: int, _ranks: int, column: Column, program: str,
            arguments: tuple[str, ...], timeout: int) -> jobs.Outcome:
        del timeout
        self.now += 1
        self.ran.append(" ".join((program, column.name, *arguments)))
        value = self.values[program][column.name]
        return jobs.outcome(0 if value > 0 else 1, f"put/time 8 {value} us\nget/time 8 {value} us", "it failed")

    def measure(self, figures: list[Figure], *options: str, promises: tuple[budgets.Budget, ...] = ()) -> Measurement:
        with (mock.patch.object(jobs, "run", self.run), mock.patch.object(measurement, "monotonic", lambda: self.now),
              mock.patch.object(jobs, "program_path", return_value=Path(__file__)),
              mock.patch.object(budgets, "read", return_value=list(promises)),
              contextlib.redirect_stderr(io.StringIO()) as said):
            result = Measurement(bench.parse(["--mpi", "mpich", "--place", "node", *options]), figures)
            result.all()
        self.said = said.getvalue().splitlines()
        return result


class OrderOfRepeats(unittest.TestCase):
    VALUES = {"ahead": {"ours": 1, "peer": 2}, "near": {"ours": 1, "peer": 1.1}, "lost": {"ours": 2, "peer": 1}}
    FIGURES = [replace(FIGURE, name=name, program=name) for name in VALUES]

    @staticmethod
    def both(*programs: str) -> list[str]:
        """Jobs of both columns, the other way round each time that a program comes."""
        return [f"{program} {column}" for i, program in enumerate(programs)
                for column in (("ours", "peer"), ("peer", "ours"))[programs[:i].count(program) % 2]]

    def test_lost_and_undecided_figures_come_first_and_may_have_more_runs(self) -> None:
        fake = FakeJobs(self.VALUES)
        done = fake.measure(self.FIGURES)
        self.assertEqual(fake.ran, self.both("ahead", "near", "lost", "lost", "lost", "lost", "lost", "near", "near", "ahead",
                                             "ahead", "near", "near"))
        self.assertEqual(done.left_out, [])
        self.assertEqual(fake.said[0], "[1/18, 0:00] mpich, node: ahead, ours, 2 ranks")
        self.assertTrue(fake.said[-1].startswith("[26/26, 0:25]"), fake.said[-1])

    def test_runs_are_as_many_as_asked_for(self) -> None:
        fake = FakeJobs(self.VALUES)
        fake.measure(self.FIGURES, "--runs", "2")
        self.assertEqual(fake.ran, self.both("ahead", "near", "lost", "lost", "near", "ahead"))

    def test_what_time_leaves_out_is_told(self) -> None:
        for seconds, jobs_done, left_out in ((11, 10, "8 of 18 jobs after 0.183333 minutes: repeats of points"),
                                             (3, 3, "15 of 18 jobs after 0.05 minutes: near, mpich, node and all after it")):
            fake = FakeJobs(self.VALUES)
            done = fake.measure(self.FIGURES, "--minutes", str(seconds / 60))
            self.assertEqual((len(fake.ran), done.left_out), (jobs_done, [left_out]))

    def test_a_budget_not_met_is_as_pressing_as_a_loss(self) -> None:
        promise = one_budget(figure="ahead", of="ours|put/time|8", against="-", bound="<= 0.25")
        fake = FakeJobs(self.VALUES)
        fake.measure(self.FIGURES, "--runs", "2", promises=(promise,))
        self.assertEqual(fake.ran[6:], self.both("ahead", "near", "lost", "ahead", "lost", "near")[6:])

    def test_who_is_undecided_once_stays_so(self) -> None:
        group = groups.Group("mpich", "node", 2, [OURS, PEER], (), 3, [FIGURE], done=1)
        points = some_points(peer=(1.1, 3.3, 2.2))
        repeats = Repeats([group], points, False)
        for run in range(3, 20):
            points.add(Point("made-up", "node", "mpich", 2, "peer", "put/time", 8, run, 100.0, "us"))
        repeats.look_at(group)
        self.assertGreater(repeats.worst[group], 10)
        self.assertIn(group, repeats.undecided)

    def test_a_failed_job_is_not_repeated(self) -> None:
        fake = FakeJobs({"near": {"ours": 1, "peer": 0}})
        done = fake.measure(self.FIGURES[1:2])
        self.assertEqual(fake.ran, self.both("near", "near", "near")[:2] + ["near ours"] * 2)
        self.assertEqual(done.failures, ["near, mpich, node, peer, 2 ranks: status 1: it failed"])

    def test_figures_of_the_same_job_share_it(self) -> None:
        puts, gets, others = (
            replace(FIGURE, name=name, program="near", part=(name,), series=(f"{name}/*",), columns=(OURS,))
            for name in ("put", "get", "acc"))
        fake = FakeJobs(self.VALUES)
        done = fake.measure([puts, gets, others], "--runs", "1")
        self.assertEqual(fake.ran, ["near ours put get acc"])
        self.assertEqual([(point.figure, point.series) for point in done.points.all],
                         [("put", "put/time"), ("get", "get/time")])
        self.assertEqual(done.failures, ["put + get + acc, mpich, node, ours, 2 ranks: printed no row of acc"])


class Folder(unittest.TestCase):
    def test_loses_what_is_the_driver_s_and_nothing_else(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "pictures").mkdir()
            for file in ("rows.csv", "report.md", "models-mpich.txt", "pictures/a.png", "mine.txt"):
                (folder / file).touch()
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                bench.clear(folder)
            self.assertTrue((folder / "pictures/a.png").exists())
            (folder / "about.json").touch()
            bench.clear(folder)
            self.assertEqual([path.name for path in folder.iterdir()], ["mine.txt"])

    def test_options_that_contradict_are_refused(self) -> None:
        for arguments in (["--check", "--quick"], ["--redraw", "--only", "acc"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
                bench.parse(arguments)


class Catalogue(unittest.TestCase):
    def test_names_are_unlike_and_columns_too(self) -> None:
        names = [figure.name for figure in FIGURES]
        self.assertEqual(len(names), len(set(names)))
        for figure in FIGURES:
            for mpi in ("openmpi", "mpich"):
                for place in figure.places:
                    columns = [column.name for column in figure.columns
                               if column.mpi in ("", mpi) and place in column.places]
                    self.assertEqual(len(columns), len(set(columns)), figure.name)


class Pictures(unittest.TestCase):
    def test_draws(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, = pictures.draw(FIGURE, some_points(), "node", "mpich", Path(folder))
            self.assertGreater(path.stat().st_size, 1000)
            text = path.with_suffix(".svg").read_text(encoding="utf-8")
            for word in ("Made up", "time, ours", "time, peer"):
                self.assertIn(word, text)

    def test_many_panels_are_parted(self) -> None:
        points = Points()
        for panel in range(pictures.PAGE + 1):
            points.add(Point("made-up", "node", "mpich", 2, "ours", f"{panel}/time", 8, 0, 1.0, "us"))
        with tempfile.TemporaryDirectory() as folder:
            paths = pictures.draw(FIGURE, points, "node", "mpich", Path(folder))
            self.assertEqual([path.name for path in paths], ["made-up-mpich-node-1.png", "made-up-mpich-node-2.png"])

    def test_what_is_not_to_be_drawn_is_not(self) -> None:
        panels, _ = pictures.lines_of(replace(FIGURE, undrawn=("put/b*",)), some_points(), "node", "mpich")
        self.assertEqual(set(panels["put"]), {"ours", "peer"})

    def test_one_line_for_a_bound(self) -> None:
        panels, _ = pictures.lines_of(FIGURE, some_points(), "node", "mpich")
        self.assertEqual(set(panels["put"]), {"time, ours", "time, peer", "bound"})

    def test_a_method_is_not_named_twice(self) -> None:
        columns = (OURS, Column("iov", label=""), Column("mpi-iov", label="mpi"))
        points = Points()
        for column, series in (("ours", "put/auto"), ("iov", "put/iov"), ("mpi-iov", "put/iov"), ("ours", "get/auto")):
            points.add(Point("made-up", "node", "mpich", 2, column, series, 8, 0, 1.0, "us"))
        panels, _ = pictures.lines_of(replace(FIGURE, columns=columns), points, "node", "mpich")
        self.assertEqual({panel: set(names) for panel, names in panels.items()},
                         {"put": {"auto, ours", "iov", "iov, mpi"}, "get": {"ours"}})

    def test_colours_do_not_depend_on_what_ran_first(self) -> None:
        def styles(*rows: tuple[str, str]) -> dict[str, str]:
            points = Points()
            for column, series in rows:
                points.add(Point("made-up", "node", "mpich", 2, column, series, 8, 0, 1.0, "us"))
            return pictures.styles_of(pictures.lines_of(FIGURE, points, "node", "mpich")[1])
        rows = [("ours", "put/a"), ("ours", "put/b"), ("peer", "put/a"), ("peer", "put/b")]
        found = styles(*rows)
        self.assertEqual(styles(*reversed(rows)), found)
        self.assertEqual(found["a, ours"].split()[2:4], found["a, peer"].split()[2:4])  # one colour
        self.assertEqual(len(set(found.values())), 4)

    def test_zeros_and_ratios_near_one_have_axes_of_their_own(self) -> None:
        self.assertIn("nonlinear", " ".join(pictures.y_axis(FIGURE, [0, 3, 500])))
        self.assertIn("set yrange [0:*]", pictures.y_axis(replace(FIGURE, log=""), [0.2, 1]))
        self.assertIn("set yrange [0.81:1.1]", pictures.y_axis(replace(FIGURE, log=""), [0.9, 1.0]))

    def test_nothing_measured_draws_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(pictures.draw(FIGURE, some_points(), "cluster", "mpich", Path(folder)), [])


assert (OURS, PEER) == FIGURE.columns

if __name__ == "__main__":
    unittest.main()
