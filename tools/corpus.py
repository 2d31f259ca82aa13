#!/usr/bin/env python3
"""Makes and compares the corpus: each opcode spelling, bit by bit, against a real GPU.

corpus.py list     TABLE                 names of the cases that want an expected result, one a line
corpus.py generate TABLE FOLDER          CUDA sources corpus_NN.cu, at most 1600 cases each
          [--covered FILE]               leave out spellings that FILE (one a line) lacks; left_out.txt names them
          [--group N]                    at most N spellings a kernel (24)
corpus.py compare  EXPECTED RESULTS [--table TABLE] [--skip FILE] [--plan N]
                                         TAP: one line a case; exit 1 on a difference
corpus.py missing  LISTED EXPECTED... [--table TABLE]
                                         listed spellings that no case covers; exit 1 if any

The table is tests/corpus/spellings.tsv; its head explains the columns. Not made here: operations
on several threads, which are written by hand (tests/corpus/warp.cu, block.cu, cluster.cu, flow.cu).
"""
import math
import os
import re
import struct
import sys

CASES_A_GROUP = 24
CASES_A_FILE = 1600
BITS = {"8": 8, "16": 16, "32": 32, "64": 64, "16x2": 32}
# kind of operand -> (bits, how corpus.cuh fills it)
KINDS = {
    "i8": (8, "I32"), "i16": (16, "I16"), "i32": (32, "I32"), "i64": (64, "I64"),
    "nz16": (16, "NZ16"), "nz32": (32, "NZ32"), "nz64": (64, "NZ64"), "sh": (32, "SH"), "p": (32, "P"),
    "f16": (16, "F16"), "bf16": (16, "BF16"), "f32": (32, "F32"), "f64": (64, "F64"),
    "f16x2": (32, "F16X2"), "bf16x2": (32, "BF16X2"), "angle": (32, "ANGLE"),
    "positive": (32, "POSITIVE"), "exponent": (32, "EXPONENT"), "divisor": (32, "DIVISOR"),
    "moderate": (32, "MODERATE"), "exponent16": (32, "EXPONENT16"), "moderate16": (32, "MODERATE16"),
    "byte": (32, "BYTE"), "lane": (32, "LANE"), "step": (32, "STEP"),
}
REGISTER = {"h": "u16", "r": "u32", "l": "u64"}
TYPE = re.compile(r"(?:[busf](?:8|16|32|64)|b128|b?f16x2|bf16|pred|tf32|[us]16x2)$")


def die(text):
    sys.exit("corpus.py: " + text)


# ---- the table -----------------------------------------------------------

class Case:
    """One row of the expanded table."""

    def __init__(self, family, name, operands, show, compare):
        self.family, self.name, self.operands = family, name, operands
        self.show, self.compare = show, compare
        self.spelling = name.split("@")[0]
        self.types = [w for w in self.spelling.split(".") if TYPE.match(w)]


def split_top(text):
    """The parts between commas that stand in no braces."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def expand(pattern, lists):
    """All strings of a pattern with {a,b} choices, which may contain others, left to right."""
    start = pattern.find("{")
    if start < 0:
        return [pattern]
    depth, end = 0, start
    while depth or end == start:
        depth += (pattern[end] == "{") - (pattern[end] == "}")
        end += 1
    inside, rest = pattern[start + 1:end - 1], expand(pattern[end:], lists)
    inside = lists.get(inside, inside)
    middle = [word for part in split_top(inside) for word in expand(part, lists)]
    return [pattern[:start] + m + r for m in middle for r in rest]


def read_rows(path):
    """The rows of a table as (columns, names); `let` rows are taken in on the way."""
    lists = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            row = line.rstrip("\n").split("\t")
            if not line.strip() or line.startswith("#"):
                continue
            if len(row) < 3:
                die(f"{path}:{number}: want family, spelling, operands")
            if row[0] == "let":
                lists[row[1]] = row[2]
            elif row[0] in TEMPLATES or row[0] in ("drop", "beyond", "differs"):
                yield row, expand(row[1], lists)
            else:
                die(f"{path}:{number}: there is no family {row[0]}")


def read_table(path):
    cases, dropped = {}, set()
    for row, names in read_rows(path):
        if row[0] == "drop":
            dropped.update(names)
        elif row[0] in TEMPLATES:
            show = int(row[3]) if len(row) > 3 and row[3] else 48
            compare = row[4] if len(row) > 4 else "exact"
            for name in names:
                cases.setdefault(name, Case(row[0], name, row[2], show, compare))
    return [case for name, case in cases.items() if name not in dropped]


def read_reasons(path):
    """Cases in which the emulator differs from the GPU, with the reason."""
    return {name: row[2] for row, names in read_rows(path) if row[0] == "differs" for name in names}


def read_beyond(path):
    """Spellings that the GPU of the expected results does not have."""
    return {name for row, names in read_rows(path) if row[0] == "beyond" for name in names}


# ---- operands ------------------------------------------------------------

def type_bits(name):
    return 32 if name.endswith("16x2") or name == "tf32" else int(re.search(r"\d+", name).group())


def kind_of_type(name):
    if name in KINDS:
        return name
    return "p" if name == "pred" else f"i{type_bits(name)}"


def letter(bits):
    return {8: "r", 16: "h", 32: "r", 64: "l"}[bits]


def resolve(case, word):
    """An operand of the table -> (kind, register letter)."""
    word, _, forced = word.partition(":")
    named = {"T": -1, "U": -2}
    if word == "W":
        kind = f"i{2 * type_bits(case.types[-1])}"
    elif word in named:
        where = named[word]
        if case.spelling.startswith("cvt"):      # cvt.D.S: T is the result
            where = -1 - where - 2
        kind = kind_of_type(case.types[where])
    else:
        kind = word
    if kind not in KINDS:
        die(f"{case.name}: unknown operand {word}")
    return kind, forced or letter(KINDS[kind][0])


class Asm:
    """One inline assembly statement in the making."""

    def __init__(self):
        self.head, self.tail, self.args = [], [], []
        self.outputs, self.inputs = [], []

    def output(self, index, reg):
        self.outputs.append(f'"={reg}"(d{index})')
        return f"%{len(self.outputs) - 1}"

    def source(self, slot, reg, negated=False, predicate=False):
        at = f"%{OUT}{len(self.inputs)}"
        self.inputs.append(f'"{reg}"(({REGISTER[reg]}){"abc"[slot]}v)')
        if not predicate:
            return at
        self.head.append(f".reg .pred q{slot}; setp.ne.b32 q{slot}, {at}, 0;")
        return ("!" if negated else "") + f"q{slot}"


OUT = "\x00"  # stands for "outputs so far" until the statement is complete


def alu(case):
    """C++ for an operation on registers; result in d."""
    result, _, operands = case.operands.partition("=")
    asm, slot, kinds = Asm(), 0, []
    if result.startswith("p"):
        many = result.count("|") + 1
        names = [f"r{i}" for i in range(many)]
        asm.head.append(f".reg .pred {', '.join(names)};")
        asm.tail += [f"selp.b32 {asm.output(i, 'r')}, 1, 0, {names[i]};" for i in range(many)]
        registers, bits, target = ["r"] * many, 4 * many, "|".join(names)
    else:
        kind, reg = resolve(case, result)
        registers, bits = [reg], {"h": 16, "r": 32, "l": 64}[reg]
        target = asm.output(0, reg)
    args = []
    for word in operands.split(","):
        if word.startswith("#"):
            args.append(word[1:])
            continue
        kind, reg = resolve(case, word.lstrip("!"))
        kinds.append(kind)
        args.append(asm.source(slot, reg, word.startswith("!"), kind == "p"))
        slot += 1
    body = " ".join(asm.head + [f"{case.spelling} {', '.join([target] + args)};"] + asm.tail)
    for i in reversed(range(len(asm.inputs))):
        body = body.replace(f"%{OUT}{i}", f"%{i + len(asm.outputs)}")
    declare = " ".join(f"{REGISTER[r]} d{i};" for i, r in enumerate(registers))
    value = "(u64)d0" + "".join(f" | (u64)d{i} << {4 * i}" for i in range(1, len(registers)))
    text = (f'{{ {declare} asm volatile("{{ {body} }}" : {", ".join(asm.outputs)} : '
            f'{", ".join(asm.inputs)}); PUT(%d, {value}); }}')
    return text, kinds, max(1, bits // 4)


def carry(case):
    """An operation that takes or leaves the carry flag: result, and the flag it leaves."""
    kind = kind_of_type(case.types[-1])
    reg, bits = letter(KINDS[kind][0]), KINDS[kind][0]
    borrow = case.spelling.startswith("sub")
    takes = case.spelling.split(".")[0].endswith("c")
    sources = ["%2", "%3"] + (["%4"] if case.spelling.startswith("mad") else [])
    lines = [f".reg .b{bits} z;"]
    if takes:
        lines.append("sub.cc.u32 %1, 0, %5;" if borrow else "add.cc.u32 %1, %5, 0xffffffff;")
    lines.append(f"{case.spelling} z, {', '.join(sources)};")
    lines.append(("subc" if borrow else "addc") + ".u32 %1, 0, 0;" if ".cc" in case.spelling else "mov.u32 %1, 0;")
    ctype = REGISTER[reg]
    ins = ", ".join(f'"{reg}"(({ctype}){v})' for v in ("av", "bv", "cv"))
    value = "(u64)d | (u64)flag << 32" if bits == 32 else "mix(d, flag)"
    text = (f'{{ {ctype} d; u32 flag; asm volatile("{{ {" ".join(lines)} mov.b{bits} %0, z; }}" : '
            f'"=&{reg}"(d), "=&r"(flag) : {ins}, "r"((u32)(av ^ bv) >> 3 & 1)); PUT(%d, {value}); }}')
    return text, [kind] * 3, 16


# ---- memory --------------------------------------------------------------

SPACES = {"global": "global", "shared::cta": "shared", "shared::cluster": "shared", "shared": "shared",
          "local": "local", "const": "const", "param": "param", "param::entry": "param", "param::func": "param"}
ADDRESS = {  # space -> where the slot of this case is
    "": '"l"(g)', "global": '"l"(__cvta_generic_to_global(g))', "shared": '"r"(sa)',
    "local": '"l"(__cvta_generic_to_local(loc))', "const": '"l"(__cvta_generic_to_constant(con))',
}
SLOT = {"": "g", "global": "g", "shared": "s", "local": "loc"}


def space_of(case):
    return next((SPACES[w] for w in case.spelling.split(".") if w in SPACES), "")


def wide(case):
    return case.types[-1] == "b128"


def vector_of(case):
    """Registers of C++ that hold a value: elements of a vector, two halves of a b128."""
    if wide(case):
        return 2
    return next((int(w[1]) for w in case.spelling.split(".") if re.match(r"v[248]$", w)), 1)


def value_register(case):
    if case.operands in REGISTER:
        return case.operands
    return "l" if wide(case) else letter(type_bits(case.types[-1]))


def braces(count, first):
    names = ", ".join(f"%{first + i}" for i in range(count))
    return f"{{{names}}}" if count > 1 else names


def mixture(names):
    value = "0"
    for name in names:
        value = f"mix({value}, {name})"
    return value


def load(case):
    count, reg, space = vector_of(case), value_register(case), space_of(case)
    names = [f"x{i}" for i in range(count)]
    outs = ", ".join(f'"={reg}"({name})' for name in names)
    if "param::func" in case.spelling or "@result" in case.name:
        return load_result(case)
    where, inputs = (f"[%{count}]", ADDRESS[space]) if space != "param" else ('[" KERNEL "_param_5+16]', "")
    body = f"{case.spelling} {braces(count, 0)}, {where};"
    if wide(case):
        body = f"{{ .reg .b128 q; {case.spelling} q, {where}; mov.b128 {{%0, %1}}, q; }}"
    text = (f'{{ {REGISTER[reg]} {", ".join(names)}; asm volatile("{body}" : {outs} : {inputs} : "memory"); '
            f"PUT(%d, {mixture(names)}); }}")
    return text, ["mem"], 16


def load_result(case):
    """ld.param of what a function gives back: the 16 bytes it got, each word with 1 added."""
    count, reg = vector_of(case), value_register(case)
    names = [f"x{i}" for i in range(count)]
    outs = ", ".join(f'"={reg}"({name})' for name in names)
    read = f"{case.spelling} {braces(count, 0)}, [r0];"
    if wide(case):
        read = f".reg .b128 q; {case.spelling} q, [r0]; mov.b128 {{%0, %1}}, q;"
    body = (".param .align 16 .b8 p0[16]; .param .align 16 .b8 r0[16]; "
            f"st.param.b64 [p0], %{count}; st.param.b64 [p0+8], %{count + 1}; call.uni (r0), corpus_echo, (p0); {read}")
    text = (f'{{ {REGISTER[reg]} {", ".join(names)}; asm volatile("{{ {body} }}" : {outs} : "l"(a[i]), "l"(b[i]) : "memory"); '
            f"PUT(%d, {mixture(names)}); }}")
    return text, ["mem"], 16


def values_in(case, count, reg, exact=False):
    """exact: no bits beyond the type's, which a parameter's register might carry along."""
    mask = " & 0xff" if exact and type_bits(case.types[-1]) == 8 else ""
    return ", ".join(f'"{reg}"(({REGISTER[reg]})(b[i] >> {8 * j}{mask}))' for j in range(count))


def store_body(case, where, count):
    """The store itself; its values are operands 1 and following."""
    if wide(case):
        return f".reg .b128 q; mov.b128 q, {{%1, %2}}; {case.spelling} {where}, q;"
    return f"{case.spelling} {where}, {braces(count, 1)};"


def store_param(case):
    """st.param happens in calls only: hand the values to a function, take back a mixture."""
    count, reg = vector_of(case), value_register(case)
    text = ('{ u64 d; asm volatile("{ .param .align 16 .b8 p0[16]; .param .b64 r0; '
            f'st.param.b64 [p0], 0; st.param.b64 [p0+8], 0; {store_body(case, "[p0]", count)} '
            'call.uni (r0), corpus_callee, (p0); ld.param.b64 %0, [r0]; }" : "=l"(d) : '
            f'{values_in(case, count, reg, True)} : "memory"); PUT(%d, d); }}')
    return text, ["mem", "mem"], 16


def store(case):
    count, reg, space = vector_of(case), value_register(case), space_of(case)
    if space == "param":
        return store_param(case)
    slot = SLOT[space]
    text = (f'{{ RESET({slot}); asm volatile("{{ {store_body(case, "[%0]", count)} }}" : : {ADDRESS[space]}, '
            f'{values_in(case, count, reg)} : "memory"); PUT(%d, mix_slot({slot})); }}')
    return text, ["mem", "mem"], 16


def atomic(case):
    """atom: old and new value of the cell, which starts as c[i]; red: the new value."""
    if vector_of(case) > 1:
        return atomic_vector(case)
    kind = kind_of_type(case.types[-1])
    bits, space = KINDS[kind][0], space_of(case)
    reg, red, compares = letter(bits), case.family == "red", ".cas" in case.spelling
    cell = {16: "u16", 32: "u32", 64: "u64"}[bits]
    ins, args = f'"{reg}"(({REGISTER[reg]})b[i])', "%1" if red else "%2"
    if compares:                                 # with the old value in every other case
        ins = f'"{reg}"(({REGISTER[reg]})(i & 1 ? c[i] : b[i])), "{reg}"(({REGISTER[reg]})~b[i])'
        args = "%2, %3"
    target = "[%0]" if red else "%0, [%1]"
    value = "now" if red else ("(u64)old | (u64)now << 32" if bits <= 32 else "mix(old, now)")
    outs = "" if red else f'"={reg}"(old)'
    text = (f'{{ {REGISTER[reg]} old = 0; volatile {cell} *cell = (volatile {cell} *){SLOT[space]}; '
            f'*cell = ({cell})c[i]; asm volatile("{case.spelling} {target}, {args};" : {outs} : '
            f'{ADDRESS[space]}, {ins} : "memory"); {cell} now = *cell; (void)old; PUT(%d, {value}); }}')
    return text, ["mem", kind, kind], bits // 4 if red else 16


def atomic_vector(case):
    """Several elements, or a b128 as two halves: cells start as c[i], c[i + 1], ...; the operands are b[i], ..."""
    kind = "i64" if wide(case) else kind_of_type(case.types[-1])
    count, reg, red = vector_of(case), letter(KINDS[kind][0]), case.family == "red"
    cell, names = REGISTER[reg], [f"x{j}" for j in range(count)]
    first = 0 if red else count
    ins = [f'"{reg}"(({cell})b[(i + {j}) & (n - 1)])' for j in range(count)]
    body = f"{case.spelling} {'' if red else braces(count, 0) + ', '}[%{first}], {braces(count, first + 1)};"
    if wide(case):
        ins += [f'"l"(i & 1 ? c[(i + {j}) & (n - 1)] : 0)' for j in range(2)]
        more = ", s" if ".cas" in case.spelling else ""
        body = ("{ .reg .b128 d, q, s; mov.b128 q, {%5, %6}; mov.b128 s, {%3, %4}; "
                f"{case.spelling} d, [%2], {'q' if more else 's'}{more}; mov.b128 {{%0, %1}}, d; }}")
    outs = "" if red else ", ".join(f'"={reg}"({name})' for name in names)
    cells = [f"cell[{j}]" for j in range(count)]
    start = " ".join(f"{c} = ({cell})c[(i + {j}) & (n - 1)];" for j, c in enumerate(cells))
    slot, address = SLOT[space_of(case)], ADDRESS[space_of(case)]
    declare = "" if red else f"{cell} {', '.join(names)}; "
    text = (f'{{ {declare}volatile {cell} *cell = (volatile {cell} *){slot}; {start} '
            f'asm volatile("{body}" : {outs} : {address}, {", ".join(ins)} : "memory"); '
            f"PUT(%d, {mixture(cells if red else names + cells)}); }}")
    return text, ["mem", kind, kind], 16


# ---- barriers in memory and asynchronous copies -----------------------------
# Every thread has a barrier of its own in the first half of its slot of shared memory, data in the second.

def shared_operand(case, number, word=0):
    """Address `word` of the slot: generic if the spelling names no shared space. -> text, input"""
    generic = ".shared" not in case.spelling
    source = f'"l"(s + {word})' if generic else f'"r"(sa + {8 * word})'
    return f"[%{number}]", source


def flag(body):
    """An operation whose predicate q becomes %0."""
    return "{ .reg .pred q; " + body + " selp.b32 %0, 1, 0, q; }"


def mbarrier(case):
    makers = {"init": mbar_made, "inval": mbar_invalid, "expect_tx": mbar_bytes, "complete_tx": mbar_bytes,
              "arrive": mbar_arrives, "arrive_drop": mbar_arrives, "test_wait": mbar_waits, "try_wait": mbar_waits}
    return "{ " + makers[case.spelling.split(".")[1]](case) + " }", ["mem"], 16


def mbar_made(case):
    address, source = shared_operand(case, 0)
    return (f'asm volatile("{case.spelling} {address}, %1;" : : {source}, "r"(3 + (i & 3)) : "memory"); '
            "PUT(%d, mbar_observe(sa, 3 + (i & 3), 0));")


def mbar_invalid(case):
    address, source = shared_operand(case, 0)
    return (f'mbar_init(sa, 7); asm volatile("{case.spelling} {address};" : : {source} : "memory"); '
            "mbar_init(sa, 1 + (i & 1)); PUT(%d, mbar_observe(sa, 1 + (i & 1), 0));")


def mbar_bytes(case):
    """expect_tx, or complete_tx of half of what was expected."""
    address, source = shared_operand(case, 0)
    before = 'asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 32;" : : "r"(sa) : "memory"); '
    before = before if "complete_tx" in case.spelling else ""
    return (f'mbar_init(sa, 2); {before}asm volatile("{case.spelling} {address}, 16;" : : {source} : "memory"); '
            "PUT(%d, mbar_observe(sa, 2, 16));")


def mbar_arrives(case):
    """arrive, arrive_drop: with a token or, in the cluster's space, without; count 2 where one may be given."""
    remote, bytes_, twice = "shared::cluster" in case.spelling, ".expect_tx" in case.spelling, "@count" in case.name
    last = ", 16" if bytes_ else ", 1" if "noComplete" in case.spelling else ""
    last = ", 2" if twice else last
    address, source = shared_operand(case, 0 if remote else 1)
    outs, target = ("", "_") if remote else ('"=l"(token)', "%0")
    used = "0" if remote else "mbar_count(token)"
    return (f'u64 token = 0; (void)token; mbar_init(sa, 3 + (i & 3)); asm volatile("{case.spelling} {target}, '
            f'{address}{last};" : {outs} : {source} : "memory"); '
            f"PUT(%d, mix({used}, mbar_observe(sa, {1 if twice else 2} + (i & 3), {16 if bytes_ else 0})));")


def mbar_waits(case):
    """test_wait, try_wait: before and after the phase ends; try_wait without a limit only after it."""
    address, source = shared_operand(case, 1)
    hint, parity = "@hint" in case.name, ".parity" in case.spelling
    kinds = ["(u32)0", "(u32)1"] if parity else ["token", "token"]
    early = "test_wait" in case.spelling or hint
    operand = '"r"' if parity else '"l"'
    body = flag(f"{case.spelling} q, {address}, %2{', 1' if hint else ''};")

    def one(what, place):
        return (f'asm volatile("{body}" : "=r"(w) : {source}, {operand}({what}) : "memory"); seen = mix(seen, w << {place}); ')
    text = "u32 w; u64 seen = 0; mbar_init(sa, 2); u64 token = mbar_arrive(sa); (void)token; "
    if early:
        text += one(kinds[0], 1) + (one(kinds[1], 2) if parity else "")
    elif parity:
        text += one(kinds[1], 2)
    return text + "mbar_arrive(sa); " + one(kinds[0], 3) + "PUT(%d, seen);"


def mbar_pending(case):
    return ("{ mbar_init(sa, 5 + (i & 3)); mbar_arrive(sa); u64 token = mbar_arrive(sa); u32 left; "
            f'asm volatile("{case.spelling} %0, %1;" : "=r"(left) : "l"(token)); PUT(%d, left); }}'), ["mem"], 16


def cp_async(case):
    """cp.async of `operands` bytes: .ca or .cg, then wait; @zero copies the half and fills with zeros."""
    size = int(case.operands)
    last = f", {size // 2}" if "@zero" in case.name else ""
    return (f'{{ RESET(s); asm volatile("{case.spelling} [%0], [%1], {size}{last}; cp.async.commit_group; '
            'cp.async.wait_group 0;" : : "r"(sa), "l"(g) : "memory"); PUT(%d, mix_slot(s)); }'), ["mem"], 16


def cp_wait(case):
    """commit_group, wait_group, wait_all: two copies, then the wait."""
    end = {"cp.async.wait_all": "cp.async.wait_all;", "cp.async.wait_group": "cp.async.commit_group; cp.async.wait_group 0;",
           "cp.async.commit_group": "cp.async.commit_group; cp.async.wait_group 0;"}[case.spelling]
    return ('{ RESET(s); asm volatile("cp.async.ca.shared.global [%0], [%1], 8; cp.async.commit_group; '
            f'cp.async.ca.shared.global [%0+16], [%1+8], 8; {end}" : : "r"(sa), "l"(g) : "memory"); '
            "PUT(%d, mix_slot(s)); }"), ["mem"], 16


def cp_arrive(case):
    """The arrival of a barrier that copies trigger: noinc uses up one of the expected ones."""
    address, source = shared_operand(case, 2)
    count = 3 if "noinc" in case.spelling else 2
    return (f'{{ mbar_init(sa, {count}); asm volatile("cp.async.ca.shared.global [%0], [%1], 8; {case.spelling} '
            f'{address}; cp.async.wait_all;" : : "r"(sa + 16), "l"(g), {source} : "memory"); '
            # the arrival itself is asynchronous: two more end the phase
            "mbar_arrive(sa); mbar_arrive(sa); mbar_wait(sa); PUT(%d, mix(s[2], mbar_observe(sa, 2, 0))); }"), ["mem"], 16


EXPECT = 'asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" : : "r"(sa) : "memory"); '


def bulk_copy(case):
    """16 bytes into the second half of the slot, or from there to global memory."""
    words = case.spelling.split(".")
    if words[3] == "global":                     # destination
        return ('{ asm volatile("fence.proxy.async; ' + case.spelling + ' [%0], [%1], 16; cp.async.bulk.commit_group; '
                'cp.async.bulk.wait_group 0;" : : "l"(g), "r"(sa + 16) : "memory"); PUT(%d, mix_slot(g)); }'), ["mem"], 16
    source = '"l"(g)' if "global" in words else '"r"((u32)__cvta_generic_to_shared(from))'
    inputs = f'"r"(sa + 16), {source}, "r"(sa)'
    mask = ', %3' if "multicast::cluster" in words else ""
    more = ', "h"(own)' if mask else ""
    rank = 'u32 rank; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); u16 own = (u16)(1 << rank); ' if mask else ""
    return (f'{{ {rank}mbar_init(sa, 1); {EXPECT}asm volatile("{case.spelling} [%0], [%1], 16, [%2]{mask};" : : '
            f'{inputs}{more} : "memory"); mbar_wait(sa); PUT(%d, mix(s[2], s[3])); }}'), ["mem"], 16


def bulk_wait(case):
    end = "" if case.spelling.endswith("commit_group") else f"{case.spelling} 0; "
    return ('{ asm volatile("fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16; '
            f'cp.async.bulk.commit_group; {end}cp.async.bulk.wait_group 0;" : : "l"(g), "r"(sa + 16) : "memory"); '
            "PUT(%d, mix_slot(g)); }"), ["mem"], 16


def bulk_reduce(case):
    """16 bytes of operands into global memory, or into this block's shared memory."""
    kind = kind_of_type(case.types[-1])
    cell, count = REGISTER[letter(KINDS[kind][0])], 128 // KINDS[kind][0]
    start = "; ".join(f"cell[{j}] = ({cell})b[(i + {j}) & (n - 1)], other[{j}] = ({cell})c[(i + {j}) & (n - 1)]" for j in range(count))
    text = f"volatile {cell} *cell = (volatile {cell} *)(s + 2), *other = (volatile {cell} *)(DST); {start}; "
    if ".bulk_group" in case.spelling:
        text += ('asm volatile("fence.proxy.async; ' + case.spelling + ' [%0], [%1], 16; cp.async.bulk.commit_group; '
                 'cp.async.bulk.wait_group 0;" : : "l"(g), "r"(sa + 16) : "memory"); PUT(%d, mix(g[0], g[1]));')
        return "{ " + text.replace("DST", "g") + " }", ["mem", kind, kind], 16
    text += (f'mbar_init(sa, 1); {EXPECT}asm volatile("fence.proxy.async; {case.spelling} [%0], [%1], 16, [%2];" : : '
             '"r"((u32)__cvta_generic_to_shared(from)), "r"(sa + 16), "r"(sa) : "memory"); mbar_wait(sa); '
             "PUT(%d, mix(from[0], from[1]));")
    return "{ " + text.replace("DST", "from") + " }", ["mem", kind, kind], 16


def async_store(case):
    """st.async, red.async: into this block's shared memory, completion at the thread's barrier."""
    kind = kind_of_type(case.types[-1])
    bits, count, reg = KINDS[kind][0], vector_of(case), letter(KINDS[kind][0])
    size, cell, reduces = bits // 8 * count, REGISTER[reg], case.family == "redasync"
    ins = ", ".join(f'"{reg}"(({cell})b[(i + {j}) & (n - 1)])' for j in range(count))
    first = f"volatile {cell} *cell = (volatile {cell} *)(s + 2); *cell = ({cell})c[i]; " if reduces else ""
    generic = ".shared" not in case.spelling
    pair = '"l"(s + 2), "l"(s)' if generic else '"r"(sa + 16), "r"(sa)'
    return (f'{{ RESET(s); {first}mbar_init(sa, 1); {EXPECT.replace("16;", f"{size};")}'
            f'asm volatile("{case.spelling} [%0], {braces(count, 2)}, [%1];" : : {pair}, {ins} : "memory"); '
            "mbar_wait(sa); PUT(%d, mix(s[2], s[3])); }"), ["mem", kind, kind], 16


def plain(case):
    """An instruction without a result to look at: `operands` is the rest of the statement. %0 is a global address,
    %1 a shared one, %2 a local one; t and w are registers of 64 and 32 bits."""
    rest = "" if case.operands == "-" else " " + case.operands
    return (f'{{ asm volatile("{{ .reg .b64 t; .reg .b32 w; mov.b32 w, 0; {case.spelling}{rest}; }}" : : "l"(g), "r"(sa), '
            '"l"(__cvta_generic_to_local(loc)) : "memory"); PUT(%d, mix_slot(g)); }'), ["mem"], 16


def gone(case):
    """discard: what lies in the 128 bytes afterwards is anybody's guess."""
    return (f'{{ asm volatile("{case.spelling} [%0], 128;" : : "l"(a + i / 4 * 16) : "memory"); PUT(%d, 1); }}',
            ["mem"], 1)


def convert_address(case):
    """cvta to a space: through that space's load; from a space: through a generic load."""
    space, to = space_of(case), ".to." in case.spelling
    source = {"const": "con", "param": "0ull"}.get(space) or SLOT[space]
    first, given = "", f'"l"({source})' if to else ADDRESS.get(space, '"l"(0ull)').replace('"r"(sa)', '"l"((u64)sa)')
    if space == "param":
        first = 'mov.b64 t, " KERNEL "_param_5; ' + ("cvta.param.u64 t, t; " if to else "")
    body = (f'{{ .reg .b64 t; mov.b64 t, %1; {first}{case.spelling} t, t; ld{"." + space if to else ""}.u64 %0, [t]; }}')
    return f'{{ u64 d; asm volatile("{body}" : "=l"(d) : {given} : "memory"); PUT(%d, d); }}', ["mem"], 16


def cluster_of_one(case):
    """mapa, getctarank in a cluster of one block."""
    bits, rank = int(case.types[-1][1:]), case.spelling.startswith("getctarank")
    space, out = "shared::cluster" in case.spelling, "u32" if rank or bits == 32 else "u64"
    source = '"r"(sa)' if space and bits == 32 else '"l"((u64)sa)' if space else '"l"(s)'
    same = "0" if rank else ("sa" if space else "(u64)s")
    return (f'{{ {out} d; asm volatile("{case.spelling} %0, %1{"" if rank else ", 0"};" : "={letter(32 if out == "u32" else 64)}"(d) : '
            f"{source}); PUT(%d, d == {same}); }}"), ["mem"], 16


TEMPLATES = {"alu": alu, "carry": carry, "ld": load, "st": store, "atom": atomic, "red": atomic,
             "mbar": mbarrier, "pending": mbar_pending, "cpa": cp_async, "cpwait": cp_wait, "cparrive": cp_arrive,
             "bulk": bulk_copy, "bulkwait": bulk_wait, "bulkred": bulk_reduce, "stasync": async_store,
             "redasync": async_store, "plain": plain, "gone": gone, "cvta": convert_address, "one": cluster_of_one}
ON_REGISTERS = ("alu", "carry")
IN_CLUSTERS = ("bulk", "bulkred", "stasync", "redasync")  # an H200 refuses some of them in a launch without


# ---- sources -------------------------------------------------------------

def group_key(case, kinds):
    return case.family, tuple(kinds)


def groups_of(cases, size):
    """Cases with the same inputs share a kernel."""
    groups = {}
    for case in cases:
        text, kinds, digits = TEMPLATES[case.family](case)
        groups.setdefault(group_key(case, kinds), []).append((case, text, digits))
    for (family, kinds), members in groups.items():
        for at in range(0, len(members), size):
            yield family, kinds, members[at:at + size]


SLOTS = """    __shared__ __align__(32) u64 shared[256 * SLOT], others[256 * 2];
    u64 *g = (u64 *)a + (size_t)i * SLOT, *s = shared + threadIdx.x * SLOT;
    u32 sa = (u32)__cvta_generic_to_shared(s);
    u64 *from = others + threadIdx.x * 2;
    from[0] = g[2], from[1] = g[3];
    u64 *con = corpus_constant + i % 256 * SLOT;
    u64 loc[SLOT];
    for (int w = 0; w < SLOT; w++) {
        s[w] = g[w];
        ((volatile u64 *)loc)[w] = g[w];
    }
    (void)sa, (void)con, (void)from;
"""

CALLEE = """extern "C" __device__ __noinline__ __attribute__((used)) u64 corpus_callee(ulonglong2 v)
{
    return (v.x << 17 | v.x >> 47) ^ v.y;
}
extern "C" __device__ __noinline__ __attribute__((used)) ulonglong2 corpus_echo(ulonglong2 v)
{
    return make_ulonglong2(v.x + 1, v.y + 1);
}
"""


def kernel_source(number, family, members):
    name = f"group_{number}"
    cluster = "__cluster_dims__(2, 1, 1) " if family in IN_CLUSTERS else ""
    lines = [f'#undef KERNEL\n#define KERNEL "{name}"',
             f'extern "C" __global__ void {cluster}{name}(const u64 *a, const u64 *b, const u64 *c, u64 *out, int n, blob p)',
             "{", "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
             "    (void)a, (void)b, (void)c, (void)p;"]
    lines.append(SLOTS.rstrip("\n") if family not in ON_REGISTERS else "    u64 av = a[i], bv = b[i], cv = c[i];\n    (void)av, (void)bv, (void)cv;")
    lines += ["    " + text.replace("PUT(%d,", f"PUT({k},") for k, (_, text, _) in enumerate(members)]
    return "\n".join(lines + ["}"])


def sums(case):
    return 0 if case.compare != "exact" else min(8, case.show)


def names_source(number, members):
    rows = [f'    {{ "{c.name}", {digits}, {c.show}, {sums(c)} }},' for c, _, digits in members]
    return "\n".join([f"static const struct spelling names_{number}[] = {{"] + rows + ["};"])


def group_row(number, kinds, members):
    fill = ["NONE" if k == "mem" else KINDS[k][1] for k in kinds] + ["NONE"] * 3
    wide = ", ".join("K_" + k for k in fill[:3])
    return f"    {{ group_{number}, {{ {wide} }}, names_{number}, {len(members)} }},"


def source(groups):
    parts = ['#include "corpus.cuh"',
             "#define RESET(p) do { for (int w = 0; w < SLOT; w++) "
             "((volatile u64 *)(p))[w] = 0xcccccccccccccccc; } while (0)", CALLEE]
    rows = []
    for number, (family, kinds, members) in enumerate(groups):
        parts += [kernel_source(number, family, members), names_source(number, members)]
        rows.append(group_row(number, kinds, members))
    parts += ["static const struct group groups[] = {"] + rows + ["};",
              "int main(int argc, char **argv)\n{",
              f"    return corpus_main(groups, {len(rows)}, argc, argv);\n}}"]
    return "\n".join(parts) + "\n"


def files_of(groups):
    bundle, size = [], 0
    for group in groups:
        if bundle and size + len(group[2]) > CASES_A_FILE:
            yield bundle
            bundle, size = [], 0
        bundle.append(group)
        size += len(group[2])
    if bundle:
        yield bundle


# Words without effect on values, which no list of spellings names.
HINTS = [re.compile(r"\.(?:%s)(?=\.|$)" % words) for words in (r"L[12]::\w+", r"ca|cg|cs|lu|cv|wb|wt|L[12]::\w+")]


def split_covered(cases, path):
    """The cases whose spelling the file lists, with or without cache hints, and the others."""
    listed = {normal(name) for name in read_names(path)}
    halves = ([], [])
    for case in cases:
        names = {normal(case.spelling)} | {normal(hint.sub("", case.spelling)) for hint in HINTS}
        halves[not names & listed].append(case)
    return halves


def write_if_new(path, text):
    """Leaves a file that already says so alone, so that it is not compiled again."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def generate(table, folder, covered=None, group=CASES_A_GROUP):
    cases = read_table(table)
    if covered:
        cases, left_out = split_covered(cases, covered)
        write_if_new(f"{folder}/left_out.txt", "".join(c.name + "\n" for c in left_out))
    old = {name for name in os.listdir(folder) if re.fullmatch(r"corpus_\d+\.cu", name)}
    for number, bundle in enumerate(files_of(groups_of(cases, int(group)))):
        write_if_new(f"{folder}/corpus_{number:02}.cu", source(bundle))
        old.discard(f"corpus_{number:02}.cu")
    for name in old:
        os.remove(f"{folder}/{name}")


# ---- comparing -----------------------------------------------------------

def read_lines(path):
    lines = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            name, colon, rest = line.rstrip("\n").partition(": ")
            if colon and not line.startswith("#"):
                lines[name] = rest
    return lines


def value(digits, spelling):
    """The float that hex digits stand for."""
    bits = int(digits, 16)
    if len(digits) == 4 and "bf16" in spelling:
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if len(digits) == 4:
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if len(digits) == 8:
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def near(got, want, spelling, rule):
    if spelling.endswith("16x2"):
        return all(near(got[i:i + 4], want[i:i + 4], spelling[:-2], rule) for i in (0, 4))
    x, y = value(got, spelling), value(want, spelling)
    if got == want or (math.isnan(x) and math.isnan(y)):
        return True
    if not (math.isfinite(x) and math.isfinite(y)):
        return False
    return abs(x - y) <= max(rule.get("abs", 0.0), rule.get("rel", 0.0) * abs(y))


def first_difference(name, got, want, compare):
    """None, or words for the first result that differs."""
    rule = {k: float(v) for k, v in (w.split("=") for w in compare.split(",") if "=" in w)}
    got, want = got.split(), want.split()
    if len(got) != len(want):
        return f"{len(got)} results, want {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w and not (rule and near(g, w, name.split("@")[0], rule)):
            kind = "checksum" if "|" in got and i > got.index("|") else "result"
            at = i - got.index("|") - 1 if kind == "checksum" else i
            return f"{kind} {at} is {g}, want {w}"
    return None


def compare(expected, results, table=None, skip=None):
    want, got = read_lines(expected), read_lines(results)
    rules = {c.name: c.compare for c in read_table(table)} if table else {}
    skipped = {name: "outside the emulator's coverage" for name in (read_names(skip) if skip else ())}
    skipped.update(read_reasons(table) if table else {})
    if not want:
        die(f"{expected}: no results there")
    bad = 0
    for number, name in enumerate(want, 1):
        if name in skipped:
            print(f"ok {number} - {name} # SKIP {skipped[name]}")
            continue
        why = "no result" if name not in got else \
            first_difference(name, got[name], want[name], rules.get(name, "exact"))
        print(f"{'not ok' if why else 'ok'} {number} - {name}" + (f"\n# {why}" if why else ""))
        bad += bool(why)
    print(f"1..{len(want)}")
    return 1 if bad else 0


def read_names(path):
    with open(path, encoding="utf-8") as file:
        return {line.rstrip("\n") for line in file if line.strip()}


def normal(spelling):
    """One name for a spelling whose modifiers may stand in any order."""
    base, *words = spelling.split("@")[0].split(".")
    return ".".join([base] + sorted(words))


def missing(listed, expected, table=None):
    covered = {normal(name) for path in expected for name in read_lines(path)}
    covered |= {normal(name) for name in (read_beyond(table) if table else ())}
    lost = sorted(name for name in read_names(listed) if normal(name) not in covered)
    for name in lost:
        print(name)
    return 1 if lost else 0


def main(argv):
    if len(argv) < 2 or argv[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if argv and argv[0] in ("-h", "--help") else 2
    options = {argv[i][2:]: argv[i + 1] for i in range(1, len(argv) - 1) if argv[i].startswith("--")}
    plain = [w for i, w in enumerate(argv[1:], 1) if not w.startswith("--") and not argv[i - 1].startswith("--")]
    if argv[0] == "list":
        beyond = read_beyond(plain[0])
        print("\n".join(c.name for c in read_table(plain[0]) if c.name not in beyond))
    elif argv[0] == "generate" and len(plain) == 2:
        generate(*plain, **options)
    elif argv[0] == "compare" and len(plain) == 2:
        return compare(*plain, **options)
    elif argv[0] == "missing" and len(plain) > 1:
        return missing(plain[0], plain[1:], **options)
    else:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
