#!/usr/bin/env bats
# The trace of a run, transcripts, timelines and the book's pictures, as a reader asks for them.

load root
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" || return
    tmp=$(mktemp -d)
    unset WITHOUT STEP RUNG BLOCK TILE BARRIER WORK ARGS SEED REFUSE DEVICE BACKEND CHECK TRACE SCHEDULES
    unset EMU_DEVICE EMU_SEED EMU_REFUSE EMU_CHECK EMU_TRACE EMU_SCHEDULES EMU_STEPS
}

teardown() { rm -rf "$tmp"; }

setup_file() {
    cd "$ROOT" || return
    make build/bin/show build/bin/emu-run build/bin/job >/dev/null
}

transcript() { run -"${ends:-0}" env "$@" tools/transcript.sh; }

# A run of step 3 with the words that emu-run needs.
step3() { # WORD...
    mkdir -p "$tmp/run"
    build/bin/job prepare clc_blocks "$tmp/run" --n 640 --block 32
    words=()
    while IFS= read -r word; do words+=("$word"); done <"$tmp/run/emu-run.args"
    build/bin/emu-run step03_clc_blocks/clc_blocks.ptx --launch step03_clc_blocks/clc_blocks.launch --device tiny \
        --set 'TILES=u64 0' --set 'BLOCKS=u64 0' --set RECORD=0 "${words[@]}" "$@"
}

svg_is_fit() { # FILE NAME: for a page: well-formed, titled, described, no script, ids of its own
    python3 - "$1" "$2" <<'EOF'
import sys
import xml.etree.ElementTree as tree
path, name = sys.argv[1:]
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(path).getroot()
assert root.tag == svg + "svg" and root.get("viewBox") and root.get("role") == "img", root.attrib
assert root.get("aria-labelledby").split() == [name + "-title", name + "-desc"]
assert root.find(svg + "title").text.strip() and len(root.find(svg + "desc").text) > 60
for element in root.iter():
    assert "script" not in element.tag and "image" not in element.tag
    assert (element.get("id") or name).startswith(name), element.get("id")
ids = [e.get("id") for e in root.iter() if e.get("id")]
assert len(ids) == len(set(ids)), ids
words = [t for t in root.iter(svg + "text")]
assert len(words) > 5
assert "currentColor" in open(path).read()
EOF
}

# --- the trace -------------------------------------------------------------------

@test "trace: emu-run --trace writes every event, and changes nothing" {
    run -0 step3
    plain=$output
    run -0 step3 --trace "$tmp/a"
    [ "$output" = "$plain" ]
    run -0 step3 --trace "$tmp/b"
    cmp "$tmp/a" "$tmp/b"
    [ "$(head -n 1 "$tmp/a")" = '# trace 1, device tiny' ]
    awk -F '\t' '!/^#/ && NF != 11 { exit 1 }' "$tmp/a"
    # Every block begins and ends, every request is answered, each once.
    awk -F '\t' '
        $2 == "block-start" { begun[$4]++ } $2 == "block-end" { ended[$4]++ }
        $2 == "request" { asked++ } $2 == "response" { answered++ }
        END { for (b in begun) if (begun[b] != 1 || ended[b] != 1) exit 1
              exit !(asked > 0 && asked == answered) }' "$tmp/a"
}

@test "trace: a file that cannot be written, a full disk: a sentence, no file left" {
    run -2 step3 --trace "$tmp/none/a"
    [[ $output == *"$tmp/none/a: the trace cannot be written: No such file"* ]]
    run -3 step3 --trace /dev/full
    [[ $output == *'/dev/full: the trace cannot be written: No space left'* ]]
    run -2 step3 --trace ''
    [[ $output == *'--trace: the file has no name'* ]]
    run -2 step3 --trace "$tmp/a" --schedules 3
    [[ $output == *'--trace records one order of events'* ]]
    [ ! -e "$tmp/a" ]
}

@test "trace: EMU_TRACE does the same for a CUDA program" {
    program=build/step03_clc_blocks/clc_blocks.emu
    [ -x "$program" ] || skip "no nvcc, no $program"
    export EMU_DEVICE=tiny
    EMU_TRACE=$tmp/a run -0 "$program" --n 640 --block 32
    [ "$(grep -c '	grid-start	' "$tmp/a")" -eq 2 ] # recorded, timed
    EMU_TRACE=$tmp/none/a run -2 "$program" --n 640
    [[ $output == *"EMU_TRACE: $tmp/none/a: the trace cannot be written"* ]]
    EMU_TRACE=/dev/full run -3 "$program" --n 640 --block 32
    [[ $output == *'No space left'* ]]
    EMU_TRACE=$tmp/b EMU_SCHEDULES=2 run -2 "$program" --n 640
    [[ $output == *'EMU_SCHEDULES asks for several'* ]]
}

# --- transcripts ------------------------------------------------------------------

@test "transcript: phases, arrivals and bytes are those of an mbarrier, whatever the order of events" {
    for what in STEP=3 STEP=4 STEP=phases STEP=bytes STEP=record-multicast 'STEP=3 SEED=9 REFUSE=p0.3' 'STEP=4 SEED=5' \
        'STEP=4 SEED=8 BLOCK=3' 'STEP=guide SEED=2 BLOCK=2'; do
        # shellcheck disable=SC2086 # words
        transcript $what
        python3 tests/bats/transcript_check.py <<<"$output" || { echo "$what" && false; }
    done
}

@test "transcript: its arithmetic is checked by something that finds errors" {
    transcript
    run -1 python3 tests/bats/transcript_check.py <<<"${output/     16/     15}"
    run -1 python3 tests/bats/transcript_check.py <<<"${lines[0]}"
}

@test "transcript: alone it shows a page of step 3, with lines and their names" {
    transcript
    first=$output
    [ "${#lines[@]}" -le 60 ]
    for name in init top-barrier acquire-half request expect whole-warp wait release-half; do
        [[ $output =~ :[0-9]+\ $name\  ]]
    done
    [[ $output == *'request'*'-> result, bar'* && $output == *'phase ends'* && $output == *'read result'* ]]
    line=$(grep -n 'mbarrier_init(&bar' step03_clc_blocks/clc_blocks.cu | cut -d : -f 1)
    [[ $output == *" :$line init "* ]]
    transcript
    [ "$output" = "$first" ]
}

@test "transcript: one barrier, one tile, one block" {
    transcript BARRIER=bar
    [[ $output == *'init'* && $output != *'block barrier'* && $output != *'read result'* ]]
    transcript BARRIER=block
    [[ $output == *'block barrier'* && $output != *'request'* ]]
    transcript TILE=9
    [[ $output == *', tile 9 '* && $output == *request* && $output != *'starts on'* ]]
    transcript STEP=1 BLOCK=5
    [[ $output == *'block 5 of 16'*', tile 5'* ]]
}

@test "transcript: what there is not gets a sentence with what there is, and exit 2" {
    ends=2
    transcript BLOCK=99
    [[ $output == *'there is no block 99 in a grid of 16; these ran: '* ]]
    transcript BLOCK=15
    [[ $output == *'block 15 of 16 never ran, its work was taken over'* ]]
    transcript BARRIER=foo
    [[ $output == *"there is no barrier 'foo' in block 0; there is: bar, block"* ]]
    transcript TILE=16
    [[ $output == *'there is no tile 16; there are 16, from 0'* ]]
    transcript STEP=9
    [[ $output == *"there is no step or rung '9'; there is: 1 2 3 4 tile-counter"* ]]
    transcript BLOCK=-1
    [[ $output == *'BLOCK=-1: use a whole number'* ]]
    transcript ARGS='--n 0'
    [[ $output == *'nothing is launched'* ]]
    transcript ARGS='--n x'
    [[ $output == *"--n x"* ]]
}

@test "transcript: without a line, until the run ends or hangs" {
    transcript STEP=3 WITHOUT=flip
    [[ $output == *'wait'*'not yet x'*'Without flip the run ends so:'$'\n''deadlock'* ]]
    python3 tests/bats/transcript_check.py <<<"$output"
    transcript STEP=4 WITHOUT=expect
    [[ $output == *' -16'* && $output == *'ends so:'$'\n''deadlock'* ]]
    python3 tests/bats/transcript_check.py <<<"$output"
    transcript STEP=reuse WITHOUT=release-half
    [[ ! $output =~ :[0-9]+\ release-half && $output == *'ends so:'$'\n''PASS'* ]]
    ends=2 transcript STEP=3 WITHOUT=foo
    [[ $output == *"there is no 'foo' in clc_blocks; make break STEP=3 lists"* ]]
    ends=2 transcript STEP=1 WITHOUT=flip
    [[ $output == *'WITHOUT goes with STEP=3'* ]]
}

@test "show: files that are no trace" {
    source=step03_clc_blocks/clc_blocks.cu
    printf 'hello\n' >"$tmp/a"
    run -2 build/bin/show transcript "$tmp/a" $source
    [[ $output == "$tmp/a:1: this is no trace"* ]]
    printf '# trace 1, device tiny\n1\tread\n' >"$tmp/a"
    run -2 build/bin/show transcript "$tmp/a" $source
    [[ $output == "$tmp/a:2: not a line of a trace" ]]
    printf '# trace 1, device tiny\n1\tread' >"$tmp/a"
    run -2 build/bin/show transcript "$tmp/a" $source
    [[ $output == *'ends within a line'* ]]
    : >"$tmp/a"
    run -2 build/bin/show transcript "$tmp/a" $source
    [[ $output == *'the trace is empty'* ]]
    run -2 build/bin/show transcript "$tmp/none" $source
    [[ $output == *"$tmp/none: No such file"* ]]
    step3 --trace "$tmp/b" >/dev/null
    run -2 build/bin/show transcript "$tmp/b" "$tmp/none.cu"
    [[ $output == *"$tmp/none.cu: No such file"* ]]
    run -2 build/bin/show figure multicast "$tmp/b" $source
    [[ $output == 'multicast: the trace lacks '* ]]
    run -2 build/bin/show figure other "$tmp/b" $source
    run -2 build/bin/show
}

# --- timelines ----------------------------------------------------------------------

@test "timeline: a work that is none gets the names there are; make break and make claims read their variables" {
    run -2 env WORK=rowss tools/timeline.sh
    [[ $output == *"WORK=rowss: use light heavy mesh ramp zipf giant prompts rows rings counties, or a file"*"exit 2" ]]
    run -2 env WORK="a b" tools/timeline.sh
    run -2 env SEED=x STEP=3 WITHOUT=flip tools/break.sh
    [[ $output == "SEED=x: use "*"exit 2" ]]
    run -2 env DEVICE=x experiments/claims.sh
    [[ $output == "DEVICE=x: use "*"exit 2" ]]
}

@test "timeline: for every step a picture, and JSON in which every tile stands once" {
    command -v gnuplot >/dev/null || skip 'no gnuplot'
    run -0 tools/timeline.sh
    for name in fixed_work fixed_blocks tile-counter clc_blocks clc_clusters; do
        svg_is_fit build/timeline/$name.svg $name
        [ "$(head -c 8 build/timeline/$name.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
        python3 - $name <<'EOF'
import csv
import json
import sys
name = sys.argv[1]
events = json.load(open(f"build/timeline/{name}.json"))["traceEvents"]
rows = list(csv.DictReader(open(f"build/timeline/{name}.csv")))
boxes = [e for e in events if e["ph"] == "X"]
tiles = sorted(int(e["name"][5:]) for e in boxes if e["name"].startswith("tile "))
assert tiles == list(range(20)), tiles
assert len(boxes) == len(rows) and all(e["dur"] >= 0 and e["ts"] >= 0 for e in boxes)
named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
assert {(e["pid"], e["tid"]) for e in boxes} == named
for lane in named:      # one thing at a time on a slot
    ends = sorted((e["ts"], e["ts"] + e["dur"]) for e in boxes if (e["pid"], e["tid"]) == lane)
    assert all(a[1] <= b[0] + 1e-6 for a, b in zip(ends, ends[1:])), (lane, ends)
EOF
    done
}

@test "timeline: one step, other work; nonsense gets a sentence" {
    command -v gnuplot >/dev/null || skip 'no gnuplot'
    run -0 env STEP=3 WORK=prompts tools/timeline.sh
    [[ $output == *clc_blocks.svg* && $output != *fixed* ]]
    grep -q 'work llm_prompt_tokens.txt, emulated tiny' build/timeline/clc_blocks.svg
    run -2 env STEP=7 tools/timeline.sh
    [[ $output == *"there is no '7' to draw; there is: 1 2 3 4 tile-counter"* ]]
    run -2 env STEP=1 WORK="$tmp/none" tools/timeline.sh
    [[ $output == *"$tmp/none"* ]]
    printf '1\n2\nx\n' >"$tmp/work"
    run -2 env STEP=1 WORK="$tmp/work" tools/timeline.sh
    [[ $output == *"$tmp/work:3: 'x"* ]]
}

@test "timeline: while a high-priority kernel arrives" {
    command -v gnuplot >/dev/null || skip 'no gnuplot'
    run env ARGS='--urgent --units 400' tools/timeline.sh
    [ "$status" -ne 3 ] || skip "no nvcc"
    [ "$status" -eq 0 ]
    for name in fixed_work tile-counter guides-kernel; do
        svg_is_fit build/timeline/urgent-$name.svg urgent-$name
        grep -q '"cat":"urgent"' build/timeline/urgent-$name.json
    done
    run -3 env ARGS=--urgent BACKEND=gpu tools/timeline.sh
}

@test "timeline: a run that cannot be had is said once" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    run -3 env STEP=3 BACKEND=gpu GPU=97 tools/timeline.sh
    echo "$output"
    [ "$(grep -c '^exit 3$' <<<"$output")" -eq 1 ]
}

@test "timeline: without gnuplot a sentence names the package" {
    mkdir "$tmp/bin"
    for tool in sh sed awk tr dirname basename env mkdir cat rm find head tail grep; do ln -s "$(command -v $tool)" "$tmp/bin/$tool"; done
    run -3 env PATH="$tmp/bin" tools/timeline.sh
    [[ $output == *'there is no gnuplot'*'apt-get install gnuplot-nox'* ]]
}

# --- the book's pictures -----------------------------------------------------------------

@test "figures: every one is drawn from a run, and fit for a page" {
    command -v gnuplot >/dev/null || skip 'no gnuplot'
    rm -rf build/figures
    run -0 tools/figures.sh
    for name in mbarrier-phases result-gates request-overlap multicast tails preemption timeline-step01 timeline-step02 \
        timeline-step03 timeline-step04 timeline-counter; do
        svg_is_fit build/figures/$name.svg $name
        [ "$(wc -c <build/figures/$name.svg)" -lt 200000 ]
    done
    cp build/figures/result-gates.svg "$tmp/a"
    run -0 tools/figures.sh result-gates
    cmp "$tmp/a" build/figures/result-gates.svg
    run -2 tools/figures.sh none
    [[ $output == *"there is no 'none'; there is: mbarrier-phases"* ]]
}

@test "figures: the README's picture is what is drawn" {
    command -v gnuplot >/dev/null || skip 'no gnuplot'
    svg_is_fit tutorial/figures/tails.svg tails
    run tools/figures.sh --check tails
    [ "$status" -ne 3 ] || skip "another gnuplot"
    [ "$status" -eq 0 ]
}

@test "figures: the stored record of preemption is what the rungs do" {
    run tools/timeline/preemption.sh --check
    [ "$status" -ne 3 ] || skip "no nvcc"
    [ "$status" -eq 0 ]
    # Blocks of the urgent kernel, and where they ran, are told for each way.
    for file in tutorial/figures/preemption/*.csv; do
        [ "$(grep -c ',urgent$' "$file")" -eq 4 ]
        [ "$(grep -c ',arrival$' "$file")" -eq 1 ]
        [ "$(cut -d , -f 1 "$file" | grep -c '[0-9]')" -eq 40 ]
    done
}

@test "transcript: two at once give what one alone gives, and leave nothing behind" {
    cd "$ROOT"
    STEP=3 tools/transcript.sh >"$BATS_TEST_TMPDIR/alone"
    for i in 1 2 3; do STEP=3 tools/transcript.sh >"$BATS_TEST_TMPDIR/$i" 2>&1 & done
    wait
    for i in 1 2 3; do diff "$BATS_TEST_TMPDIR/alone" "$BATS_TEST_TMPDIR/$i"; done
    [ -z "$(find build/trace -name 'transcript.*')" ]
}
