# A record of tiles (--trace FILE.csv) becomes JSON in Chrome's trace event format, for Perfetto: a process an SM, a
# thread a slot. Times there are microseconds; on the emulator 1000 of the record's nanoseconds are one.
BEGIN { FS = ","; printf "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" }
FNR == 1 || $7 == "arrival" { next }
{
    lane = $3 SUBSEP $4
    if (!($3 in sms)) { sms[$3]; printf "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"tid\":0,\"args\":{\"name\":\"SM %d\"}}", comma, $3, $3; comma = "," }
    if (!(lane in lanes)) { lanes[lane]; printf ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"slot %d\"}}", $3, $4, $4 }
    printf ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"block\":%d}}",
        $1 == "-" ? $7 : "tile " $1, $7, $3, $4, $5 / 1000, ($6 - $5) / 1000, $2
}
END { print "\n]}" }
