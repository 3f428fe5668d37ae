"""How games look in a notebook. Pictures go in as images, so that their style stays their own."""

from __future__ import annotations

import base64
import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gambol._gambol import Game

__all__ = ["as_image", "game_html"]

_LARGEST = 1_000_000


def as_image(svg: str | None) -> str:
    """A picture as an image element; nothing if there is none, or if it is too large to look at."""
    if not svg or len(svg) > _LARGEST:
        return ""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="" src="data:image/svg+xml;base64,{data}">'


def game_html(game: Game) -> str:
    """Roles, counts, the board at the start, and what was found while reading."""
    rows = [
        ("roles", ", ".join(game.roles)),
        ("moves", ", ".join(f"{game.num_actions(role)} of {role}" for role in game.roles)),
        ("fluents", str(len(game.fluents))),
        ("players move", {"single": "alone", "sequential": "in turn", "simultaneous": "at once"}[game.dynamics]),
    ]
    rows += [("warning", str(found)) for found in game.diagnoses]
    cells = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
    board = as_image(game.initial()._repr_svg_())
    return f"<b>{html.escape(game.name)}</b><table>{cells}</table>{board}"
