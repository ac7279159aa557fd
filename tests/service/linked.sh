#!/usr/bin/env bash
# linked.sh WAY BUILD_DIR LAUNCH MPI CC FC [FLAG...]
# Programs of each language and kind of linking, and with a tool on MPI's profiling interface, answer while they
# compute. Each process is a node.
#
#     fortran_shared, fortran_static   mpif.h, MPI started in Fortran
#     module_shared                    the same by "use mpi"
#     tool_in_front, tool_behind       a tool, preloaded or linked behind the library, sees all calls
#     mpi_first                        MPI's library before this one: the library says so, and nothing is answered
set -euo pipefail
way=$1 build=$2 launch=$3 mpi=$4 cc=$5 fc=$6
shift 6
flags=("$@") sanitizers=()
for flag in "$@"; do
    [[ "$flag" != -fsanitize* ]] || sanitizers+=("$flag") # those that linking wants, too
done
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

compile=("$cc" -std=c99 -D_GNU_SOURCE "${flags[@]}")
shared=("-L$build" -larmci "-Wl,-rpath,$build")
no_main() { "${compile[@]}" -DBUSY_NO_MAIN -c "$here/busy.c" -o busy.o; }
fortran() {
    [ -n "$fc" ] || { echo "skipped: no MPI compiler wrapper for Fortran"; exit 77; }
    no_main
    local warnings=()
    [[ "$way" != module* ]] || warnings=(-DWITH_MODULE)
    "$fc" "${sanitizers[@]}" "${warnings[@]}" "$here/busy_fortran.F90" busy.o -o program "$@"
}
tool() { "${compile[@]}" -shared -fPIC "$here/tool.c" -o libtool.so; }
run() { ARMCI_NODE_SIZE=1 "$launch" "$mpi" 3 "$@" >out 2>&1 && status=0 || status=$?; cat out; }
expect() { grep -qE "$1" out || { echo "no line like: $1"; exit 1; }; }

case $way in
fortran_shared | module_shared)
    fortran "${shared[@]}"
    run ./program
    ;;
fortran_static)
    fortran "$build/libarmci.a"
    run ./program
    ;;
tool_in_front)
    tool
    "${compile[@]}" "$here/busy.c" -o program "${shared[@]}"
    run env LD_PRELOAD="$work/libtool.so${LD_PRELOAD:+:$LD_PRELOAD}" ./program inside
    expect '^tool: saw the start, saw puts, saw messages'
    ;;
tool_behind)
    tool
    "${compile[@]}" "$here/busy.c" -o program "${shared[@]}" -Wl,--no-as-needed -L. -ltool "-Wl,-rpath,$work"
    run ./program inside
    expect '^tool: saw the start, saw puts, saw messages'
    ;;
mpi_first)
    library=-lmpi
    [ "$mpi" != mpich ] || library=-lmpich
    "${compile[@]}" -Wl,--no-as-needed $library "$here/busy.c" -o program "${shared[@]}"
    BUSY_LIMIT=2 run ./program
    expect 'warning: other nodes wait while a process computes: .*link libarmci before'
    expect 'nothing arrived while computing'
    exit 0
    ;;
esac
[ "$status" -eq 0 ] || { echo "ended with $status"; exit 1; }
expect 'answered while computing'
