#!/usr/bin/env bash
# Runs a job with ARMCI_STATS and ARMCI_TRACE, and looks at what they wrote.
#
#     observed.sh PYTHON RANKS JOB... [counted]
#
# With "counted" as its last argument the job is the workload, which is given a file for its own counts instead.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
python=$1 ranks=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
job=("$@") counted=()
if [ "${job[-1]}" = counted ]; then
    job[-1]=$work/counted
    counted=("$work/counted")
fi
export ARMCI_STATS=$work/statistics.json ARMCI_TRACE=$work/trace.json
"${job[@]}"
"$python" "$here/check.py" "$ranks" "$ARMCI_STATS" "$ARMCI_TRACE" "${counted[@]}"
