"""Writes and re-checks the reference tables (helper of the reference scripts).

A script calls  main(name, comments, columns, build)  where build(check) returns the rows, each a list
of strings (arguments, copied as they are) and mpmath numbers (printed to 20 significant digits).

    python3 NAME.py            computes and writes NAME.tsv beside the script
    python3 NAME.py --check    recomputes by build(True), which changes method or accuracy parameters,
                               and prints the largest relative difference from the NAME.tsv in place
"""
import os
import sys
import time
from mpmath import mp, mpf


def number(x, digits=20):
    if isinstance(x, str):
        return x
    text = mp.nstr(x, digits, min_fixed=-5, max_fixed=20)
    return text[:-2] if text.endswith(".0") else text


def compare(path, rows):
    """Largest |new - old|/|old| over all entries and where it is."""
    old = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("#")]
    assert len(old) == len(rows) and all(len(a) == len(b) for a, b in zip(old, rows)), "tables differ in shape"
    worst, place = mpf(0), "-"
    for number_of_row, (a, b) in enumerate(zip(old, rows), 1):
        for column, (u, v) in enumerate(zip(a, b), 1):
            if isinstance(v, str):
                assert u == v, (u, v)
                continue
            u = mpf(u)
            gap = abs(v - u) / abs(u) if u else abs(v)
            if gap > worst:
                worst, place = gap, "row %d, column %d" % (number_of_row, column)
    return worst, place


def main(name, comments, columns, build):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".tsv")
    check, start = "--check" in sys.argv[1:], time.time()
    rows = build(check)
    if check:
        worst, place = compare(path, rows)
        print("%s: largest relative difference %s (%s)" % (name, mp.nstr(worst, 2), place), end="")
    else:
        header = ["# " + line for line in comments]
        header.append("# " + "\t".join("%d:%s" % (k, c) for k, c in enumerate(columns, 1)))
        with open(path, "w") as out:
            out.write("\n".join(header + ["\t".join(number(x) for x in row) for row in rows]) + "\n")
        print("%s: %d rows" % (name, len(rows)), end="")
    print(", %.0f s" % (time.time() - start))
