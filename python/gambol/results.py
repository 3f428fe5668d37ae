"""What a player says about its choice."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Choice"]


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
