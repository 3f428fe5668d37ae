"""What is found, where it is more than a number."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gambol._gambol import Game

__all__ = ["BestPlans", "Choice", "Scrambled"]

_WORD = re.compile(r"[^\s()]+")


@dataclass(frozen=True)
class Choice:
    """An action, why it was chosen, and what the search saw.

    `reason` is `forced`, `solved`, `proved`, `tried`, `parts` or `unthinking`; `value` is the goal it leads to, as far as
    that is known, and `certain` says whether it is proved. `visits` and `means` are by action.
    """

    action: int
    reason: str
    value: float | None
    certain: bool
    visits: dict[int, int]
    means: dict[int, float | None]


@dataclass(frozen=True)
class BestPlans:
    """`count` plans of `length` moves reach `value`; no plan reaches more, and no shorter one as much."""

    value: int
    length: int
    count: int

    @property
    def unique(self) -> bool:
        """Whether there is one only."""
        return self.count == 1


@dataclass(frozen=True)
class Scrambled:
    """A game in other words, and which word stands for which."""

    game: Game
    names: dict[str, str] = field(repr=False)

    def translate(self, term: str) -> str:
        """A term of the old game in the words of the new one."""
        return _WORD.sub(lambda found: self.names.get(found.group(), found.group()), term)
