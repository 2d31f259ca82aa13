#!/bin/sh
# The PTX that is stored beside a program, for readers without nvcc.
#   ptx.sh FILE.cu             prints it
#   ptx.sh --store STEP...     writes STEP/NAME.ptx
#   ptx.sh --check STEP...     compares STEP/NAME.ptx with what nvcc makes now; exit 1 if one differs
# The first line names the toolkit and this command. Paths are made relative: to the repository, or, for the
# toolkit's headers, to its include folder. Another version of nvcc makes other PTX, so --check answers 3
# when the stored file was made by another one.
set -u
top=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$top" || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
target=100a

find_nvcc() {
    BACKEND=emulator
    export BACKEND
    ask_machine
    need_nvcc ptx.sh
    # shellcheck disable=SC2154 # ask_machine sets it
    eval "$machine"
    [ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
    version=$("$NVCC" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
}

# nvcc puts a hash of the source's full path into the names of internal functions: _INTERNAL_01234567_.
# It becomes zeros, in the text and in the strings of the line table, which are one `.b8 NUMBER` a character.
without_hash() {
    sed -E 's/_INTERNAL_[0-9a-f]{8}_/_INTERNAL_00000000_/g' | awk '
        BEGIN { for (i = 32; i < 127; i++) letter[i] = sprintf("%c", i) }
        $1 == ".b8" && NF == 2 {
            if (left > 0) { left--; sub(/[0-9]+$/, "48") }
            seen = substr(seen, length(seen) > 9 ? 2 : 1) letter[$2 + 0]
            if (seen == "_INTERNAL_") left = 8
        }
        { print }'
}

emit() ( # FILE.cu
    work=build/ptx/$1
    mkdir -p "$work"
    "$NVCC" -ptx -O3 -std=c++17 -lineinfo -I. -gencode "arch=compute_$target,code=compute_$target" \
        "$1" -o "$work/raw.ptx" >"$work/log" 2>&1 || { cat "$work/log" >&2 && exit 1; }
    echo "// toolkit $version: tools/ptx.sh $1"
    sed -E -e "s|^([[:space:]]*\.file[[:space:]]+[0-9]+ \")$top/|\1|" \
        -e 's|^([[:space:]]*\.file[[:space:]]+[0-9]+ ")/.*/include/|\1include/|' \
        -e 's|^([[:space:]]*\.file[[:space:]]+[0-9]+ ")\./|\1|' "$work/raw.ptx" | without_hash
)

source_of() { # STEP
    name=$(basename "$1")
    name=${name#step[0-9][0-9]_}
    echo "$1/${name#[0-9][0-9]-}.cu"
}

store() { # STEP
    source=$(source_of "$1")
    mkdir -p "build/ptx/$1"
    emit "$source" >"build/ptx/$source.ptx" && mv "build/ptx/$source.ptx" "${source%.cu}.ptx"
}

check() { # STEP
    source=$(source_of "$1") stored=${source%.cu}.ptx
    made_by=$(sed -n '1s|^// toolkit \([^:]*\):.*|\1|p' "$stored" 2>/dev/null)
    if [ -z "$made_by" ]; then
        echo "$stored is not there; make ptx"
        return 1
    elif [ "$made_by" != "$version" ]; then
        echo "$stored was made by toolkit $made_by; this is $version, so they cannot be compared"
        return 3
    fi
    mkdir -p "build/ptx/$1"
    emit "$source" >"build/ptx/$source.ptx" || return 1
    if cmp -s "build/ptx/$source.ptx" "$stored"; then echo "$stored is current"; else
        echo "$stored is stale; make ptx"
        return 1
    fi
}

each() { # COMMAND STEP...: the status is the worst
    command=$1 worst=0
    shift
    for step; do
        "$command" "$step"
        status=$?
        [ "$status" -le "$worst" ] || worst=$status
    done
    return "$worst"
}

case ${1:-} in
--store) shift && find_nvcc && each store "$@" ;;
--check) shift && find_nvcc && each check "$@" ;;
*.cu) find_nvcc && emit "$1" ;;
*)
    echo "usage: tools/ptx.sh FILE.cu | --store STEP... | --check STEP..." >&2
    exit 2
    ;;
esac
