"""Whether docs/errors.md tells of messages that there are, and that a test has seen: `messages.py [ROOT]`.

Each phrase in `backticks` at the beginning of a table's line is in a text of the library, and in a test. A phrase may leave
out words for ..., and numbers for N, M or [i].
"""

import re
import sys
from pathlib import Path

LIBRARY = ("armci", "gmr", "iov", "strided", "mutex")
LEFT_OUT = re.compile(r"\.\.\.|\b[NM]\b|\[i\]")
BROKEN_LITERAL = re.compile(r'"\s*"')


def texts(root: Path, folders: tuple[str, ...]) -> list[str]:
    files = (file for folder in folders for file in sorted((root / folder).rglob("*")) if file.is_file())
    return [BROKEN_LITERAL.sub("", file.read_text(errors="replace")) for file in files]


def check(root: Path) -> list[str]:
    wrong = []
    places = {"the library": texts(root, LIBRARY), "a test": texts(root, ("tests",))}
    for number, line in enumerate((root / "docs/errors.md").read_text().splitlines(), 1):
        if not line.startswith("| `"):
            continue
        for phrase in re.findall(r"`([^`]+)`", line.split("|")[1]):
            parts = [part.strip() for part in LEFT_OUT.split(phrase)]
            wrong += [
                f"docs/errors.md:{number}: no text of {place} has: {phrase}"
                for place, of_place in places.items()
                if not any(all(part in text for part in parts) for text in of_place)
            ]
    return wrong


if __name__ == "__main__":
    found = check(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
