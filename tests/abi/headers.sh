#!/usr/bin/env bash
# headers.sh INCLUDE_DIR MPI_INCLUDE_FLAGS COMPILER...
# Each public header compiles by itself, without a warning, as C99 and as C++. MPI's headers are not ours to judge.
set -euo pipefail
include=$1 mpi=$2
shift 2

for compiler in "$@"; do
    case $compiler in
    *++*) language=c++ standards='c++11 c++20' extra= ;;
    *) language=c standards='c99 c11' extra='-Wstrict-prototypes' ;;
    esac
    for header in armci armcix message mp3; do
        for standard in $standards; do
            # shellcheck disable=SC2086
            printf '#include <%s.h>\nint main(void) { return 0; }\n' "$header" |
                "$compiler" -std=$standard -Wall -Wextra -pedantic -Werror $extra $mpi -I"$include" \
                    -fsyntax-only -x $language - || { echo "$header.h fails as $standard with $compiler"; exit 1; }
        done
    done
    echo "$compiler: armci.h armcix.h message.h mp3.h are clean as $standards"
done
