#!/bin/sh
# Pictures of the SMs over time, from the record of a run (--trace of a step, common/ledger.h):
#   tools/timeline.sh                every step and the tile counter: build/timeline/NAME.csv .svg .png, and .json for Perfetto
#   STEP=3 | STEP=tile-counter       one program
#   WORK=zipf                        other work: uniform ramp zipf giant, a data set of common/data, or a file
#   ARGS=--urgent                    step 1, the tile counter and the guide's kernel while a high-priority kernel arrives
#   tools/timeline.sh --figure NAME  prints the picture NAME of tutorial/figures/figures.tsv
# On the toy GPU of the emulator, unless DEVICE or BACKEND=gpu says otherwise; times are then model cycles, on a GPU
# microseconds of %globaltimer. Obeys SEED, REFUSE and ARGS too. Exit 0, 2 usage, 3 without gnuplot, else the program's.
set -u
cd "$(dirname "$0")/.." || exit 3
# shellcheck disable=SC1091 # in the repository
. tools/script.sh
LC_ALL=C.UTF-8
export LC_ALL
out=build/timeline
programs='step01_fixed_work step02_fixed_blocks tutorial/rungs/01-tile-counter step03_clc_blocks step04_clc_clusters'

name_of() { basename "$1" | sed 's/^step[0-9][0-9]_//; s/^[0-9][0-9]-//'; }

need_gnuplot() { command -v gnuplot >/dev/null || finish 3 'timeline: there is no gnuplot, which draws; Debian: apt-get install gnuplot-nox'; }

# --- one run ----------------------------------------------------------------

work_option() { # the words for WORK
    case ${WORK:-giant} in
    light | uniform) echo '--work uniform --units 100' ;;
    heavy) echo '--work uniform --units 1000' ;;
    ramp | zipf | giant) echo "--work ${WORK:-giant} --units 300" ;;
    prompts) echo '--work common/data/llm_prompt_tokens.txt' ;;
    rows) echo '--work common/data/sparse_rows.txt --units 20' ;;
    rings) echo '--work common/data/map_rings.txt' ;;
    counties) echo '--work common/data/county_segments.txt' ;;
    mesh) echo '--work common/data/mesh_valence.txt --units 50' ;;
    *) echo "--work $WORK" ;;
    esac
}

check_work() {
    case ${WORK:-giant} in
    light | uniform | heavy | ramp | zipf | giant | prompts | rows | rings | counties | mesh) ;;
    *[[:space:]]*) finish 2 "timeline: WORK=$WORK: one work, without blanks in its name" ;;
    *) [ -e "$WORK" ] || finish 2 "timeline: WORK=$WORK: use light heavy mesh ramp zipf giant prompts rows rings counties, or a file" ;;
    esac
}

emulated() { [ "${BACKEND:-emulator}" != gpu ]; }

# The stored PTX serves if the program is as it was stored and the device has the same target.
stored_serves() { # DIR
    case ${EMU_DEVICE:-} in tiny | b200) ;; *) return 1 ;; esac
    [ -z "$(find "$1/$(name_of "$1").cu" common -name '*.cu*' -newer "$1/$(name_of "$1").ptx" | head -n 1)" ]
}

record() { # DIR CSV [OPTION]...
    dir=$1 csv=$2
    shift 2
    rm -f "$csv"
    if emulated && stored_serves "$dir"; then
        EMU_CHECK=${EMU_CHECK:-0} sh common/run-stored.sh "$dir" --trace "$csv" "$@"
    else
        BACKEND=${BACKEND:-emulator} DEVICE=${EMU_DEVICE:-} ARGS="--trace $csv $*" tools/run.sh "$dir"
    fi >"${csv%.csv}.log" 2>&1
    status=$?
    [ $status -eq 0 ] || { grep -vx 'exit [0-9]*' "${csv%.csv}.log" >&2; return $status; } # who calls says it
    [ -s "$csv" ] || { echo "timeline: $dir left no record of its tiles: too many of them" >&2 && return 2; }
}

# --- one picture ------------------------------------------------------------

unit_and_scale() { # for awk: cycles of the emulated device's clock, or microseconds
    if emulated; then
        khz=$(awk -F ',' -v device="DEVICE(\"${EMU_DEVICE:-tiny}\"" 'index($1, device) == 1 { print $14 + 0 }' emulator/machine/devices.def)
        awk -v khz="${khz:-1000000}" 'BEGIN { print "-v unit=model_cycles -v scale=" khz / 1000000 }'
    else
        echo '-v unit=microseconds -v scale=0.001'
    fi
}

script() { # TITLES CSV...: gnuplot's
    titles=$1
    shift
    # shellcheck disable=SC2046 # a list of words
    awk -v titles="$titles" $(unit_and_scale) -v size=560 -v most=40 -f tools/timeline/picture.awk "$@" | sed 's/model_cycles/model cycles/'
}

# Text and lines take the colour of the page; ids are the picture's own; gnuplot's name makes room for ours.
for_a_page() { # NAME TITLE DESCRIPTION
    awk '/<title>/ && titles++ { sub(/<title>.*<\/title>/, "") } { print }' |
        sed -e '/<?xml/d' -e "s|<title>.*</title>|<title id=\"$1-title\">$2</title>|" -e "s|<desc>.*</desc>|<desc id=\"$1-desc\">$3</desc>|" \
        -e "s|^ xmlns=\"http|role=\"img\" aria-labelledby=\"$1-title $1-desc\" color=\"black\"&|" \
        -e "s/ color=\"[a-z]*\" stroke=\"[a-z]*[cC]*[a-z]*\"/ stroke=\"currentColor\"/g" -e "s/'black'/'currentColor'/g; s/\"black\"\( font\)/\"currentColor\"\1/g" \
        -e "s/style='fill:none; stroke:\([^']*\)'/fill='none' stroke='\1'/" -e "s/rgb([ ]*0, *0, *0)/currentColor/g" -e "s/id='gp/id='$1-gp/g; s/id=\"gp/id=\"$1-gp/g; s/#gp/#$1-gp/g; s/id='\(textbox\|greybox\)'/id='$1-\1'/" \
        -e "s/id=\"gnuplot_/id=\"$1-/g"
}

draw() { # NAME TITLE SCRIPT: build/timeline/NAME.svg and .png
    sed "s|@terminal@|svg|; s|@zoom@|1|g; s|@output@|$out/$1.raw|" "$3" >"$3.svg" && gnuplot "$3.svg" || return
    sed "s|@terminal@|pngcairo background rgb 'white' fontscale 1.5 linewidth 2|; s|@zoom@|2|g; s|@output@|$out/$1.png|" "$3" >"$3.png" && gnuplot "$3.png" || return
    for_a_page "$1" "$2" "A row is a place for a block on an SM, time runs to the right. Boxes are the prologues and tiles that ran there." <"$out/$1.raw" >"$out/$1.svg"
    rm -f "$3.svg" "$3.png" "$out/$1.raw"
}

# --- figures of the book ------------------------------------------------------

figure_row() { awk -F '\t' -v name="$1" -v column="$2" 'NR > 1 && $1 == name { print $column }' tutorial/figures/figures.tsv; }

caption() {
    case $1 in
    *fixed_work | *fixed_work.csv) echo 'fixed work' ;;
    *fixed_blocks) echo 'fixed blocks' ;;
    *tile-counter | *tile-counter.csv) echo 'tile counter' ;;
    *clc_blocks | *guides-kernel | *guides-kernel.csv) echo 'work stealing' ;;
    *) echo 'work stealing, clusters of 2' ;;
    esac
}

figure() { # NAME
    titles='' files=''
    for program in $(figure_row "$1" 3 | tr ',' ' '); do
        csv=$program
        case $program in
        *.csv) ;;              # recorded before, where two kernels ran at once
        *)
            csv=$out/figure-$1-$(name_of "$program").csv
            # shellcheck disable=SC2046 # a list of words
            EMU_TRACE=$csv.trace record "$program" "$csv" $(figure_row "$1" 4) || finish $?
            if [ -f "$csv.trace" ]; then awk -f tools/timeline/requests.awk "$csv.trace" >>"$csv" && rm "$csv.trace"; fi
            ;;
        esac
        titles="$titles|$(caption "$program")" files="$files $csv"
    done
    # shellcheck disable=SC2086 # a list of files
    script "${titles#|}" $files >"$out/$1.gp" || finish $?
    draw "$1" "$(figure_row "$1" 5)" "$out/$1.gp" || finish $?
    cat "$out/$1.svg"
}

title() { # DIR: what it is, the work, where it ran
    where=$(grep -E '^(GPU |emulated )' "$out/$(name_of "$1").log" | tail -n 1)
    sed -n "s/^$(name_of "$1"): .*, \(work .*\)\$/$(name_of "$1"), \1/p" "$out/$(name_of "$1").log" | tail -n 1 | sed "s|common/data/||; s|\$|, $where|" |
        tr -cd 'A-Za-z0-9 _.,:/()\n+-'
}

pictures() { # NAME TITLE: of build/timeline/NAME.csv
    script "$2" "$out/$1.csv" >"$out/$1.gp" || finish $?
    draw "$1" "$2" "$out/$1.gp" || finish $?
    awk -f tools/timeline/chrome.awk "$out/$1.csv" >"$out/$1.json" || finish $?
    rm -f "$out/$1.gp"
    echo "  $out/$1.svg .png .csv, and $1.json for ui.perfetto.dev"
}

# --- main ---------------------------------------------------------------------

tools/variables.sh check || finish 2
eval "$(tools/variables.sh export)"
unset EMU_TRACE EMU_SCHEDULES
! emulated || export EMU_DEVICE="${EMU_DEVICE:-tiny}"
check_work
need_gnuplot
room $out
if [ "${1:-}" = --figure ]; then
    figure "$2"
    exit 0
fi
if [ -n "${STEP:-}" ]; then
    wanted=$(echo "$STEP" | sed 's/^step//; s/^\([1-9]\)$/0\1/')
    for program in $programs; do
        case $(basename "$program") in step"$wanted"_* | *-"$wanted" | "$wanted") found=$program ;; esac
    done
    [ -n "${found:-}" ] || finish 2 "timeline: there is no '$STEP' to draw; there is: 1 2 3 4 tile-counter"
    programs=$found
fi
case " ${ARGS:-} " in
*' --urgent '*)
    emulated || finish 3 'timeline: on a GPU no record is kept of the high-priority kernel; leave BACKEND out'
    ARGS=$(printf '%s' " $ARGS " | sed 's/ --urgent / /') tools/timeline/preemption.sh --record || exit
    for name in fixed_work tile-counter guides-kernel; do
        mv $out/preemption/$name.csv $out/urgent-$name.csv
        pictures urgent-$name "$(caption $name)"
    done
    exit 0
    ;;
esac
for program in $programs; do
    name=$(name_of "$program")
    # shellcheck disable=SC2046,SC2086 # lists of words
    record "$program" "$out/$name.csv" --n 640 --block 32 $(work_option) --prologue 1200 ${ARGS:-} || finish $?
    grep '^PASS' "$out/$name.log" | tail -n 1
    pictures "$name" "$(title "$program")"
done
