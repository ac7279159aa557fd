"""Whether the pages lead somewhere: `links.py [ROOT]`.

Each relative link of each .md file, with its anchor, and each path in `backticks` that begins with a folder of the
root or ends like a source: it exists from the root or beside the page. A path may leave out the ending, and have
`*` or `<anything>` in it.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

FENCE = re.compile(r"\s*(```|~~~)")
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s+(\S+)")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
SOURCE = re.compile(r"\.(c|h|cpp|hpp|inc|py|sh|md|cmake|tsv|txt|pml|map|F|F90|fh)$")
PATH = re.compile(r"[\w.*<>/+-]+$")
# Made by builds and installations.
MADE = {"build", "install", ".git"}


def pages(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        if Path(folder) == root:
            below[:] = [name for name in below if name not in MADE]
        yield from (Path(folder, name) for name in names if name.endswith(".md"))


def outside_fences(text: str) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(page: Path) -> set[str]:
    """Those that GitHub makes of headings."""
    found: set[str] = set()
    for _, line in outside_fences(page.read_text()):
        if re.match(r"#{1,6} ", line):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#")).strip().lower()
            name = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
            again = next(n for n in range(100) if (f"{name}-{n}" if n else name) not in found)
            found.add(f"{name}-{again}" if again else name)
    return found


def leads_somewhere(root: Path, page: Path, target: str) -> str | None:
    """What is wrong with this link."""
    path, _, anchor = unquote(target).partition("#")
    there = (root / path.lstrip("/") if path.startswith("/") else page.parent / path) if path else page
    if not there.exists():
        return f"no file {path}"
    if anchor and there.suffix == ".md" and anchor not in anchors(there):
        return f"no heading #{anchor} in {path or 'this page'}"
    return None


def names_something(root: Path, page: Path, word: str) -> bool:
    pattern = re.sub(r"<[^>]*>", "*", word).rstrip("/").removeprefix("./")
    return any(True for folder in (root, page.parent) for ending in ("", ".*", "[-_.]*")
               for _ in folder.glob(pattern + ending))


def check(root: Path) -> list[str]:
    """What is wrong, a line each."""
    tops = {path.name for path in root.iterdir() if path.is_dir()} - MADE
    wrong = []
    for page in sorted(pages(root)):
        name = page.relative_to(root)
        for number, line in outside_fences(page.read_text()):
            for match in LINK.finditer(CODE.sub("", line)):
                target = match[1] or match[2]
                said = None if ELSEWHERE.match(target) else leads_somewhere(root, page, target)
                if said:
                    wrong.append(f"{name}:{number}: {said}")
            for word in (word for span in CODE.findall(line) for word in span.split()):
                if "/" in word.strip("/") and not word.startswith("/") and PATH.match(word) and \
                        (word.split("/")[0] in tops or SOURCE.search(word)) and not names_something(root, page, word):
                    wrong.append(f"{name}:{number}: `{word}` does not exist")
    return wrong


if __name__ == "__main__":
    found = check(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2])
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)
