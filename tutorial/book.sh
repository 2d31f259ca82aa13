#!/bin/bash
# Makes the book from its chapters.
#   tutorial/book.sh [--from DIR] [--into DIR] [--draft] [--chapter SLUG] FORMAT...      html epub pdf commands
# DIR is tutorial/en and build/book. --draft only warns of links, pictures and claims that lead to nothing yet.
# --chapter makes one page of HTML, and is a draft. `commands` prints what .run blocks tell a reader to type: PLACE STATUS COMMAND.
# Nothing half-made stays: each format is put in its place when it is complete.
# Exit 0; 1: an error in a chapter; 2: usage; 3: a tool is missing.
set -u
cd "$(dirname "$0")/.." || exit
export LC_ALL=C.UTF-8
filters=tutorial/filters theme=tutorial/theme
highlight=(--syntax-definition=tutorial/syntax/cuda.xml --syntax-definition=tutorial/syntax/ptx.xml)

complain() { # STATUS TEXT
    echo "book: $2" >&2
    exit "$1"
}

need() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null || complain 3 "$1 is missing: sudo apt-get install $2"
}

# --- one chapter, from --one in a process of its own ------------------------------------

# With all that is taken from elsewhere in it, the same for every format.
settle() { # FILE SLUG
    pandoc -f markdown-implicit_figures -t json -L $filters/regions.lua -L $filters/diffs.lua -L $filters/outputs.lua \
        -L $filters/numbers.lua -L $filters/tables.lua -L $filters/references.lua "$1" -o "$BOOK_WORK/$2.json"
}

page() { # SLUG PAGE
    BOOK_TARGET=html pandoc -f json -t html5 --template $theme/page.html --metadata-file=tutorial/book.yaml \
        --wrap=none --toc --toc-depth=2 --section-divs "${highlight[@]}" \
        -L $filters/pictures.lua -L $filters/boxes.lua -L $filters/pages.lua "$BOOK_WORK/$1.json" -o "$BOOK_WORK/html/$2.html"
}

if [ "${1:-}" = --one ]; then # FILE SLUG PAGE
    settle "$2" "$3" && page "$3" "$4"
    exit
fi

# --- formats ------------------------------------------------------------------------------

# A folder or file takes its place when it is complete.
place() { # MADE PLACE
    rm -rf "$2" && mv "$1" "$2" && echo "  BOOK  $2"
}

html() {
    cp $theme/book.css "$BOOK_WORK/html/"
    if [ -z "$chapter" ]; then
        place "$BOOK_WORK/html" "$into/html"
    else
        mkdir -p "$into/html"
        mv "$BOOK_WORK"/html/* "$into/html/"
        echo "  BOOK  $into/html/$(cut -f 3 "$BOOK_WORK/list.tsv").html"
    fi
}

# All chapters in one document, for the writer and options given.
whole() { # TARGET PANDOC-OPTION...
    BOOK_TARGET=$1 pandoc -f markdown --metadata-file=tutorial/book.yaml --toc --toc-depth=2 --section-divs "${highlight[@]}" \
        -L $filters/whole.lua -L $filters/pictures.lua -L $filters/boxes.lua "${@:2}" </dev/null
}

epub() {
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0) \
        whole epub -t epub3 --css $theme/epub.css --template $theme/epub.xhtml --epub-cover-image="$BOOK_WORK/cover.svg" \
        -o "$BOOK_WORK/book.epub" || return
    place "$BOOK_WORK/book.epub" "$into/book.epub"
}

printed() { # HTML PDF
    weasyprint --quiet --base-url . --stylesheet $theme/print.css "$1" "$2" || return
    place "$2" "$into/${2##*/}"
}

pdf() {
    whole pdf -t html5 -V cover="$BOOK_WORK/cover.svg" --template $theme/print.html -o "$BOOK_WORK/book.html" || return
    printed "$BOOK_WORK/book.html" "$BOOK_WORK/book.pdf" || return
    [ -e "$BOOK_WORK/card.json" ] || return 0
    BOOK_CARD=1 whole pdf -t html5 --template $theme/print.html -o "$BOOK_WORK/card.html" &&
        printed "$BOOK_WORK/card.html" "$BOOK_WORK/card.pdf"
}

if [ "${1:-}" = --make ]; then # FORMAT
    into=$BOOK_INTO chapter=$BOOK_CHAPTER
    "$2"
    exit
fi

# --- the whole ------------------------------------------------------------------------------

from=tutorial/en into=build/book chapter='' draft=0
while [ $# -gt 0 ]; do
    case $1 in
    --from | --into | --chapter)
        [ -n "${2:-}" ] || complain 2 "$1 wants a value"
        declare "${1#--}=$2"
        shift 2
        ;;
    --draft)
        draft=1
        shift
        ;;
    html | epub | pdf | commands) break ;;
    *) complain 2 "no '$1' here: book.sh [--from DIR] [--into DIR] [--draft] [--chapter SLUG] html|epub|pdf|commands" ;;
    esac
done
[ $# -gt 0 ] || complain 2 'which format? html epub pdf'
need pandoc pandoc
case " $* " in *' pdf '*) need weasyprint weasyprint ;; esac

mkdir -p "$into"
BOOK_WORK=$(mktemp -d "$into/work.XXXXXX") || exit
trap 'rm -rf "$BOOK_WORK"' EXIT
mkdir "$BOOK_WORK/html"
[ "$into" = build/book ] || BOOK_REPOSITORY=$PWD # where its files lie, seen from a page; else ../../..
export BOOK_REPOSITORY=${BOOK_REPOSITORY:-../../..} BOOK_WORK BOOK_OUTPUTS=$into/outputs BOOK_CHAPTER=$chapter BOOK_LENIENT=$draft
[ -z "$chapter" ] || BOOK_LENIENT=1

printf '%s\n' "$from"/*.md >"$BOOK_WORK/chapters"
[ -e "$(head -n 1 "$BOOK_WORK/chapters")" ] || complain 2 "there are no chapters in $from"
pandoc -f markdown -t plain -o /dev/null -L $filters/index.lua </dev/null || exit
[ "$1" != commands ] || { cat "$BOOK_WORK/run.tsv" && exit; }

tutorial/outputs.sh "$BOOK_WORK/commands.tsv" "$BOOK_OUTPUTS" || exit
tr '\t' '\n' <"$BOOK_WORK/list.tsv" | xargs -d '\n' -P "$(nproc 2>/dev/null || echo 2)" -n 3 tutorial/book.sh --one || complain 1 'not made'
case " $* " in *' epub '* | *' pdf '*) tutorial/cover.sh "$BOOK_WORK/cover.svg" || exit ;; esac
# At once: most of the time goes into the print, on one core.
printf '%s\n' "$@" | BOOK_INTO=$into xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 tutorial/book.sh --make || exit 1
