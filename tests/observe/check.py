"""Holds statistics and trace of a job against each other, and against what the job itself counted.

    check.py RANKS STATISTICS TRACE [COUNTED]
"""

import json
import os
import sys
from collections import Counter, defaultdict

failures = []


def expect(what, good):
    if not good:
        failures.append(what)


def by_operation(statistics, member):
    sums = Counter()
    for one in statistics["operations"]:
        sums[one["operation"]] += one[member]
    return sums


def check_statistics(statistics, ranks):
    expect("processes", statistics["processes"] == ranks == len(statistics["by_process"]))
    for one in statistics["operations"] + statistics["waits"]:
        expect(f"order of durations: {one}", one["least_ns"] <= one["median_ns"] <= one["p99_ns"] <= one["most_ns"])
        total = one["seconds"] * 1e9
        expect(f"durations add up: {one}", one["least_ns"] * one["count"] <= total + 1 <= one["most_ns"] * one["count"] + 2)
    for member, name in (("count", "operations"), ("bytes", "bytes")):
        expect(f"{name} by process add up",
               sum(one[name] for one in statistics["by_process"]) == sum(one[member] for one in statistics["operations"]))
    if ranks * ranks <= 8:  # every pair is listed
        expect("bytes by pair add up",
               sum(one["bytes"] for one in statistics["pairs"]) == sum(one["bytes"] for one in statistics["operations"]))
    for name, value in statistics["imbalance"].items():
        expect(f"imbalance of {name} is {value}", 1 <= value <= ranks)


def check_counted(statistics, path):
    wanted, wanted_bytes, regions = Counter(), Counter(), {}
    with open(path, encoding="utf-8") as lines:
        for kind, count, moved in (line.split("\t") for line in lines):
            wanted[kind] = int(count)
            wanted_bytes[kind] = int(moved)
    seen, seen_bytes = by_operation(statistics, "count"), by_operation(statistics, "bytes")
    waited = {one["wait"]: one["count"] for one in statistics["waits"]}
    for kind, count in wanted.items():
        if kind.startswith("wait "):
            expect(f"{kind}: {waited.get(kind[5:], 0)} instead of {count}", waited.get(kind[5:], 0) == count)
        elif kind == "region":
            busiest = statistics["regions"][0]
            expect(f"the busiest region is {busiest}, with {wanted_bytes[kind]} bytes by count",
                   (busiest["operations"], busiest["bytes"]) == (count, wanted_bytes[kind]))
        else:
            expect(f"{kind}: {seen[kind]} of {seen_bytes[kind]} bytes instead of {count} of {wanted_bytes[kind]}",
                   seen[kind] == count and seen_bytes[kind] == wanted_bytes[kind])
    expect(f"operations that nobody counted: {seen.keys() - wanted.keys()}", seen.keys() <= wanted.keys())


def check_track(rank, events):
    """Events of one thread follow one another, or lie within one another."""
    open_ends = []
    for event in events:
        begin, end = event["ts"], event["ts"] + event["dur"]
        while open_ends and open_ends[-1] <= begin + 0.002:
            open_ends.pop()
        expect(f"process {rank}: {event} reaches beyond what it began in", not open_ends or end <= open_ends[-1] + 0.002)
        open_ends.append(end)


def check_trace(trace, statistics, ranks):
    tracks, names = defaultdict(list), {}
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            names[event["tid"]] = event["args"]["name"]
            continue
        expect(f"complete event: {event}", event["ph"] == "X" and event["dur"] >= 0)
        tracks[event["tid"]].append(event)
    expect(f"a track for each process: {names}", sorted(names) == list(range(ranks)))
    for rank, events in tracks.items():
        expect(f"process {rank} in order of time", all(a["ts"] <= b["ts"] for a, b in zip(events, events[1:])))
        if "events)" not in names[rank]:
            check_track(rank, events)
    kept = os.environ.get("ARMCI_TRACE_EVENTS")
    if kept:
        expect(f"{kept} events of each process", all(len(events) == int(kept) for events in tracks.values()))
        expect("what is not kept is told", all("events)" in name for name in names.values()))
        return
    moved = [event for events in tracks.values() for event in events if "args" in event]
    expect("as many operations as the statistics have", len(moved) == sum(one["count"] for one in statistics["operations"]))
    expect("as many bytes", sum(event["args"]["bytes"] for event in moved) == sum(one["bytes"] for one in statistics["operations"]))
    expect("as many waits", sum(map(len, tracks.values())) - len(moved) == sum(one["count"] for one in statistics["waits"]))
    for path in ("load/store", "network"):
        expect(f"as many by {path}", sum(event["cat"] == path for event in moved) ==
               sum(one["count"] for one in statistics["operations"] if one["path"] == path))


def main():
    ranks, statistics_path, trace_path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    with open(statistics_path, encoding="utf-8") as file:
        statistics = json.load(file)
    with open(trace_path, encoding="utf-8") as file:
        trace = json.load(file)
    expect("operations were seen", statistics["operations"])
    check_statistics(statistics, ranks)
    check_trace(trace, statistics, ranks)
    if len(sys.argv) > 4:
        check_counted(statistics, sys.argv[4])
    for failure in failures[:20]:
        print("wrong:", failure)
    print(f"{len(trace['traceEvents'])} events, {sum(by_operation(statistics, 'count').values())} operations, "
          f"{len(failures)} wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
