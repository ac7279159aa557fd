"""The report's section on where the peer is ahead: at how many points, how far, and why."""

from dataclasses import replace

import ratios
import reasons
from figures_network import together_of
from points import Points
from ratios import Comparison

MOST_XS = 4  # of a line of the table; more would hide the reason

INTRODUCTION = """{lost} of {all} points: behind the peer as documented, in every run, by more than 5 % (of hidden
communication, 10 points). {once} of them were measured in 1 run only, of which 'every run' says little. The reason is
known for {explained}; {unexplained} are not explained.

Jobs differ by more than libraries do over the network. Where a point's operation was also measured with both in one job, in
turns, and is not behind there by more than 5 %, or both jobs timed MPI itself, batch by batch, and it is as far apart, that is
the reason given.

{at_best} more are behind the best of the settings that its columns try: {figures}."""

TABLE = """A line has the points of one line of a picture that have one reason: x and ratio, the worst first, and both
medians at the worst.

| figure | MPI | place | ranks | series | x: ratio | ours | peer | runs | why |
|---|---|---|---|---|---|---|---|---|---|"""


def xs_text(points: list[Comparison]) -> str:
    """The worst comes first."""
    shown = ", ".join(f"{one.x:g}: {ratios.text(one.ratio)}" for one in points[:MOST_XS])
    return shown + (f", ... {len(points) - MOST_XS} more" if len(points) > MOST_XS else "")


def runs_text(points: list[Comparison]) -> str:
    least, most = min(one.runs for one in points), max(one.runs for one in points)
    return "1 run" if most == 1 else f"{most} runs" if least == most else f"{least} to {most} runs"


def row(points: list[Comparison], why: str) -> str:
    worst = points[0]
    return (f"| {worst.figure} | {worst.mpi} | {worst.place} | {worst.ranks} | {worst.series} | {xs_text(points)} | "
            f"{worst.ours.median:.4g} | {worst.peer.median:.4g} | {runs_text(points)} | {why or '**not explained**'} |")


def in_one_job(one: Comparison, points: Points) -> str:
    """The reason of a point that is behind only where each library has a job of its own."""
    where = together_of(one.figure, one.series) if one.place == "cluster" else None
    if where is None:
        return ""
    figure, series = where
    found = [middle for (ranks, _, name, x), middle in points.of(figure, one.place, one.mpi).items()
             if (ranks, name, x) == (one.ranks, series, one.x)]
    return f"Not in one job with the peer: {figure}." if found and found[0].median >= 0.95 else ""


def by_mpi_of_its_job(one: Comparison, points: Points) -> str:
    """The reason of a point where the rows of MPI itself, which both jobs print, are as far apart."""
    if one.place == "node":  # where machines are steady, and such a cause is to be looked for
        return ""
    found = points.of(one.figure, one.place, one.mpi)
    names = {one.series.replace("/ARMCI", "/MPI"), f"MPI_{one.series}"} - {one.series}
    pairs = [(found.get((one.ranks, "ours", name, one.x)), found.get((one.ranks, "peer", name, one.x))) for name in names]
    for ours, peer in pairs:
        if ours is None or peer is None or one.unit == "percent":
            continue
        by_mpi = one.ratio / replace(one, ours=ours, peer=peer).ratio
        if by_mpi >= 0.95:
            return "As far apart as the times of MPI itself in the two jobs."
    return ""


def section(every: list[Comparison], points: Points) -> str:
    table = reasons.read()
    lost = sorted((one for one in every if one.is_behind(one.peer)), key=lambda one: one.ratio)
    at_best = [one for one in every if one.is_behind(one.best_peer) and not one.is_behind(one.peer)]
    rows: dict[tuple, list[Comparison]] = {}  # in the order of their worst points
    for one in lost:
        why = reasons.of(one, table) or in_one_job(one, points) or by_mpi_of_its_job(one, points)
        rows.setdefault((why, one.figure, one.mpi, one.place, one.ranks, one.series), []).append(one)
    explained = sum(len(points) for (why, *_), points in rows.items() if why)
    text = INTRODUCTION.format(
        lost=len(lost), all=len(every), once=sum(one.runs == 1 for one in lost), explained=explained,
        unexplained=len(lost) - explained, at_best=len(at_best),
        figures=", ".join(sorted({f"{one.figure} ({one.mpi}, {one.place})" for one in at_best})) or "none")
    if not lost:
        return text
    in_order = sorted(rows.items(), key=lambda item: item[0][0] != "")  # not explained first
    return "\n".join([text, "", TABLE, *(row(points, why) for (why, *_), points in in_order)])
