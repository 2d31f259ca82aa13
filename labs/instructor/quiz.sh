#!/bin/sh
# A quiz from the predict questions of the chapters.
#   labs/instructor/quiz.sh [SLUG]...              the questions, of all chapters or of those named, such as phases
#   labs/instructor/quiz.sh --answers [SLUG]...    with the book's answers
set -u
cd "$(dirname "$0")/../.." || exit
answers=0
[ "${1:-}" != --answers ] || { answers=1 && shift; }

chapters() { # SLUG...
    [ $# -gt 0 ] || { ls tutorial/en/[0-8]*.md && return; }
    for slug; do
        ls tutorial/en/[0-9][0-9]-"$slug".md 2>/dev/null || { echo "quiz.sh: there is no chapter $slug" >&2 && return 2; }
    done
}

list=$(chapters "$@") || exit 2
# shellcheck disable=SC2086 # a list of files
awk -v answers=$answers '
    FNR == 1 { depth = 0; fenced = 0 }
    /^```/ { fenced = !fenced }
    !fenced && /^# / && !depth { title = $0; sub(/^# /, "", title); sub(/ *[{].*/, "", title); shown = 0 }
    !fenced && /^::: [{]\.predict/ {
        depth = 1
        if (!shown++) printf "\n## %s\n", title
        printf "\n**%d.** ", ++number
        next
    }
    depth && /^::: [{]\.answer/ { depth = 2; if (answers) printf "*Answer.* "; next }
    depth && /^:::$/ { depth--; next }
    depth == 1 || (depth == 2 && answers) { print }' $list | cat -s
