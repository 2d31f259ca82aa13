# shellcheck shell=bash
# For tests of steps 3 and 4: programs, and running one many times with one thing changed.
load steps_common

BLOCKS=build/step03_clc_blocks/clc_blocks.emu
CLUSTERS=build/step04_clc_clusters/clc_clusters.emu
VARIANTS3=build/step03_clc_blocks/variants
VARIANTS4=build/step04_clc_clusters/variants
H200=build/tests/bats/clc # the same programs for the emulated H200, made by for_h200

variant() { # FOLDER NAME
    echo "$1/$2/$2.emu"
}

# right PROGRAM OPTION...: exit 0, and PASS on a line of its own. Leaves the output in $output.
right() {
    local code=0
    output=$(timeout 300 "$@" 2>&1) || code=$?
    [ "$code" -eq 0 ] && [[ $output == *PASS* ]] && return
    echo "$* ($(env | grep '^EMU_' | tr '\n' ' ')): exit $code" && echo "$output"
    return 1
}

# stolen: how many tiles the run in $output stole
stolen() { sed -n 's/^stolen \([0-9]*\) of.*/\1/p' <<<"$output"; }

for_h200() { # SOURCE...
    mkdir -p "$H200"
    local source
    for source; do
        EMU_DEVICE=h200 emulator/bin/nvcc-emu -O3 -std=c++17 -I. "$source" build/lib/libcommon.a \
            -o "$H200/$(basename "$source" .cu)" || return
    done
}
