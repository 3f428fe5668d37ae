"""`python -m gambol`: games in other words, quizzes, and counts of plans, on the command line.

Exit codes: 0 yes, 1 no, 2 wrong usage, 3 a limit was met, 4 it cannot be done.
"""

from __future__ import annotations

import argparse
import json
import sys

import gambol
from gambol.puzzles import count_plans
from gambol.quizzes import KINDS, quiz
from gambol.scrambling import NotIsomorphic, scramble


def main(arguments: list[str] | None = None) -> int:
    """Does what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m gambol", description="Games as tests for reasoning machines")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("scramble", help="the same game in other words, shown to have the same net")
    two = commands.add_parser("quiz", help="questions with checked answers, as JSON lines")
    three = commands.add_parser("plans", help="how many shortest best plans a puzzle has")
    for command in (one, two, three):
        command.add_argument("game", help="a bundled game or a file")
    for command in (one, two):
        command.add_argument("--seed", type=int, default=1)
    one.add_argument("--names", metavar="FILE", help="write which word stands for which, as JSON")
    two.add_argument("--questions", type=int, default=20, metavar="N")
    two.add_argument("--steps", type=int, default=3, metavar="N", help="the most moves of a question about what follows")
    two.add_argument("--kinds", default=",".join(KINDS), help="which questions (%(default)s)")
    three.add_argument("--unique", action="store_true", help="say by the exit code whether there is one only")
    given = parser.parse_args(arguments)
    try:
        return int(_COMMANDS[given.command](gambol.load(given.game), given))
    except gambol.LimitReached as limit:
        return _complain(str(limit), 3)
    except (gambol.RulesError, KeyError, OSError, ValueError, NotIsomorphic) as error:
        return _complain(str(error.args[0] if isinstance(error, KeyError) else error), 4)


def _complain(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


def _scramble(game: gambol.Game, given: argparse.Namespace) -> int:
    other = scramble(game, given.seed)
    print(other.game.to_text().rstrip())
    if given.names:
        with open(given.names, "w", encoding="utf-8") as file:
            json.dump(other.names, file, indent=1)
    return 0


def _quiz(game: gambol.Game, given: argparse.Namespace) -> int:
    kinds = tuple(given.kinds.split(","))
    for question in quiz(game, given.questions, seed=given.seed, steps=given.steps, kinds=kinds):
        print(json.dumps(question))
    return 0


def _plans(game: gambol.Game, given: argparse.Namespace) -> int:
    plans = count_plans(game)
    print(json.dumps({"value": str(plans.value), "length": plans.length, "count": plans.count, "unique": plans.unique}))
    return 1 if given.unique and not plans.unique else 0


_COMMANDS = {"scramble": _scramble, "quiz": _quiz, "plans": _plans}

if __name__ == "__main__":
    sys.exit(main())
