#!/bin/sh
# The checker's rules in words: RULE=PX4 one of them, without RULE all. Exit 0; 2: there is no such rule.
set -u
cd "$(dirname "$0")/.." || exit 3
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
emu=${EMU_RUN:-build/bin/emu-run}

if [ -z "${RULE:-}" ]; then "$emu" --list-rules || finish $?; exit 0; fi
rules=$("$emu" --list-rules) || finish $?
wanted=$(printf '%s' "$RULE" | tr '[:lower:]' '[:upper:]')
printf '%s\n' "$rules" | awk '{ print $1 }' | grep -qxF -- "$wanted" || finish 2 "explain: there is no rule '$RULE'; make explain lists them"
"$emu" --explain "$RULE" || finish $?
