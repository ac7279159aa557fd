#!/usr/bin/env bash
# soname.sh LIBARMCI_SO: programs linked with a shared ARMCI find this library under the name they ask for, and it
# asks for no library that a C program with MPI might lack beyond the C++ runtime.
set -euo pipefail
library=$1

soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libarmci.so.1 ] || { echo "SONAME is '$soname', not libarmci.so.1"; exit 1; }
[ -e "$(dirname "$library")/$soname" ] || { echo "$soname is not beside $library"; exit 1; }
if readelf -d "$library" | grep -E '\(NEEDED\).*(mpi_cxx|mpicxx)'; then
    echo "the library needs MPI's C++ classes"
    exit 1
fi
if readelf -d "$library" | grep -E '\((RPATH|RUNPATH)\)'; then
    echo "the library names folders of the machine it was built on"
    exit 1
fi
echo "SONAME $soname"
