"""Whether includes of the library point downwards: `includes.py [ROOT]`.

The rule is the table `| folder | may include |` of CONTRIBUTING.md. A file belongs to the longest folder of the table
that it lies in; it may include files of its own folder, and of those in its row.
"""

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

LIBRARY = ("armci", "gmr", "iov", "strided", "mutex")
PAGE = "CONTRIBUTING.md"
HEADING = re.compile(r"\|\s*folder\s*\|\s*may include\s*\|\s*$")
NAME = re.compile(r"`([^`]+)`")
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
SOURCES = (".c", ".h", ".cpp", ".hpp", ".inc")


def read_table(root: Path) -> tuple[dict[str, set[str]], dict[str, int]]:
    """What each folder may include, and the line that says so."""
    may: dict[str, set[str]] = {}
    lines: dict[str, int] = {}
    inside = False
    for number, line in enumerate((root / PAGE).read_text().splitlines(), 1):
        inside = inside and line.startswith("|")
        if inside and not line.startswith("|--"):
            cells = line.split("|")
            folder, allowed = NAME.findall(cells[1]), NAME.findall("".join(cells[2:]))
            for name in folder:
                may.setdefault(name.rstrip("/"), set()).update(other.rstrip("/") for other in allowed)
                lines.setdefault(name.rstrip("/"), number)
        inside = inside or HEADING.match(line) is not None
    return may, lines


def folder_of(path: Path, may: dict[str, set[str]]) -> str | None:
    """The longest folder of the table that this file, a path from the root, lies in."""
    return next((str(parent) for parent in path.parents if str(parent) in may), None)


def check_table(root: Path, may: dict[str, set[str]], lines: dict[str, int]) -> list[str]:
    wrong = []
    for folder, allowed in may.items():
        if not (root / folder).is_dir():
            wrong.append(f"{PAGE}:{lines[folder]}: there is no folder {folder}")
        wrong += [f"{PAGE}:{lines[folder]}: {folder} may include {other}, which has no row"
                  for other in sorted(allowed - may.keys())]
    try:
        TopologicalSorter({folder: allowed - {folder} for folder, allowed in may.items()}).prepare()
    except CycleError as cycle:
        around = list(reversed(cycle.args[1]))
        wrong.append(f"{PAGE}:{lines.get(around[0], 1)}: a cycle: {' may include '.join(around)}")
    return wrong


def check_file(root: Path, path: Path, may: dict[str, set[str]]) -> list[str]:
    folder = folder_of(path, may)
    if folder is None:
        return [f"{path}:1: its folder has no row in the table of {PAGE}"]
    wrong = []
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        # As the compiler looks: beside the file, then from the root.
        beside = path.parent / match[1]
        included = beside if (root / beside).is_file() else Path(match[1])
        other = folder_of(included, may)
        if not (root / included).is_file():
            wrong.append(f'{path}:{number}: "{match[1]}" is no file of the repository')
        elif other is None:
            wrong.append(f'{path}:{number}: "{match[1]}" is of no folder in the table of {PAGE}')
        elif other != folder and other not in may[folder]:
            wrong.append(f'{path}:{number}: {folder} may not include {other}: "{match[1]}"')
    return wrong


def check(root: Path) -> list[str]:
    """What is wrong, a line each."""
    may, lines = read_table(root)
    if not may:
        return [f"{PAGE}:1: no table | folder | may include |"]
    wrong = check_table(root, may, lines)
    for top in LIBRARY:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES:
                wrong += check_file(root, path.relative_to(root), may)
    return wrong


if __name__ == "__main__":
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
