#!/usr/bin/env bats
# What an instructor types: make grade-all, hidden tests, make handout.

load labs_common

@test "grade-all: a report and results.json each, grades.csv over all" {
    needs_nvcc
    submission ann
    submission bob
    sed -i 's/data\[i\] \*= 3/data[i] *= 2/' "$DIR/bob/L90-scale/scale.cu"
    mkdir -p "$DIR/eve/L90-scale"
    grade all "$DIR" --seed 1
    [ "$status" -eq 0 ]
    has '3 graded, 0 had been graded before, 0 could not be'
    local out=$WORK/grades/class
    diff <(cut -d , -f 1-6,8- "$out/grades.csv") - <<'CSV'
student,lab,score,of,by_hand,first_failure,exit,note
"ann",L90-scale,100,100,0,,0,"scale.cu is our solution; seed as bob"
"bob",L90-scale,30,100,0,values,1,"seed as ann"
"eve",L90-scale,0,100,0,compiles,1,""
CSV
    grep -q 'values are wrong' "$out/bob/L90-scale/report.txt"
    grep -q 'scale.cu is not there' "$out/eve/L90-scale/report.txt"
    python3 - "$out/bob/L90-scale/results.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["score"] == 30 and r["visibility"] == "visible" and r["execution_time"] >= 0, r
assert sum(t.get("score", 0) for t in r["tests"]) == 30
assert sum(t.get("max_score", 0) for t in r["tests"]) == 100
for t in r["tests"]:
    assert set(t) <= {"score", "max_score", "status", "name", "number", "output", "visibility"}, t
    assert t.get("status", "passed") in ("passed", "failed")
PY
}

@test "grade-all: nothing is graded twice, unless it or the tests have changed" {
    needs_nvcc
    submission ann
    submission bob
    grade all "$DIR" --seed 1
    has '2 graded, 0 had been'
    grade all "$DIR" --seed 1
    has '0 graded, 2 had been'
    echo '// changed' >>"$DIR/bob/L90-scale/scale.cu"
    grade all "$DIR" --seed 1
    has '1 graded, 1 had been'
    grade all "$DIR" --seed 2
    has '2 graded, 0 had been'
    printf 'torn' >"$WORK/grades/class/ann/L90-scale/done"
    grade all "$DIR"
    has '1 graded, 1 had been'
}

@test "grade-all: twenty submissions, killed in between, are all there in the end, none graded twice" {
    needs_nvcc
    submission s01
    local i out=$WORK/grades/class
    for i in $(seq -w 2 20); do cp -r "$DIR/s01" "$DIR/s$i"; done
    grade_only run 90 --folder "$DIR/s01/L90-scale" >/dev/null # compiled once
    setsid build/bin/grade --labs tests/labs/fixture --work "$WORK" all "$DIR" --seed 1 --jobs 2 >"$BATS_TEST_TMPDIR/log" 2>&1 &
    local pid=$!
    for i in $(seq 300); do
        if [ "$(grep -c ' 100/100' "$BATS_TEST_TMPDIR/log")" -ge 3 ]; then break; fi
        sleep 0.1
    done
    kill -9 $pid
    wait $pid || true
    local graded
    graded=$(find "$out" -name 'done' | wc -l)
    echo "graded when killed: $graded"
    [ "$graded" -ge 3 ]
    [ "$graded" -lt 20 ]
    [ ! -e "$out/grades.csv" ]
    find "$out" -name 'done' -exec stat -c '%n %Y %i' {} + | sort >"$BATS_TEST_TMPDIR/before"
    grade all "$DIR" --seed 1
    [ "$status" -eq 0 ]
    echo "$output" | grep -qE '^[0-9]+ graded, [0-9]+ had been graded before, 0 could not be$'
    [ "$(echo "$output" | sed -nE 's/^([0-9]+) graded, ([0-9]+) had.*/\1 \2/p' | awk '{ print $1 + $2 }')" = 20 ]
    [ "$(grep -c ',100,100,' "$out/grades.csv")" = 20 ]
    find "$out" -name 'done' -exec stat -c '%n %Y %i' {} + | sort >"$BATS_TEST_TMPDIR/after"
    [ "$(comm -12 "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after" | wc -l)" = "$(wc -l <"$BATS_TEST_TMPDIR/before")" ]
    [ -z "$(find "$out" -name '*.part')" ]
}

@test "grade-all: what a killed run left half written is swept away; what is somebody's at work stays" {
    needs_nvcc
    submission ann
    local out=$WORK/grades/class gone
    mkdir -p "$out/ann/L90-scale" build/labs/ptx
    sleep 0 &
    gone=$!
    wait
    touch "$out/grades.csv.$gone.part" "$out/ann/L90-scale/done.$gone.part" "$out/ann/L90-scale/done.$$.part" "build/labs/ptx/test.ptx.$gone.part"
    grade all "$DIR" --seed 1
    [ "$(find "$out" -name '*.part')" = "$out/ann/L90-scale/done.$$.part" ]
    [ ! -e "build/labs/ptx/test.ptx.$gone.part" ]
}

@test "grade-all: odd names of students, links, and files among the folders" {
    needs_nvcc
    submission ann
    mv "$DIR/ann" "$DIR/=cmd(), \"x\""
    cp -r "$DIR/=cmd(), \"x\"" "$DIR/"$'a\nb'
    cp -r "$DIR/a"$'\nb' "$DIR/"$'\377\302\233z'
    ln -s "$DIR/=cmd(), \"x\"" "$DIR/link"
    touch "$DIR/notes.txt"
    grade all "$DIR" --seed 1
    [ "$status" -eq 0 ]
    has '3 graded'
    has 'note: 2 in '"$DIR"' hold no folder of a lab and were passed over: link, notes.txt'
    hasnt $'\302\233'
    has '__z-'
    grep -qF "\"'=cmd(), \"\"x\"\"\",L90-scale,100" "$WORK/grades/class/grades.csv"
    python3 -c 'import csv, sys; rows = list(csv.reader(open(sys.argv[1], newline=""))); assert len(rows) == 4 and all(len(r) == 9 for r in rows), rows' \
        "$WORK/grades/class/grades.csv"
}

@test "grade-all: one lab only; who handed in nothing gets 0; no submissions are a sentence" {
    needs_nvcc
    submission ann
    mv "$DIR"/ann/L90-scale/* "$DIR/ann"
    rmdir "$DIR/ann/L90-scale"
    mkdir "$DIR/zoe"
    grade all "$DIR" --lab 90 --seed 1
    grep -q '^"ann",L90-scale,100,' "$WORK/grades/class/grades.csv"
    grep -q '^"zoe",L90-scale,0,100,0,not handed in,' "$WORK/grades/class/grades.csv"
    mkdir "$BATS_TEST_TMPDIR/empty"
    grade all "$BATS_TEST_TMPDIR/empty"
    [ "$status" -eq 2 ]
    has 'holds no STUDENT/L3-steal folder'
    grade all
    [ "$status" -eq 2 ]
    has 'make grade-all DIR=submissions'
}

@test "grade-all: what is alike is noted, without comments and blanks; a skeleton is like nobody's" {
    needs_nvcc
    local one
    for one in ann bob cid dan; do submission $one; done
    for one in ann bob; do sed -i 's/data\[i\] \*= 3/data[i] = 3 * data[i]/' "$DIR/$one/L90-scale/scale.cu"; done
    sed -i 's,$,  // mine,' "$DIR/bob/L90-scale/scale.cu"
    grade_only cut tests/labs/fixture/instructor/L90-scale/scale.cu skeleton | tee "$DIR/cid/L90-scale/scale.cu" >"$DIR/dan/L90-scale/scale.cu"
    for one in bob:8 cid:9 dan:10; do echo ${one#*:} >"$DIR/${one%:*}/L90-scale/seed"; done
    grade all "$DIR" --seed 1
    has 'note: 2 have something in common'
    diff <(tail -n +2 "$WORK/grades/class/grades.csv" | cut -d , -f 1,9-) - <<'CSV'
"ann","scale.cu as bob"
"bob","scale.cu as ann"
"cid",""
"dan",""
CSV
    echo 7 | tee "$DIR"/{bob,cid,dan}/L90-scale/seed >/dev/null
    mkdir -p "$BATS_TEST_TMPDIR/hidden"
    printf 'student\tseed\ndan\t7\n' >"$BATS_TEST_TMPDIR/hidden/seeds.tsv"
    grade all "$DIR" --seed 1 --hidden "$BATS_TEST_TMPDIR/hidden"
    grep -q '^"cid",.*,"seed as ann, bob"$' "$WORK/grades/class/grades.csv"
    grep -q '^"dan",.*,""$' "$WORK/grades/class/grades.csv"
}

@test "grade-all: two runs into one folder: the second says so" {
    needs_nvcc
    submission ann
    mkdir -p "$WORK/grades/class"
    exec 9>"$WORK/grades/class/.lock"
    flock 9
    run timeout 20 build/bin/grade --labs tests/labs/fixture --work "$WORK" all "$DIR" 9>&-
    [ "$status" -eq 3 ]
    has 'another run is grading into'
}

@test "hidden: rows are added and replaced, seeds and marks come from there" {
    needs_nvcc
    submission ann
    local hidden=$BATS_TEST_TMPDIR/hidden
    mkdir -p "$hidden/L90-scale"
    echo 'nobody knows' >"$hidden/seed"
    printf 'student\tseed\nann\t7\n' >"$hidden/seeds.tsv"
    printf 'student\tlab\tid\tpoints\nann\tL90-scale\tessay\t8\n' >"$hidden/marks.tsv"
    printf 'id\tpoints\tneeds\tkind\targuments\ttext\nessay\t10\t-\tmanual\t-\twhat you learned\nsecret\t15\t-\trun\tfile=scale.cu launch=mine.launch in.n=129\ta secret size\n' \
        >"$hidden/L90-scale/tests.tsv"
    sed 's/BLOCKS/BLOCKS/' tests/labs/fixture/instructor/L90-scale/scale.launch >"$hidden/L90-scale/mine.launch"
    rm "$DIR/ann/L90-scale/seed"
    grade all "$DIR" --hidden "$hidden" --seed 1
    [ "$status" -eq 0 ]
    grep -q '^"ann",L90-scale,123,125,0,essay,' "$WORK/grades/class/grades.csv"
    grep -q '"number": "secret", "score": 15, "max_score": 15, "status": "passed", "visibility": "hidden"' \
        "$WORK/grades/class/ann/L90-scale/results.json"
    printf 'student\tlab\tid\tpoints\nann\tL90-scale\tessay\tgood\n' >"$hidden/marks.tsv"
    grade all "$DIR" --hidden "$hidden" --seed 1
    has 'marks.tsv:2: want student, lab, id, points'
}

@test "handout: an archive that hands out and grades, without a solution in it" {
    needs_nvcc
    git -C "$ROOT" rev-parse >/dev/null 2>&1 || skip "no clone"
    labs/grader/handout.sh "$BATS_TEST_TMPDIR/handout.tar.gz"
    tar -xzf "$BATS_TEST_TMPDIR/handout.tar.gz" -C "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR/clc-labs"
    [ -f labs/HANDOUT ]
    [ ! -e labs/INSTRUCTORS.md ]
    [ ! -e tests/labs/wrong ]
    [ -z "$(find labs/instructor -name solution -o -name want.csv)" ]
    local file
    for file in labs/instructor/L*/*.cu; do # nothing between [solution] and [skeleton]
        [ -z "$(awk '/\[skeleton\]/ { inside = 0 } inside { print } /\[solution\]/ { inside = 1 }' "$file")" ] || { echo "$file"; return 1; }
    done
    mkdir -p build
    cp -r "$ROOT"/build/bin "$ROOT"/build/lib build
    run build/bin/grade lab 3
    [ "$status" -eq 0 ]
    cmp labs/work/L3-steal/steal.cu <("$ROOT/build/bin/grade" cut "$ROOT/labs/instructor/L3-steal/steal.cu" skeleton)
    run build/bin/grade run 3
    [ "$status" -eq 1 ]
    run build/bin/grade solution 3 --force
    [ "$status" -eq 2 ]
    has 'handed out without solutions'
    run build/bin/grade lab 4
    run build/bin/grade run 4
    has 'by hand'
}

@test "grade-all: a machine without a compiler ends with 3, as grade does" {
    submission ann
    PATH=/usr/bin:/bin CUDA_HOME='' CUDA_PATH='' DETECT_ROOT=/nonexistent TOOLKIT_DIR=/nonexistent grade all "$DIR" --seed 1
    [ "$status" -eq 3 ]
    has 'make toolkit'
    has '1 could not be'
    grep -qx '"ann",L90-scale,,,,not graded,,3,.*' "$WORK/grades/class/grades.csv"
}
