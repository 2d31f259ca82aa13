# Runs one broken kernel of tests/mutants/mutants.tsv. Sourced by tools/break.sh and tests/mutants/run.sh.
#   mutant_find KEY MUTANT     sets file, kernel, change, shows, rules, why; false: there is none
#   mutant_stored           prints the PTX with the broken forms of `file`; false: they are compiled when they are tested
#   mutant_rungs            prints the keys of the ladder's rungs
#   mutant_launch DIR          writes DIR/KERNEL.launch for it: 40 tiles of 64 floats, all 1, times 3
#   mutant_run PTX TRY         try number TRY (0: lowest first; others: seeds, some with refusals); sets options,
#                              status, symptom (right wrong hang), ids (rules that were reported, in order;
#                              `memory`: outside of every allocation or never written;
#                              `values`: only the result was wrong)
# wrong: values are wrong, or the machine stopped where nothing right could follow, as after one arrival too many.
# Output of the run is in DIR/KERNEL.out. EMU_CHECK says whether the checker listens.
# shellcheck shell=sh disable=SC2034 # the variables are for whoever sources this

mutant_emu=${EMU_RUN:-build/bin/emu-run}

mutant_source() { # KEY: sets file, words, args
    file=$(awk -F '\t' -v key="$1" '$1 == key { print $2 }' tests/mutants/sources.tsv)
    words=$(awk -F '\t' -v key="$1" '$1 == key { print $3 }' tests/mutants/sources.tsv)
    args=$(awk -F '\t' -v key="$1" '$1 == key { print $4 }' tests/mutants/sources.tsv)
    [ -n "$file" ]
}

mutant_stored() {
    case $file in
    step0*/variants/*) return 1 ;;
    step0*) echo "${file%/*}/broken.ptx" ;;
    tutorial/rungs/*) echo tutorial/rungs/broken.ptx ;;
    *) return 1 ;;
    esac
}

mutant_rungs() { awk -F '\t' '$2 ~ /^tutorial\/rungs/ { printf " %s", $1 }' tests/mutants/sources.tsv; }

mutant_field() { # KEY MUTANT COLUMN
    awk -F '\t' -v key="$1" -v mutant="$2" -v column="$3" '$1 == key && $2 == mutant { print $column }' tests/mutants/mutants.tsv
}

mutant_find() { # KEY MUTANT
    mutant_source "$1" || return 1
    shows=$(mutant_field "$1" "$2" 5)
    [ -n "$shows" ] || return 1
    change=$(mutant_field "$1" "$2" 4) rules=$(mutant_field "$1" "$2" 6) why=$(mutant_field "$1" "$2" 7)
    kernel=$(sed -n 's/.*__global__ void \(kernel_[a-z0-9_]*\)(.*/\1/p' "$file" | head -n 1)__$(echo "$2" | tr - _)
}

mutant_put() { # FILE: standard input, at once; another run may be reading the file
    cat >"$1.$$" && mv "$1.$$" "$1"
}

mutant_launch() { # DIR
    dir=$1 out=$1/$kernel.out n=2547
    cluster=$(echo "$words" | sed -n 's/.*cluster //p')
    mkdir -p "$dir"
    {
        echo "kernel $kernel"
        echo "$words" | sed 's/ block/\nblock/; s/ cluster/\ncluster/'
        printf 'buffer data f32 %d fill 1\n' $n
        # `work` of tools/mutate.py: alpha, 0.5, 1, and what a tile costs
        # shellcheck disable=SC2016 # for emu-run
        echo 'symbol work struct { f32 3; f32 0.5; f32 1; u32 ${UNITS} }'
        printf 'arg buffer data\narg s64 %d\n' $n
        for argument in $args; do mutant_argument "$argument"; done
        echo "expect data $dir/threes.npy"
    } | mutant_put "$dir/$kernel.launch"
    [ -f "$dir/threes.npy" ] || mutant_array f4 $n '\\000\\000\\100\\100' | mutant_put "$dir/threes.npy"
}

mutant_argument() { # WORD of the column args
    case $1 in
    pool) echo 'arg struct { u64 0; u64 0 }' ;;
    tiles) echo 'arg s32 40' ;;
    last) echo "arg s32 $((40 / ${cluster:-1}))" ;;
    next) printf 'buffer next u32 1 zero\narg buffer next\n' ;;
    records)
        printf 'buffer records %s\narg buffer records\n' "$dir/records${cluster:-1}.npy"
        mutant_records "${cluster:-1}" | mutant_put "$dir/records${cluster:-1}.npy"
        ;;
    esac
}

mutant_header() { # TYPE COUNT: of an .npy file
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<$1', 'fortran_order': False, 'shape': ($2,), }"
}

mutant_array() { # TYPE COUNT BYTES: so many elements, all the same
    mutant_header "$1" "$2"
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) print "" }' | sed "s/\$/$3/" | tr -d '\n' | xargs -0 printf
}

# A record for each cluster of tiles: its first tile, 0, 0, 1; and the last one, all zero (common/record.h).
mutant_records() { # CLUSTER
    mutant_header u4 $(((40 / $1 + 1) * 4))
    awk -v step="$1" 'BEGIN {
        zeros = "\\000\\000\\000"
        for (k = 0; k < 40; k += step) printf "\\%03o%s\\000%s\\000%s\\001%s", k, zeros, zeros, zeros, zeros
        for (i = 0; i < 4; i++) printf "\\000%s", zeros }' | xargs -0 printf
}

mutant_run() { # PTX TRY
    options="--set UNITS=$(echo 2 400 60 | cut -d ' ' -f $(($2 % 3 + 1)))" # tiles shorter and longer than an answer takes
    [ "$2" -eq 0 ] || options="$options --seed $2"
    [ $(($2 % 4)) -ne 3 ] || options="$options --refuse p0.3"
    # shellcheck disable=SC2086 # a list of words
    timeout 60 "$mutant_emu" "$1" --launch "$dir/$kernel.launch" --device tiny --steps 200000 $options >"$out" 2>&1
    status=$?
    ids=$(sed -n 's/^[^ ].*:[0-9]*: .*\[\([A-Z0-9]*\)\]$/\1/p' "$out" | awk '!seen[$0]++' | tr '\n' ' ')
    [ -n "$ids" ] || ! grep -qE ': (out of bounds|uninitialised)' "$out" || ids='memory '
    [ -n "$ids" ] || ! grep -q '^FAIL' "$out" || ids='values '
    if [ $status -eq 0 ]; then
        symptom=right
    elif grep -qE 'deadlock|no progress' "$out"; then
        symptom=hang
    else
        symptom=wrong
    fi
}
