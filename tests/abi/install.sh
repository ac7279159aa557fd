#!/usr/bin/env bash
# install.sh BUILD_DIR CMAKE LAUNCH MPI_FLAVOUR MPICC MPICXX MPIFORT [FLAG...]
# Installs into a prefix, moves the prefix, and uses it as users do: C, C++ and Fortran by pkg-config, armci-config and
# find_package, shared and static. Wrappers that are not there are "".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1 cmake=$2 launch=$3 flavour=$4 mpicc=$5 mpicxx=$6 mpifort=$7
shift 7

for needed in pkg-config "$mpicxx" "$mpifort"; do
    command -v "$needed" >/dev/null || { echo "no pkg-config, or no MPI wrapper for C++ or Fortran: not tried"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work/stage "$cmake" --install "$build" --prefix /first >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/stage/first" "$work/moved"
if grep -rIlE '/first([/:"; ]|$)' "$work/moved"; then
    echo "the files above name the prefix"
    exit 1
fi

pc=$(find "$work/moved" -name armci.pc)
[ -n "$pc" ] || { echo "no armci.pc was installed"; exit 1; }
export PKG_CONFIG_PATH=${pc%/*}
pkg-config --validate armci
libdir=$(pkg-config --variable=libdir armci)

# try HOW FLAGS...: each language with these flags, on two processes.
try() {
    local how=$1 language compiler source
    shift
    for language in c cxx fortran; do
        case $language in
        c) compiler=("$mpicc" -std=c99) source=link_c.c ;;
        cxx) compiler=("$mpicxx" -std=c++11) source=link_cxx.cpp ;;
        fortran) compiler=("$mpifort") source=link_fortran.F90 ;;
        esac
        "${compiler[@]}" -Wl,-S "${sanitize[@]}" -o "$work/program" "$here/$source" "$@"
        LD_LIBRARY_PATH=$libdir "$launch" "$flavour" 2 "$work/program" || { echo "failed: $language by $how"; exit 1; }
    done
}
sanitize=("$@")
config=$work/moved/bin/armci-config
# shellcheck disable=SC2046 # flags are words
{
    try pkg-config $(pkg-config --cflags --libs armci)
    try 'pkg-config, static' $(pkg-config --cflags armci) "$(pkg-config --variable=archive armci)"
    try armci-config $("$config" --cflags --libs)
    try 'armci-config, static' $("$config" --static --cflags --libs)
}

"$cmake" -G Ninja -S "$here/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/moved" \
    -DMPI_C_COMPILER="$mpicc" -DMPI_Fortran_COMPILER="$mpifort" -DCMAKE_C_FLAGS="$*" -DCMAKE_CXX_FLAGS="$*" \
    -DCMAKE_Fortran_FLAGS="$*" -DCMAKE_EXE_LINKER_FLAGS=-Wl,-S >"$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/consumer" >"$work/log" || { cat "$work/log"; exit 1; }
for program in link_{c,cxx,fortran}_{shared,static}; do
    "$launch" "$flavour" 2 "$work/consumer/$program"
done
echo "the moved prefix serves pkg-config, armci-config and find_package"
