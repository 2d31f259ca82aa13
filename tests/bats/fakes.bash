# A scratch machine for tests of tools/: a PATH that holds a few ordinary tools and the fakes asked for.
#   fake_machine                          $BIN is its PATH, $MACHINE its /
#   fake_nvcc VERSION "ARCHS" [DIR]       knows these compute capabilities; in DIR/bin, default $BIN
#   fake_gxx VERSION [NAME]               a host compiler that only tells its version
#   fake_gpus CUDA_VERSION "LINE"...      nvidia-smi with these `index, name, capability` lines, in $SMI_DIR

fake_machine() {
    MACHINE=$BATS_TEST_TMPDIR/machine BIN=$BATS_TEST_TMPDIR/bin
    mkdir -p "$MACHINE" "$BIN"
    local tool
    for tool in sh bash cat cut dirname basename grep head ls mkdir printf readlink rm sed sort tail tr uname wc; do
        ln -sf "$(type -P "$tool")" "$BIN/$tool"
    done
}

# Runs a command on the scratch machine: run on_machine [NAME=VALUE...] COMMAND...
on_machine() {
    env -i HOME="$BATS_TEST_TMPDIR" PATH="$BIN" DETECT_ROOT="$MACHINE" TOOLKIT_DIR="$MACHINE/toolkit" "$@"
}

program() { # FILE, text on standard input
    mkdir -p "$(dirname "$1")"
    cat >"$1"
    chmod +x "$1"
}

fake_nvcc() { # VERSION ARCHS [DIR]
    local dir=${3:-$BATS_TEST_TMPDIR/cuda}
    program "$dir/bin/nvcc" <<SH
#!/bin/sh
case \$1 in
--version) echo "Cuda compilation tools, release $1, V$1.88" ;;
--list-gpu-arch) for a in $2; do echo "compute_\$a"; done ;;
*) exit 1 ;;
esac
SH
    [ -n "${3:-}" ] || ln -sf "$dir/bin/nvcc" "$BIN/nvcc"
    mkdir -p "$dir/include/crt"
    echo '#if __GNUC__ > 15' >"$dir/include/crt/host_config.h"
}

fake_gxx() { # VERSION [NAME]
    program "$BIN/${2:-g++}" <<SH
#!/bin/sh
echo $1
SH
}

fake_gpus() { # CUDA_VERSION LINE...
    local cuda=$1
    shift
    printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/gpus"
    program "${SMI_DIR:-$BIN}/nvidia-smi" <<SH
#!/bin/sh
case \$1 in
--version) echo "CUDA Version        : $cuda" ;;
*) cat "$BATS_TEST_TMPDIR/gpus" ;;
esac
SH
}
