#!/usr/bin/env bash
# headers.sh INCLUDE_DIR MPI_INCLUDE_FLAGS COMPILER...
# Each public header compiles by itself, without a warning, as C99 and as C++11, and all together by the later standards. MPI's
# headers are not ours to judge.
set -euo pipefail
include=$1 mpi=$2
shift 2

# STANDARD LANGUAGE HEADER...
clean() {
    local standard=$1 language=$2
    shift 2
    # shellcheck disable=SC2086
    { printf '#include <%s.h>\n' "$@" && printf 'int main(void) { return 0; }\n'; } |
        "$compiler" "-std=$standard" -Wall -Wextra -pedantic -Werror $extra $mpi -I"$include" -fsyntax-only -x "$language" - ||
        { echo "$*: not clean as $standard with $compiler" && exit 1; }
}
headers=(armci armcix message mp3)
for compiler in "$@"; do
    case $compiler in
    *++*) language=c++ first=c++11 later=c++20 extra= ;;
    *) language=c first=c99 later=c11 extra='-Wstrict-prototypes' ;;
    esac
    for header in "${headers[@]}"; do
        clean $first $language "$header"
    done
    clean $later $language "${headers[@]}"
    echo "$compiler: ${headers[*]} are clean as $first and $later"
done
