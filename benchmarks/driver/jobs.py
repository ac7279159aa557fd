"""Runs one benchmark program as an MPI job, here or on hosts made of namespaces, and reads its rows."""

import os
import re
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from figure import Column
from machine import mpi_version

SOURCE = Path(__file__).resolve().parents[2]

ROW = re.compile(r"^(\S+)\s+([-+.\deE]+)\s+([-+.\deE]+)\s+([A-Za-z%][\w/%*.-]*)$")
FOREIGN = re.compile(r"(ARMCI|PARMCI|OMPI|PMIX|MPICH|MPIR|UCX|TEST|BENCHMARK)_")


@dataclass(frozen=True)
class Row:
    series: str
    x: float
    value: float
    unit: str


@dataclass(frozen=True)
class Outcome:
    rows: tuple[Row, ...]
    error: str  # empty: it ended well


@cache
def peer_needs(mpi: str) -> dict[str, str]:
    """What the peer cannot do without (docs/mpi-facts.md); all else of it is as documented."""
    if mpi == "mpich":
        return {"ARMCI_USE_WIN_ALLOCATE": "0"}
    # osc/rdma answers wrongly for Open MPI 4; Open MPI 5 has no osc/pt2pt to take its place.
    return {"OMPI_MCA_osc": "^ucx,rdma"} if mpi_version(mpi).startswith("4.") else {}


def program_path(build: Path, program: str, peer: bool) -> Path:
    return build / "benchmarks" / (program + ("_peer" if peer else ""))


def environment(build: Path, mpi: str, column: Column) -> dict[str, str]:
    result = {name: value for name, value in os.environ.items() if not FOREIGN.match(name)}
    result |= {"BENCHMARK_ROWS": "1", "TEST_BIND": "yes"}
    yields = build / "tests/support/libmpich_yield.so"
    if mpi == "mpich" and yields.exists():
        result["TEST_MPICH_YIELD"] = str(yields)
    if column.peer:
        result |= peer_needs(mpi)
    return result | column.settings


def command(mpi: str, place: str, hosts: int, ranks: int, timeout: int) -> list[str]:
    if place == "node":
        return [str(SOURCE / "tests/support/launch"), mpi, str(ranks)]
    shape = f"{hosts}x{ranks // hosts}"
    yields = "yes" if ranks > len(os.sched_getaffinity(0)) else "no"
    return [str(SOURCE / "tests/cluster/cluster"), mpi, shape, "--timeout", str(timeout), "--yield", yields, "--"]


def read_rows(output: str) -> tuple[Row, ...]:
    rows = []
    for line in output.splitlines():
        found = ROW.match(line.strip())
        if found:
            try:
                rows.append(Row(found[1], float(found[2]), float(found[3]), found[4]))
            except ValueError:
                continue
    return tuple(rows)


def run(build: Path, mpi: str, place: str, hosts: int, ranks: int, column: Column, program: str,
        arguments: tuple[str, ...], timeout: int) -> Outcome:
    settings = environment(build, mpi, column) | {"TEST_TIMEOUT": str(timeout)}
    line = command(mpi, place, hosts, ranks, timeout) + [str(program_path(build, program, column.peer)), *arguments]
    # A group of its own, so that whatever ends this driver can end the job; the launchers tidy up after TERM.
    with subprocess.Popen(line, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", start_new_session=True) as job:
        try:
            output, errors = job.communicate(timeout=timeout + 30)
        except BaseException as reason:
            os.killpg(job.pid, signal.SIGTERM)
            try:
                output, errors = job.communicate(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                output, errors = job.communicate()
            if not isinstance(reason, subprocess.TimeoutExpired):
                raise
    return outcome(job.returncode, output, errors)


def outcome(status: int, output: str, errors: str) -> Outcome:
    if status == 0:
        rows = read_rows(output)
        return Outcome(rows, "" if rows else "printed no row")
    said = [text.strip() for text in errors.splitlines() if re.search("[A-Za-z]", text)]
    return Outcome((), f"status {status}: {' / '.join(said[:3])[:300] if said else 'it said nothing'}")


def cluster_is_possible() -> str:
    """Empty, or why there can be no hosts made of namespaces on this machine."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]  # as the launcher does
    probe = subprocess.run(["unshare", *user, "--net", "--mount", "true"], capture_output=True, text=True, check=False)
    return "" if probe.returncode == 0 else "no network namespaces here: " + probe.stderr.strip()
