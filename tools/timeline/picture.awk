# Records of tiles (--trace FILE.csv) become a gnuplot script; several files, one panel each, below one another.
#   awk -v titles='one|two' -v unit='model cycles' -v scale=1 -v size=560 -v most=40 -f picture.awk FILE.csv...
# scale turns the record's nanoseconds into the unit. Lanes beyond `most` a panel are left out, and the picture says so.
# Two blacks: pure black becomes the colour of the surrounding text in a page, #000001 (on filled boxes) stays.
BEGIN {
    FS = ","
    split(titles, title, "|")
    order = "prologue own stolen delay urgent tail request"
    words["tail"] = "idle tail"; words["prologue"] = "prologue"; words["own"] = "own tile"; words["stolen"] = "stolen tile"
    words["urgent"] = "high-priority kernel"; words["delay"] = "delay"; words["request"] = "request in flight"
    style["tail"] = "fs transparent pattern 4 noborder lc rgb '#bbbbbb'"
    style["prologue"] = "fs transparent pattern 2 border rgb 'black' lc rgb '#999999'"
    style["own"] = "fs solid border rgb 'black' lc rgb '#56B4E9'"
    style["stolen"] = "fs transparent pattern 5 border rgb 'black' lc rgb '#9C6500'"
    style["request"] = "fs solid border rgb 'black' lc rgb '#009E73'"
    style["delay"] = "fs empty border rgb 'black' lc rgb 'black'"
    style["urgent"] = "fs solid border rgb 'black' lc rgb '#D55E00'"
}
FNR == 1 { panel++; next }
$7 == "arrival" { arrives[panel] = $6 * scale; next }
{
    n++
    at[n] = panel; name[n] = $1; sm[n] = $3 + 0; slot[n] = $4 + 0; from[n] = $5 * scale; to[n] = $6 * scale; kind[n] = $7
    lane = panel SUBSEP sm[n] SUBSEP slot[n]
    if (!(lane in last)) { last[lane] = 0; lanes[panel]++ }
    if (to[n] > last[lane]) last[lane] = to[n]
    if (to[n] > end[panel]) end[panel] = to[n]
    if (to[n] > right) right = to[n]
    if (sm[n] > sms) sms = sm[n]
    if (slot[n] > slots) slots = slot[n]
}
function rows(what,    k, text) {        # of one kind, as gnuplot's from to low high
    text = ""
    for (k = 1; k <= n; k++) {
        lane = at[k] SUBSEP sm[k] SUBSEP slot[k]
        if (kind[k] == what && (lane in y) && to[k] > from[k])
            text = text sprintf("%.0f %.0f %.2f %.2f\n", from[k], wide(from[k], to[k], what), y[lane] + (what == "request" ? 0.12 : -0.4), y[lane] + (what == "request" ? 0.44 : 0.4))
    }
    if (what == "tail")
        for (lane in y) {
            split(lane, part, SUBSEP)
            if (last[lane] < end[part[1]] - right / 400)
                text = text sprintf("%.0f %.0f %.2f %.2f\n", last[lane], end[part[1]], y[lane] - 0.4, y[lane] + 0.4)
        }
    return text
}
function wide(a, b, what) { return what == "urgent" && (b - a) * size < 6 * right ? a + 6 * right / size : b }   # seen at all
END {
    if (n == 0) { print "there is no tile in the record" >"/dev/stderr"; exit 1 }
    top = 0; tics = ""; heads = ""
    for (p = 1; p <= panel; p++) {
        if (title[p] != "") { heads = heads sprintf("set label \"%s\" at graph 0, first %.2f noenhanced font ',13' tc rgb 'black' front\n", title[p], top - 0.1); top += 0.9 }
        shown = 0
        for (s = 0; s <= sms; s++)
            for (t = 0; t <= slots; t++) {
                lane = p SUBSEP s SUBSEP t
                if (!(lane in last)) continue
                if (shown++ >= most) { left_out++; continue }
                y[lane] = top++
                if (lanes[p] <= 24) tics = tics sprintf("%s\"%s%d.%d\" %.2f", tics == "" ? "" : ", ", p == 1 && shown == 1 ? "SM " : "", s, t, y[lane])
            }
        if (p in arrives)
            heads = heads sprintf("set arrow from %.0f, first %.2f to %.0f, first %.2f nohead dashtype 2 lw 1.5 lc rgb 'black' front\n", arrives[p], top - lanes[p] - 0.5, arrives[p], top - 0.4) \
                    sprintf("set label \"arrives\" at %.0f, first %.2f left offset 0.3,0 font ',12' tc rgb 'black' front\n", arrives[p], top - lanes[p] - 0.95)
        top += 0.35
    }
    count = split(order, each, " ")
    for (k = 1; k <= count; k++) kinds += rows(each[k]) != ""
    columns = kinds > 4 ? 3 : kinds == 3 ? 3 : 2
    high = lanes[1] > 24 || panel > 1 ? 15 : 23
    printf "set encoding utf8\nset terminal @terminal@ size @zoom@*%d,@zoom@*%d font 'sans-serif,13'\nset output '@output@'\n", size, top * high + (kinds > 4 ? 108 : 92)
    printf "set yrange [%.2f:-0.6]\nset xrange [0:%.0f]\nset border 1 lc rgb 'black'\n", top - 0.3, right * 1.01
    printf "set xtics nomirror out tc rgb 'black'\nset format x '%%.0f'\nset xlabel '%s%s' tc rgb 'black' offset 0,0.3\n", unit, left_out ? sprintf(" (%d lanes more)", left_out) : ""
    if (tics != "") printf "set ytics (%s) nomirror scale 0 tc rgb 'black'\n", tics
    else print "unset ytics"
    print "set xtics " step(right / 6)
    print "set lmargin 7\nset rmargin 2\nset tmargin 0.3\nset bmargin " (kinds > 4 ? 7 : 6) "\nset key at screen 0.55, screen 0.01 center bottom horizontal maxcols " columns " samplen 1.6 width -1 font ',12' tc rgb 'black'"
    printf "%s", heads
    plots = ""
    for (k = 1; k <= count; k++) {
        data = rows(each[k])
        if (data == "") continue
        printf "$%s << EOD\n%sEOD\n", each[k], data
        box = sprintf("$%s using 1:3:1:2:3:4 with boxxyerror ", each[k])
        if (each[k] == "stolen")       # light below the stripes, for the numbers
            plots = plots ", " box "fs solid noborder lc rgb '#FBE3B0' notitle"
        plots = plots ", " box style[each[k]] " title '" words[each[k]] "'"
    }
    printf "$labels << EOD\n"
    for (k = 1; k <= n; k++) {
        lane = at[k] SUBSEP sm[k] SUBSEP slot[k]
        if ((kind[k] == "own" || kind[k] == "stolen") && (lane in y) && (to[k] - from[k]) * size / right > 9 + 8 * length(name[k]) && high > 16)
            printf "%.0f %.2f %s\n", (from[k] + to[k]) / 2, y[lane], name[k]
    }
    print "-1 -9 x\nEOD"
    print "plot " substr(plots, 3) ", $labels using 1:2:3 with labels font ',12' tc rgb '#000001' notitle"
}
function step(about,    power, first) {    # 1, 2 or 5 times a power of ten
    power = 1
    while (power * 10 <= about) power *= 10
    first = about / power
    return power * (first < 1.5 ? 1 : first < 3.5 ? 2 : first < 7.5 ? 5 : 10)
}
