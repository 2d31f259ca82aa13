#!/usr/bin/env bats
# What a chapter may contain, and what the page makes of it.

load book
page=
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" || return
    book_needs pandoc
}

# The text of the page, without tags.
plain() { sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/&quot;/"/g; s/&#39;/'"'"'/g' "$BATS_TEST_TMPDIR/made/html/first.html"; }

# A file with everything that a region can name, and a chapter with one region of it.
region_of() { # REGION [CLASS]
    chapter <<<"\`\`\`{.cuda $2 file=\"tests/book/regions.cu\" region=\"$1\"}
\`\`\`"
    pages
    [ "$status" -eq 0 ]
    plain >"$BATS_TEST_TMPDIR/plain"
}

is() { # LINE...: the listing is exactly these lines
    sed -n '/regions.cu:/,/<footer/p' "$BATS_TEST_TMPDIR/plain" | sed '1,2d' | sed '/^$/,$d' >"$BATS_TEST_TMPDIR/got"
    printf '%s\n' "$@" | diff - "$BATS_TEST_TMPDIR/got"
}

@test "book: a line by its name is its comment and its statement, moved to the margin" {
    region_of line:flip
    is '// flip: the next phase. Without it' '// this one is over.' 'phase ^= 1;'
    shown 'tests/book/regions.cu:18'
}

@test "book: a statement ends where its brackets close" {
    region_of line:wait
    is '// wait: for the answer;' 'while (!done(a,' '             b)) {' '    pause(";");' '}'
}

@test "book: from one named line to another" {
    region_of line:wait..flip nocomments
    region_of line:wait..flip .nocomments
    is 'while (!done(a,' '             b)) {' '    pause(";");' '}' 'phase ^= 1;'
}

@test "book: a function by its name, not its declaration and not its call" {
    region_of function:kernel
    [ "$(grep -c . "$BATS_TEST_TMPDIR/plain")" -gt 10 ]
    shown 'tests/book/regions.cu:7'
    region_of function:kernel_end
    is 'static int kernel_end(void) { return 1; }'
}

@test "book: a section between banners, a part between texts, a marked region" {
    region_of 'section:the end'
    is 'static int kernel_end(void) { return 1; }'
    region_of 'after:phase ^= 1..before:return'
    is 'phase ^= 1;'
    region_of mark:inner
    is '    pause(";");' || is 'pause(";");'
}

@test "book: CUDA and PTX are coloured by definitions of our own" {
    chapter <<<'```{.cuda file="tests/book/regions.cu"}
```

```{.ptx file="step03_clc_blocks/clc_blocks.ptx" region="after:clusterlaunchcontrol.try_cancel..before:mov"}
```'
    pages
    shown '<span class="kw">__global__</span>' '<span class="va">threadIdx</span>' 'class="fu">clusterlaunchcontrol.try_cancel.async'
}

@test "book: a diff, made between two files as they are now" {
    chapter <<<'```{.diff .nocomments from="step01_fixed_work/fixed_work.cu" to="step02_fixed_blocks/fixed_blocks.cu" region="section:the kernel"}
```'
    pages
    plain | grep -F 'step01_fixed_work/fixed_work.cu:'
    plain | grep -qE '^\+ +bx \+= gridDim.x;'
    run ! grep -E "^[-+] *//" <(plain)
}

@test "book: an output is what the command prints now, run once, in the repository, without a terminal" {
    echo before >"$BATS_TEST_TMPDIR/said"
    chapter <<<"\`\`\`{.output cmd=\"cat $BATS_TEST_TMPDIR/said; echo \$BACKEND; test -t 1 || echo no terminal; pwd; date +%N\" show=\"cat said\" needs=\"before\"}
\`\`\`

\`\`\`{.output .quiet cmd=\"cat $BATS_TEST_TMPDIR/said; echo \$BACKEND; test -t 1 || echo no terminal; pwd; date +%N\"}
\`\`\`"
    pages
    plain >"$BATS_TEST_TMPDIR/plain"
    grep -x emulator "$BATS_TEST_TMPDIR/plain"
    grep -x 'no terminal' "$BATS_TEST_TMPDIR/plain"
    run ! grep -F "$ROOT" "$BATS_TEST_TMPDIR/plain"
    [ "$(grep -cE '^\$ cat' "$BATS_TEST_TMPDIR/plain")" -eq 1 ]
    [ "$(grep -E '^[0-9]{9}$' "$BATS_TEST_TMPDIR/plain" | sort -u | wc -l)" -eq 1 ]
}

@test "book: an output may be cut, shortened, shown under another command, without the ids of rules" {
    chapter <<<'```{.output cmd="printf '"'%s\n' one two three 'a fault  [PX4]'"'" lines="/t[w]o/../fault/" .noids show="make it" needs="fault$"}
```

```{.output cmd="seq 9" head=2}
```

```{.output cmd="seq 30" lines="/^1?5$/"}
```

```{.output cmd="exit 4" exits=4}
```'
    pages
    [ "$status" -eq 0 ]
    plain >"$BATS_TEST_TMPDIR/plain"
    grep -x '$ make it' "$BATS_TEST_TMPDIR/plain"
    grep -x 'a fault' "$BATS_TEST_TMPDIR/plain"
    grep -x '\.\.\.' "$BATS_TEST_TMPDIR/plain"
    run ! grep -xE 'one|3' "$BATS_TEST_TMPDIR/plain"
    [ "$(grep -cxE '1?5' "$BATS_TEST_TMPDIR/plain")" -eq 2 ]
}

@test "book: an output is kept while no source changes, and made again when one does" {
    chapter <<<'```{.output cmd="date +%s.%N"}
```'
    pages
    first=$(plain | grep -E '^[0-9]+\.[0-9]+$')
    pages
    [[ $output != *RUN* ]]
    [ "$(plain | grep -E '^[0-9]+\.[0-9]+$')" = "$first" ]
    echo other >"$BATS_TEST_TMPDIR/made/outputs/world" # as after a change of a source
    pages
    [[ $output == *RUN* ]]
    [ "$(plain | grep -E '^[0-9]+\.[0-9]+$')" != "$first" ]
}

@test "book: numbers come from results, by pattern and by path, with a format" {
    echo '{"runs": [{"ms": 1.5}, {"ms": 0.25, "threads": 256, "who": "\u00e9 \"x\""}]}' >"$BATS_TEST_TMPDIR/r.json"
    printf 'uniform  4.25 ms\nrandom  5 ms\n' >"$BATS_TEST_TMPDIR/r.txt"
    chapter <<<"It took []{.figure file=\"$BATS_TEST_TMPDIR/r.txt\" match=\"uniform +([0-9.]+)\"},
[]{.figure file=\"$BATS_TEST_TMPDIR/r.json\" json=\"runs[1].ms\" times=\"1000\" format=\"%d\"},
[]{.figure file=\"$BATS_TEST_TMPDIR/r.json\" json=\"runs[1].who\"},
[]{.figure file=\"$BATS_TEST_TMPDIR/r.json\" json=\"runs[threads=256].ms\"}."
    pages
    plain | grep -F 'It took 4.25, 250, é "x", 0.25.'
}

@test "book: links lead to other pages, to places on them, to terms, and to files" {
    chapter <<<'To [two](#second), [a place](#second-place), [here](#first), a [tile]{.term}, [it](#term-tile), [step](repo:step03_clc_blocks/README.md).'
    pages
    shown 'href="second.html">two' 'href="second.html#second-place">a place' 'href="#first">here' '<dfn id="term-tile">tile</dfn>' \
        'href="#term-tile">it' 'step03_clc_blocks/README.md">step' 'rel="next" href="second.html"'
}

@test "book: an answer is folded away, boxes have their names" {
    chapter <<<'::: {.predict}
What?

::: {.answer}
Nothing.
:::
:::

::: {.remember}
That.
:::'
    pages
    shown '<details class="answer"><summary>Answer</summary>' '<p>Predict</p>' '<p>What to remember</p>'
    [[ $page != *'<details class="answer" open'* ]]
}

@test "book: what a command prints as Markdown becomes part of the chapter" {
    chapter <<<'```{.generated cmd="printf '"'| a | b |\n|---|---|\n| [x](#second) | y |\n'"'"}
```'
    pages
    shown '<td style="text-align: left;"><a href="second.html">x</a></td>' || shown '<td><a href="second.html">x</a></td>'
}

@test "book: the commands that a reader is to type, with place and exit status" {
    chapter <<<'```{.run}
make step01
# a remark
make step02 \
    DEVICE=tiny
false # exit 1
```'
    run tutorial/book.sh --from "$EN" --into "$BATS_TEST_TMPDIR/made" commands
    echo "$output"
    [ "$output" = "$EN/01-first.md:4	0	make step01
$EN/01-first.md:6	0	make step02 DEVICE=tiny
$EN/01-first.md:8	1	false" ]
}

@test "book: a tiny book of every kind of part, in all formats" {
    book_needs weasyprint pdftotext
    run tutorial/book.sh --from tests/book/tiny --into "$BATS_TEST_TMPDIR/made" html epub pdf
    echo "$output"
    [ "$status" -eq 0 ]
    ls "$BATS_TEST_TMPDIR"/made/{html/{index,first,second,extra,card}.html,book.epub,book.pdf,card.pdf}
    python3 tests/book/links.py "$BATS_TEST_TMPDIR/made/html"
    pdftotext "$BATS_TEST_TMPDIR/made/book.pdf" - | grep -F 'A. An appendix'
}
