"""What a report says of the machine, the MPI libraries and the two libraries compared."""

import json
import os
import platform
import re
import subprocess
from pathlib import Path


def said(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else platform.processor()


def mpi_version(mpi: str) -> str:
    lines = said(f"mpirun.{mpi}", "--version").splitlines()
    for line in lines:
        found = re.search(r"(?:Version:|Open MPI\)|OpenRTE\))\s*(\S+)", line)
        if found:
            return found[1]
    return lines[0] if lines else "?"


def about(build: Path, mpis: list[str]) -> dict:
    source = Path(__file__).resolve().parents[2]
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(encoding="utf-8"))
    return {
        "machine": f"{processor()}, {len(os.sched_getaffinity(0))} CPUs, "
                   f"{int(memory[1]) >> 20 if memory else '?'} GiB",
        "kernel": platform.release(),
        "armci-rma": said("git", "-C", str(source), "describe", "--always", "--dirty") or "not from a repository",
        "peer": "Debian libarmci-mpi-dev " + said("dpkg-query", "-W", "-f", "${Version}", "libarmci-mpi-dev"),
        "compiler": said("c++", "--version").splitlines()[0] if said("c++", "--version") else "?",
        "MPI": {mpi: mpi_version(mpi) for mpi in mpis},
        "build": {mpi: str(build / mpi) for mpi in mpis},
    }


def write(path: Path, what: dict) -> None:
    path.write_text(json.dumps(what, indent=1), encoding="utf-8")


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))
