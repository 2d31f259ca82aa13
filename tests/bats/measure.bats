# What measures: make compare and its neighbours. Forms, odd input, closure, determinism; never a time or a number of steals.
load clc_common
load root

setup_file() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] || [ -x build/toolkit/bin/nvcc ] || export NO_NVCC=1
    [ -n "${NO_NVCC:-}" ] || BACKEND=emulator tools/run.sh --build experiments/compare
}

setup() {
    [ -z "${NO_NVCC:-}" ] || skip "no nvcc"
    tmp=$BATS_TEST_TMPDIR
    compare=build/experiments/compare/compare.emu
    export EMU_CHECK=0 BACKEND=emulator EMU_DEVICE=tiny
}

@test "measure: the table has a row for every way, its figures close" {
    export EMU_DEVICE=b200 # a cluster of two fits there beside others
    run $compare --work rows --units 20 --json "$tmp/rows.json"
    is "$status" 0
    for way in "1 fixed work" "2 fixed blocks" "tile counter" "3 CLC, blocks" "4 CLC, clusters of 2"; do
        has "$output" "$way"
    done
    python3 - "$tmp/rows.json" <<'END'
import json, sys
t = json.load(open(sys.argv[1]))
assert [w["way"] for w in t["ways"]] == ["step01", "step02", "counter", "step03", "step04"]
assert t["tiles"] == 7116 and t["emulated"]
for w in t["ways"]:
    assert w["time"]["median"] >= t["bound"], w
    assert w["busiest"] >= 1 and 0 <= w["prologue_share"] < 1, w
    # Every tile is done in a block of its own, or stolen.
    assert w["way"][:6] not in ("step01", "step03", "step04") or w["prologues"] + w["stolen"] == t["tiles"], w
    assert w["refused"] == {"step03": w["prologues"], "step04": w["prologues"] // 2}.get(w["way"], 0), w
END
}

@test "measure: the same run twice gives the same table, byte for byte" {
    $compare --work zipf --units 100 >"$tmp/1"
    $compare --work zipf --units 100 >"$tmp/2"
    cmp "$tmp/1" "$tmp/2"
}

@test "measure: the checker has nothing to say" {
    EMU_CHECK=1 run $compare --work "$(printf '%s\n' 3 0 9 1 1 5 7 2 >"$tmp/eight.txt" && echo "$tmp/eight.txt")" --units 1
    is "$status" 0
    [[ $output != *"["* ]]
}

@test "measure: odd input is refused in a sentence" {
    refused_with() { # SENTENCE OPTION...
        local sentence=$1
        shift
        run $compare "$@"
        is "$status" 2
        is "$output" "compare: $sentence"
    }
    : >"$tmp/empty"
    refused_with "$tmp/empty:1: the file is empty; a work file has a whole number a line" --work "$tmp/empty"
    printf '5\n-5\n' >"$tmp/negative"
    refused_with "$tmp/negative:2: '-5' is not a whole number from 0 to 4294967295" --work "$tmp/negative"
    printf '# sizes\nmany\n' >"$tmp/text"
    refused_with "$tmp/text:2: 'many' is not a whole number from 0 to 4294967295" --work "$tmp/text"
    seq 10000000 >"$tmp/long"
    refused_with "$tmp/long:4194305: more than 4194304 numbers; of so many tiles nobody can keep a record" --work "$tmp/long"
    seq 1048577 >"$tmp/long"
    refused_with "$tmp/long: 1048577 numbers; 1048576 tiles at most are compared" --work "$tmp/long"
    refused_with "--units 0: not a whole number from 1 to 1000000" --units 0
    refused_with "--size: no such option here; --help lists them" --size 3
    refused_with "--units: N is missing after it" --units
    refused_with "--ways step03,none: not a list of step01,step02,counter,step03,step04, each once" --ways step03,none
    refused_with "--slots 30: emulated tiny does not hold so many blocks of 32 threads on an SM" --slots 30
}

@test "measure: the programs list their options, and --ways picks" {
    run $compare --help
    is "$status" 0
    has "$output" "--waits"
    run $compare --work light --ways counter,step01
    is "$status" 0
    is "$(grep -cE '^(tile counter|[1-4] )' <<<"$output")" 2
}

@test "measure: a work without any units is compared too" {
    printf '0\n0\n0\n' >"$tmp/nothing"
    run $compare --work "$tmp/nothing" --json "$tmp/nothing.json"
    is "$status" 0
    [[ "$output" != *inf* && "$output" != *nan* ]]
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["ways"][0]["over_bound"] is None' "$tmp/nothing.json"
}

@test "measure: odd names and bytes in WORK" {
    printf '3\n4\n' >"$tmp/o'brien"
    mkdir "$tmp/other"
    cp "$tmp/o'brien" "$tmp/other"
    run env -u EMU_DEVICE DEVICE=tiny COMPARE_OUT="$tmp/out" WORK="$tmp/o'brien" make -s compare
    is "$status" 0
    has "$output" "tile counter"
    run env -u EMU_DEVICE DEVICE=tiny COMPARE_OUT="$tmp/out" WORK="$tmp/o'brien $tmp/other/o'brien" make -s compare
    [ "$status" -ne 0 ]
    has "$output" "two of these are called o'brien"
    run env -u EMU_DEVICE DEVICE=tiny COMPARE_OUT="$tmp/out" WORK="$tmp/o*" make -s compare
    [ "$status" -ne 0 ]
    has "$output" "o*: cannot be opened"
    printf '\033[31m\377\n' >"$tmp/bytes"
    run env -u EMU_DEVICE DEVICE=tiny COMPARE_OUT="$tmp/out" WORK="$tmp/bytes" make -s compare
    [ "$status" -ne 0 ]
    has "$output" "'?[31m?' is not a whole number"
}

@test "measure: a pipe as a work is refused, and a work that is none gets the names there are" {
    mkfifo "$tmp/pipe"
    run timeout 20 $compare --work "$tmp/pipe"
    is "$status" 2
    has "$output" "$tmp/pipe: is a pipe; --work takes light, heavy, mesh, ramp, zipf, giant, prompts, rows, rings, counties or a file"
    run $compare --work heavyy
    is "$status" 2
    has "$output" "heavyy: cannot be opened: No such file or directory; --work takes light, heavy, mesh"
}

@test "measure: an interrupted comparison leaves nothing behind" {
    mkdir "$tmp/out"
    echo old >"$tmp/out/compare.txt"
    env -u EMU_DEVICE COMPARE_OUT="$tmp/out" WORK="rows counties" setsid experiments/compare.sh --units 1000000 >"$tmp/said" 2>&1 &
    for _ in {1..200}; do ls "$tmp"/out/parts.*/*.txt >/dev/null 2>&1 && break || sleep 0.1; done
    status=0
    kill -TERM -- -$!
    wait $! || status=$?
    is "$status" 130
    is "$(ls "$tmp/out")" ""
}

@test "measure: make compare writes text and JSON, and says what comes next" {
    run env -u EMU_DEVICE DEVICE=tiny COMPARE_OUT="$tmp/out" WORK="light giant" make -s compare ARGS=
    is "$status" 0
    has "$output" "emulated tiny"
    has "$output" "Times are model cycles"
    has "$output" "Next: make compare"
    python3 -c 'import json, sys; assert [w["work"] for w in json.load(open(sys.argv[1]))] == ["light", "giant"]' \
        "$tmp/out/compare.json"
    run env -u EMU_DEVICE DEVICE=tiny COMPARE_OUT="$tmp/out" WORK="$tmp/none" make -s compare
    [ "$status" -ne 0 ]
    has "$output" "$tmp/none: cannot be opened"
    has "$output" "exit 2"
}

@test "measure: one warp that a long tile took apart meets again at the next barrier" {
    [ -x build/step03_clc_blocks/clc_blocks.emu ] || BACKEND=emulator tools/run.sh --build step03_clc_blocks
    EMU_CHECK=1 EMU_DEVICE=b200 run build/step03_clc_blocks/clc_blocks.emu --block 32 --n 160000 --units 1500 --work giant
    is "$status" 0
}

@test "measure: bench and report say in a sentence that there is no GPU, and leave with 3" {
    for what in bench report; do
        run env -u BACKEND CUDA_VISIBLE_DEVICES= experiments/$what.sh "$tmp/out"
        is "$status" 3
        has "$output" "there is none it could use"
        has "$output" "exit 3"
        [ ! -e "$tmp/out" ]
    done
}

@test "measure: the report has its form on the emulator" {
    run env -u EMU_DEVICE DEVICE=tiny WORK=light COMPARE_OUT="$tmp/compare" ARGS="--n 640 --block 32" experiments/report.sh "$tmp/out"
    is "$status" 0
    for word in "==== the steps" "PASS clc_clusters" "==== the comparison"; do
        has "$(cat "$tmp/out/report.txt")" "$word"
    done
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["mode"] == "emulator"' "$tmp/out/report.json"
}

@test "measure: every claim has five columns, an id of its own, and a command" {
    awk -F '\t' 'NF != 5 { print; bad = 1 } NR > 1 && $2 !~ /^(emulator|nvcc|gpu)$/ { print; bad = 1 }
        NR > 1 && $5 !~ /^(match|awk|figures) / { print; bad = 1 } seen[$1]++ { print; bad = 1 } END { exit bad }' experiments/claims.tsv
    run experiments/claims.sh no-such-claim
    is "$status" 2
    has "$output" "there is no claim no-such-claim"
}

@test "measure: a claim that holds, one that needs a GPU, one that does not hold" {
    run env -u EMU_DEVICE experiments/claims.sh fixed-work-prologues h200-waits
    is "$status" 0
    has "$output" "holds"
    has "$output" "needs a GPU"
    cp -r experiments "$tmp/experiments"
    awk -F '\t' 'BEGIN { OFS = FS } { sub(/ran in 20 of 20/, "ran in 3 of 20", $5); print }' experiments/claims.tsv >"$tmp/experiments/claims.tsv"
    ln -s "$ROOT"/* "$tmp" 2>/dev/null || true
    run env -u EMU_DEVICE sh "$tmp/experiments/claims.sh" fixed-work-prologues
    is "$status" 1
    has "$output" "does not hold here"
}

@test "measure: without python3 a claim about figures is not called wrong" {
    mkdir "$tmp/bin"
    for tool in sh cat cut dirname grep head mkdir rm sed sort tail tr readlink ls cksum printf env; do ln -s "$(type -P $tool)" "$tmp/bin"; done
    run env -u EMU_DEVICE PATH="$tmp/bin" experiments/claims.sh h200-waits
    is "$status" 0
    has "$output" "recorded; python3 would compare the figures"
}

@test "measure: figures are compared as the claim says" {
    echo '{"work": "light", "ways": [{"way": "step01", "time": {"median": 5}}, {"way": "step02", "time": {"median": 2}}]}' >"$tmp/f.json"
    python3 tools/measured.py holds "$tmp/f.json" "light.step01.time > 2 * light.step02.time and light.step02.time < 3"
    run python3 tools/measured.py holds "$tmp/f.json" "light.step01.time < light.step02.time"
    is "$status" 1
    run python3 tools/measured.py holds "$tmp/f.json" "light.step03.time < 1"
    is "$status" 1
    has "$output" "there is no figure light.step03.time"
}

@test "measure: a request ahead of the work keeps a tile behind the giant, one after the work does not" {
    run env -u EMU_DEVICE experiments/reserve.sh
    is "$status" 0
    [[ $output =~ giant\ +before\ the\ work\ +[0-9]+\ +tile\ [0-9]+ ]]
    [[ $output =~ giant\ +after\ the\ work\ +[0-9]+\ +- ]]
}

@test "measure: the recorded tables are what the recorded figures give" {
    python3 tools/measured.py bench experiments/results/h200/bench.json | cmp - experiments/results/h200/bench.md
    python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["alone"], sys.stdout)' \
        experiments/results/h200/bench.json >"$tmp/same.json"
    run python3 tools/measured.py model experiments/results/h200/bench.json "$tmp/same.json" # a perfect prediction
    is "$status" 0
    has "$output" "0 of 21 miss by more than 10 %, the worst by 0.0 %"
    [[ $output != *NOT* ]]
}

@test "measure: what was recorded on the H200 holds" {
    run env -u EMU_DEVICE experiments/claims.sh h200-bandwidth h200-light-loses h200-waits h200-model h200-fence-shapes
    is "$status" 0
    [[ $output != *"does not hold"* ]]
    is "$(grep -c 'holds' <<<"$output")" 5
}
