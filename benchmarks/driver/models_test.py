"""models.py on points whose models are known."""

import contextlib
import csv
import io
import math
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import models
from models import Model, Point

GRID = [(segment, n) for segment in (16, 256, 2048, 16384, 65536) for n in (4, 32, 256)]


def strided(time, method="direct", operation="put-strided"):
    return [Point("network", operation, method, segment * n, n, time(segment * n, n)) for segment, n in GRID]


class Fits(unittest.TestCase):
    def test_a_line_is_found_again(self):
        [model] = models.fit(strided(lambda b, n: 12 + 0.001 * b + 0.05 * n))
        self.assertAlmostEqual(model.a, 12, places=6)
        self.assertAlmostEqual(model.b, 0.001, places=9)
        self.assertAlmostEqual(model.c, 0.05, places=7)
        self.assertLess(model.worst_error, 1e-6)
        self.assertEqual((model.by, model.start, model.end), ("bytes", 0, 4 * 65536 * 256))

    def test_no_coefficient_is_below_0(self):
        for time in (lambda b, n: 20 - 1e-6 * b + 0.05 * n, lambda b, n: 0.001 * b - 0.001 * n + 0.5,
                     lambda b, n: 1e-3 * b * math.sqrt(n), lambda b, n: 1 / n):
            for model in models.fit(strided(time)):
                self.assertGreaterEqual(min(model.a, model.b, model.c), 0)

    def test_small_errors_count_as_much_as_large_ones(self):
        points = [Point("node", "put", "auto", 8 ** i, 1, (0.1 + 1e-4 * 8 ** i) * (1.02 if i % 2 else 0.98))
                  for i in range(8)]
        for model in models.fit(points):
            self.assertLess(model.worst_error, 0.05)

    def test_a_break_is_found(self):
        def time(b, n):
            return 10 + 0.001 * b if b / n < 8192 else 100 + 0.004 * b
        low, high = sorted(models.fit(strided(time)), key=lambda m: m.start)
        self.assertEqual(low.by, "segment")
        self.assertTrue(2048 < low.end == high.start <= 16384, low)
        self.assertLess(max(low.worst_error, high.worst_error), 1e-6)
        for point in strided(time):
            self.assertEqual([m.covers(point.bytes, point.segments) for m in (low, high)].count(True), 1)

    def test_noise_makes_no_break(self):
        noise = [1.03, 0.97, 1.01, 0.99, 1.02]
        points = strided(lambda b, n: (10 + 0.001 * b + 0.02 * n) * noise[(b + n) % 5])
        self.assertEqual(len(models.fit(points)), 1)

    def test_one_point_is_a_constant(self):
        [model] = models.fit([Point("network", "fence", "auto", 1, 1, 0.25)])
        self.assertEqual((model.a, model.b, model.c), (0.25, 0, 0))

    def test_methods_and_paths_are_apart(self):
        points = strided(lambda b, n: 10.0) + strided(lambda b, n: 20.0, "packed")
        points += [Point("mpi", *(p.operation, p.method, p.bytes, p.segments, 5.0)) for p in points]
        self.assertEqual(sorted((m.path, m.method, round(m.a, 6)) for m in models.fit(points)),
                         [("mpi", "direct", 5), ("mpi", "packed", 5), ("network", "direct", 10), ("network", "packed", 20)])


class TuneFiles(unittest.TestCase):
    def test_what_is_written(self):
        made = models.fit(strided(lambda b, n: 12 + 0.001 * b + 0.05 * n)) + [
            Model("network", "acc-vector", "batched", "segment", 100, 200, 1, 2, 3),
            Model("network", "fetch-add", "auto", "bytes", 0, 32, 15, 0, 0)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tune"
            models.write_tune_file(path, made, {"library": "1.0.0", "mpi": "MPICH 4.0.2", "place": "here"})
            lines = path.read_text().splitlines()
        self.assertEqual(lines[:4], ["armci-rma tune file 1", "library 1.0.0", "mpi MPICH 4.0.2", "place here"])
        words = [line.split() for line in lines[4:] if not line.startswith("#")]
        self.assertEqual(words[0], ["strided", "put", "direct", "network", "bytes", "0", "67108864", "12", "0.001", "0.05"])
        self.assertEqual(words[1], ["vector", "acc", "batched", "network", "segment", "100", "200", "1", "2", "3"])
        self.assertEqual(words[2], ["other", "fetch-add", "auto", "network", "bytes", "0", "32", "15", "0", "0"])


    @unittest.skipUnless("TEST_ARMCI_INFO" in os.environ, "no armci_info to read it")
    def test_the_library_reads_what_is_written(self):
        tool = Path(os.environ["TEST_ARMCI_INFO"])
        made = [model for operation in ("put", "get", "acc") for method in ("direct", "packed", "segments", "iov")
                for model in models.fit(strided(lambda b, n: 1.5 + 1e-7 * b if b / n < 8192 else 20 + 1e-3 * b, method,
                                                f"{operation}-strided"))]
        made += models.fit(strided(lambda b, n: 3.25 + 0.5 * n, "consrv", "acc-vector"))
        made += models.fit(strided(lambda b, n: 3.25 + 0.5 * n, "auto", "put-loop"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "tune"
            models.write_tune_file(path, made, models.running(tool.parent.parent) | {"place": "a test"})
            said = subprocess.run([tool], env=os.environ | {"ARMCI_TUNE_FILE": str(path)}, capture_output=True,
                                  text=True, check=True, timeout=60).stdout
        self.assertIn(f"{path}, a test; 25 models to choose by, 1 others", said)
        self.assertIn("strided  acc  packed    network  from 0 to", said)
        self.assertIn("vector   acc  consrv    network  from 0 to 64M bytes: 3.25, 0, 0.5", said)


class Consistency(unittest.TestCase):
    POINTS = [
        Point("network", "put-strided", "auto", 4096, 4, 100.0),
        Point("network", "put-strided", "direct", 4096, 4, 50.0),
        Point("network", "put-vector", "auto", 4096, 4, 80.0),
        Point("network", "put-loop", "auto", 4096, 4, 200.0),
        Point("network", "fetch-add", "auto", 8, 1, 15.0),
        Point("network", "add-locked", "auto", 8, 1, 60.0),
        Point("network", "get", "auto", 8, 1, 20.0),
        Point("network", "get", "auto", 64, 1, 10.0),
    ]

    def test_the_best_other_way_is_named(self):
        found = {(row.operation, row.bytes): row for row in models.consistency(self.POINTS)}
        self.assertEqual(found["put-strided", 4096].other, "put-strided by direct")
        self.assertEqual(found["put-strided", 4096].ratio, 2)
        self.assertTrue(found["put-strided", 4096].flagged)
        self.assertEqual(found["put-vector", 4096].other, "put-strided")
        self.assertFalse(found["put-vector", 4096].flagged)
        self.assertEqual(found["fetch-add", 8].ratio, 0.25)
        self.assertEqual(found["get", 8].other, "the same of 64 bytes")
        self.assertTrue(found["get", 8].flagged)

    def test_what_is_slower_only_now_and_then_is_not_flagged(self):
        def run(us):
            return [Point("node", "get", "auto", 8, 1, us), Point("node", "nbget+wait", "auto", 8, 1, 10.0)]
        found = {row.operation: row for row in models.consistency(run(20.0), [run(20.0), run(21.0), run(19.0)])}
        self.assertTrue(found["get"].flagged)
        found = {row.operation: row for row in models.consistency(run(20.0), [run(20.0), run(9.0), run(30.0)])}
        self.assertEqual((found["get"].slower, found["get"].runs), (2, 3))
        self.assertFalse(found["get"].flagged)

    def test_models_serve_as_points_do(self):
        made = models.fit([Point("network", name, method, s * n, n, us) for s, n in GRID for name, method, us in (
            ("put-strided", "auto", 100.0), ("put-strided", "direct", 50.0), ("put-vector", "auto", 80.0))])
        rows = [row for row in models.consistency(made) if row.operation == "put-strided"]
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual((row.other, row.ratio), ("put-strided by direct", 2))

    def test_nothing_to_compare_with_is_no_row(self):
        self.assertEqual(models.consistency([Point("node", "fence", "auto", 1, 1, 1.0)]), [])


class Projections(unittest.TestCase):
    def test_forms_are_told_apart(self):
        log = models.growth_of([(p, 5 + 3 * math.log2(p)) for p in (2, 4, 8, 16)])
        self.assertEqual(log.form, "a + b * log2 p")
        self.assertTrue(log.clear)
        self.assertAlmostEqual(log.projected, 65, places=4)
        line = models.growth_of([(p, 5 + 3 * p) for p in (2, 4, 8, 16)])
        self.assertEqual(line.form, "a + b * p")
        self.assertAlmostEqual(line.projected, 5 + 3 * 2 ** 20, places=0)
        self.assertLess(line.otherwise, 1000)

    def test_what_does_not_grow_is_a_constant(self):
        for values in ((7.0, 7.0, 7.0), (7.0, 7.05, 7.02)):
            growth = models.growth_of(list(zip((2, 4, 8), values)))
            self.assertEqual(growth.form, "a")
            self.assertAlmostEqual(growth.projected, 7, places=1)
        self.assertAlmostEqual(models.growth_of([(2, 0.0), (4, 0.0), (8, 0.0)]).projected, 0, places=3)

    def test_noise_is_not_clear(self):
        self.assertFalse(models.growth_of([(2, 7.0), (4, 9.5), (8, 12.0), (16, 18.0)]).clear)

    def test_too_few_points(self):
        self.assertIsNone(models.growth_of([(2, 7.0)]))


class CommandLine(unittest.TestCase):
    FIELDS = ("figure", "place", "mpi", "ranks", "column", "series", "x", "run", "value", "unit")

    def run_with(self, rows, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            with path.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(self.FIELDS)
                writer.writerows(rows)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                models.main([arguments[0], str(path), *arguments[1:]])
            return said.getvalue()

    ROWS = [("costs", "cluster", "mpich", 2, column, f"put-strided:4/{method}", x, run, 10 + x / 100 + run, "us")
            for column, method in (("ours, MPI", "auto"), ("direct", "direct")) for x in (64, 1024, 8192) for run in (0, 1, 2)]

    def test_fit(self):
        said = self.run_with(self.ROWS, "fit")
        self.assertIn("network  put-strided              direct", said)
        self.assertIn("11.000", said, "the median of the runs")

    def test_consistency(self):
        self.assertIn("0 of 3 operations", self.run_with(self.ROWS, "consistency"))

    def test_allocations(self):
        rows = [("costs-allocations", "node", "mpich", p, "ours", "allocation-time/malloc+free", p, 0, 2 + p, "us")
                for p in (2, 4, 8)]
        self.assertIn("a + b * p", self.run_with(rows, "allocations"))

    def test_paths(self):
        self.assertEqual([models.path_of(*pair) for pair in (("node", "ours"), ("node", "mpi"), ("node", "mpi-iov"),
                                                             ("cluster", "ours"), ("cluster", "iov"))],
                         ["node", "mpi", "mpi", "messages", "network"])

    def test_two_mpis_are_not_mixed(self):
        with self.assertRaises(SystemExit):
            self.run_with(self.ROWS + [("costs", "node", "openmpi", 2, "ours", "get/auto", 8, 0, 1, "us")], "fit")


if __name__ == "__main__":
    unittest.main()
