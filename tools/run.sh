#!/bin/sh
# Runs steps: says what was found and chosen, builds what that needs, runs, and passes the exit code on.
#   tools/run.sh DIR...            directories with one program each, DIR/NAME.cu (stepNN_NAME or NAME)
#   tools/run.sh --build DIR...    builds only
#   tools/run.sh --tour DIR...     the toy GPU, 20 tiles with one giant, a timeline for each step
# Obeys the variables of variables.tsv. If a program ends with N, the last line is `exit N`.
# Where a program runs is detect.sh's choice: the GPU; the emulator; or, without nvcc, the emulator with
# the PTX stored beside the step. Programs about launch control run on the emulator first, whatever the
# GPU, because values alone cannot judge them.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
LC_ALL=C
export LC_ALL

program_of() { # step01_fixed_work -> step01_fixed_work/fixed_work; a rung's name begins with NN-
    name=$(basename "$1")
    name=${name#step[0-9][0-9]_}
    echo "$1/${name#[0-9][0-9]-}"
}

about_launch_control() {
    case $1 in *_clc_* | tutorial/*) return 0 ;; *) return 1 ;; esac
}

# Asks detect.sh once for programs with clusters and once for those without.
detect() {
    plain=$(tools/detect.sh) && clusters=$(tools/detect.sh clusters)
}

# detect.sh's answer for one directory, for eval in a subshell: it must not replace the reader's wishes.
# Transaction barriers and bulk copies came with clusters, in 9.0.
answer() {
    case $1 in
    *cluster* | *-arrivals | *-phases | *-bytes | *-proxy-fence* | *-multicast) printf '%s\n' "$clusters" ;;
    *) printf '%s\n' "$plain" ;;
    esac
}

# --- build ------------------------------------------------------------------

# What make has to make before DIR can run, one a line.
goals() (
    eval "$(answer "$1")"
    program=$(program_of "$1")
    case ${MODE:?} in
    gpu)
        echo "build/$program.gpu"
        if about_launch_control "$1"; then echo "build/$program.emu"; fi
        ;;
    emulator) echo "build/$program.emu" ;;
    stored) printf '%s\n' build/bin/emu-run build/bin/job ;;
    esac
)

# What compiled code depends on, as FILE.target=TEXT, one a line.
targets() (
    device=${EMU_DEVICE:-b200}
    eval "$plain"
    code=$(sed -n "s/^DEVICE(\"$device\".*\"\([0-9]*[af]*\)\".*/\1/p" emulator/machine/devices.def)
    echo "build/emu.target=$NVCC $code"
    [ -z "$GENCODE" ] || echo "build/gpu.target=$NVCC $GENCODE"
)

build() ( # DIR...
    device=${EMU_DEVICE:-b200}
    eval "$plain"
    export NVCC GENCODE EMU_DEVICE="$device"
    [ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
    # shellcheck disable=SC2046 # one word a goal
    set -- $(for dir; do goals "$dir"; done | sort -u)
    while IFS= read -r target; do set -- "$target" "$@"; done <<EOF
$(targets)
EOF
    tools/build.sh "$@"
)

# Keeps the programs as they were built while they run: a build for another GPU waits for build/running (build.sh).
# False if such a build came between.
hold() {
    if ! command -v flock >/dev/null || ! { : >>build/running; } 2>/dev/null; then return 0; fi
    exec 8>>build/running
    flock -s 8
    targets | while IFS= read -r target; do
        [ "$(cat "${target%%=*}" 2>/dev/null)" = "${target#*=}" ] || exit
    done || { exec 8>&- && return 1; }
}

# --- run --------------------------------------------------------------------

show() { # COMMAND...: with V=1 say how to repeat it
    if [ "${V:-0}" = 1 ]; then echo "+ $*"; fi
    "$@"
}

run_one() ( # DIR
    eval "$(answer "$1")"
    program=build/$(program_of "$1")
    set -f
    # shellcheck disable=SC2086 # ARGS is a list of words
    case $MODE in
    gpu)
        if about_launch_control "$1"; then show "$program.emu" ${ARGS:-} || exit; fi
        pin_gpu "$GPU"
        show "$program.gpu" ${ARGS:-}
        ;;
    emulator) show "$program.emu" ${ARGS:-} ;;
    stored) show sh common/run-stored.sh "$1" ${ARGS:-} ;;
    esac
)

# What the head comment of the program begins with: ` * Step 1: fixed work. ...`
title() { sed -n '1,5s/^ \* \(Step [0-9][^.]*\)\..*/\1/p' "$(program_of "$1").cu"; }

# Runs all of them, in order; the status is the first that was not 0.
run_all() { # DIR...
    worst=0 told=''
    for dir; do
        why=$(eval "$(answer "$dir")" && echo "$WHY")
        [ "$why" = "$told" ] || tell "$why" ''
        told=$why
        [ $# -eq 1 ] || tell "$(title "$dir")"
        run_one "$dir"
        status=$?
        [ "$status" -eq 0 ] || echo "$dir: exit $status"
        [ "$worst" -ne 0 ] || worst=$status
        tell ''
    done
    return "$worst"
}

# Lines around the programs' own output; none when that is asked for as JSON or as the options' help.
tell() { # LINE...
    case " ${ARGS:-} " in
    *" --json "* | *" --help "*) ;;
    *) printf '%s\n' "$@" ;;
    esac
}

next_after() { # DIR...: a command to try
    if [ "$mode" = tour ]; then
        echo 'make break STEP=3 WITHOUT=flip'
    elif [ $# -gt 1 ]; then
        echo 'make tour'
    else
        case $1 in
        */*) following="$(dirname "$1")/[0-9][0-9]-*/" ;;
        *) following='step[0-9][0-9]_*/' ;;
        esac
        # shellcheck disable=SC2086 # a pattern
        following=$(printf '%s\n' $following | sed 's|/$||' | sed -n "\\|^$1\$|{n;p;}")
        # From inside the step the way leads over its parent.
        if [ -n "${CALLED_FROM:-}" ] && [ "$(cd "$CALLED_FROM" 2>/dev/null && pwd -P)" = "$(cd "$1" && pwd -P)" ]; then
            following=${following:+../$(basename "$following")}
        fi
        if [ -n "$following" ]; then echo "make -C $following run"; else echo "make run ARGS=\"--work giant --prologue 1000\""; fi
    fi
}

# --- main -------------------------------------------------------------------

mode=run
case ${1:-} in
--build) mode=build && shift ;;
--tour) mode=tour && shift ;;
esac
[ $# -gt 0 ] || { echo "usage: tools/run.sh [--build | --tour] DIR..." >&2 && exit 2; }
for dir; do
    [ -f "$(program_of "$dir").cu" ] || { echo "$dir: there is no $(program_of "$dir").cu" >&2 && finish 2; }
done
tools/variables.sh check || finish 2
if [ $mode = tour ]; then
    BACKEND=emulator DEVICE=tiny
    ARGS="--n 640 --block 32 --work giant --units 300 --prologue 1200 --timeline ${ARGS:-}"
    export BACKEND DEVICE ARGS
fi
eval "$(tools/variables.sh export)"
export EMU_CHECK="${EMU_CHECK:-1}" # on the emulator the protocol is judged, not values alone
detect || finish $?
build "$@" || exit # build.sh has said it
[ $mode != build ] || exit 0
until hold; do build "$@" || exit; done
[ $mode != tour ] || tell 'A toy GPU of 4 SMs, 2 blocks on each; 20 tiles, of which tile 1 is a giant.' ''
run_all "$@" || finish $?
tell "Next: $(next_after "$@")"
