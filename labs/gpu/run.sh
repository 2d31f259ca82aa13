#!/bin/bash
# A student's kernels on the GPU of this machine, under the launches of the lab's tests: values and time. No grade depends on it.
#   labs/gpu/run.sh N [FOLDER]      default: the lab's folder in labs/work
# Tests that refuse requests, or run where the emulator plays another order of events, have nothing to show here.
# Exit 3 and a sentence where there is no GPU, or one that is too old.
set -u
cd "$(dirname "$0")/../.." || exit
number=${1:?"want the number of a lab"}
instructor=$(echo labs/instructor/L"$number"-*)
lab=${instructor##*/} folder=${2:-labs/work/${instructor##*/}} work=build/labs/gpu/$lab
[ -d "$folder" ] || { echo "$folder is not there; make lab N=$number" >&2 && exit 2; }

found=$(BACKEND=gpu tools/detect.sh) || exit
eval "$found"
echo
echo "$WHY"
echo "On $GPU_NAME (no part of the grade):"
[ -z "$CCBIN" ] || export NVCC_CCBIN="$CCBIN"
export CUDA_VISIBLE_DEVICES=$GPU
mkdir -p "$work"

word() { # KEY ARGUMENTS: the value of key=value
    local w
    for w in $2; do case $w in "$1"=*) echo "${w#*=}" && return ;; esac; done
}

# Machine code for this GPU, and PTX that tells the kernel's name.
compile() { # FILE
    [ "$work/$1.cubin" -nt "$folder/$1" ] && return
    "$NVCC" -cubin -arch="sm_$ARCH" -O3 -std=c++17 -I. "$folder/$1" -o "$work/$1.cubin" &&
        "$NVCC" -ptx -arch="compute_$ARCH" -O3 -std=c++17 -I. "$folder/$1" -o "$work/$1.ptx"
}

one() { # ID ARGUMENTS TEXT
    local file launch array settings=() line
    file=$(word file "$2") launch=$instructor/$(word launch "$2")
    compile "$file" >"$work/nvcc.log" 2>&1 || { head -n 5 "$work/nvcc.log" && return; }
    rm -rf "${work:?}/$1"
    while read -r line; do settings+=(--set "$line"); done < <(build/bin/grade inputs "$number" "$1" --out "$work/$1")
    for array in "$work/$1"/*.npy; do
        if [ -f "$array" ]; then settings+=(--set "$(basename "$array" .npy)=$array"); fi
    done
    echo "  $3"
    timeout 60 build/bin/gpu-run "$work/$file.cubin" "$work/$file.ptx" --launch "$launch" --set "HERE=$instructor" "${settings[@]}" 2>&1 |
        sed 's/^/    /'
    [ "${PIPESTATUS[0]}" -ne 124 ] || echo "    it did not end within 60 s"
}

seen=' '
while IFS=$'\t' read -r id _ _ kind arguments text; do
    [ "$kind" = run ] || continue
    case $arguments in *refuse=* | *schedule=*) continue ;; esac
    key=$(echo "$arguments" | tr ' ' '\n' | grep -E '^(file|launch|in\.|set\.)' | sort | tr '\n' ,)
    case $seen in *" $key "*) continue ;; esac
    seen="$seen$key "
    one "$id" "$arguments" "$text"
done < <(tail -n +2 "$instructor/tests.tsv" | grep -v '^#')
