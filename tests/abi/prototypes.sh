#!/usr/bin/env bash
# prototypes.sh OUR_INCLUDE_DIR PEER_INCLUDE_DIR CC [FLAG...]
# Our headers, then every declaration of the peer's headers: C refuses a second declaration that is not compatible
# with the first. A name that ours lack would pass that, so all names are used before their second declaration.
set -euo pipefail
# shellcheck source=tests/abi/declarations.sh
source "$(dirname "$0")/declarations.sh"
ours=$1 peer=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
declarations "$peer" "$@" >"$work/peer"
count=$(wc -l <"$work/peer")
if [ "$count" -lt 150 ]; then
    echo "only $count declarations found in $peer: the headers there are not the ones meant, or are read wrongly"
    exit 1
fi

{
    printf '#include <%s.h>\n' armci armcix message
    echo 'void take(void (*function)(void));'
    echo 'void take_all(void);'
    echo 'void take_all(void)'
    echo '{'
    function_names "$peer" "$@" | sed 's/.*/    take((void (*)(void))&);/'
    echo '}'
    sed 's/$/;/' "$work/peer"
} >"$work/both.c"
"$@" -std=c99 -Wall -Wno-cast-function-type -Werror -I"$ours" -fsyntax-only "$work/both.c"

# The same must refuse a declaration that differs, or it proves nothing.
sed 's/^int ARMCI_Put(.*/int ARMCI_Put(long src);/' "$work/both.c" >"$work/changed.c"
cmp -s "$work/both.c" "$work/changed.c" && { echo "ARMCI_Put is not among the declarations"; exit 1; }
if "$@" -std=c99 -I"$ours" -fsyntax-only "$work/changed.c" 2>/dev/null; then
    echo "a changed declaration was accepted"
    exit 1
fi
echo "$count declarations of $peer are compatible"
