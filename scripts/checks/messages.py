"""Whether docs/errors.md and the library's messages tell of each other: `messages.py [ROOT]`.

Each phrase in `backticks` at the beginning of a table's line is in a text of the library, and in a test. A phrase may leave
out words for ..., and numbers for N, M or [i].

Each warning, and each message that ends the job whatever ARMCI_ERRORS says, has such a phrase, or begins as one of COMPLETE does.
"""

import re
import sys
from pathlib import Path

LIBRARY = ("armci", "gmr", "iov", "strided", "mutex")
LEFT_OUT = re.compile(r"\.\.\.|\b[NM]\b|\[i\]")
BROKEN_LITERAL = re.compile(r'"\s*"')
# What need not be looked up: it says all that there is to say, or repeats the program's own words.
COMPLETE = (
    "ARMCI_Error: ",
    "armci_msg_abort: ",
    "ARMCI_STATS: ",
    "ARMCI_TRACE: ",
    "ARMCI_KERNELS=",
    "no thread %s",
    "cannot reach %s",
    "MPI's library is not among the shared libraries",
    "MPI does not know which processes share a node",
    "%d MPI windows are in use",
    "one-sided operations of this MPI (component %s) are not",
    "processes of other nodes cannot connect",
    "a message of another process makes no sense",
    "the system gives no random numbers",
    "no memory for a page",
    "MPI is finalized",
    "the buffer is NULL",
    "the number of elements is",
    "root is ",
    "the record has",
    "master %d",
    "check: process %d touched more than",
)
SAID = re.compile(r'\b(?:warn|fatal|fatal_together|tell_at_once)\(((?:"(?:[^"\\]|\\.)*"|[^";])*);')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CALL = re.compile(r"(?:[A-Z]+_|lib)\w+$")  # of the API, which comes before the text
CONVERSION = re.compile(r"%[-0-9.*]*(?:l|ll|z|t|h)?[a-z]")


def texts(root: Path, folders: tuple[str, ...]) -> list[str]:
    files = (file for folder in folders for file in sorted((root / folder).rglob("*")) if file.is_file())
    return [BROKEN_LITERAL.sub("", file.read_text(errors="replace")) for file in files]


def check(root: Path) -> list[str]:
    wrong = []
    known = []
    places = {"the library": texts(root, LIBRARY), "a test": texts(root, ("tests",))}
    for number, line in enumerate((root / "docs/errors.md").read_text().splitlines(), 1):
        if not line.startswith("| `"):
            continue
        for phrase in re.findall(r"`([^`]+)`", line.split("|")[1]):
            parts = [part.strip() for part in LEFT_OUT.split(phrase)]
            known.append(phrase)
            wrong += [
                f"docs/errors.md:{number}: no text of {place} has: {phrase}"
                for place, of_place in places.items()
                if not any(all(part in text for part in parts) for text in of_place)
            ]
    return wrong + [f"docs/errors.md: no phrase of: {text}" for text in said(places["the library"]) if not is_known(text, known)]


def said(library: list[str]) -> list[str]:
    """The texts of messages that are not about an argument. A text that is put together elsewhere counts as none."""
    for_all = [LITERAL.findall(arguments) for text in library for arguments in SAID.findall(text)]
    return [texts[0] for literals in for_all if (texts := [one for one in literals if not CALL.match(one) and CONVERSION.sub("", one)])]


def is_known(text: str, known: list[str]) -> bool:
    if text.startswith(COMPLETE):
        return True
    text = CONVERSION.sub("N", text)
    return any(all(part.strip() in text for part in LEFT_OUT.split(CONVERSION.sub("N", phrase))) for phrase in known)


if __name__ == "__main__":
    found = check(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
