#!/usr/bin/env bash
# release.sh SOURCE CMAKE LAUNCH MPI_FLAVOUR MPICC
# Configures, builds and installs as the README tells users to; looks at what comes out of it, and runs a program with it,
# by armci-config, too, and out of the Debian package.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$1 cmake=$2 launch=$3 flavour=$4 mpicc=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
quietly "$cmake" --preset "install-$flavour" -S "$source" -B "$work/build" -DMPI_C_COMPILER="$mpicc" \
    -DARMCI_BATCHES=ON # a quarter of the time; what is looked at is the same
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
    [ "$bytes" -lt 3000000 ] || { echo "that is too much for a library without debug information"; exit 1; }
done
[ -z "$(find "$work/prefix" -name '*.fh')" ] || { echo "a Fortran header was installed; Global Arrays has its own"; exit 1; }

"$mpicc" -std=c99 -I"$work/prefix/include" "$here/link_c.c" -o "$work/program" "$static"
"$launch" "$flavour" 2 "$work/program"

# By armci-config, found by a link, after the prefix has moved.
mv "$work/prefix" "$work/moved"
mkdir "$work/bin"
ln -s "$work/moved/bin/armci-config" "$work/bin/"
config=$work/bin/armci-config
[ "$("$config" --prefix)" = "$(realpath "$work/moved")" ]
[ "$("$config" --mpi)" = "$flavour" ]
[[ $("$config" --version) =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
for kind in '' --static; do
    # shellcheck disable=SC2046,SC2086
    "$mpicc" -std=c99 "$here/link_c.c" -o "$work/by_config" $("$config" $kind --cflags --libs)
    "$launch" "$flavour" 2 "$work/by_config"
done
if "$config" --unknown >/dev/null 2>&1; then
    echo "armci-config knows an option that there is none of"
    exit 1
fi
for page in armci-config armci_info; do
    [ -s "$work/moved/share/man/man1/$page.1" ] || { echo "no manual page of $page"; exit 1; }
done

# The package: one folder for all, and what Debian's package of that MPI is called among its dependencies.
command -v dpkg-shlibdeps >/dev/null || { echo "no dpkg-shlibdeps (Debian: dpkg-dev): no package was made"; exit 77; }
(cd "$work" && quietly cpack -G DEB --config "$work/build/CPackConfig.cmake")
package=$(echo "$work"/*.deb)
dpkg-deb -f "$package" Package Version Depends
dpkg-deb -f "$package" Depends | grep -Eq "libopenmpi|libmpich"
dpkg-deb -x "$package" "$work/root"
outside=$(cd "$work/root" && find . -type f | grep -v "^\./usr/lib/[^/]*/armci-rma/$flavour/") || true
[ -z "$outside" ] || { printf 'outside the folder of its own: %s\n' "$outside"; exit 1; }
config=$(echo "$work"/root/usr/lib/*/armci-rma/"$flavour"/bin/armci-config)
# shellcheck disable=SC2046
"$mpicc" -std=c99 "$here/link_c.c" -o "$work/by_package" $("$config" --cflags --libs)
"$launch" "$flavour" 2 "$work/by_package"
