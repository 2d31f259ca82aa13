# The requests of a run, from its trace, as rows for a record of its tiles: from asking until the answer is there, in the
# block that asked. Times count from the first start of a block.
BEGIN { FS = "\t"; OFS = "," }
$2 == "block-start" && zero == "" { zero = $1 }
$2 ~ /^re(quest|sponse)$/ { match($11, /request=[0-9]+/); number = substr($11, RSTART + 8, RLENGTH - 8) }
$2 == "request" { asked[number] = $1; block[number] = $4; place[number] = $5 }
$2 == "response" && number in asked && $4 == block[number] {
    split(place[number], at, ".")
    print "-", $4, at[1], at[2], asked[number] - zero, $1 - zero, "request"
    delete asked[number]
}
