#!/bin/sh
# fresh.sh FILE SOURCE...: is FILE there, and newer than every source? Exit 0 or 1.
set -u
made=$1
shift
[ -s "$made" ] && [ -z "$(find "$@" -newer "$made")" ]
