#!/usr/bin/env bash
# exports.sh LIBARMCI_SO LIBARMCI_A INCLUDE_DIR CC [FLAG...]
# Both libraries define the functions of the public headers, wrappers of MPI's functions (armci/service/), and no
# other global symbol. Where a function has a profiling twin, it is a weak name for the twin's code. Each function
# that mpi.h declares has a wrapper for MPI_X and for PMPI_X, but for those that need none.
set -euo pipefail
# shellcheck source=tests/abi/declarations.sh
source "$(dirname "$0")/declarations.sh"
shared=$1 static=$2 include=$3
shift 3
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
function_names "$include" "$@" >"$work/declared"
count=$(wc -l <"$work/declared")
[ "$count" -ge 200 ] || { echo "only $count functions found in the headers: they are read wrongly"; exit 1; }

# What needs no wrapper, as cmake/gated_functions.cmake says.
sed -n '/^set(armci_ungated/,/)/p' "$(dirname "$0")/../../cmake/gated_functions.cmake" |
    grep -oE 'MPI_[A-Za-z_0-9]+' | grep -vE '^MPI_Init(_thread)?$' | sort >"$work/ungated"
printf '#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n' | "$@" -E -x c - | grep -oE '\bPMPIX?_[A-Z][A-Za-z0-9_]+ *\(' | sed 's/^P//; s/ *($//' | sort -u |
    comm -23 - "$work/ungated" >"$work/wrapped"
count_wrapped=$(wc -l <"$work/wrapped")
[ "$count_wrapped" -ge 300 ] || { echo "only $count_wrapped functions found in mpi.h: it is read wrongly"; exit 1; }
{ cat "$work/wrapped"; sed 's/^/P/' "$work/wrapped"; } | sort -u - "$work/declared" -o "$work/expected"

status=0
compare()
{
    local library=$1 found=$2 missing extra
    missing=$(comm -23 "$work/expected" "$found")
    extra=$(comm -13 "$work/expected" "$found")
    [ -z "$missing" ] || { echo "$library lacks: ${missing//$'\n'/ }"; status=1; }
    [ -z "$extra" ] || { echo "$library defines besides: ${extra//$'\n'/ }"; status=1; }
}
nm -D --defined-only "$shared" | awk 'NF == 3 && $2 != "A" { print $3 }' | sort -u >"$work/shared"
compare "$shared" "$work/shared"
nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | sort -u >"$work/static"
compare "$static" "$work/static"

aliases=$(nm -D --defined-only "$shared" | awk '
    NF == 3 { kind[$3] = $2; value[$3] = $1 }
    END {
        for (name in kind) {
            if (name ~ /^ARMCI/)
                twin = "P" name
            else if (name == "armci_msg_barrier" || name == "armci_msg_group_barrier")
                twin = "p" name
            else
                continue
            if (kind[name] != "W" || kind[twin] != "T" || value[name] != value[twin])
                print name
        }
    }')
[ -z "$aliases" ] || { echo "not a weak alias of the profiling twin: ${aliases//$'\n'/ }"; status=1; }

[ $status -ne 0 ] || echo "both libraries define the $count functions of the headers, $count_wrapped wrappers of MPI functions, and nothing else"
exit $status
