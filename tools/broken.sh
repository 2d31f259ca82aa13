#!/bin/sh
# The PTX that is stored for `make break` and for the zoo, so that both work without nvcc.
#   broken.sh --store     makes step*/broken.ptx, tutorial/rungs/broken.ptx and tests/zoo/zoo.ptx
#   broken.sh --check     are they what this nvcc makes now? exit 1 if not, 3 if they were made by another nvcc
# The sources of broken.ptx are made by tools/mutate.py from the steps, the rungs and tests/mutants/mutants.tsv.
# shellcheck disable=SC1091
set -u
cd "$(dirname "$0")/.." || exit
. tools/mutant.sh
mkdir -p build/mutants

make_ptx() { # STORED: writes build/mutants/new.ptx
    case $1 in
    tests/zoo/zoo.ptx) source=tests/zoo/zoo.cu ;;
    tutorial/rungs/broken.ptx)
        source=build/mutants/rungs.cu
        # shellcheck disable=SC2046 # one word a key
        tools/mutate.py cu $(mutant_rungs) >"$source" || return
        ;;
    *)
        key=$(awk -F '\t' -v dir="${1%/*}/" 'index($2, dir) == 1 && $1 ~ /^[0-9]/ { print $1 }' tests/mutants/sources.tsv)
        source=build/mutants/$key.cu
        tools/mutate.py cu "$key" >"$source" || return
        ;;
    esac
    tools/ptx.sh "$source" >build/mutants/new.ptx
}

check() { # STORED
    [ -f "$1" ] || { echo "$1 is not there; make ptx" && return 1; }
    made_by=$(sed -n '1s|^// toolkit \([^:]*\):.*|\1|p' "$1")
    make_ptx "$1" || return
    if cmp -s build/mutants/new.ptx "$1"; then
        echo "$1 is current"
    elif [ "$(sed -n '1s|^// toolkit \([^:]*\):.*|\1|p' build/mutants/new.ptx)" != "$made_by" ]; then
        echo "$1 was made by toolkit $made_by, so it cannot be compared"
        return 3
    else
        echo "$1 is stale; make ptx"
        return 1
    fi
}

store() { make_ptx "$1" && mv build/mutants/new.ptx "$1"; }

case ${1:-} in
--store | --check) ;;
*) echo 'usage: tools/broken.sh --store | --check' >&2 && exit 2 ;;
esac
worst=0
for stored in step03_clc_blocks/broken.ptx step04_clc_clusters/broken.ptx tutorial/rungs/broken.ptx tests/zoo/zoo.ptx; do
    if [ "$1" = --store ]; then store $stored; else check $stored; fi
    status=$?
    [ $status -le $worst ] || worst=$status
done
exit $worst
