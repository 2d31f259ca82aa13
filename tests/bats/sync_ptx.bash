# Small kernels written in PTX, for the tests of the synchronising instructions.
#
#   kernel [LAUNCH LINE]... <<'P'    body of a kernel; its module is written and run
# The body finds predicates p0-p7, registers r0-r15 (32 bits), d0-d15 (64), h0-h3 (16), q0-q3 (128), shared memory bar, bar2 (8
# bytes each), slot, slot2 (16 each) and room (256), the global array `out` of 64 words in d0, its thread in r0.
# A body that finds something wrong traps. Launch lines replace `grid 1`, `block 32`.

# shellcheck disable=SC2154  # status and output come from run
kernel() {
    local dir=$BATS_TEST_TMPDIR target=${TARGET:-sm_100a} line grid='grid 1' block='block 32' more=''
    for line; do
        case $line in
            grid*) grid=$line ;;
            block*) block=$line ;;
            *) more+=$line$'\n' ;;
        esac
    done
    {
        printf '.version 9.0\n.target %s\n.address_size 64\n' "$target"
        printf '.visible .entry k(.param .u64 p_out)\n{\n'
        printf '.reg .pred p<8>;\n.reg .b32 r<16>;\n.reg .b64 d<16>;\n.reg .b16 h<4>;\n.reg .b128 q<4>;\n'
        printf '.shared .align 8 .b8 bar[8];\n.shared .align 8 .b8 bar2[8];\n.shared .align 16 .b8 slot[16];\n'
        printf '.shared .align 16 .b8 slot2[16];\n.shared .align 16 .b8 room[256];\n'
        printf 'ld.param.u64 d0, [p_out];\ncvta.to.global.u64 d0, d0;\nmov.u32 r0, %%tid.x;\n'
        cat
        printf 'ret;\n}\n'
    } >"$dir/k.ptx"
    printf 'kernel k\n%s\n%s\n%sbuffer out u32 64 zero\narg buffer out\n' "$grid" "$block" "$more" >"$dir/k.launch"
    run timeout 60 "$ROOT/build/bin/emu-run" "$dir/k.ptx" --launch "$dir/k.launch"
    echo "$output"
}

# shellcheck disable=SC2154
passes() { [ "$status" -eq 0 ]; }

# stops CODE TEXT...: the exit code, and each text somewhere in what was printed.
# shellcheck disable=SC2154
stops() {
    [ "$status" -eq "$1" ] || { echo "exit $status, want $1"; return 1; }
    shift
    local text
    for text; do
        [[ $output == *"$text"* ]] || { echo "missing: $text"; return 1; }
    done
}
