"""Draws a figure with gnuplot: a plot for each panel of its series, a line for each series and column."""

import math
import subprocess
from collections.abc import Iterable
from pathlib import Path

from figure import Figure
from points import Middle, Points

COLOURS = ("#1b6ca8", "#c8501e", "#3a8f4d", "#8a5aa8", "#b58900", "#555555", "#d0679d", "#2aa198")
MARKS = (5, 7, 9, 11, 13, 15)
WIDTH, HEIGHT = 560, 380  # of a panel without its key
KEY_PIXELS = 19  # of a row of it


def split(series: str) -> tuple[str, str]:
    panel, slash, line = series.partition("/")
    return (panel, line) if slash else ("", series)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', "'") + '"'


def name_of(line: str, label: str, alone: bool) -> str:
    """In the key. A line that is alone in its panel is told by its column."""
    if not label:
        return line
    return label if alone else f"{line}, {label}"


def lines_of(figure: Figure, points: Points, place: str, mpi: str) -> dict[str, dict[str, list[tuple[float, Middle]]]]:
    """By panel and line. Ranks part lines only where x does not tell them."""
    found = {key: middle for key, middle in points.of(figure.name, place, mpi).items() if figure.is_drawn(key[2])}
    seen: dict[tuple[str, str, float], set[int]] = {}
    for ranks, column, series, x in found:
        seen.setdefault((column, series, x), set()).add(ranks)
    told = any(len(ranks) > 1 for ranks in seen.values())
    order = {column.name: i for i, column in enumerate(figure.columns)}
    labels = {column.name: column.label for column in figure.columns if column.label is not None}
    lines_in: dict[str, set[str]] = {}
    for _, _, series, _ in found:
        lines_in.setdefault(split(series)[0], set()).add(split(series)[1])
    panels: dict[str, dict[str, list[tuple[float, Middle]]]] = {}
    for (ranks, column, series, x), middle in sorted(found.items(), key=lambda item: order.get(item[0][1], 99)):
        panel, line = split(series)
        if figure.is_bound(series):
            if column != figure.columns[0].name:
                continue
            name = line
        else:
            name = name_of(line, labels.get(column, column), alone=len(lines_in[panel]) == 1)
        if told:
            name += f", {ranks} ranks"
        panels.setdefault(panel, {}).setdefault(name, []).append((x, middle))
    for panel in panels.values():
        for line in panel.values():
            line.sort(key=lambda item: item[0])
    return panels


def x_axis(figure: Figure, xs: list[float]) -> tuple[list[str], dict[float, float]]:
    """Commands, and where each x is drawn: one after the other where a line would put the small ones into one place."""
    place = {x: x for x in xs}
    log = "x" in figure.log and xs[0] > 0
    if not log and len(xs) > 2 and xs[-1] > 20 * (xs[0] or xs[1]):
        place = {x: float(i) for i, x in enumerate(xs)}
    first, last = place[xs[0]], place[xs[-1]]
    if len(xs) == 1:
        low, high = first / 2, first * 2 + 1
    elif log:
        low, high = first / 1.15, last * 1.15
    else:
        low, high = first - 0.05 * (last - first), last + 0.05 * (last - first)
    chosen = xs if len(xs) <= 12 else xs[::math.ceil(len(xs) / 10)]
    ticks = ", ".join(f"{quoted(size_text(x) if figure.x.startswith('bytes') else f'{x:g}')} {place[x]:g}" for x in chosen)
    return ["set logscale x 2" if log else "unset logscale x", f"set xtics ({ticks})", f"set xrange [{low}:{high}]"], place


def y_axis(figure: Figure, ys: list[float]) -> list[str]:
    if "y" not in figure.log or min(ys) <= 0:
        return ["unset logscale y", "set ytics autofreq", "set yrange [0:*]"]
    least, greatest = min(ys), max(ys)
    if greatest >= 30 * least:
        return ["set logscale y 10", "set ytics autofreq", "set yrange [*:*]"]
    # Powers of ten alone would leave one tick, or none.
    tens = range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(greatest)) + 2)
    ticks = ", ".join(f"{digit * 10.0 ** ten:g}" for ten in tens for digit in (1, 2, 5))
    return ["set logscale y 10", f"set ytics ({ticks})", f"set yrange [{least / 2}:{greatest * 2}]"]


def key_shape(lines: Iterable[str]) -> tuple[int, int]:
    """Columns and rows of the names of lines."""
    names = list(lines)
    columns = max(1, min(4, 80 // (max(len(name) for name in names) + 6)))
    return columns, math.ceil(len(names) / columns)


def panel_script(figure: Figure, name: str, unit: str, lines: dict[str, list[tuple[float, Middle]]],
                 numbers: dict[str, int]) -> str:
    axis, place = x_axis(figure, sorted({x for line in lines.values() for x, _ in line}))
    columns, rows = key_shape(lines)
    commands = [*axis, *y_axis(figure, [middle.median for line in lines.values() for _, middle in line]),
                f"set bmargin {5 + math.ceil(1.25 * rows)}", f"set key maxcols {columns}",
                f"set title {quoted(name.replace('_', ' '))}; set ylabel {quoted(unit or figure.y)}"]
    blocks, plots = [], []
    for line, values in lines.items():
        number = numbers[line]
        block = f"$line{number}"
        blocks.append(f"{block} << EOD\n" + "".join(
            f"{place[x]} {middle.median} {middle.least} {middle.greatest}\n" for x, middle in values) + "EOD")
        style = (f"dt {1 + number // len(COLOURS)} lc rgb '{COLOURS[number % len(COLOURS)]}' "
                 f"pt {MARKS[number % len(MARKS)]} ps 0.7")
        plots.append(f"{block} using 1:2 with linespoints lw 1.6 {style} title {quoted(line.replace('_', ' '))}")
        if any(middle.least < middle.greatest for _, middle in values):
            plots.append(f"{block} using 1:2:3:4 with yerrorbars lw 0.6 {style} notitle")
    return "\n".join([*blocks, *commands, "plot " + ", ".join(plots), ""])


def size_text(value: float) -> str:
    for size, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if value >= size and value % size == 0:
            return f"{value / size:g}{letter}"
    return f"{value:g}" if value < 10_000 else f"{value / 1024:.0f}K" if value < 1 << 20 else f"{value / (1 << 20):.3g}M"


def draw(figure: Figure, points: Points, place: str, mpi: str, folder: Path) -> Path | None:
    """Leaves <figure>-<mpi>-<place>.svg and .png, and tells the latter; None where there are no points."""
    panels = lines_of(figure, points, place, mpi)
    if not panels:
        return None
    names = {line: 0 for panel in panels.values() for line in panel}
    for number, line in enumerate(names):
        names[line] = number
    across = min(3, len(panels))
    down = math.ceil(len(panels) / across)
    rows = max(key_shape(panel)[1] for panel in panels.values())
    width, height = across * WIDTH, down * (HEIGHT + rows * KEY_PIXELS) + 60
    units = {split(series)[0]: unit for (name, series), unit in points.unit.items() if name == figure.name}
    hosts = "one node" if place == "node" else f"{figure.cluster_hosts} hosts over TCP"
    title = f"{figure.title}\\n{(figure.source + ' — ') if figure.source else ''}{mpi}, {hosts}"
    plots = "\n".join(panel_script(figure, panel, units.get(panel, ""), lines, names)
                      for panel, lines in panels.items())
    stem = folder / f"{figure.name}-{mpi}-{place}"
    for kind, terminal in (("svg", "svg"), ("png", "pngcairo")):
        script = f"""set encoding utf8
set terminal {terminal} size {width},{height} font "DejaVu Sans,11" background rgb "white"
set output {quoted(str(stem) + "." + kind)}
set multiplot layout {down},{across} title {quoted(title).replace(chr(92) * 2 + "n", chr(92) + "n")} noenhanced
set key below center horizontal font ",9" noenhanced samplen 2; set pointintervalbox 0
set title noenhanced; set ylabel noenhanced; set xlabel {quoted(figure.x)} noenhanced offset 0,0.7
set grid lc rgb "#cccccc" lw 0.7; set border 3; set tics nomirror; set format y "%g"; set xtics rotate by 0
{plots}
unset multiplot
"""
        done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"gnuplot, {figure.name}: {done.stderr.strip()[-200:]}")
    return stem.with_suffix(".png")
