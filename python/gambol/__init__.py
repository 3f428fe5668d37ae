"""Gambol takes games apart: rules to nets, fast simulation, and proved structure.

>>> import gambol
>>> game = gambol.load("tic-tac-toe")
>>> state = game.initial().child(4)
>>> state.action_to_string(state.legal_actions()[0])
'(put 1 1)'
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any, Literal

from gambol._gambol import Decomposition, Game, Net, Player, Policy, Solution, State, VectorEnv, games
from gambol._gambol import bundled as _bundled
from gambol._gambol import read as _read
from gambol.errors import Diagnosis, LimitReached, RulesError
from gambol.results import BestPlans, Choice, Scrambled

if TYPE_CHECKING:
    from gambol import corpus

__all__ = [
    "BestPlans",
    "Choice",
    "Decomposition",
    "Diagnosis",
    "Game",
    "LimitReached",
    "Net",
    "Player",
    "Policy",
    "RulesError",
    "Scrambled",
    "Solution",
    "State",
    "VectorEnv",
    "corpus",
    "games",
    "load",
    "loads",
]


def __getattr__(name: str) -> Any:
    # Databases and processes are loaded when somebody wants them.
    if name == "corpus":
        return importlib.import_module("gambol.corpus")
    raise AttributeError(f"module 'gambol' has no attribute '{name}'")


def load(
    source: str | os.PathLike[str],
    *,
    strict: bool = False,
    time: float | None = None,
    memory_mib: int | None = None,
) -> Game:
    """Reads a bundled game by its name, or rules from a file.

    With `strict` every fault of the rules is an error; otherwise what can be repaired is, with a warning. Grounding may
    take `time` seconds (60 if nothing is said) and `memory_mib` MiB; beyond that it raises `LimitReached`.
    """
    if isinstance(source, str) and source in games():
        return _read(_bundled(source), source, strict=strict, time=time, memory_mib=memory_mib)
    path = os.fspath(source)
    if isinstance(source, str) and not os.path.exists(path) and os.sep not in path and "." not in path:
        _bundled(path)  # raises, with the name that may be meant
    with open(path, "rb") as file:
        text = file.read()
    name = os.path.splitext(os.path.basename(path))[0]
    return _read(text, name, strict=strict, time=time, memory_mib=memory_mib)


def loads(
    text: str | bytes,
    *,
    name: str = "game",
    notation: Literal["auto", "prefix", "infix"] = "auto",
    strict: bool = False,
    time: float | None = None,
    memory_mib: int | None = None,
) -> Game:
    """Reads rules from text."""
    given = text.encode() if isinstance(text, str) else text
    kind = None if notation == "auto" else notation
    return _read(given, name, notation=kind, strict=strict, time=time, memory_mib=memory_mib)
