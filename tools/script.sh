# What the scripts that a reader starts have in common; sourced after `cd` to the top of the repository.
#   finish STATUS [SENTENCE]     ends: the sentence on standard error; `exit N` is the last line unless N is 0
#   room FOLDER...               makes them and tries to write there; if that fails, a sentence and 2
#   ask_machine                  asks tools/detect.sh; then `field NAME` prints one of its answers
#   need_nvcc WHO                ends with 3 if there is none to compile with
#   pin_gpu NUMBER               the GPU that programs see, unless the reader's CUDA_VISIBLE_DEVICES says it
# shellcheck shell=sh

finish() {
    [ -z "${2:-}" ] || printf '%s\n' "$2" >&2
    [ "$1" -eq 0 ] || echo "exit $1" 2>/dev/null
    exit "$1"
}

# On a full disk a file can still be made, but nothing gets into it.
room() {
    for folder; do
        { mkdir -p "$folder" && echo try >"$folder/.try.$$" && rm "$folder/.try.$$"; } 2>/dev/null && continue
        rm -f "$folder/.try.$$" 2>/dev/null
        finish 2 "$folder: nothing can be written there: the disk is full, or the folder is not yours"
    done
}

# A reader who closed standard output learns it once, not from every line that cannot be written.
if ! (: 3>&1) 2>/dev/null; then
    echo "${0##*/}: standard output cannot be written" >&2
    exit 2
fi

ask_machine() { machine=$(tools/detect.sh) || finish $?; }

field() { printf '%s\n' "$machine" | sed -n "s/^$1='\(.*\)'$/\1/p"; }

need_nvcc() {
    [ -n "$(field NVCC)" ] || finish 3 "$1: there is $(field NVCC_NOTE) to compile with; make toolkit fetches one"
}

pin_gpu() { # nvidia-smi and CUDA count GPUs in different orders unless told
    [ "${CUDA_VISIBLE_DEVICES-unset}" = unset ] || return 0
    export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES="$1"
}
