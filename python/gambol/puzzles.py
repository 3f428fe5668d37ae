"""How many best plans a puzzle has, and whether its solution is the only one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gambol._gambol import Game, State
from gambol.errors import LimitReached

__all__ = ["Plans", "count_plans"]


@dataclass(frozen=True)
class Plans:
    """`count` plans of `length` moves reach `value`, and no shorter one does."""

    value: Fraction
    length: int
    count: int

    @property
    def unique(self) -> bool:
        """Whether there is one only."""
        return self.count == 1


def count_plans(game: Game, *, at: State | None = None, most_states: int = 1_000_000) -> Plans:
    """Counts the shortest plans that are worth the most: sequences of moves, told apart by their moves.

    The best value is taken from the solver, which proves it; plans are counted by looking at all states, layer by layer.
    Raises `LimitReached` if there are more than `most_states`.
    """
    if game.num_players() != 1 or game.has_chance or game.has_hidden_information:
        raise ValueError(f"{game.name} is no puzzle: it has other players, or chance")
    best = game.solve(at=at).values[game.players[0]]
    if best is None:
        raise ValueError("the value depends on how the goals of an end are read")
    layer = {at or game.initial(): 1}
    seen = set(layer)
    length = 0
    while layer:
        ends = [count for state, count in layer.items() if state.is_terminal() and state.goals()[0] == best]
        if ends:
            return Plans(best, length, sum(ends))
        following: dict[State, int] = {}
        for state, count in layer.items():
            for _, child in state.children():
                if child not in seen:
                    following[child] = following.get(child, 0) + count
        seen.update(following)
        if len(seen) > most_states:
            raise LimitReached(f"the puzzle has more than {most_states} states")
        layer = following
        length += 1
    raise ValueError("no plan reaches the value: play without end is worth it too")
