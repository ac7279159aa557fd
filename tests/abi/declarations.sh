# shellcheck shell=bash
# To be sourced. declarations INCLUDE_DIR CC [FLAG...]: every function that the ARMCI headers in INCLUDE_DIR declare,
# one a line, as the compiler sees it.
declarations()
{
    local dir=$1
    shift
    printf '#include <%s.h>\n' armci armcix message |
        "$@" -I"$dir" -E -x c - |
        awk -v dir="$dir/" '
            /^# [0-9]+ "/ { split($0, part, "\""); ours = index(part[2], dir) == 1 && \
                            part[2] ~ /\/(armci|armcix|message)\.h$/; next }
            /^#/ { next }
            ours { printf "%s ", $0 }' |
        tr ';{}' '\n' |
        sed -E -e 's/[[:space:]]+/ /g' -e 's/^ (extern "C" )?//' |
        grep -E '^[a-z][A-Za-z_ ]* \*?(P?ARMCIX?|p?armci)_[A-Za-z0-9_]+ ?\(.*\) ?$'
}

# The names alone, sorted.
function_names()
{
    declarations "$@" | sed -E 's/^.*[ *]((P?ARMCIX?|p?armci)_[A-Za-z0-9_]+) ?\(.*$/\1/' | LC_ALL=C sort -u
}
