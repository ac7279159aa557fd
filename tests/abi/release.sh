#!/usr/bin/env bash
# release.sh SOURCE CMAKE LAUNCH MPI_FLAVOUR MPICC
# Configures, builds and installs as the README tells users to; looks at what comes out of it, and runs a program with it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$1 cmake=$2 launch=$3 flavour=$4 mpicc=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
quietly "$cmake" --preset "install-$flavour" -S "$source" -B "$work/build" -DMPI_C_COMPILER="$mpicc"
quietly "$cmake" --build "$work/build" -j 2
quietly "$cmake" --install "$work/build" --prefix "$work/prefix"

shared=$(find "$work/prefix" -name 'libarmci.so.*.*')
static=$(find "$work/prefix" -name libarmci.a)
for library in "$shared" "$static"; do
    if readelf -S "$library" | grep -F .debug_; then
        echo "$library has debug information"
        exit 1
    fi
    bytes=$(stat -c %s "$library")
    printf '%s: %d KiB\n' "${library##*/}" $((bytes / 1024))
    [ "$bytes" -lt 4000000 ] || { echo "that is too much for a library without debug information"; exit 1; }
done
[ -z "$(find "$work/prefix" -name '*.fh')" ] || { echo "a Fortran header was installed; Global Arrays has its own"; exit 1; }

"$mpicc" -std=c99 -I"$work/prefix/include" "$here/link_c.c" -o "$work/program" "$static"
"$launch" "$flavour" 2 "$work/program"
