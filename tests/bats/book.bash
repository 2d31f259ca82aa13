# shellcheck shell=bash
# For tests of the book: a book of one chapter, written by the test.
load root

book_needs() { # PROGRAM...
    local program
    for program; do
        command -v "$program" >/dev/null || skip "$program is not here"
    done
}

# A chapter from standard input, below a title: its text begins in line 3. And a second, which links can lead to.
chapter() { # [FILE]
    EN=$BATS_TEST_TMPDIR/en
    mkdir -p "$EN"
    { printf '# First {#first}\n\n' && cat; } >"$EN/${1:-01-first.md}"
    printf '# Second {#second}\n\n## A place {#place}\n' >"$EN/02-second.md"
}

# Makes pages of it, and shows them as $page (of the first chapter).
# shellcheck disable=SC2154 # output and status are of bats
pages() { # [OPTION...]
    run tutorial/book.sh --from "$EN" --into "$BATS_TEST_TMPDIR/made" "$@" html
    echo "$output"
    page=$(cat "$BATS_TEST_TMPDIR/made/html/first.html" 2>/dev/null) || true
}

# It fails with exit 1, names file and line, says something that contains TEXT, and leaves no page.
# shellcheck disable=SC2154
told() { # LINE TEXT
    pages
    [ "$status" -eq 1 ] || { echo "exit $status" && return 1; }
    [[ $output == *"/en/01-first.md:$1: "*"$2"* ]] || { echo "not told of line $1: $2" && return 1; }
    [ ! -e "$BATS_TEST_TMPDIR/made/html" ] || { echo "a page was left" && return 1; }
    [ -z "$(find "$BATS_TEST_TMPDIR/made" -name 'work.*')" ]
}

# shown TEXT...: the page has each of these.
shown() {
    local text
    for text; do
        [[ $page == *"$text"* ]] || { echo "the page lacks: $text" && return 1; }
    done
}
