#!/usr/bin/env python3
"""Writes a page that sets the decompositions of a collection beside the published figures.

usage: page.py RECORDS.jsonl LABELS.tsv > PAGE.html

RECORDS.jsonl is what `gambol corpus --stages decompose --labels LABELS.tsv --jsonl` writes. Published are
figures 4, 5 and 7 of Hufschmitt, Vittaut and Jouandeau, "Décomposition des jeux pour le General Game Playing"
(2018).
"""

import json
import math
import sys
from html import escape

# How many games of 597 were decomposed within so many seconds, with 5,000 playouts (figure 4).
WITHIN = {1: 72, 10: 307, 30: 391, 60: 434, 180: 491, 600: 527, 1800: 540, 3600: 557}
GAMES = 597
# Under-decomposed, right and over-decomposed after so many thousand playouts (figure 5).
BY_PLAYOUTS = {
    1: (9, 521, 26), 2: (5, 525, 26), 3: (4, 527, 25), 4: (2, 529, 25), 5: (2, 529, 25),
    6: (2, 529, 25), 7: (2, 530, 24), 8: (2, 532, 22), 9: (1, 533, 22), 10: (1, 533, 22),
}  # fmt: skip
# The column "stats" of figure 7: name, file in small letters, time as printed, its seconds.
NAMED = """
Blocker Parallel|blockerparallel|≈48min|2880
Asteroids|asteroids|<2sec|2
EightPuzzle|eightpuzzle|≈3sec|3
Checkers|checkers|≈28min|1680
Breakthrough|breakthrough|≈14sec|14
Sheep and wolf|sheepandwolf|≈6sec|6
Tictactoe|tictactoe|<1sec|1
Nineboardtictactoe|nineboardtictactoe|<17sec|17
Tictactoe9|tictactoex9|≈11sec|11
Chomp|chomp|<2sec|2
Multiplehamilton|multiplehamilton|<2sec|2
Multipletictactoe|multipletictactoe|≈1sec|1
Blockerserial|blockerserial|≈3sec|3
Dualrainbow|dualrainbow|≈6sec|6
Asteroidsparallel|asteroidsparallel|≈2sec|2
Dualhamilton|dualhamilton|<2sec|2
Dualhunter|dualhunter|<3sec|3
Asteroidsserial|asteroidsserial|<4sec|4
LightsOnParallel|lightsonparallel|<1sec|1
LightsOnSimul4|lightsonsimul4|≈3sec|3
LightsOnSimultaneous|lightsonsimultaneous|≈3sec|3
Nim3|nim3|<2sec|2
Chinook|chinook|≈21sec|21
Double tictactoe dengji|double_tictactoe_dengji|<1sec|1
SnakeParallel|snakeparallel|<7sec|7
TicTacToeParallel|tictactoeparallel|<2sec|2
Doubletictactoe|doubletictactoe|<1sec|1
TicTacHeaven|tictacheaven|≈17sec|17
TicTacToeSerial|tictactoeserial|<1sec|1
ConnectFourSimultaneous|connectfoursimultaneous|<2sec|2
DualConnect4|dualconnect4|<2sec|2
Jointconnectfour|jointconnectfour|<2sec|2
"""

PROCESSOR = "decompose_processor_seconds"
PUBLISHED, OURS, RIGHT, UNDER, OVER = "#b8b8c8", "#2f6fb0", "#2e8b57", "#d98e04", "#c0392b"
STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}
h1,h2{line-height:1.2}svg{width:100%;height:auto;font:12px system-ui,sans-serif}
table{border-collapse:collapse;margin:1rem 0}
td,th{padding:.15rem .7rem;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}
.slow{color:#c0392b}summary{cursor:pointer}"""


def seconds_of(record):
    """How long it took from the text to the parts; None if it did not come so far."""
    stages = record["seconds_by_stage"]
    if "decompose" not in stages:
        return None
    together = sum(stages.get(stage, 0.0) for stage in ("check", "ground", "net", "decompose"))
    return record["counts"].get(PROCESSOR, together)


def judge(label, found):
    """0 for too few parts, 1 for right, 2 for too many or the wrong ones called useless."""
    wanted = (int(label["action_dependent"]), int(label["useless_action_dependent"]))
    others = [tuple(map(int, one.split("/"))) for one in label.get("alt", "").split(";") if one]
    if tuple(found[:2]) == wanted or tuple(found) in others:
        return 1
    return 0 if found[0] < wanted[0] else 2


def counts_of(record, keys):
    found = [record["counts"].get(key) for key in keys]
    return None if None in found else [int(count) for count in found]


def row(cells, tag="td", classes=()):
    kinds = [f' class="{name}"' if name else "" for name in (*classes, *[""] * len(cells))]
    return "<tr>" + "".join(f"<{tag}{kind}>{cell}</{tag}>" for cell, kind in zip(cells, kinds)) + "</tr>\n"


def table(head, rows):
    return "<table>" + row(head, "th") + "".join(rows) + "</table>\n"


def share(count, total):
    return 100.0 * count / max(total, 1)


def axes(places, series):
    """A frame of percentages: how to place values, and the frame with its legend."""
    width, top, bottom = (720.0 - 46.0) / max(len(places), 1), 26.0, 226.0
    across = lambda number: 46.0 + width * (number + 0.5)
    height = lambda value: bottom - value / 100.0 * (bottom - top)
    svg, x = "", 50.0
    for value in (0, 25, 50, 75, 100):
        y = height(value)
        svg += f'<line x1="46" y1="{y:.1f}" x2="720" y2="{y:.1f}" stroke="#ddd"/>'
        svg += f'<text x="40" y="{y + 4:.1f}" text-anchor="end">{value} %</text>\n'
    for number, place in enumerate(places):
        svg += f'<text x="{across(number):.1f}" y="242" text-anchor="middle">{place}</text>\n'
    for name, colour, _ in series:
        svg += f'<rect x="{x:.1f}" y="6" width="11" height="11" fill="{colour}"/>'
        svg += f'<text x="{x + 16:.1f}" y="16">{escape(name)}</text>\n'
        x += 40.0 + 7.2 * len(name)
    return width, across, height, svg


def picture(body, height=260):
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {height}" role="img">\n{body}</svg>\n'


def columns(places, series):
    width, across, height, svg = axes(places, series)
    column = width * 0.76 / len(series)
    for place, (_, colour, values) in enumerate(series):
        for number, value in enumerate(values):
            x, y = across(number) - width * 0.38 + column * place, height(value)
            svg += f'<rect x="{x:.1f}" y="{y:.1f}" width="{column:.1f}" height="{height(0) - y:.1f}" fill="{colour}">'
            svg += f"<title>{value:.1f} %</title></rect>\n"
    return picture(svg)


def lines(places, series):
    _, across, height, svg = axes(places, series)
    for _, colour, values in series:
        points = [(across(number), height(value)) for number, value in enumerate(values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        svg += f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>\n'
        svg += "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>\n' for x, y in points)
    return picture(svg)


def times(rows):
    """A line per row with two times on a logarithmic scale."""
    height = 19 * len(rows) + 40
    across = lambda seconds: 190.0 + min(max((math.log10(max(seconds, 0.001)) + 3) / 7, 0), 1) * 510.0
    svg = ""
    for seconds, name in ((0.001, "1 ms"), (0.1, "0.1 s"), (1, "1 s"), (10, "10 s"), (100, "100 s"), (1000, "1000 s")):
        x = across(seconds)
        svg += f'<line x1="{x:.1f}" y1="20" x2="{x:.1f}" y2="{height - 14}" stroke="#ddd"/>'
        svg += f'<text x="{x:.1f}" y="14" text-anchor="middle">{name}</text>\n'
    for number, (name, published, here) in enumerate(rows):
        y = 32 + 19 * number
        svg += f'<text x="182" y="{y + 4}" text-anchor="end">{escape(name)}</text>\n'
        if here is not None:
            svg += f'<line x1="{across(here):.1f}" y1="{y}" x2="{across(published):.1f}" y2="{y}" stroke="#bbb"/>'
            svg += f'<circle cx="{across(here):.1f}" cy="{y}" r="4.5" fill="{OURS}"/>\n'
        svg += f'<circle cx="{across(published):.1f}" cy="{y}" r="4.5" fill="{PUBLISHED}"/>\n'
    return picture(svg, height)


def words(seconds):
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 3600 else f"{seconds // 3600} h"


def within(games, done):
    here = {limit: sum(seconds_of(one) <= limit for one in done) for limit in WITHIN}
    series = [
        ("published, of 597 games", PUBLISHED, [share(count, GAMES) for count in WITHIN.values()]),
        ("here", OURS, [share(count, games) for count in here.values()]),
    ]
    of = lambda count, total: f"{count} of {total} ({share(count, total):.1f} %)"
    rows = [row([words(limit), of(count, GAMES), of(here[limit], games)]) for limit, count in WITHIN.items()]
    return (
        "<h2>Games decomposed within a given time</h2>\n"
        "<p>After figure 4: rules, circuit, 5,000 playouts, parts.</p>\n"
        + columns([words(limit) for limit in WITHIN], series)
        + table(["within", "published", "here"], rows)
    )


def by_playouts(done, labels):
    found = {}
    for thousands in BY_PLAYOUTS:
        keys = [f"{what}_at_{1000 * thousands}" for what in ("dependent", "useless_dependent", "independent")]
        verdicts = [0, 0, 0]
        for record in done:
            label, counts = labels.get(record["id"]), counts_of(record, keys)
            if label and label.get("confidence", "high") == "high" and counts:
                verdicts[judge(label, counts)] += 1
        if any(verdicts):
            found[thousands] = verdicts
    if not found:
        return ""
    ours = lambda verdict: [share(here[verdict], sum(here)) for here in found.values()]
    published = [share(BY_PLAYOUTS[thousands][1], sum(BY_PLAYOUTS[thousands])) for thousands in found]
    series = [
        ("right, published", PUBLISHED, published),
        ("right", RIGHT, ours(1)),
        ("under-decomposed", UNDER, ours(0)),
        ("over-decomposed", OVER, ours(2)),
    ]
    three = lambda counts: " / ".join(map(str, counts))
    rows = [row([f"{one}k", three(BY_PLAYOUTS[one]), three(here)]) for one, here in found.items()]
    return (
        "<h2>Right, under- and over-decomposed by number of playouts</h2>\n"
        "<p>After figure 5. Here: the games whose label is certain; what is under- or over-decomposed is told by the "
        "subgames that depend on what is played.</p>\n"
        + lines([f"{thousands}k" for thousands in found], series)
        + table(["playouts", "published under / right / over", "here under / right / over"], rows)
    )


def named(done):
    by_file = {}
    for record in done:
        # Of several collections not the fastest counts, but the first.
        by_file.setdefault(record["id"].rsplit("/", 1)[-1].lower(), record)
    rows, chart = [], []
    for line in NAMED.strip().split("\n"):
        name, file, printed, published = line.split("|")
        here = seconds_of(by_file[file]) if file in by_file else None
        chart.append((name, float(published), here))
        if here is None:
            rows.append(row([name, escape(printed), "–", "–"]))
        else:
            ratio = float(published) / max(here, 0.005)
            slow = "slow" if ratio < 10 else ""
            rows.append(row([name, escape(printed), f"{here:.2f} s", f"{ratio:.0f}"], classes=("", "", "", slow)))
    if all(here is None for _, _, here in chart):
        return ""
    return (
        "<h2>The 32 named games</h2>\n"
        '<p>After figure 7, column "stats": grey as published, blue here.</p>\n'
        + times(chart)
        + table(["game", "published", "here", "times faster"], rows)
    )


def all_games(records, labels):
    keys = ["action_dependent", "useless_action_dependent", "action_independent", "useless_action_independent"]
    rows = []
    for record in records:
        shown = [f"{record['counts'][key]:g}" if key in record["counts"] else "–" for key in keys]
        label, counts, seconds = labels.get(record["id"]), counts_of(record, keys[:3]), seconds_of(record)
        verdict = ("under", "right", "over")[judge(label, counts)] if label and counts else ""
        rows.append(row([escape(record["id"]), *shown, "–" if seconds is None else f"{seconds:.2f}", verdict]))
    head = ["game", "played", "useless", "by themselves", "useless", "seconds", "label"]
    return "<details><summary>All games</summary>" + table(head, rows) + "</details>\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        records = sorted((json.loads(line) for line in file), key=lambda record: record["id"])
    with open(sys.argv[2], encoding="utf-8") as file:
        names = file.readline().rstrip("\n").split("\t")
        labels = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in file]
    labels = {label["id"]: label for label in labels}
    games = sum(record["stage_reached"] is not None for record in records)
    done = [record for record in records if seconds_of(record) is not None]
    processor = all(PROCESSOR in record["counts"] for record in done)
    clock = "seconds of processor time, on one thread" if processor else "seconds"
    print(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Taking games apart</title>'
        f"<style>{STYLE}</style></head><body>\n<h1>Taking games apart</h1>\n"
        f"<p>{len(records)} rulesheets, of which {games} are games and {len(done)} were decomposed. Times are {clock}, "
        f"for everything from the text of the rules to the parts.</p>\n"
        f"{within(games, done)}{by_playouts(done, labels)}{named(done)}{all_games(records, labels)}</body></html>"
    )


if __name__ == "__main__":
    main()
