#!/usr/bin/python3 -B
"""Cost models of what `costs` measured, a report of self-consistency, and projections of allocations.

    models.py fit rows.csv --out tune.txt    models and their residuals, and a file for ARMCI_TUNE_FILE
    models.py consistency rows.csv           each operation against the best other way to do the same
    models.py allocations rows.csv           time and memory of an allocation, projected to 1,048,576 processes

rows.csv has the columns figure, place, mpi, ranks, column, series, x, run, value, unit; `--mpi` chooses where it has
rows of both. A model is T = a + b * bytes + c * segments microseconds, by least squares of relative errors with no
coefficient below 0; where one does not fit, two, with a break in bytes or in bytes per segment.
"""

import argparse
import csv
import itertools
import math
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FIGURES = {"costs"}
ALLOCATIONS = {"costs-allocations"}
PROJECTED = 1 << 20
UNMOVED = 0.02

# A second range has to pay: residuals this much smaller, where there was something to gain.
WORTH_A_BREAK = 0.6
GOOD_ENOUGH = 0.05
# Where nothing was measured, nothing is predicted.
REACH = 4


@dataclass(frozen=True)
class Point:
    path: str  # node (load and store), mpi (on the node), messages (the library's own), network (by MPI)
    operation: str  # "put", "put-strided"
    method: str
    bytes: float
    segments: int
    us: float


@dataclass(frozen=True)
class Model:
    """Microseconds of one operation by one method, over [start, end) of `by`."""

    path: str
    operation: str
    method: str
    by: str  # bytes, or segment: bytes per segment
    start: float
    end: float
    a: float
    b: float
    c: float
    points: int = 0
    median_error: float = 0.0  # relative
    worst_error: float = 0.0

    def covers(self, bytes_, segments):
        return self.start <= (bytes_ / segments if self.by == "segment" else bytes_) < self.end

    def time(self, bytes_, segments=1):
        return self.a + self.b * bytes_ + self.c * segments


# ---- Rows


def read_rows(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def of_one_mpi(rows, mpi):
    """The rows of `mpi`, and which that is."""
    found = sorted({row["mpi"] for row in rows})
    if mpi is None and len(found) > 1:
        raise SystemExit(f"models.py: rows of {' and '.join(found)}: choose by --mpi")
    rows = [row for row in rows if mpi in (None, row["mpi"])]
    if not rows:
        raise SystemExit("models.py: there are no such rows")
    return rows, rows[0]["mpi"]


def path_of(place, column):
    if place != "node":
        return "messages" if column == "ours" else "network"
    return "mpi" if column == "mpi" or column.startswith("mpi-") else "node"


def points_of(rows, peer=False, run=None):
    """Points of `costs`: of one run, or medians of the runs."""
    values = defaultdict(list)
    for row in rows:
        if row["figure"] not in FIGURES or row["unit"] != "us" or (row["column"] == "peer") != peer:
            continue
        if run not in (None, row["run"]):
            continue
        what, _, method = row["series"].rpartition("/")
        operation, _, segments = what.partition(":")
        key = path_of(row["place"], row["column"]), operation, method, float(row["x"]), int(segments or 1)
        values[key].append(float(row["value"]))
    return [Point(*key, float(np.median(us))) for key, us in sorted(values.items())]


# ---- Fits


def nonnegative(matrix, right):
    """Least squares with no coefficient below 0, and the sum of squares: the best of the faces, of which there are few."""
    columns = matrix.shape[1]
    best, least = np.zeros(columns), float(right @ right)
    for size in range(1, columns + 1):
        for chosen in itertools.combinations(range(columns), size):
            part = matrix[:, chosen]
            found, _, rank, _ = np.linalg.lstsq(part, right, rcond=None)
            if rank < size or (found < 0).any():
                continue
            squares = float(((part @ found - right) ** 2).sum())
            # A coefficient that explains nothing is left at 0.
            if squares < least * (1 - 1e-9) - 1e-15:
                best, least = np.zeros(columns), squares
                best[list(chosen)] = found
    return best, least


def coefficients(points):
    """a, b, c by relative errors, and those errors."""
    t = np.array([p.us for p in points])
    columns = [np.ones(len(points)), np.array([p.bytes for p in points]), np.array([float(p.segments) for p in points])]
    # What does not vary is part of the constant.
    used = [i for i in range(3) if i == 0 or np.ptp(columns[i]) > 0]
    # Scaled, so that bytes and ones weigh alike to the solver.
    scale = [columns[i].max() for i in used]
    matrix = np.stack([columns[i] / s / t for i, s in zip(used, scale)], axis=1)
    found, _ = nonnegative(matrix, np.ones(len(points)))
    result = np.zeros(3)
    result[used] = found / scale
    errors = (sum(result[i] * columns[i] for i in range(3)) - t) / t
    return result, errors


def rms(errors):
    return float(np.sqrt(np.mean(np.square(errors)))) if len(errors) else 0.0


def measure_of(point, by):
    return point.bytes / point.segments if by == "segment" else point.bytes


def splits(points):
    """Every way to part the points in two that may each have a model: (by, break, below, above)."""
    contiguous = all(p.segments == 1 for p in points)
    kinds = ["bytes"] if contiguous else ["bytes", "segment"]
    least = 3 if contiguous else 4  # one more than there are coefficients
    for by in kinds:
        places = sorted({measure_of(p, by) for p in points})
        for low, high in zip(places, places[1:]):
            edge = float(round(math.sqrt(low * high)))
            below = [p for p in points if measure_of(p, by) < edge]
            above = [p for p in points if measure_of(p, by) >= edge]
            if min(len(below), len(above)) >= least:
                yield by, edge, below, above


def model_of(points, by, start, end):
    (a, b, c), errors = coefficients(points)
    first = points[0]
    size = np.abs(errors)
    return Model(first.path, first.operation, first.method, by, start, end, float(a), float(b), float(c), len(points),
                 float(np.median(size)), float(size.max())), errors


def fit_one(points):
    """The models of one operation by one method on one path."""
    longest = max(p.bytes for p in points)
    end = REACH * longest
    whole, errors = model_of(points, "bytes", 0.0, end)
    best, least = [whole], rms(errors)
    if least <= GOOD_ENOUGH:
        return best
    least *= WORTH_A_BREAK
    for by, edge, below, above in splits(points):
        # Bytes per segment end nowhere, as few bytes may be one segment; a segment of many is like the longest.
        last = end if by == "bytes" else REACH * max(measure_of(p, by) for p in points)
        low, low_errors = model_of(below, by, 0.0, edge)
        high, high_errors = model_of(above, by, edge, last)
        both = rms(np.concatenate([low_errors, high_errors]))
        if both < least:
            best, least = [low, high], both
    return best


def fit(points):
    """Models of all that was measured: for each operation, path and method one, or two of a range each."""
    groups = defaultdict(list)
    for point in points:
        groups[point.path, point.operation, point.method].append(point)
    return [model for _, group in sorted(groups.items()) for model in fit_one(group)]


def print_models(models):
    print(f"{'path':8} {'operation':24} {'method':9} {'range':28} {'a us':>9} {'b us/KiB':>9} {'c us/seg':>9} "
          f"{'points':>6} {'median':>7} {'max':>6}")
    for m in models:
        span = f"{m.start:.0f} to {m.end:.0f} {'bytes' if m.by == 'bytes' else 'B/segment'}"
        print(f"{m.path:8} {m.operation:24} {m.method:9} {span:28} {m.a:9.3f} {1024 * m.b:9.4f} {m.c:9.4f} "
              f"{m.points:6} {m.median_error:6.1%} {m.worst_error:6.1%}")


# ---- The tune file (armci/base/cost_model.hpp)


def words_of(model):
    kind, _, call = model.operation.partition("-")
    if call in ("strided", "vector"):
        return call, kind, model.method
    return "other", model.operation, model.method


def write_tune_file(path, models, header):
    """`header` has `library`, `mpi` and `place`: what armci_info says, and where the points were measured."""
    lines = ["armci-rma tune file 1",
             f"library {header['library']}",
             f"mpi {header['mpi']}"]
    if header.get("place"):
        lines.append(f"place {header['place']}")
    lines += ["# microseconds = a + b * bytes + c * segments",
              "# call    operation                method    path     by      from     to       a b c",
              ]
    for model in models:
        if model.path == "messages":  # they take no method
            continue
        call, operation, method = words_of(model)
        lines.append(f"{call:9} {operation:24} {method:9} {model.path:8} {model.by:7} {int(model.start):<8} "
                     f"{int(model.end):<8} {model.a:.6g} {model.b:.6g} {model.c:.6g}")
    Path(path).write_text("\n".join(lines) + "\n")


def running(build):
    """What a tune file of this build has to name, as its armci_info says."""
    tool = Path(build) / "tools" / "armci_info"
    try:
        text = subprocess.run([tool], capture_output=True, text=True, check=True, timeout=60).stdout
        return {"library": re.search(r"^armci-rma +(\S+)", text, re.M)[1],
                "mpi": re.search(r"^tune files +of (.+), by this version$", text, re.M)[1]}
    except (OSError, subprocess.SubprocessError, TypeError) as problem:
        raise SystemExit(f"models.py: {tool} does not say which MPI it is on ({problem}); "
                         "give --build, or --library and --mpi-name")


# ---- Self-consistency


class Costs:
    """Times of operations, by points measured or by models."""

    def __init__(self, source):
        self.source = source
        points = [one for one in source if isinstance(one, Point)]
        self.models = [one for one in source if isinstance(one, Model)]
        self.measured = {(p.path, p.operation, p.method, p.bytes, p.segments): p.us for p in points}
        self.only_models = not points
        self.paths = sorted({one.path for one in source})

    def methods(self, path, operation):
        return sorted({one.method for one in self.source if (one.path, one.operation) == (path, operation)})

    def time(self, path, operation, bytes_=1.0, segments=1, method="auto"):
        """Microseconds, or None where it is not known."""
        found = self.measured.get((path, operation, method, float(bytes_), segments))
        if found is not None or not self.only_models:
            return found
        for m in self.models:
            if (m.path, m.operation, m.method) == (path, operation, method) and m.covers(bytes_, segments):
                return m.time(bytes_, segments)
        return None

    def sizes(self, path, operation, method="auto"):
        """(bytes, segments) to look at."""
        found = [key[3:] for key in self.measured if key[:3] == (path, operation, method)]
        if found:
            return sorted(found)
        if not any((m.path, m.operation, m.method) == (path, operation, method) for m in self.models):
            return []
        if operation.endswith(("-strided", "-vector", "loop")):
            return [(segment * n, n) for segment in (16, 256, 2048, 16384) for n in (4, 32, 256)]
        return [(float(bytes_), 1) for bytes_ in (8, 64, 512, 4096, 16384, 65536, 262144, 1048576)]


def added(*times):
    return None if any(t is None for t in times) else sum(times)


def times_of(count, time):
    return None if time is None else count * time


def same_by_others(costs, path, operation, bytes_, segments):
    """(how, microseconds or None) of every other way that does the same, or more."""
    def cost(name, size=bytes_, n=1, method="auto"):
        return costs.time(path, name, size, n, method)

    kind, _, call = operation.partition("-")
    if call in ("strided", "vector"):
        other = "vector" if call == "strided" else "strided"
        yield f"{kind}-{other}", cost(f"{kind}-{other}", n=segments)
        yield f"{segments} x {kind}, fence" if kind != "get" else f"{segments} x get", cost(f"{kind}-loop", n=segments)
        yield f"{segments} x nb{kind}, wait" + ("" if kind == "get" else ", fence"), cost(f"{kind}-nbloop", n=segments)
        for method in costs.methods(path, operation):
            if method != "auto":
                yield f"{operation} by {method}", cost(operation, n=segments, method=method)
        if kind == "acc":
            yield "get-strided, add, put-strided (not atomic)", added(cost("get-strided", n=segments), cost("put-strided", n=segments))
    elif operation in ("acc-scaled+fence", "acc+fence"):
        yield "get, add, put+fence (not atomic)", added(cost("get"), cost("put+fence"))
        if operation == "acc+fence":
            yield "acc-scaled+fence", cost("acc-scaled+fence")
    elif operation == "put+fence":
        yield "nbput+wait+fence", cost("nbput+wait+fence")
        if bytes_ == 8:
            yield "swap", cost("swap")
    elif operation == "nbput+wait+fence":
        yield "put+fence", cost("put+fence")
    elif operation == "put":
        yield "nbput+wait", cost("nbput+wait")
        yield "put+fence", cost("put+fence")
    elif operation == "nbput+wait":
        yield "put", cost("put")
    elif operation == "get":
        yield "nbget+wait", cost("nbget+wait")
        if bytes_ == 8:
            yield "fetch-add of 0", cost("fetch-add")
    elif operation == "nbget+wait":
        yield "get", cost("get")
    elif operation == "acc":
        yield "acc+fence", cost("acc+fence")
    elif operation == "nbput-stream" and path != "node":  # goes round 64 places, beyond the nearest cache
        yield "put", cost("put")
    elif operation in ("fetch-add", "swap"):
        yield "lock, get, put, fence, unlock", cost("add-locked", 8)
    elif operation == "add-locked":
        yield "lock+unlock, get, put+fence", added(cost("lock+unlock", 1), cost("get", 8), cost("put+fence", 8))
    elif operation == "fence":
        yield "allfence", cost("allfence", 1)
    elif operation == "barrier":
        yield "allfence+msg-barrier", cost("allfence+msg-barrier", 1)
    elif operation == "put+barrier":
        yield "put+allfence+msg-barrier", cost("put+allfence+msg-barrier", 1)

    if operation in ("put", "put+fence", "get", "acc", "acc+fence", "nbput+wait", "nbget+wait"):
        sizes = [size for size, _ in costs.sizes(path, operation)]
        for larger in [size for size in sizes if size > bytes_][:1]:
            yield f"the same of {larger:.0f} bytes", cost(operation, larger)
        # On the node pieces would be compared in a nearer cache than the whole, as each is moved over and over.
        for smaller in [size for size in sizes
                        if path != "node" and bytes_ / 16 <= size < bytes_ and bytes_ % size == 0]:
            pieces = int(bytes_ // smaller)
            if operation.endswith("+fence"):
                first = cost(operation[:-6], smaller)
                time = added(times_of(pieces - 1, first), cost(operation, smaller))
            elif operation in ("get", "nbget+wait"):
                time = times_of(pieces, cost(operation, smaller))
            else:
                continue  # a put returns before its bytes have gone
            yield f"{pieces} of {smaller:.0f} bytes", time


@dataclass(frozen=True)
class Comparison:
    path: str
    operation: str
    bytes: float
    segments: int
    us: float
    other: str  # the best other way
    other_us: float
    slower: int = 0  # in so many
    runs: int = 0  # of these

    @property
    def ratio(self):
        return self.us / self.other_us

    @property
    def flagged(self):
        return self.ratio > 1.1 and self.slower == self.runs


def consistency(source, runs=()):
    """Comparisons of points, or of models: each operation against the best combination that would do the same.

    With the points of each run, what is slower only in some of them is not flagged.
    """
    each = [Costs(points) for points in runs] if len(runs) > 1 else []
    costs = Costs(source)
    rows = []
    operations = sorted({one.operation for one in source if one.method == "auto"})
    for path, operation in itertools.product(costs.paths, operations):
        for bytes_, segments in costs.sizes(path, operation):
            us = costs.time(path, operation, bytes_, segments)
            ways = [(time, how) for how, time in same_by_others(costs, path, operation, bytes_, segments) if time]
            if us and ways:
                time, how = min(ways)
                pairs = [(run.time(path, operation, bytes_, segments),
                          dict(same_by_others(run, path, operation, bytes_, segments)).get(how)) for run in each]
                pairs = [pair for pair in pairs if all(pair)]
                slower = sum(mine > other for mine, other in pairs)
                rows.append(Comparison(path, operation, bytes_, segments, us, how, time, slower, len(pairs)))
    return rows


def print_consistency(rows, everything):
    flagged = [row for row in rows if row.flagged]
    shown = rows if everything else flagged
    print(f"{'path':8} {'operation':20} {'bytes':>8} {'segments':>8} {'us':>10}  {'ratio':>5}   the best other way")
    for row in sorted(shown, key=lambda r: (r.path, r.operation, r.bytes, r.segments)):
        print(f"{row.path:8} {row.operation:20} {row.bytes:8.0f} {row.segments:8} {row.us:10.3f}  {row.ratio:5.2f} "
              f"{'<' if row.flagged else ' '} {row.other}, {row.other_us:.3f}")
    print(f"\n{len(flagged)} of {len(rows)} operations are more than 10 % slower than another way to do the same")
    for path in sorted({row.path for row in rows}):
        ratios = [row.ratio for row in rows if row.path == path]
        print(f"  {path:8} median ratio {np.median(ratios):.2f}, worst {max(ratios):.2f}")


# ---- Allocations against processes


@dataclass(frozen=True)
class Growth:
    form: str  # "a + b * log2 p", "a + b * p", or "a" where nothing grows
    a: float
    b: float
    worst_error: float
    projected: float  # at PROJECTED processes
    otherwise: float  # by the other form
    clear: bool  # which is much worse


def growth_of(points):
    """Of pairs (processes, value): the form that fits better. Three or more, or there is nothing to tell by."""
    points = sorted(points)
    if len(points) < 2 or any(value < 0 for _, value in points):
        return None
    p = np.array([float(x) for x, _ in points])
    value = np.array([max(float(v), 1e-9) for _, v in points])
    # What moves by so little cannot be told from what does not grow.
    constant = 1 / float(np.mean(1 / value))
    if (worst := float(np.abs(constant / value - 1).max())) < UNMOVED:
        return Growth("a", constant, 0.0, worst, constant, constant, True)
    fits = []
    for form, grows, last in (("a + b * log2 p", np.log2(p), math.log2(PROJECTED)), ("a + b * p", p, PROJECTED)):
        found, squares = nonnegative(np.stack([1 / value, grows / value], axis=1), np.ones(len(p)))
        errors = (found[0] + found[1] * grows - value) / value
        fits.append((squares, form, found, float(np.abs(errors).max()), float(found[0] + found[1] * last)))
    (least, form, found, worst, projected), (more, *_, otherwise) = sorted(fits, key=lambda one: one[0])
    clear = len(points) > 2 and more > 4 * least + 1e-6
    return Growth(form, float(found[0]), float(found[1]), worst, projected, otherwise, clear)


def project_allocations(points):
    """For each key of `points`, a dictionary of pairs (processes, value), its Growth."""
    return {key: growth for key, pairs in points.items() if (growth := growth_of(pairs)) is not None}


def allocation_points(rows):
    values = defaultdict(list)
    for row in rows:
        if row["figure"] in ALLOCATIONS:
            values[row["place"], row["column"], row["series"], float(row["x"]), row["unit"]].append(float(row["value"]))
    points = defaultdict(list)
    for (place, column, series, x, unit), found in values.items():
        points[place, column, series, unit].append((x, float(np.median(found))))
    return points


def print_projections(points):
    print(f"{'place':8} {'column':8} {'what':28} {'processes: value':44} {'form':15} {'a':>10} {'b':>10} {'max':>6} "
          f"{'at 1,048,576':>14}")
    for (place, column, series, unit), growth in project_allocations(points).items():
        seen = ", ".join(f"{x:.0f}: {v:.4g}" for x, v in sorted(points[place, column, series, unit]))
        unsure = "" if growth.clear else f"  (by the other form, which fits, too: {growth.otherwise:.4g})"
        print(f"{place:8} {column:8} {series:28} {seen:44} {growth.form:15} {growth.a:10.4g} {growth.b:10.4g} "
              f"{growth.worst_error:6.1%} {growth.projected:11.4g} {unit}{unsure}")


# ---- Command line


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("fit", "consistency", "allocations"):
        command = commands.add_parser(name)
        command.add_argument("rows")
        command.add_argument("--mpi", help="openmpi or mpich")
        if name == "consistency":
            command.add_argument("--all", action="store_true", help="rows that are well, too")
            command.add_argument("--models", action="store_true", help="by models instead of points")
        if name != "allocations":
            command.add_argument("--peer", action="store_true", help="of the peer's points")
        if name == "fit":
            command.add_argument("--out", help="the tune file")
            command.add_argument("--build", help="whose tools/armci_info names library and MPI (build/<mpi>)")
            command.add_argument("--library", help="its version, instead")
            command.add_argument("--mpi-name", help='as "MPICH 4.0.2"')
            command.add_argument("--place", help="where it was measured")
    options = parser.parse_args(arguments)
    if options.command == "fit" and options.peer and options.out:
        parser.error("a tune file is of this library's methods, not of the peer's")
    rows, mpi = of_one_mpi(read_rows(options.rows), options.mpi)
    if options.command == "allocations":
        print_projections(allocation_points(rows))
        return
    points = points_of(rows, options.peer)
    if not points:
        raise SystemExit("models.py: there are no rows of costs")
    if options.command == "consistency":
        runs = [points_of(rows, options.peer, run) for run in sorted({row["run"] for row in rows})]
        print_consistency(consistency(fit(points)) if options.models else consistency(points, runs), options.all)
        return
    models = fit(points)
    print_models(models)
    if options.out:
        header = {"library": options.library, "mpi": options.mpi_name}
        if not all(header.values()):
            root = Path(__file__).resolve().parent.parent.parent
            header = running(options.build or root / "build" / mpi)
        places = {(row["place"], row["ranks"]) for row in rows if row["figure"] in FIGURES}
        header["place"] = options.place or ", ".join(f"{place} of {ranks} ranks" for place, ranks in sorted(places))
        write_tune_file(options.out, models, header)
        print(f"\n{options.out}: {header['mpi']}, {len(models)} models")


if __name__ == "__main__":
    main()
