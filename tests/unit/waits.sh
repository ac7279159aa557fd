#!/usr/bin/env bash
# waits.sh SOURCE_DIR
# The rule of armci/base/wait.hpp: loops that wait for other processes are wait::until(), which lets MPI progress. So nothing
# else in the library gives its core away, sleeps, or pauses in a loop.
set -euo pipefail
cd "$1"
library=(armci gmr iov strided mutex)

# files that may: their waits have no process of their own in MPI, or wait for a thread
allowed='^(armci/base/wait\.(cpp|hpp)|armci/service/service\.cpp|armci/base/phase_lock\.cpp|gmr/network/mpi_exclusion\.cpp|armci/base/links\.[ch]pp|armci/base/diagnostics\.cpp):'
found=$(grep -rnE 'sched_yield|this_thread::|nanosleep|usleep\(|[ ;(]sleep\(|_mm_pause|ia32_pause' "${library[@]}" \
    --include='*.cpp' --include='*.hpp' | grep -vE "$allowed" || true)

# Turns outside of until(): one wait that looks at several words at a turn, and waits for a request.
turns=$(grep -rnE '(wait::(turn|pause)|turns\.take[_a-z]*)\(' "${library[@]}" --include='*.cpp' --include='*.hpp' |
    grep -vE '^(armci/base/wait\.hpp:|armci/base/phase_lock\.cpp:.*pause\(\)|gmr/network/modes\.cpp:.*turn\(\)|gmr/active_messages/line\.cpp:.*turn\(\)|armci/base/mpi\.cpp:.*turns\.take_in_mpi\(\)|gmr/node/accumulate\.cpp:.*pause\(\))' || true)

if [ -n "$found$turns" ]; then
    printf '%s\n' "$found" "$turns" "these wait by themselves; wait::until() lets MPI progress meanwhile"
    exit 1
fi
echo "all waits are those of armci/base/wait.hpp"
