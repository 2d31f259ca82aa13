"""Reads a transcript (make transcript) and does the arithmetic of its mbarriers again, line by line.

The phases, pending arrivals and missing bytes on the right must be those of an mbarrier to which the lines on the left
happened; a wait passes only when its phase is over. Exit 0, or 1 with the first line that does not fit.
"""
import re
import sys


class Barrier:
    def __init__(self, expected):
        self.expected = self.pending = expected
        self.phase = self.bytes = 0

    def settle(self):
        if self.pending == 0 and self.bytes == 0:
            self.phase += 1
            self.pending = self.expected
            return True
        return False


def rows(lines):
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n")
        if len(line) > 100:
            yield number, line, None
        if re.match(r" *[0-9]+ ", line[:7]):
            yield number, line, {"who": line[7:19], "what": line[41:79].strip(), "state": line[80:].split()}


def apply(barrier, what):
    """The barrier after the line, and whether the line may say what it says."""
    ends = what.endswith("phase ends")
    what = what.removesuffix(": phase ends")
    made = re.match(r"inits? (\w+): ([0-9]+) arrivals? a phase", what)
    if made:
        return Barrier(int(made[2])), not ends
    if barrier is None:
        return None, True
    wait = re.match(r"waits? for parity ([01]) of \w+: (passed|not yet)", what)
    if wait:
        return barrier, wait[2] == "not yet" or barrier.phase % 2 != int(wait[1])
    arrive = re.match(r"arrives? at (?!the)\w+(?:, expects ([0-9]+) bytes)?$", what)
    come = re.match(r"([0-9]+) bytes come to \w+", what)
    if arrive:
        barrier.pending -= 1
        barrier.bytes += int(arrive[1] or 0)
    elif come:
        barrier.bytes -= int(come[1])
    else:
        return barrier, not ends
    return barrier, barrier.settle() == ends and barrier.pending >= 0


def main():
    barriers, checked = {}, 0
    for number, line, row in rows(sys.stdin):
        if row is None:
            sys.exit(f"line {number} has {len(line)} columns: {line}")
        block = row["who"].split(":")[0].strip() if ":" in row["who"] else ""
        other = re.search(r"@([0-9]+)", row["what"])
        if other:
            block, row["what"] = other[1], row["what"].replace(other[0], "")
        barriers[block], right = apply(barriers.get(block), row["what"])
        barrier = barriers[block]
        want = [str(barrier.phase), str(barrier.pending), str(barrier.bytes)] if barrier else []
        if not right or row["state"] != want:
            sys.exit(f"line {number}: the barrier is {want}, and the line says: {line}")
        checked += bool(barrier)
    if not checked:
        sys.exit("no line about an mbarrier")
    print(checked, "lines")


main()
