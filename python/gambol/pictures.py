"""How things look in a notebook. Pictures go in as images, so that their style stays their own."""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING, Iterable

if TYPE_CHECKING:
    from gambol._gambol import Decomposition, Game, Net, Solution, State

__all__ = ["as_image", "game_html", "parts_html", "picture_html", "solution_html"]

_LARGEST = 1_000_000
_MOST_NAMES = 12
_MOST_STEPS = 40


def as_image(svg: str | None) -> str:
    """A picture as an image element; nothing if there is none, or if it is too large to look at."""
    if not svg or len(svg) > _LARGEST:
        return ""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="" style="max-width: 100%" src="data:image/svg+xml;base64,{data}">'


def picture_html(pictured: State | Net) -> str | None:
    """A state or a net; nothing if it has no picture."""
    return as_image(pictured._repr_svg_()) or None


def game_html(game: Game) -> str:
    """Roles, counts, the board at the start, and what was found while reading."""
    rows = [
        ("roles", ", ".join(game.roles)),
        ("moves", ", ".join(f"{game.num_actions(role)} of {role}" for role in game.roles)),
        ("fluents", str(len(game.fluents))),
        ("players move", {"single": "alone", "sequential": "in turn", "simultaneous": "at once"}[game.dynamics]),
    ]
    rows += [("warning", str(found)) for found in game.diagnoses]
    return f"<b>{html.escape(game.name)}</b>{_table(rows)}{as_image(game._repr_svg_())}"


def parts_html(parts: Decomposition) -> str:
    """What the parts are, what that rests on, and what depends on what."""
    rows = [(f"part {number}", _some(fluents)) for number, fluents in enumerate(parts.parts)]
    rows += [("put together", parts.composition), ("basis", parts.basis)]
    return f"{_table(rows)}{as_image(parts._repr_svg_())}"


def solution_html(solution: Solution) -> str:
    """Values or bounds, how they were found, best play, and the board it leads to."""
    rows = []
    for role, value in solution.values.items():
        low, high = solution.bounds[role]
        rows.append((role, str(value) if value is not None else f"{low} to {high}"))
    rows += [("meaning", solution.meaning), ("method", solution.method)]
    steps = ["; ".join(joint) for joint in solution.line[:_MOST_STEPS]]
    line = "".join(f"<li>{html.escape(step)}</li>" for step in steps)
    return _table(rows) + (f"<ol>{line}</ol>" if line else "") + as_image(solution._repr_svg_())


def _some(names: list[str]) -> str:
    rest = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
    return f"<table>{cells}</table>"
