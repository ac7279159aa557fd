"""Draws a figure with gnuplot: a plot for each panel of its series, a line for each series and column."""

import math
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from figure import Figure
from points import Middle, Points

COLOURS = ("#1b6ca8", "#c8501e", "#3a8f4d", "#8a5aa8", "#b58900", "#555555", "#d0679d", "#2aa198")
MARKS = (5, 7, 9, 11, 13, 15)
WIDTH, HEIGHT = 560, 380  # of a panel without its key
WIDTH_ALONE = 840
LETTERS = 0.12  # of a name in the key to a pixel of the panel
KEY_PIXELS = 14  # of a row of it
DASHES = 5  # that gnuplot tells apart
# Of a decade, by how far apart the values are: several ticks fall among them.
TICKS = ((2, (1, 1.2, 1.4, 1.6, 1.8, 2, 2.3, 2.6, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9)), (5, (1, 1.5, 2, 3, 4, 5, 6, 7, 8)),
         (10, (1, 2, 3, 5, 7)), (30, (1, 2, 5)))
PAGE = 18  # panels in one picture

Panel = dict[str, list[tuple[float, Middle]]]  # by name in the key
Line = tuple[str, str]  # its own name and its column's; one of MPI itself, or of a loop by hand, has no column


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


def lines_of(figure: Figure, points: Points, place: str, mpi: str) -> tuple[dict[str, Panel], dict[str, Line]]:
    """Panels, and what the names in their keys stand for. Ranks part lines only where x does not tell them."""
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
    # One order, and so one colour, whichever jobs ran first and whichever points there are.
    by_column = sorted(found.items(), key=lambda item: (order.get(item[0][1], 99), item[0][0]))
    lines: dict[str, Line] = {}
    panels: dict[str, Panel] = {split(key[2])[0]: {} for key, _ in by_column}
    for (ranks, column, series, x), middle in sorted(
            by_column, key=lambda item: (order.get(item[0][1], 99), split(item[0][2])[1])):
        panel, line = split(series)
        if figure.is_bound(series):
            if column != figure.columns[0].name:
                continue
            name, column = line, ""
        else:
            name = name_of(line, labels.get(column, column), alone=len(lines_in[panel]) == 1)
        if told:
            name += f", {ranks} ranks"
            line += f", {ranks} ranks"
        lines.setdefault(name, (line, column))
        panels.setdefault(panel, {}).setdefault(name, []).append((x, middle))
    for panel in panels.values():
        for values in panel.values():
            values.sort(key=lambda item: item[0])
    return {name: panel for name, panel in panels.items() if panel}, lines


def styles_of(lines: dict[str, Line]) -> dict[str, str]:
    """A colour for each operation, dashes and marks for each column, as far as there are so many; otherwise by number."""
    operations = list(dict.fromkeys(line for line, _ in lines.values()))
    columns = list(dict.fromkeys(column for _, column in lines.values()))
    by_part = 1 < len(operations) <= len(COLOURS) and 1 < len(columns) <= DASHES
    styles = {}
    for number, (name, (line, column)) in enumerate(lines.items()):
        if by_part:
            colour, dashes, mark = operations.index(line), columns.index(column), columns.index(column)
        else:
            colour, dashes, mark = number % len(COLOURS), number // len(COLOURS), number
        styles[name] = f"dt {1 + dashes} lc rgb '{COLOURS[colour]}' pt {MARKS[mark % len(MARKS)]} ps 0.7"
    return styles


def styles_in(panel: Panel, lines: dict[str, Line], styles: dict[str, str]) -> dict[str, str]:
    """Of a panel: where all its lines are of one operation, the columns have colours, too."""
    if len(panel) < 3 or len({lines[name][0] for name in panel}) > 1:
        return styles
    columns = list(dict.fromkeys(column for _, column in lines.values()))
    return {name: re.sub("rgb '[^']*'", f"rgb '{COLOURS[columns.index(lines[name][1]) % len(COLOURS)]}'", styles[name])
            for name in panel}


def x_text(name: str, x: float) -> str:
    return size_text(x) if name.startswith("bytes") else f"{x:g}"


def x_axis(figure: Figure, name: str, xs: list[float]) -> tuple[list[str], dict[float, float]]:
    """Commands, and where each x is drawn: one after the other where a line would put the small ones into one place."""
    place = {x: x for x in xs}
    log = "x" in figure.log and xs[0] > 0
    if not log and len(xs) > 2 and xs[-1] > 20 * (xs[0] or xs[1]):
        place = {x: float(i) for i, x in enumerate(xs)}
    first, last = place[xs[0]], place[xs[-1]]
    if log:
        low, high = first / 1.15, last * 1.15
    else:
        low, high = first - 0.05 * (last - first), last + 0.05 * (last - first)
    chosen = xs if len(xs) <= 12 else xs[::math.ceil(len(xs) / 10)]
    ticks = ", ".join(f"{quoted(x_text(name, x))} {place[x]:g}" for x in chosen)
    return ["set logscale x 2" if log else "unset logscale x", f"set xtics ({ticks})", f"set xrange [{low}:{high}]"], place


def y_axis(figure: Figure, ys: list[float]) -> list[str]:
    least, greatest = min(ys), max(ys)
    linear = ["unset nonlinear y", "unset logscale y"]
    if "y" not in figure.log or least < 0 or greatest == 0:
        # What lies close together is not drawn from 0.
        near = 0 < greatest < 2 * least
        return [*linear, "set ytics autofreq",
                f"set yrange [{least * 0.9}:{greatest * 1.1}]" if near else "set yrange [0:*]"]
    if least == 0:  # logarithmic but for the lowest decade, which begins with 0
        lowest = 10.0 ** math.floor(math.log10(min(y for y in ys if y > 0)))
        tens = range(round(math.log10(lowest)), math.ceil(math.log10(greatest)) + 1)
        ticks = ", ".join(f"{10.0 ** ten:g}" for ten in tens)
        return ["unset logscale y", f"set nonlinear y via asinh(y / {lowest}) inverse {lowest} * sinh(y)",
                f"set ytics (0, {ticks})", f"set yrange [0:{greatest * 2}]"]
    if greatest >= 30 * least:
        return [*linear, "set logscale y 10", "set ytics autofreq", "set yrange [*:*]"]
    # Powers of ten alone would leave one tick, or none.
    tens = range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(greatest)) + 2)
    digits = next(digits for reach, digits in TICKS if greatest < reach * least)
    ticks = ", ".join(f"{digit * 10.0 ** ten:g}" for ten in tens for digit in digits)
    return [*linear, "set logscale y 10", f"set ytics ({ticks})", f"set yrange [{least / 1.4}:{greatest * 1.4}]"]


def key_shape(lines: Iterable[str], width: int) -> tuple[int, int]:
    """Columns and rows of the names of lines below a panel."""
    names = list(lines)
    columns = max(1, min(4, int(width * LETTERS) // (max(len(name) for name in names) + 8)))
    return columns, math.ceil(len(names) / columns)


def panel_script(figure: Figure, name: str, unit: str, lines: Panel,
                 styles: dict[str, str], width: int, key_rows: int) -> str:
    xs = sorted({x for line in lines.values() for x, _ in line})
    x_name = figure.x_of(name)
    axis, place = x_axis(figure, x_name, xs)
    if len(xs) == 1:  # points side by side, or they would hide one another
        axis = ["unset logscale x", f"set xtics ('{x_text(x_name, xs[0])}' {(len(lines) + 1) / 2})",
                f"set xrange [0:{len(lines) + 1}]"]
    ratio = unit == "x"
    commands = [*axis, *y_axis(figure, [y for line in lines.values() for _, middle in line
                                       for y in (middle.least, middle.median, middle.greatest)]),
                f"set bmargin {4 + 0.8 * key_rows:.1f}", f"set key maxcols {key_shape(lines, width)[0]}",
                f"set title {quoted(name.replace('_', ' '))}; set ylabel {quoted('times' if ratio else unit or figure.y)}",
                f"set xlabel {quoted(x_name)}"]
    blocks, plots = [], []
    for number, (line, values) in enumerate(lines.items()):
        block = f"$line{number}"
        drawn_at = place if len(xs) > 1 else {xs[0]: number + 1}
        blocks.append(f"{block} << EOD\n" + "".join(
            f"{drawn_at[x]} {middle.median} {middle.least} {middle.greatest}\n" for x, middle in values) + "EOD")
        plots.append(f"{block} using 1:2 with linespoints lw 1.6 {styles[line]} title {quoted(line.replace('_', ' '))}")
        if any(middle.least < middle.greatest for _, middle in values):
            plots.append(f"{block} using 1:2:3:4 with yerrorbars lw 0.6 {styles[line]} notitle")
    if ratio:
        plots.append("1 with lines lw 1 lc rgb '#888888' notitle")
    return "\n".join([*blocks, *commands, "plot " + ", ".join(plots), ""])


def size_text(value: float) -> str:
    for size, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if value >= size and value % size == 0:
            return f"{value / size:g}{letter}"
    return f"{value:g}" if value < 10_000 else f"{value / 1024:.0f}K" if value < 1 << 20 else f"{value / (1 << 20):.3g}M"


def draw(figure: Figure, points: Points, place: str, mpi: str, folder: Path) -> list[Path]:
    """Leaves <figure>-<mpi>-<place>.svg and .png, or <…>-1 and so on where one would be too long; tells the PNGs."""
    panels, lines = lines_of(figure, points, place, mpi)
    styles = styles_of(lines)
    styles_by_panel = {name: styles_in(panel, lines, styles) for name, panel in panels.items()}
    units: dict[str, dict[str, None]] = {}
    for (name, series), unit in points.unit.items():
        if name == figure.name and figure.is_drawn(series):
            units.setdefault(split(series)[0], {})[unit] = None
    told = {panel: ", ".join(units.get(panel, {})) for panel in panels}
    order = sorted(panels, key=lambda panel: told[panel] == "x")  # ratios come last
    hosts = "one node" if place == "node" else f"{figure.cluster_hosts} hosts over TCP"
    title = f"{figure.title}\\n{(figure.source + ' — ') if figure.source else ''}{mpi}, {hosts}"
    if any(middle.least < middle.greatest for panel in panels.values() for line in panel.values() for _, middle in line):
        title += "; bars: least and greatest run"
    pages = [order[i:i + PAGE] for i in range(0, len(order), PAGE)]
    stem = f"{figure.name}-{mpi}-{place}"
    return [draw_page(figure, title, folder / (stem + (f"-{number}" if len(pages) > 1 else "")),
                      {panel: panels[panel] for panel in page}, told, styles_by_panel)
            for number, page in enumerate(pages, 1)]


def draw_page(figure: Figure, title: str, stem: Path, panels: dict[str, Panel],
              units: dict[str, str], styles: dict[str, dict[str, str]]) -> Path:
    across = min(3, len(panels))
    each = WIDTH if across > 1 else WIDTH_ALONE
    down = math.ceil(len(panels) / across)
    rows = max(key_shape(panel, each)[1] for panel in panels.values())
    width, height = across * each, down * (HEIGHT + rows * KEY_PIXELS) + 60
    plots = "\n".join(panel_script(figure, panel, units[panel], values, styles[panel], each, rows)
                      for panel, values in panels.items())
    picture = Path()
    for kind, terminal in (("svg", "svg"), ("png", "pngcairo")):
        picture = stem.with_name(f"{stem.name}.{kind}")
        script = f"""set encoding utf8
set terminal {terminal} size {width},{height} font "DejaVu Sans,11" background rgb "white"
set output {quoted(str(picture))}
set multiplot layout {down},{across} title {quoted(title).replace(chr(92) * 2 + "n", chr(92) + "n")} noenhanced
set key below center horizontal font ",9" noenhanced samplen 4; set pointintervalbox 0
set title noenhanced; set ylabel noenhanced; set xlabel noenhanced offset 0,0.3
set grid lc rgb "#cccccc" lw 0.7; set border 3; set tics nomirror; set format y "%g"; set xtics rotate by 0
{plots}
unset multiplot
"""
        done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"gnuplot, {figure.name}: {done.stderr.strip()[-200:]}")
    return picture
