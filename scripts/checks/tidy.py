"""clang-tidy over the library's sources: `tidy.py BUILD`, a folder with compile_commands.json.

What a file costs are the headers of MPI and the standard library, so that sources which are compiled alike are read
together, as one. Files that do not bear others beside them (two unnamed namespaces with the same name) take turns.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ("armci", "gmr", "iov", "strided", "mutex")
FINDING = re.compile(r"^(?P<file>[^\s:]+):\d+:\d+: (?:error|warning): .*\[(?P<check>[^\]]+)\]$")


def flags_of(command: str) -> tuple[str, ...]:
    """What clang must know: macros, folders, language. Warnings are the compiler's own."""
    words = shlex.split(command)[1:]
    kept = []
    while words:
        word = words.pop(0)
        if word in ("-o", "-c"):
            words.pop(0)
        elif word == "-isystem":
            kept += [word, words.pop(0)]
        elif word.startswith(("-D", "-I", "-std", "-m", "-f")):
            kept.append(word)
    return tuple(kept)


def sources(build: Path) -> dict[tuple[str, ...], list[str]]:
    """The library's sources by flags."""
    found: dict[tuple[str, ...], list[str]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"]).resolve().relative_to(ROOT)
        if path.parts[0] in LIBRARY:
            files = found.setdefault(flags_of(entry["command"]), [])
            if str(path) not in files:
                files.append(str(path))
    return found


def tidy(files: list[str], flags: tuple[str, ...], folder: Path) -> list[str]:
    """What clang-tidy says of these files, paths from the root."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=folder) as together:
        together.writelines(f'#include "{ROOT / file}"\n' for file in files)
        together.flush()
        command = ["clang-tidy-14", "--quiet", f"--config-file={ROOT / '.clang-tidy'}",
                   "--checks=-bugprone-suspicious-include", together.name, "--", *flags,
                   "-ferror-limit=0"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = [line.removeprefix(f"{ROOT}/") for line in done.stdout.splitlines()]
    findings = [line for line in said if FINDING.match(line)]
    alone = {match["file"] for match in map(FINDING.match, findings)
             if match and match["check"] == "clang-diagnostic-error"} & set(files)
    if alone and len(files) > 1:
        rest = [file for file in files if file not in alone]
        # All of them in error: the first by itself, which may be the one.
        parts = [rest, sorted(alone)] if rest else [files[:1], files[1:]]
        return [line for part in parts for line in tidy(part, flags, folder)]
    if done.returncode != 0 and not findings:
        findings = [f"clang-tidy ended with {done.returncode} for {' '.join(files)}: {done.stderr.strip()[-2000:]}"]
    return findings


def main(build: Path) -> int:
    workers = len(os.sched_getaffinity(0))
    parts = []
    for flags, files in sources(build).items():
        # Twice as many groups as workers, for they differ; each takes from all folders, whose names clash less.
        groups = min(len(files), 2 * workers)
        parts += [(sorted(files)[first::groups], flags) for first in range(groups)]
    if not parts:
        print(f"{build}/compile_commands.json names no source of the library")
        return 1
    with ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda part: tidy(*part, build), parts)
        findings = sorted({line for result in results for line in result})
    print("\n".join(findings), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
