#!/usr/bin/env bats
# tools/toolkit.sh with tiny wheels made here, from a local folder: no registry is asked.

load root

setup() {
    dir=$BATS_TEST_TMPDIR/toolkit
    list=$BATS_TEST_TMPDIR/list.txt
    export TOOLKIT_WHEELS=$BATS_TEST_TMPDIR/wheels
    mkdir -p "$TOOLKIT_WHEELS"
    printf 'tiny-nvcc==1.0\ntiny-headers==1.0\n' >"$list"
    wheel tiny_headers nvidia/cu13/include/cuda.h '// a header'
    wheel tiny_nvcc nvidia/cu13/bin/nvcc '#!/bin/sh
case $1 in
--version) echo "Cuda compilation tools, release 13.0, V13.0.88" ;;
*) while [ "$1" != -o ]; do shift; done; echo built >"$2" ;;
esac'
}

wheel() { # NAME FILE TEXT: a wheel of version 1.0 with one executable file
    python3 - "$TOOLKIT_WHEELS" "$@" <<'PY'
import sys, zipfile
folder, name, path, text = sys.argv[1:]
info = f"{name}-1.0.dist-info"
files = {
    path: text,
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in files) + f"{info}/RECORD,,\n"
with zipfile.ZipFile(f"{folder}/{name}-1.0-py3-none-any.whl", "w") as out:
    for file, content in files.items():
        entry = zipfile.ZipInfo(file)
        entry.external_attr = 0o100755 << 16
        out.writestr(entry, content)
PY
}

toolkit() { run "$ROOT/tools/toolkit.sh" "$list" "$dir"; }

@test "toolkit: packages become one folder with nvcc in it" {
    toolkit
    echo "$output"
    [ "$status" -eq 0 ]
    [ -x "$dir/bin/nvcc" ]
    [ -f "$dir/include/cuda.h" ]
    [ ! -e "$dir.new" ]
    [ -d "$dir/licenses/tiny_nvcc-1.0.dist-info" ]
    [ "${lines[-1]}" = "Next: make run" ]
}

@test "toolkit: without a terminal no progress is drawn" {
    toolkit
    [[ $output != *$'\r'* ]]
}

@test "toolkit: on a terminal a line tells how much has come" {
    run script -qec "$ROOT/tools/toolkit.sh $list $dir" /dev/null
    [[ $output == *$'\r'*MB*$'\r'* ]]
}

@test "toolkit: a second time it is there already; another list fetches again" {
    toolkit
    toolkit
    [[ $output == *"is there already"* ]]
    echo "# another" >>"$list"
    toolkit
    [[ $output == *"is ready"* ]]
}

@test "toolkit: a missing package ends with a sentence and 3, and leaves nothing" {
    rm "$TOOLKIT_WHEELS"/tiny_headers*
    toolkit
    [ "$status" -eq 3 ]
    [[ ${lines[-2]} == "make toolkit: pip could not fetch the packages of"* ]]
    [ "${lines[-1]}" = "exit 3" ]
    [ ! -e "$dir" ]
    [ ! -e "$dir.new" ]
}

@test "toolkit: a compiler that cannot compile ends with a sentence and 3, and leaves nothing" {
    wheel tiny_nvcc nvidia/cu13/bin/nvcc '#!/bin/sh
echo "error: no host compiler"; exit 1'
    toolkit
    [ "$status" -eq 3 ]
    [[ $output == *"error: no host compiler"*"cannot compile a small kernel"* ]]
    [ ! -e "$dir" ]
    [ ! -e "$dir.new" ]
}

@test "toolkit: no pip, and a system without a compiler, are said" {
    load fakes
    fake_machine
    run on_machine "$ROOT/tools/toolkit.sh" "$list" "$dir"
    [ "$status" -eq 3 ]
    [ "$output" = "make toolkit: pip is missing: sudo apt-get install python3-pip"$'\n'"exit 3" ]
    rm "$BIN/uname"
    program "$BIN/uname" <<<'echo Darwin'
    run on_machine "$ROOT/tools/toolkit.sh" "$list" "$dir"
    [ "$status" -eq 3 ]
    [[ $output == *"no compiler for Darwin"* ]]
}
