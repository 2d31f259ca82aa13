#!/bin/bash
# Draws the cover: the timeline of a run of step 3 on the toy GPU, as it was recorded, under the title.
#   tutorial/cover.sh FILE.svg
# One row for a place on an SM: prologue hatched, own tiles full, stolen tiles in the other colour.
set -u
cd "$(dirname "$0")/.." || exit
options=(--n 640 --block 32 --work giant --units 300 --prologue 1200 --timeline)

timeline() {
    env -u MAKEFLAGS -u MAKELEVEL -u WITHIN_MAKE BACKEND=emulator DEVICE=tiny ARGS="${options[*]}" make -s step03 2>/dev/null </dev/null |
        sed -n 's/^SM  *[0-9.]*  \([p#+.]*\)  .*/\1/p'
}

title=$(sed -n 's/^title: //p' tutorial/book.yaml) subtitle=$(sed -n 's/^subtitle: //p' tutorial/book.yaml)
rows=$(timeline)
[ -n "$rows" ] || { echo "cover.sh: step 3 drew no timeline" >&2 && exit 1; }
awk -v title="$title" -v subtitle="$subtitle" '
    function bar(from, to, kind, row,   fill) {
        fill = kind == "p" ? "url(#hatch)" : kind == "#" ? "#f2f5f4" : "#f0b44c"
        printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"44\" rx=\"4\" fill=\"%s\"/>\n", 100 + from * w, 900 + row * 64, (to - from) * w - 3, fill
    }
    function words(text, size, y, weight,   part, n, i, line) { # broken at about 22 letters
        n = split(text, part, " ")
        for (i = 1; i <= n; i++) {
            if (length(line) && length(line " " part[i]) > 1000 / size * 1.75) { put(line, size, y, weight); y += size * 1.2; line = "" }
            line = line (length(line) ? " " : "") part[i]
        }
        put(line, size, y, weight)
        return y
    }
    function put(line, size, y, weight) {
        printf "<text x=\"100\" y=\"%d\" font-size=\"%d\" font-weight=\"%s\" fill=\"#f2f5f4\">%s</text>\n", y, size, weight, line
    }
    NR == 1 {
        print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 1600\" width=\"1200\" height=\"1600\" font-family=\"Linux Biolinum O, Helvetica Neue, Arial, sans-serif\">"
        print "<title>Cover</title><defs><pattern id=\"hatch\" width=\"10\" height=\"10\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"10\" height=\"10\" fill=\"#1d5a66\"/><rect width=\"4\" height=\"10\" fill=\"#6fa3ab\"/></pattern></defs>"
        print "<rect width=\"1200\" height=\"1600\" fill=\"#123f49\"/>"
        words(subtitle, 44, words(title, 96, 240, 700) + 110, 400)
    }
    {
        w = 1000 / length($0)
        printf "<rect x=\"100\" y=\"%d\" width=\"1000\" height=\"44\" fill=\"#17505c\"/>\n", 900 + (NR - 1) * 64
        start = 0; last = substr($0, 1, 1)
        for (i = 1; i <= length($0) + 1; i++) {
            now = substr($0, i, 1)
            if (now != last) { if (last != ".") bar(start, i - 1, last, NR - 1); start = i - 1; last = now }
        }
    }
    END { print "</svg>" }' <<<"$rows" >"$1"
