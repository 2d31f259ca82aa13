#!/bin/sh
# Installs those Debian packages of packages.txt that are missing. DEPS=0: leaves all as it is.
# With --missing it prints their names and installs nothing.
# Without apt-get or the right to use it, says so and goes on: the tests tell what they lack.
set -u
list=$(dirname "$0")/packages.txt
[ "${DEPS:-1}" != 0 ] || [ $# -gt 0 ] || exit 0

missing() {
    sed 's/#.*//' "$list" | while read -r package; do
        [ -z "$package" ] || dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            echo "$package"
    done
}

if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
    echo "No apt-get here; the tests need: $(sed 's/#.*//' "$list" | tr '\n' ' ')" >&2
    exit 0
fi
if [ "${1:-}" = --missing ]; then
    missing
    exit 0
fi
packages=$(missing | tr '\n' ' ')
[ -n "$packages" ] || exit 0
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "Not installed, because there is no sudo: $packages" >&2
    exit 0
fi
echo "Installing for the tests: $packages(DEPS=0 skips this)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1
}
# shellcheck disable=SC2086
install apt-get install -y --no-install-recommends $packages ||
    { install apt-get update && install apt-get install -y --no-install-recommends $packages; } || {
    tail -n 5 "$log" >&2
    echo "apt-get could not install them; the tests go on with what is here." >&2
}
