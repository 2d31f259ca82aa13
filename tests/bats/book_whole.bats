#!/usr/bin/env bats
# The book itself: made once in every format, then judged.

load book
bats_require_minimum_version 1.5.0

# Where the book of this file is, and what making it said.
setup_file() {
    cd "$ROOT" || return
    for program in pandoc weasyprint gnuplot; do command -v $program >/dev/null || return 0; done
    local began=$SECONDS
    make -s book >build/tests-book.log 2>&1 || { tail -n 30 build/tests-book.log >&2 && return 1; }
    echo "# make book took $((SECONDS - began)) s" >&3
}

setup() {
    cd "$ROOT" || return
    book_needs pandoc weasyprint gnuplot
}

@test "book: three formats and the card, a page for every chapter" {
    ls build/book/{book.epub,book.pdf,card.pdf}
    [ "$(find build/book/html -name '*.html' | wc -l)" -eq "$(find tutorial/en -name '*.md' | wc -l)" ]
    [ -z "$(find build/book -name 'work.*')" ]
}

@test "book: every link and anchor of the pages leads somewhere" {
    run python3 tests/book/links.py build/book/html
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "book: the pages need no script, no network, and take one style sheet" {
    run ! grep -lE '<script|<iframe|@import|url\(.?https?:' build/book/html/*.html build/book/html/*.css
    [ "$(cat build/book/html/*.html | grep -o '<link [^>]*>' | sort -u)" = '<link rel="stylesheet" href="book.css">' ]
}

@test "book: chapters before rules name no rule by its id, no exit code, no target" {
    local file
    for file in tutorial/en/{01..11}-*.md; do
        slug=$(sed -n 's/^# .*{#\(.*\)}$/\1/p' "$file" | head -n 1)
        sed 's/<[^>]*>//g' "build/book/html/$slug.html" >"$BATS_TEST_TMPDIR/text"
        run ! grep -nE '  \[[A-Z]{2}[0-9]+[A-Z]?\]$|exit [2-5]\b|\b(sm|compute)_[0-9]' "$BATS_TEST_TMPDIR/text"
    done
}

@test "book: made a second time, commands and all, the pages are the same byte for byte" {
    cp -r build/book/html "$BATS_TEST_TMPDIR/first"
    rm -rf build/book/outputs
    tutorial/book.sh html >/dev/null
    diff -r "$BATS_TEST_TMPDIR/first" build/book/html
}

@test "book: epubcheck finds nothing" {
    [ -e /usr/share/java/epubcheck.jar ] || skip 'epubcheck is not here'
    run java -jar /usr/share/java/epubcheck.jar build/book/book.epub
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *'0 fatals / 0 errors / 0 warnings'* ]]
}

@test "book: the PDF has contents with page numbers, pictures without pixels, and nothing beyond its margins" {
    book_needs pdftotext pdfimages
    pdftotext -layout build/book/book.pdf "$BATS_TEST_TMPDIR/book.txt"
    grep -qE '^ *Contents$' "$BATS_TEST_TMPDIR/book.txt"
    grep -qE '^ *1\. .*(\. ?){5,} *[0-9]+$' "$BATS_TEST_TMPDIR/book.txt"
    [ "$(pdfimages -list build/book/book.pdf | wc -l)" -eq 2 ] # the head of the table alone
    pdftotext -bbox build/book/book.pdf "$BATS_TEST_TMPDIR/words.html"
    run awk -F '"' '/<page /{ page++; width = $2 } /<word /{ words++
        if (page > 1 && ($2 < 40 || $6 > width - 40)) { print "page " page ": " $0; bad = 1 } } END { exit bad || words < 10000 }' "$BATS_TEST_TMPDIR/words.html"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "book: the protocol card is one page" {
    book_needs pdfinfo
    pdfinfo build/book/card.pdf | grep -E '^Pages: +1$'
}

# axe is fetched once, from PyPI.
axe_needs() {
    book_needs chromium pip
    [ ! -e build/axe/axe.min.js ] || return 0
    pip download -q --no-deps --require-hashes -r tests/book/axe.txt -d build/axe >/dev/null 2>&1 || skip 'axe cannot be fetched from PyPI'
    python3 -m zipfile -e build/axe/axe_playwright_python-*.whl build/axe/wheel
    mv build/axe/wheel/axe_playwright_python/axe.min.js build/axe/
}

@test "book: axe finds nothing on any page, at a phone's width and a desk's, light and dark" {
    axe_needs
    run python3 tests/book/axe.py build/axe/axe.min.js build/book/html
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "book: axe tells of pale text in light or in dark alone, of what has no name, and of a page too wide" {
    axe_needs
    mkdir "$BATS_TEST_TMPDIR/bad"
    sed 's/--comment: #5c6670/--comment: #9c96a0/; s/--link: #82c9dc/--link: #42697c/' build/book/html/book.css >"$BATS_TEST_TMPDIR/bad/book.css"
    sed 's#</main>#<img src="x.png"><p style="width:800px">wide</p>&#' build/book/html/phases.html >"$BATS_TEST_TMPDIR/bad/phases.html"
    run python3 tests/book/axe.py build/axe/axe.min.js "$BATS_TEST_TMPDIR/bad"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *'1280 px, light: color-contrast: .co:'* && $output != *'dark: color-contrast: .co:'* ]]
    [[ $output == *'1280 px, dark: color-contrast: a'* && $output == *'375 px, dark: image-alt: img'* && $output == *'375 px, light: wider than the window: '* ]]
    [[ $output != *'1280 px, light: wider'* ]]
}
