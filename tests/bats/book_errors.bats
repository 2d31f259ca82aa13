#!/usr/bin/env bats
# What is wrong in a chapter stops the book, with the chapter's file and line, and nothing half-made stays.

load book
bats_require_minimum_version 1.5.0

setup() {
    cd "$ROOT" || return
    book_needs pandoc
}

@test "book: a file that is not there" {
    chapter <<<'```{.cuda file="step03_clc_blocks/nothing.cu" region="line:flip"}
```'
    told 3 'there is no file step03_clc_blocks/nothing.cu'
}

@test "book: regions that are not there, each kind" {
    chapter <<<'```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="section:the end"}
```

```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="line:flop"}
```

```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="line:expect..init"}
```

```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="function:kernel"}
```

```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="after:Prologue..before:no such text"}
```

```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="mark:loop"}
```

```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="flip"}
```'
    told 3 'has no section "the end"'
    [[ $output == *':6: '*'no line called "flop"'* && $output == *':9: '*'has "init" before "expect"'* ]]
    [[ $output == *':12: '*'no function "kernel"'* && $output == *':15: '*'no line with "no such text" after'* ]]
    [[ $output == *':18: '*'[region loop]'* && $output == *':21: "flip" is no region'* ]]
}

@test "book: a listing that was typed instead of taken" {
    chapter <<<'```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="line:flip"}
phase ^= 1;
```'
    told 3 'leave it empty'
}

@test "book: a diff of two things that do not differ, and one without its other side" {
    chapter <<<'```{.diff from="step03_clc_blocks/clc_blocks.cu" to="step04_clc_clusters/clc_clusters.cu" region="line:flip"}
```

```{.diff from="step03_clc_blocks/clc_blocks.cu"}
```'
    told 3 'do not differ there'
    [[ $output == *':6: a diff wants from= and to='* ]]
}

@test "book: a command that fails, and one that does not fail as it should" {
    chapter <<<'```{.output cmd="echo so far; exit 3"}
```

```{.output cmd="echo well" exits="1"}
```'
    told 3 'ended with 3, not 0'
    [[ $output == *'so far'* && $output == *':6: `echo well` ended with 0, not 1'* ]]
}

@test "book: an output without what the text says of it, or without the lines it shows" {
    chapter <<<'```{.output cmd="echo one; echo two" needs="one" needs2="thr[e]+"}
```

```{.output cmd="printf '"'a\nb\nc\n'"'" lines="/b/../d/"}
```

```{.output cmd="echo all" lines="first"}
```

```{.output}
```'
    told 3 'does not match needs2="thr[e]+"'
    [[ $output == *':6: no such lines (/b/../d/)'* && $output == *':9: lines= wants'* && $output == *':12: an output wants cmd='* ]]
}

@test "book: a link to no id, to no file, to no claim, and to a path" {
    chapter <<<'See [that](#nowhere), and
[this](repo:step09/README.md), and
[](claim:no-such-claim), and
[there](../README.md), but [here](#second-place) is well, and [so](repo:README.md).'
    told 3 'no chapter has the id "nowhere"'
    [[ $output == *':4: the repository has no step09/README.md'* && $output == *':5: '*'no claim "no-such-claim"'* ]]
    [[ $output == *':6: a link leads to #id, repo:PATH'*'"../README.md"'* ]]
    [[ $output != *second-place* ]]
}

@test "book: an id taken twice, a term defined twice" {
    chapter <<<'## A place {#second-place}

A [tile]{.term} is a [tile]{.term}.

## Another {#second-place}'
    told 7 'the id "first-second-place" is taken'
    [[ $output == *':5: the term "tile" is defined in '* ]]
}

@test "book: a chapter that begins with something else" {
    chapter <<<''
    echo 'No title.' >"$EN/01-first.md"
    told 1 'a chapter begins with # Title {#slug}'
}

@test "book: a number that is not there, or is there twice" {
    chapter <<<'A []{.figure file="tools/variables.tsv" match="^NOTHING%s+(%S+)"} and
a []{.figure file="tools/variables.tsv" match="(NUMBER)"} and
a []{.figure file="tools/nothing.txt" match="x"} and
a []{.figure file="tools/variables.tsv" json="a.b"}.'
    told 3 '0 lines of tools/variables.tsv match'
    [[ $output == *':4: '*' lines of tools/variables.tsv match "(NUMBER)", not one'* ]]
    [[ $output == *':5: there is no file tools/nothing.txt'* && $output == *':6: tools/variables.tsv is not JSON'* ]]
}

@test "book: a number from JSON at a path that leads nowhere" {
    echo '{"runs": [{"ms": 1.5, "way": "a", "size": 8}, {"ms": 2.5, "way": "b", "size": 8}]}' >"$BATS_TEST_TMPDIR/r.json"
    chapter <<<"A []{.figure file=\"$BATS_TEST_TMPDIR/r.json\" json=\"runs[2].ms\"}
and []{.figure file=\"$BATS_TEST_TMPDIR/r.json\" json=\"runs[way=c].ms\"}
and []{.figure file=\"$BATS_TEST_TMPDIR/r.json\" json=\"runs[size=8].ms\"}."
    told 3 'has no value at runs[2].ms'
    [[ $output == *':4: '*'has no value at runs[way=c].ms'* && $output == *':5: '*'has no value at runs[size=8].ms'* ]] # none, and two
}

@test "book: a picture that is not drawn, one without words, one from elsewhere" {
    chapter <<<'![A picture of it.](figure:no-such-picture)

![](figure:tails)

![A cat.](cat.png)'
    told 3 'there is no picture no-such-picture'
    [[ $output == *':5: a picture wants a text alternative'* && $output == *':7: a picture is figure:NAME, not "cat.png"'* ]]
}

@test "book: a command that the reader cannot run, and no reason why" {
    chapter <<<'```{.sh .manual}
nvidia-smi
```'
    told 3 '.manual wants why='
}

@test "book: a chapter alone only warns of what other chapters still lack" {
    chapter <<<'See [that](#nowhere).'
    pages --chapter first
    [ "$status" -eq 0 ]
    [[ $output == *'/en/01-first.md:3: warning: no chapter has the id "nowhere"'* ]]
    shown 'See that.'
    [ ! -e "$BATS_TEST_TMPDIR/made/html/second.html" ]
}

@test "book: no such chapter, no such option, no format, no chapters: exit 2 and a sentence" {
    chapter <<<'Text.'
    pages --chapter third
    [ "$status" -eq 2 ]
    [[ $output == *'no chapter is called third; there are: '*first* ]]
    run make book-html CHAPTER=nowhere
    [ "$status" -eq 2 ]
    [[ $output == *'there are: '*' barriers '*'exit 2'* ]]
    run make book-html CHAPTER="it's"
    [ "$status" -eq 2 ]
    [[ $output == *"no chapter is called it's; there are: "*'exit 2'* ]]
    run tutorial/book.sh --fro x html
    [ "$status" -eq 2 ]
    [[ $output == *"no '--fro' here"* ]]
    run tutorial/book.sh --from "$EN"
    [ "$status" -eq 2 ]
    [[ $output == *'which format?'* ]]
    run tutorial/book.sh --from "$BATS_TEST_TMPDIR" --into "$BATS_TEST_TMPDIR/made" html
    [ "$status" -eq 2 ]
    [[ $output == *'no chapters in'* ]]
}

@test "book: a machine without pandoc, or without WeasyPrint, is told what to install" {
    chapter <<<'Text.'
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    for tool in bash env dirname mkdir mktemp rm; do ln -s "$(type -P "$tool")" "$BATS_TEST_TMPDIR/bin/$tool"; done
    run env PATH="$BATS_TEST_TMPDIR/bin" tutorial/book.sh --from "$EN" --into "$BATS_TEST_TMPDIR/made" html
    echo "$output"
    [ "$status" -eq 3 ]
    [[ $output == *'sudo apt-get install pandoc'* ]]
    ln -s "$(type -P pandoc)" "$BATS_TEST_TMPDIR/bin/pandoc"
    run env PATH="$BATS_TEST_TMPDIR/bin" tutorial/book.sh --from "$EN" --into "$BATS_TEST_TMPDIR/made" html pdf
    echo "$output"
    [ "$status" -eq 3 ]
    [[ $output == *'sudo apt-get install weasyprint'* ]]
}

@test "book: a page that was made before stays when its chapter has become wrong" {
    chapter <<<'Text.'
    pages
    shown 'Text.'
    echo 'And [that](#nowhere).' >>"$EN/01-first.md"
    pages
    [ "$status" -eq 1 ]
    shown 'Text.'
}
