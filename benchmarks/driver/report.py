"""The report: machine, budgets, ratios by figure, where the peer is ahead, pictures."""

from pathlib import Path

import behind
import budgets
import ratios
import repeats
from figure import Figure
from points import Points

HEAD = """# Benchmarks of armci-rma

Each point is the median of its runs; this library and the peer took turns, run by run, with the same launcher, binding,
buffers and compiler flags; the peer's library is Debian's own build. A ratio above 1 says that this library is ahead:
peer / ours for times, ours / peer for rates; least, **median** and greatest of a figure's points, against the peer as
documented. What it cannot do without on an MPI is set for it (`OMPI_MCA_osc=^ucx,rdma` on Open MPI 4, `ARMCI_USE_WIN_ALLOCATE=0` on
MPICH).

""" + repeats.SAID + "\n"


def facts(about: dict) -> str:
    rows = [("machine", about["machine"]), ("kernel", about["kernel"]), ("compiler", about["compiler"]),
            ("armci-rma", about["armci-rma"]), ("peer", about["peer"]),
            ("MPI", ", ".join(f"{name} {version}" for name, version in about["MPI"].items())),
            ("measured", f"{about['when']}, {about['minutes']} minutes" + (", quick: what works, not how fast"
                                                                          if about["quick"] else ""))]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {text} |" for name, text in rows)


def figure_table(figures: list[Figure], found: dict[tuple[str, str, str], list[ratios.Comparison]], points: Points,
                 mpis: list[str]) -> str:
    places = [place for place in ("node", "cluster") if any(point.place == place for point in points.all)]
    heads = [f"{mpi}, {place}" for mpi in mpis for place in places]
    lines = ["| figure | paper | what | " + " | ".join(heads) + " |", "|---" * (3 + len(heads)) + "|"]
    measured = {point.figure for point in points.all}
    for figure in figures:
        if figure.name in measured:
            cells = [ratios.summary(found.get((figure.name, mpi, place), [])) for mpi in mpis for place in places]
            lines.append(f"| [{figure.name}](#{figure.name}) | {figure.source} | {figure.title} | "
                         + " | ".join(cells) + " |")
    return "\n".join(lines)


def flagged(text: str) -> str:
    """The sentence of the report of self-consistency."""
    found = [line for line in text.splitlines() if "than another way to do the same" in line]
    return found[0] + "." if found else ""


def gallery(figures: list[Figure], drawn: dict[tuple[str, str, str], list[Path]]) -> str:
    parts = []
    for figure in figures:
        pictures = [(key, path) for key, paths in drawn.items() if key[0] == figure.name for path in paths]
        if not pictures:
            continue
        parts.append(f"### {figure.name}\n{figure.title}" + (f" ({figure.source})" if figure.source else "") + "\n")
        if figure.note:
            parts.append(figure.note + "\n")
        parts += [f"![{figure.title}: {mpi}, {place}]({path})" for (_, mpi, place), path in pictures]
        parts.append("")
    return "\n".join(parts)


def write(path: Path, figures: list[Figure], points: Points, drawn: dict[tuple[str, str, str], list[Path]],
          verdicts: list[budgets.Verdict], about: dict, costs: dict[str, Path]) -> None:
    mpis = sorted({point.mpi for point in points.all})
    found = {(figure.name, mpi, place): list(ratios.comparisons(figure, points, place, mpi))
             for figure in figures for mpi in mpis for place in ("node", "cluster")}
    sections = [
        HEAD, facts(about), "\n## Budgets\n",
        budgets.table(verdicts) if verdicts else "None: a quick run tells nothing of them, or its figures have none.",
        "\n'within its spread': not met, by no more than half of what jobs of one build are known to differ by; 'close': none is "
        f"known, and it is less than {budgets.NOISE:.0%}. Neither is a miss. Where the time of a missed one goes: "
        "docs/design/0011-budgets-missed.md.",
        "\n## Figures against the peer\n", figure_table(figures, found, points, mpis),
        "\n## Where the peer is ahead\n", behind.section([one for some in found.values() for one in some], points),
    ]
    if about["left out"] or about["failed"]:
        sections += ["\n## Not measured\n", *(f"- {line}" for line in about["left out"]),
                     *(f"- **failed**: {line}" for line in about["failed"])]
    if costs:
        sections += ["\n## Cost models\n",
                     "T = a + b * bytes + c * segments for each operation, path and method, with residuals; each operation "
                     "against the best other way to do the same; time and memory of an allocation, projected to 1,048,576 "
                     "processes. The tune file is for `ARMCI_TUNE_FILE`.\n"]
        sections += [f"- {mpi}: " + ", ".join(f"[{one.name}]({one.name})" for one in (file, path.parent / f"tune-{mpi}.txt")
                                              if one.exists()) + ". "
                     + flagged(file.read_text(encoding="utf-8")) for mpi, file in costs.items()]
    sections += ["\n## Pictures\n", gallery(figures, drawn)]
    path.write_text("\n".join(sections), encoding="utf-8")
