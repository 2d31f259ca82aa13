# Blocks over time, as text, from a trace of emu-run (emulator/trace/trace.h): a row for each place of an SM.
#   # a block's own piece   + a piece that it took over   . nobody   |  where a piece begins
# A piece begins when its block has read that it was granted. Of the last launch that the trace holds.

function detail(key,    at, rest) {
    at = index(" " $11, " " key "=")
    if (at == 0) return ""
    rest = substr(" " $11, at + length(key) + 2)
    sub(/ .*/, "", rest)
    return rest
}

function begin_piece(block, number, mark) {
    pieces++
    start[pieces] = $1; place[pieces] = slot[block]; kind[pieces] = mark; name[pieces] = number
    current[block] = pieces
}

function end_piece(block) {
    if (block in current) stop[current[block]] = $1
    delete current[block]
}

/^#/ || NF < 11 { next }
$1 + 0 > last { last = $1 + 0 }
$2 == "grid-start" { pieces = 0; first = $1; last = $1 + 0; split("", current); split("", slot); split("", seen); split("", stop); split("", places) }
$2 == "block-start" { slot[$4] = $5; places[$5] = 1; begin_piece($4, $4, "#") }
$2 == "response" { index_of[detail("request")] = detail("first") }
$2 == "query" && detail("granted") == 1 && detail("request") > 0 {
    key = $4 " " detail("request")
    if (!(key in seen) && index_of[detail("request")] != "") {
        seen[key] = 1
        end_piece($4)
        begin_piece($4, index_of[detail("request")], "+")
    }
}
$2 == "block-end" { end_piece($4) }

END {
    span = last - first
    if (pieces == 0 || span <= 0) exit
    for (p = 1; p <= pieces; p++) {
        if (!(p in stop)) stop[p] = last
        from = int((start[p] - first) * width / span); to = int((stop[p] - first) * width / span)
        if (to == from) to++
        for (x = from; x < to && x < width; x++) cell[place[p], x] = x == from ? "|" : kind[p]
        list[place[p]] = list[place[p]] " " name[p]
    }
    printf "%-9s %-" width "s  %s\n", "SM.place", "# own piece  + taken over  . nobody  | a piece begins", "pieces"
    for (s in places) {
        row = ""
        for (x = 0; x < width; x++) row = row ((s, x) in cell ? cell[s, x] : ".")
        printf "%-9s %s %s\n", s, row, list[s] | "sort -t. -k1,1n -k2,2n"
    }
    close("sort -t. -k1,1n -k2,2n")
}
