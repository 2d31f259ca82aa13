#!/usr/bin/env python3
"""Makes broken versions of a kernel that steals, one for each row of tests/mutants/mutants.tsv.

  mutate.py cu KEY...      one CUDA file with all of them, each a kernel of its own: KERNEL__MUTANT
  mutate.py names KEY      the lines that have a name in the kernel, and what they are for: NAME<tab>TEXT
  mutate.py check          every row can be applied, every named line has a row that deletes it

KEY is the first column of tests/mutants/sources.tsv. A line's name stands in a comment above it, as in
`// flip: next time wait for the next phase.` Columns of mutants.tsv, separated by tabs:
  key mutant line change shows rules why
  line    a name, or text that stands in one line of the device code (`TEXT #2`: the second such line)
  change  delete | none | by TEXT | replace OLD => NEW | before LINE | after LINE (the statement moves there)
A mutant keeps the line numbers of its source, so that reports point into the file that is read.
Not modelled: C++; a statement ends where its brackets close and a line ends with `;` or `}`.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
TABLES = TOP / "tests" / "mutants"


# What a kernel needs besides the protocol, in place of common/job.cuh. The launch file sets `work`.
PRELUDE = """#include "common/clc.cuh"
namespace cg = cooperative_groups;
__constant__ struct { float alpha, half, one; unsigned units; } work;
static __device__ float compute_scalar() { return work.alpha; }
static __device__ void spend(int)
{
    float x = threadIdx.x;
    for (unsigned unit = 0; unit < work.units; unit++)
        x = fmaf(x, work.half, work.one);
    if (x < 0)
        __trap();
}
"""


def fail(text):
    sys.exit(f"mutate.py: {text}")


def rows(name):
    lines = (TABLES / name).read_text(encoding="utf-8").splitlines()
    head = lines[0].split("\t")
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(head):
            fail(f"{name}: {len(cells)} columns, not {len(head)}: {line}")
        yield dict(zip(head, cells))


class Source:
    """The device code of one program: lines `first` to `last` of the file, counted from 0."""

    def __init__(self, row):
        self.key, self.path = row["key"], row["file"]
        self.lines = (TOP / self.path).read_text(encoding="utf-8").splitlines()
        self.first = next(i for i, s in enumerate(self.lines) if s.startswith("namespace cg")) + 1
        self.last = next(i for i, s in enumerate(self.lines)
                         if i > self.first and re.match(r"static void launch|int main|/\* ---- the launch", s))
        self.kernel = re.search(r"__global__ void (\w+)\(", "\n".join(self.lines[self.first:self.last])).group(1)
        self.names = self.find_names()

    def find_names(self):
        """Name -> (line of the statement below the comment, text of the comment)."""
        names, i = {}, self.first
        while i < self.last:
            found = re.match(r"\s*// ([a-z][a-z-]*): (.*)", self.lines[i])
            i += 1
            if not found:
                continue
            text = [found.group(2)]
            while self.lines[i].lstrip().startswith("//"):
                text.append(self.lines[i].lstrip()[2:].strip())
                i += 1
            names[found.group(1)] = (i, " ".join(text))
        return names

    def line(self, where):
        if where in self.names:
            return self.names[where][0]
        text, _, count = where.partition(" #")
        at = [i for i in range(self.first, self.last) if text in self.lines[i]]
        if not at or (len(at) > 1 and not count):
            fail(f"{self.path}: '{text}' stands in {len(at)} lines")
        return at[int(count) - 1 if count else 0]

    def statement(self, first):
        """The lines of the statement that begins there: first, and one past the last."""
        depth = 0
        for i in range(first, self.last):
            code = self.lines[i].split("//")[0].rstrip()
            depth += sum(code.count(c) for c in "({[") - sum(code.count(c) for c in ")}]")
            if depth == 0 and code.endswith((";", "}", "};")) and not self.goes_on(i):
                return first, i + 1
        fail(f"{self.path}:{first + 1}: where does this statement end?")

    def goes_on(self, i):
        return self.lines[i + 1].lstrip().startswith("else")


def change_lines(source, row):
    """The device code with one change; as many lines as before."""
    lines = list(source.lines)
    verb, _, rest = row["change"].partition(" ")
    if verb == "none":
        return lines
    first, end = source.statement(source.line(row["line"]))
    if verb == "replace":
        old, new = rest.split(" => ")
        touched = [i for i in range(first, end) if old in lines[i]]
        if not touched:
            fail(f"{row['key']} {row['mutant']}: no '{old}' at {source.path}:{first + 1}")
        lines[touched[0]] = lines[touched[0]].replace(old, new)
        return lines
    moved = " ".join(s.split("//")[0].strip() for s in lines[first:end])
    for i in range(first, end):
        lines[i] = ""
    if verb in ("delete", "by"):
        lines[first] = rest or ";"
    elif verb in ("before", "after"):
        to_first, to_end = source.statement(source.line(rest))
        if verb == "before":
            lines[to_first] = moved + " " + lines[to_first].strip()
        else:
            lines[to_end - 1] = lines[to_end - 1].split("//")[0] + " " + moved
    else:
        fail(f"{row['key']} {row['mutant']}: what is '{verb}'?")
    return lines


def kernel_name(source, row):
    return source.kernel + "__" + row["mutant"].replace("-", "_")


def write_mutant(source, row, out):
    name = kernel_name(source, row)
    code = change_lines(source, row)[source.first:source.last]
    text = "\n".join(code).replace(f"__global__ void {source.kernel}(", f'extern "C" __global__ void {name}(')
    out.write(f'namespace {name}_ {{\n#line {source.first + 1} "{source.path}"\n{text}\n}}\n')


def write_cu(keys, out):
    sources = {row["key"]: Source(row) for row in rows("sources.tsv")}
    out.write("// Made by tools/mutate.py: broken versions of " + ", ".join(sources[k].path for k in keys) + "\n")
    out.write(PRELUDE)
    for key in keys:
        for row in rows("mutants.tsv"):
            if row["key"] == key:
                write_mutant(sources[key], row, out)


def print_names(key):
    source = next((Source(row) for row in rows("sources.tsv") if row["key"] == key), None)
    if not source:
        fail(f"there is no {key} in sources.tsv")
    for name, (_, text) in source.names.items():
        print(f"{name}\t{text}")


def check():
    sources = {row["key"]: Source(row) for row in rows("sources.tsv")}
    table = list(rows("mutants.tsv"))
    for row in table:
        change_lines(sources[row["key"]], row)
    for source in sources.values():
        deleted = {row["line"] for row in table if row["key"] == source.key and row["change"] == "delete"}
        for name in source.names:
            if name not in deleted:
                fail(f"{source.path}: no row of mutants.tsv deletes '{name}'")
    for row in table:
        if row["rules"] in ("-", "gap") and len(row["why"]) < 20:
            fail(f"{row['key']} {row['mutant']}: an equivalent needs its reason")
    print(f"{len(table)} mutants of {len(sources)} kernels")


def main(words):
    if len(words) >= 2 and words[0] == "cu":
        write_cu(words[1:], sys.stdout)
    elif len(words) == 2 and words[0] == "names":
        print_names(words[1])
    elif words == ["check"]:
        check()
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
