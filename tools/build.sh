#!/bin/sh
# Makes files under build/ while no other call of this script does, so that no two write one file at once:
#   tools/build.sh [FILE.target=TEXT]... GOAL...
# A FILE.target is one that compiled code depends on; it is written if it does not hold that text yet.
# V=1 shows the commands; else a line that changes, on a terminal. Without flock, or where the lock cannot be
# written, it goes on without. A build that a build starts (BUILD_LOCKED) is under the lock already.
# Ends as make does, with `exit N` as the last line unless N is 0.
set -u
cd "$(dirname "$0")/.." || exit 3
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
lock=build/lock

# Of make's lines, those that name a file being built (`  CC    file`) become one that changes, and only on a
# terminal; the others are shown, all on standard error. The status is make's, which comes as the last line.
progress() {
    status=0 over='' said=''
    [ ! -t 2 ] || over=$(printf '\r\033[K')
    while IFS= read -r line; do
        case $line in
        "  "[A-Z]*)
            if [ -n "$over" ]; then printf '%s%s' "$over" "$line"; else
                [ -n "$said" ] || echo "Building; V=1 shows the commands."
                said=yes
            fi
            ;;
        "failed: "*) status=${line#failed: } ;;
        *) printf '%s%s\n' "$over" "$line" ;;
        esac
    done
    printf '%s' "$over"
    return "$status"
}

# Programs that run hold build/running (tools/run.sh), and are not replaced by those for another GPU meanwhile.
remember() { # FILE TEXT
    [ "$(cat "$1" 2>/dev/null)" != "$2" ] || return 0
    if command -v flock >/dev/null && { : >>build/running; } 2>/dev/null; then
        flock -n build/running true || { [ ! -t 2 ] || echo "Waiting for a run of programs for another GPU to end." >&2; flock build/running true; }
    fi
    printf '%s\n' "$2" >"$1"
}

build() { # [FILE.target=TEXT]... GOAL...
    export BUILD_LOCKED=yes
    for word; do
        shift
        case $word in
        *.target=*) remember "${word%%=*}" "${word#*=}" ;;
        *) set -- "$@" "$word" ;;
        esac
    done
    if [ "${V:-0}" = 1 ]; then
        "${MAKE:-make}" --no-print-directory "$@"
    else
        { "${MAKE:-make}" -s --no-print-directory "$@" 2>&1 || echo "failed: $?"; } | progress >&2
    fi
}

lockable() {
    [ -z "${BUILD_LOCKED:-}" ] && command -v flock >/dev/null && { : >>$lock; } 2>/dev/null
}

[ $# -gt 0 ] || finish 2 "usage: tools/build.sh GOAL..."
mkdir -p build 2>/dev/null || room build
if lockable; then
    (
        flock -n 9 || { [ ! -t 2 ] || echo "Waiting for another make that builds here." >&2; flock 9; }
        build "$@" 9>&-
    ) 9>>$lock
else
    build "$@"
fi
status=$?
[ $status -eq 0 ] || room build
finish $status
