"""Questions about a game with answers that are checked: circuit and interpreter must agree before one is asked.

Values and best moves come from a table of all states, and are asked only of games that are small enough to be listed.
"""

from __future__ import annotations

import random
from typing import Any, Iterator

from gambol._gambol import Game, Solution, State
from gambol.errors import LimitReached

__all__ = ["KINDS", "features", "quiz"]

KINDS = ("legal", "next", "terminal", "goals", "value", "best")


class Disagreement(AssertionError):
    """Two engines gave different answers: a bug, and no question."""


def quiz(
    game: Game, questions: int = 20, *, seed: int = 1, steps: int = 3, kinds: tuple[str, ...] = KINDS, time: float = 10.0
) -> Iterator[dict[str, Any]]:
    """Questions as dictionaries that go into JSON lines. `steps` is the most moves that a `next` question makes.

    `difficulty` counts what must be worked out: the moves made, and the fluents that are true.
    """
    if game.has_hidden_information or game.has_chance:
        raise ValueError(f"{game.name} has chance or hidden information; its states do not tell everything")
    unknown = set(kinds) - set(KINDS)
    if unknown:
        raise ValueError(f"no such question: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    chosen = random.Random(seed)
    solution = _solved(game, time) if {"value", "best"} & set(kinds) else None
    told = features(game)
    possible = [kind for kind in kinds if solution is not None or kind not in ("value", "best")]
    asked = 0
    while asked < questions and possible:
        question = _question(game, possible[asked % len(possible)], _walk(game, chosen), chosen, steps, solution)
        if question is not None:
            yield {"game": game.name, "number": asked, **question, "features": told}
            asked += 1


def features(game: Game) -> dict[str, Any]:
    """What is known of the game, for those who compare games. Latches and clocks are proved."""
    found = game.structure(time=5)
    return {
        "players": len(game.players),
        "dynamics": game.dynamics,
        "fluents": len(game.fluents),
        "moves": sum(game.num_actions(role) for role in game.roles),
        "latches": len(found["latches"]),
        "clocks": len(found["clocks"]),
        "states": found["states"],
    }


def _solved(game: Game, time: float) -> Solution | None:
    try:
        return game.solve(strong=True, time=time)
    except LimitReached:
        return None


def _walk(game: Game, chosen: random.Random) -> list[tuple[State, list[int]]]:
    """A random game: its states, with the moves made in them."""
    walk: list[tuple[State, list[int]]] = []
    state = game.initial()
    while not state.is_terminal() and len(walk) < 200:
        joint = [chosen.choice(state.legal_actions(role)) for role in game.roles]
        walk.append((state, joint))
        state = state.child(joint)
    return [*walk, (state, [])]


def _question(
    game: Game, kind: str, walk: list[tuple[State, list[int]]], chosen: random.Random, steps: int, solution: Solution | None
) -> dict[str, Any] | None:
    place = chosen.randrange(len(walk))
    state, _ = walk[place]
    told = game.interpret(state.true())
    _agree(told["terminal"], state.is_terminal())
    asked: dict[str, Any] = {"kind": kind, "state": state.true(), "difficulty": len(state.true())}
    if kind == "terminal":
        return {**asked, "answer": state.is_terminal()}
    if kind == "goals":
        goals = dict(zip(game.roles, state.goals()))
        _agree(list(goals.values()), told["goals"])
        return {**asked, "answer": goals} if state.is_terminal() else None
    if state.is_terminal():
        return None
    if kind == "legal":
        legal = {role: [game.action_name(role, one) for one in state.legal_actions(role)] for role in game.roles}
        _agree([sorted(names) for names in legal.values()], [sorted(names) for names in told["legal"]])
        return {**asked, "answer": legal}
    if kind == "next":
        return {**asked, **_next(game, walk[place:-1][: chosen.randint(1, steps)])}
    if solution is None or game.dynamics == "simultaneous":
        return None
    if kind == "value":
        return {**asked, "answer": {role: str(value) for role, value in solution.value(state).items()}}
    mover = game.players[state.current_player()]
    best = [game.action_name(mover, action) for action in solution.best(state)]
    return {**asked, "role": mover, "answer": best}


def _next(game: Game, made: list[tuple[State, list[int]]]) -> dict[str, Any]:
    moves, fluents = [], made[0][0].true()
    for _, joint in made:
        names = [game.action_name(role, action) for role, action in zip(game.roles, joint)]
        moves.append(names)
        fluents = game.interpret(fluents, names)["next"]
    last, joint = made[-1]
    answer = last.child(joint).true()
    _agree(sorted(fluents), sorted(answer))
    return {"moves": moves, "answer": answer, "difficulty": len(answer) * len(moves)}


def _agree(one: Any, other: Any) -> None:
    if one != other:
        raise Disagreement(f"{one} and {other}")
