#!/usr/bin/env bash
# install.sh BUILD_DIR CMAKE LAUNCH MPI_FLAVOUR MPICC [FLAG...]
# Installs into a prefix, moves the prefix, and uses it as a user would: by pkg-config and by find_package.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 cmake=$2 launch=$3 flavour=$4 mpicc=$5
shift 5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved"
if grep -rIl "$work/first" "$work/moved"; then
    echo "the files above name the prefix"
    exit 1
fi

pc=$(find "$work/moved" -name armci.pc)
[ -n "$pc" ] || { echo "no armci.pc was installed"; exit 1; }
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=${pc%/*}
    pkg-config --validate armci
    libdir=$(pkg-config --variable=libdir armci)
    # shellcheck disable=SC2046
    "$mpicc" -std=c99 "$@" $(pkg-config --cflags armci) -o "$work/by_pkg_config" "$here/link_c.c" \
        $(pkg-config --libs armci)
    LD_LIBRARY_PATH=$libdir "$launch" "$flavour" 2 "$work/by_pkg_config"
else
    echo "pkg-config is not installed: armci.pc was not tried"
    exit 77
fi

"$cmake" -G Ninja -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/moved" \
    -DMPI_C_COMPILER="$mpicc" -DCMAKE_C_FLAGS="$*" >"$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/consumer" >"$work/log" || { cat "$work/log"; exit 1; }
for program in with_shared with_static; do
    "$launch" "$flavour" 2 "$work/consumer/$program"
done
echo "the moved prefix serves pkg-config and find_package"
