# The events of a run with --urgent (EMU_TRACE=FILE of a rung) become records like --trace FILE.csv: of the launch in
# which the high-priority kernel arrives, number -v nth=1, 2, ... Kinds besides own and stolen: `delay`, the kernel in
# front of the urgent one; `urgent`; and `arrival`, the end of the delay, from when the urgent kernel waits.
# A tile lasts from the last step of the protocol before its data is written to that write.
BEGIN { FS = "\t"; OFS = ","; print "tile,block,sm,slot,start,end,kind" }
/^#/ { next }
$2 == "grid-start" && $9 == "kernel_alarm" { delay = ++seen == nth ? $3 : delay }
$2 == "grid-start" && delay && $3 == delay + 2 { match($11, /block=[0-9]+/); threads = substr($11, RSTART + 6, RLENGTH - 6); steals = $9 ~ /cluster_launch_control|clc/ }
!delay || $3 < delay || $3 > delay + 2 || $4 == "-" { next }
{ split($5, place, "."); key = $3 SUBSEP $4 }
$2 == "block-start" { since[key] = begun[key] = $1; if ($3 == delay + 2 && (zero == "" || $1 < zero)) zero = $1; next }
$2 == "block-end" && $3 < delay + 2 { keep("-", begun[key], $1, $3 == delay ? "delay" : "urgent"); if ($3 == delay) keep("-", $1, $1, "arrival"); next }
$3 == delay + 2 && ($2 == "atomic" || $2 == "request" || $2 == "bar-pass" || $10 == "arrive-expect-tx") { since[key] = $1 }
$3 == delay + 2 && $2 == "write" && $9 ~ /^(data|cudaMalloc)[+]/ {
    split($9, part, "+")
    tile = int(part[2] / 4 / threads)
    keep(tile, since[key], $1, steals && tile != $4 ? "stolen" : "own")
    since[key] = $1
}
function keep(tile, from, to, kind) { n++; row[n] = tile OFS $4 OFS place[1] OFS place[2]; start[n] = from; end[n] = to; what[n] = kind }
END {
    if (zero == "") { print "preemption.awk: there is no such launch" >"/dev/stderr"; exit 1 }
    for (k = 1; k <= n; k++) print row[k], start[k] < zero ? 0 : start[k] - zero, end[k] - zero, what[k]
}
