#!/bin/sh
# collect.sh PROGRAM OUT: append the results of a corpus program to the file OUT.
# After a fault the program's groups are run one by one, so that only the group at fault is missing;
# it is named on standard error, with the program's first words about it. Exit 1 then.
# LIMIT: seconds that a run may take (120).
set -u
program=$1
out=$2
limit=${LIMIT:-120}
part=$out.part
trap 'rm -f "$part" "$part.err"' EXIT

if timeout "$limit" "$program" >"$part" 2>"$part.err"; then
    cat "$part" >>"$out"
    exit 0
fi
groups=$("$program" --list | wc -l)
status=0
group=0
while [ "$group" -lt "$groups" ]; do
    if timeout "$limit" "$program" "$group" 1 >"$part" 2>"$part.err"; then
        cat "$part" >>"$out"
    else
        echo "# $(basename "$program") group $group ($("$program" --list | sed -n "$((group + 1))p" | cut -c1-60)...):" \
            "$(head -n 1 "$part.err")" >&2
        status=1
    fi
    group=$((group + 1))
done
exit $status
