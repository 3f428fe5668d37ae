#!/usr/bin/env python3
"""Scores decompositions against a table of labels.

usage: score.py PROGRAM EXPECTED.tsv GAMES_DIR [--jobs N] [--time S] [--clock] [--only TEXT] [--prove]
       [--playouts N] [--seed N]

PROGRAM is the example `parts` of the crate gambol-decompose. For every row it prints a line only if
something differs; at the end, how many rows are right, under- and over-decomposed by column and by
confidence, and how many games were done within given processor times. With `--clock` the program is told
the limit, and answers in time with what it has: only for a machine with nothing else to do.
"""

import argparse
import fnmatch
import os
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


SLOWEST = 16


def run(program, path, limit, extra):
    """The answer, the processor time it took (whatever else the machine does), and what went wrong."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        cap = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        child = subprocess.Popen([program, *extra, path], stdout=out, stderr=err, preexec_fn=cap)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        took = usage.ru_utime + usage.ru_stime
        if took > limit:
            return None, took, "timeout"
        out.seek(0), err.seek(0)
        if child.returncode != 0:
            return None, took, err.read().strip()[-200:]
        return parse(out.read()), took, ""


def parse(text):
    lines = text.split("\n")
    head = lines[0].split("\t")
    found = {
        "counts": [int(x) for x in head[1:5]],
        "composition": head[5],
        "termination": head[6],
        "basis": head[7],
        "seconds": [float(x) for x in head[8:12]],
        "parts": [],
    }
    for line in lines[1:]:
        cells = line.split("\t")
        if len(cells) >= 7 and cells[1] in ("dependent", "independent"):
            fluents = [flat(name) for name in cells[6].split(" ; ")]
            found["parts"].append((cells[1], cells[2], cells[3], fluents))
    return found


def flat(name):
    """(cell 1 1 b) as cell(1,1,b), in lower case."""
    name = name.lower()
    if not name.startswith("("):
        return name
    words = re.findall(r"\((?:[^()]|\([^()]*\))*\)|[^\s()]+", name[1:-1])
    return words[0] + "(" + ",".join(words[1:]) + ")"


def pattern_matches(pattern, fluent):
    if "(" not in pattern:
        return pattern == fluent
    if "(" not in fluent:
        return False
    head, arguments = pattern[:-1].split("(", 1)
    name, values = fluent[:-1].split("(", 1)
    if head != name:
        return False
    arguments, values = arguments.split(","), values.split(",")
    if len(arguments) != len(values):
        return False
    for want, value in zip(arguments, values):
        span = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", want)
        if span:
            if not re.fullmatch(r"-?\d+", value):
                return False
            if not int(span[1]) <= int(value) <= int(span[2]):
                return False
        elif not fnmatch.fnmatchcase(value, want):
            return False
    return True


def blocks_of(partition):
    """The blocks as lists of patterns; nothing if the text is more than patterns."""
    blocks = []
    for block in partition.split(" | "):
        block = block.strip()
        loop = re.fullmatch(r"(.*) for (\w)=(\d+)\.\.(\d+)", block)
        texts = [block]
        if loop:
            texts = []
            for number in range(int(loop[3]), int(loop[4]) + 1):
                texts.append(re.sub(rf"(?<=[(,]){loop[2]}(?=[),])", str(number), loop[1]))
        for text in texts:
            if " " in text or "elsewhere" in text:
                return None
            blocks.append(re.findall(r"[^,()]+(?:\([^()]*\))?", text))
    return blocks


def partition_agrees(partition, parts):
    """Whether no part of ours lies in two blocks, and no block in two of our dependent parts."""
    blocks = blocks_of(partition)
    if blocks is None:
        return None
    for kind, _, _, fluents in parts:
        hit = set()
        for fluent in fluents:
            for number, block in enumerate(blocks):
                if any(pattern_matches(pattern, fluent) for pattern in block):
                    hit.add(number)
        if kind == "dependent" and len(hit) != 1:
            return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("expected")
    parser.add_argument("games")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--time", type=float, default=60)
    parser.add_argument("--clock", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--playouts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    extra = ["--playouts", str(options.playouts), "--seed", str(options.seed)]
    extra += ["--prove"] if options.prove else []
    extra += ["--time", str(0.9 * options.time)] if options.clock else []
    with open(options.expected) as file:
        names = file.readline().rstrip("\n").split("\t")
        rows = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in file]
    rows = [row for row in rows if options.only in row["id"]]
    path = lambda row: f"{options.games}/{row['id']}.kif"
    with ThreadPoolExecutor(options.jobs) as pool:
        answers = list(
            pool.map(
                lambda row: run(options.program, path(row), options.time, extra), rows
            )
        )
    report(rows, answers)


def report(rows, answers):
    tally, seconds = {}, []
    for row, (found, took, error) in zip(rows, answers):
        want = [
            int(row[column])
            for column in (
                "action_dependent",
                "useless_action_dependent",
                "action_independent",
                "useless_action_independent",
            )
        ]
        seconds.append(took)
        tell = lambda column, verdict: tally.setdefault(column, {}).setdefault(verdict, []).append(
            row["id"]
        )
        depend, apart = f"dependent {row['confidence']}", f"independent {row['conf_indep']}"
        if found is None:
            tell(depend, "none")
            tell(apart, "none")
            print(f"{row['id']}: {error} after {took:.1f} s")
            continue
        got = found["counts"]
        accepted = [[int(x) for x in one.split("/")] for one in row["alt"].split(";") if one]
        right = got[:2] == want[:2] or any(one == got[:3] for one in accepted)
        verdict = "right" if right else "over" if got[0] > want[0] else "under" if got[0] < want[0] else "use"
        tell(depend, verdict)
        indep = got[2:] == want[2:] or any(one == got[:3] for one in accepted)
        tell(apart, "right" if indep else "wrong")
        agrees = partition_agrees(row["partition"], found["parts"]) if want[0] > 1 else None
        if agrees is not None and right:
            tell(f"partition {row['confidence']}", "right" if agrees else "wrong")
        basis = found["basis"]
        if verdict == "over" and basis == "proved":
            tell("proved and over", row["confidence"])
        if found["basis"] == "proved" and right:
            tell(f"proved {row['confidence']}", "yes")
        if not right or not indep or agrees is False:
            flags = f"{verdict}{'' if indep else ' indep'}{' PARTITION' if agrees is False else ''}"
            print(
                f"{row['id']}: {flags}: found {got} {found['composition']} {basis}, expected {want}"
                f" ({row['confidence']}, {row['conf_indep']}) {row['category']} {took:.1f} s"
            )
    for column in sorted(tally):
        verdicts = tally[column]
        total = sum(len(ids) for ids in verdicts.values())
        counts = ", ".join(f"{name} {len(ids)}" for name, ids in sorted(verdicts.items()))
        right = len(verdicts.get("right", [])) / total
        print(f"{column}: {counts} of {total} ({100 * right:.1f} %)")
    for limit in (0.5, 1, 10, 30, 60):
        print(f"within {limit} s: {sum(took <= limit for took in seconds)} of {len(seconds)}")
    ranked = sorted(zip(seconds, (row["id"] for row in rows)), reverse=True)
    print(f"in all {sum(seconds):.1f} s, half of them within {sorted(seconds)[len(seconds) // 2]:.2f} s")
    print("slowest: " + ", ".join(f"{name} {took:.1f}" for took, name in ranked[:SLOWEST]))
    proved = sum(bool(found) and found["basis"] == "proved" for found, _, _ in answers)
    print(f"proved: {proved} of {len(answers)}")


if __name__ == "__main__":
    sys.exit(main())
