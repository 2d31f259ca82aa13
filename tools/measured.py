#!/usr/bin/env python3
"""Tables from what the experiments wrote.

  measured.py bench BENCH.json                 markdown: bandwidth, work sizes, waiting times
  measured.py model BENCH.json PREDICTED.json  text: the emulator's prediction beside the measurement, and the error
  measured.py micro MEASURED.txt MODEL.txt     text: constants of a GPU beside those of its model
  measured.py holds FIGURES.json EXPRESSION    exit 0 if it holds, else 1: comparisons joined by `and`, each
                                               FIGURE < [FACTOR *] FIGURE or FIGURE > ... or a number at the right.
                                               FIGURE: WORK.WAY.FIELD of make compare; GROUP.WORK.WAY.FIELD, or
                                               bandwidth.VARIANT (GB/s; `best`: the best of ours) of make bench

Standard library alone. Exit 2 for input that is none of these.
"""
import json
import sys

WAYS = ["step01", "step02", "counter", "step03", "step04"]
TITLES = {"step01": "1 fixed work", "step02": "2 fixed blocks", "counter": "tile counter", "step03": "3 CLC blocks",
          "step04": "4 CLC clusters"}
IRREGULAR = ["ramp", "zipf", "giant", "prompts", "rows", "rings", "counties"]


def refuse(sentence):
    print(f"measured.py: {sentence}", file=sys.stderr)
    sys.exit(2)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        refuse(f"{path}: {error}")


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(cells):
    row(cells)
    row(["---"] + ["---:"] * (len(cells) - 1))


def ways_of(tables):
    return [way for way in WAYS if any(w["way"] == way for t in tables for w in t["ways"])]


def way(table, name):
    return next((w for w in table["ways"] if w["way"] == name), None)


def bandwidth(bench):
    if not bench["bandwidth"]:
        return
    rows = bench["bandwidth"]["rows"]
    print(f"\nv := alpha v, {bench['bandwidth']['n']} floats\n")
    head(["variant", "GB/s, median", "least", "most", "of the copy"])
    for r in rows:
        g = r["gb_per_s"]
        row([r["title"], f"{g['median']:.0f}", f"{g['least']:.0f}", f"{g['most']:.0f}", f"{r['of_copy']:.3f}"])


def cells(table, names, text):
    return [text(table, w) if (w := way(table, name)) else "-" for name in names]


def over_bound(title, tables):
    if not tables:
        return
    names = ways_of(tables)
    print(f"\n{title}: time over the lower bound of any schedule\n")
    head(["work", "tiles", "bound, us"] + [TITLES[name] for name in names])
    for t in tables:
        row([t["work"], t["tiles"], f"{t['bound']:.1f}"] + cells(t, names, lambda _, w: f"{w['over_bound']:.2f}"))


def waits(tables):
    if not tables:
        return
    names = ways_of(tables)
    cooperative = " (software launch control: whoever launches that kernel sets a flag, and requests are refused)"
    print("\nA kernel of high priority arrives in the middle; how long it waits, us" +
          (cooperative if tables[0]["clc"] == "software" else "") + "\n")
    head(["work", "tiles", "blocks on an SM", "idle GPU"] + [TITLES[name] for name in names])
    for t in tables:
        row([t["work"], t["tiles"], f"{t['slots']} x {t['block']} threads", f"{t['wait_idle']:.1f}"] + cells(
            t, names, lambda _, w: f"{w['wait']['median']:.0f} ({w['wait']['least']:.0f} to {w['wait']['most']:.0f})"))


def bench_tables(path):
    bench = read(path)
    print(f"{bench['gpu']}, driver {bench['driver']}, CUDA {bench['toolkit']}, {bench['date']}; medians.")
    bandwidth(bench)
    over_bound("Four blocks of 256 threads on an SM", bench["shared"])
    over_bound("Two blocks of one warp on an SM", bench["alone"])
    waits(bench["waits"])


def order(table):
    names = [n for n in ["step01", "step02", "counter"] if way(table, n)]
    return [n for n in sorted(names, key=lambda n: way(table, n)["time"]["median"])]


def same_order(seen, said, slack=0.02):
    """Every pair that differs by more than `slack` in the measurement is in the same order in the prediction."""
    names = order(seen)
    time = lambda t, n: way(t, n)["over_bound"]
    return all(time(said, a) <= time(said, b) * (1 + slack) for k, a in enumerate(names) for b in names[k + 1:]
               if time(seen, b) > time(seen, a) * (1 + slack))


def model_table(measured, predicted):
    seen = {t["work"]: t for t in read(measured)["alone"]}
    said = {t["work"]: t for t in read(predicted)}
    missed, worst = 0, 0
    print("time over the lower bound: predicted by DEVICE=h200, measured on the GPU, error in %")
    print(f"{'':10}" + "".join(f"{TITLES[name]:>22}" for name in WAYS) + "   order of 1, 2, counter")
    for work in [w for w in seen if w in said]:
        line = f"{work:10}"
        for name in WAYS:
            a, b = way(said[work], name), way(seen[work], name)
            if not a or not b:
                line += f"{'-':>22}"
                continue
            error = 100 * (a["over_bound"] / b["over_bound"] - 1)
            line += f"{a['over_bound']:9.2f}{b['over_bound']:6.2f}{error:+6.1f}%"
            if work in IRREGULAR and name in ("step01", "step02", "counter"):
                missed += abs(error) > 10
                worst = max(worst, abs(error))
        print(line + ("   as measured" if same_order(seen[work], said[work]) else "   NOT as measured"))
    print(f"irregular works, steps 1 and 2 and the counter: {missed} of {3 * len([w for w in IRREGULAR if w in seen])}"
          f" miss by more than 10 %, the worst by {worst:.1f} %")
    return missed


def pairs(path):
    with open(path, encoding="utf-8") as file:
        return dict((line.split("\t")[0], line.rstrip("\n").split("\t")[1:]) for line in file if "\t" in line)


def micro_table(measured, model):
    seen, said = pairs(measured), pairs(model)
    print(f"{'':60} {'measured':>10} {'model':>10}")
    for name, (value, unit) in seen.items():
        print(f"{name:60} {value:>10} {said.get(name, ['-'])[0]:>10}  {unit}")


def figure(figures, name):
    """A number, or the figure of that name."""
    try:
        return float(name)
    except ValueError:
        pass
    path = name.split(".")
    try:
        if path[0] == "bandwidth":
            rates = {r["variant"]: r["gb_per_s"]["median"] for r in figures["bandwidth"]["rows"]}
            return max(v for k, v in rates.items() if k not in ("copy", "cublasSscal")) if path[1] == "best" else rates[path[1]]
        if len(path) == 4:
            figures, path = figures[path[0]], path[1:]
        tables = figures if isinstance(figures, list) else [figures]
        value = way(next(t for t in tables if t["work"] == path[0]), path[1])[path[2]]
        return value["median"] if isinstance(value, dict) else value
    except (KeyError, IndexError, StopIteration, TypeError):
        sys.exit(f"measured.py: there is no figure {name}")


def holds(path, expression):
    figures = read(path)
    for part in expression.split(" and "):
        words = part.split()
        if len(words) not in (3, 5) or words[1] not in ("<", ">") or (len(words) == 5 and words[3] != "*"):
            refuse(f"'{part}' is no comparison")
        left, right = figure(figures, words[0]), figure(figures, words[-1]) * (float(words[2]) if len(words) == 5 else 1)
        if not (left < right if words[1] == "<" else left > right):
            print(f"{part}: {left:g} and {right:g}", file=sys.stderr)
            sys.exit(1)


def main(words):
    kinds = {"bench": (bench_tables, 1), "model": (model_table, 2), "micro": (micro_table, 2), "holds": (holds, 2)}
    if not words or words[0] not in kinds or len(words) != 1 + kinds[words[0]][1]:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    kinds[words[0]][0](*words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
