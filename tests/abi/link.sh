#!/usr/bin/env bash
# link.sh shared|static BUILD_DIR LAUNCH MPI_FLAVOUR SOURCE WRAPPER [FLAG...]
# Links SOURCE with the wrapper and -larmci alone (flags after it may add what the source itself needs), and runs it
# at 2 processes.
set -euo pipefail
kind=$1 build=$2 launch=$3 flavour=$4 source=$5 wrapper=$6
shift 6

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A folder with one kind of library only: which one -larmci means is then certain.
mkdir "$work/lib"
case $kind in
shared) cp -P "$build"/libarmci.so* "$work/lib" ;;
static) ln -s "$build/libarmci.a" "$work/lib" ;;
*) echo "neither shared nor static: $kind"; exit 2 ;;
esac

first=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    first+=("$1")
    shift
done
[ $# -eq 0 ] || shift
# Without debug information, which is most of what there is to link.
"$wrapper" -Wl,-S -o "$work/program" "$source" "${first[@]}" -L"$work/lib" -larmci "$@"
if [ "$kind" = static ] && readelf -d "$work/program" | grep 'NEEDED.*libarmci'; then
    echo "the program needs a shared libarmci"
    exit 1
fi
if [ "$kind" = shared ] && ! readelf -d "$work/program" | grep -q 'NEEDED.*\[libarmci\.so\.1\]'; then
    echo "the program does not need libarmci.so.1"
    exit 1
fi
LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$launch" "$flavour" 2 "$work/program"
