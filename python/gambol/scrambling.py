"""The same game in other words: to tell who reasons from who remembers.

Every name of the rules is replaced, roles and numbers included; the tree of the game stays what it is. That is not taken
on trust: the net of the new rules is compared with that of the old ones, gate by gate.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from gambol import loads
from gambol._gambol import Game, Net

__all__ = ["NotIsomorphic", "Scrambled", "isomorphic", "scramble"]

_KEYWORDS = {
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "base", "input", "distinct", "not", "or",
    "and", "<=", "random",
}  # fmt: skip
_TOKEN = re.compile(r"[^\s()]+")


class NotIsomorphic(RuntimeError):
    """The two nets could not be shown to be the same."""


@dataclass(frozen=True)
class Scrambled:
    """A game in other words, and which word stands for which."""

    game: Game
    names: dict[str, str]

    def translate(self, term: str) -> str:
        """A term of the old game in the words of the new one."""
        return _renamed(term, self.names)


def scramble(game: Game, seed: int = 1) -> Scrambled:
    """The game in other words. Raises `NotIsomorphic` if the two nets cannot be shown to be the same."""
    text = game.to_text("prefix")
    kept = _KEYWORDS | {str(value) for _, value, _ in game.net().goals()}
    words = sorted({word for word in _TOKEN.findall(text) if word not in kept and word != "?"})
    chosen = random.Random(seed)
    names: dict[str, str] = {}
    taken = set(words) | kept
    for word in words:
        bare = _new_word(chosen, taken)
        names[word] = "?" + bare if word.startswith("?") else bare
    other = Scrambled(loads(_renamed(text, names), name=_new_word(chosen, taken)), names)
    if not isomorphic(game.net(), other.game.net(), names):
        raise NotIsomorphic(f"{game.name} in other words makes another net")
    return other


def _renamed(text: str, names: dict[str, str]) -> str:
    return _TOKEN.sub(lambda found: names.get(found.group(), found.group()), text)


def _new_word(chosen: random.Random, taken: set[str]) -> str:
    while True:
        word = "".join(chosen.choice("bdfgklmnprstvz") + chosen.choice("aeiou") for _ in range(chosen.choice((2, 3))))
        if word not in taken:
            taken.add(word)
            return word


def isomorphic(one: Net, other: Net, names: dict[str, str]) -> bool:
    """Whether the renaming takes one net to the other: propositions, gates, transitions, legality, end and goals.

    Nets of recursive rules are not compared; the answer is no.
    """
    if one.is_cyclic() or other.is_cyclic():
        return False
    image = _images(one, other, names)
    if image is None:
        return False
    there = _propositions(other)
    fluents = [name for kind, name, _ in one.gates() if kind == "fluent" and name is not None]
    others = dict(zip((name for kind, name, _ in other.gates() if kind == "fluent"), other.transitions()))
    if len(others) != len(fluents) or len(there) != len(_propositions(one)):
        return False
    for name, gate in zip(fluents, one.transitions()):
        if others[_renamed(name, names)] != image[gate]:
            return False
    legal = {(role, name): gate for role, name, gate in other.moves()}
    for role, name, gate in one.moves():
        if legal.get((_renamed(role, names), _renamed(name, names))) != image[gate]:
            return False
    goals = {(role, value): gate for role, value, gate in other.goals()}
    same_goals = len(goals) == len(one.goals()) and all(
        goals.get((_renamed(role, names), value)) == image[gate] for role, value, gate in one.goals()
    )
    return same_goals and other.terminal() == image[one.terminal()]


def _propositions(net: Net) -> dict[tuple[str, str, str], int]:
    """The gate of each proposition, by kind, role and name."""
    roles = iter(net.moves())
    found = {}
    for number, (kind, name, _) in enumerate(net.gates()):
        role = next(roles)[0] if kind == "move" else ""
        if name is not None:
            found[kind, role, name] = number
    return found


def _images(one: Net, other: Net, names: dict[str, str]) -> list[int] | None:
    """The gate of the other net that each gate stands for; none if one of them has no image."""
    named = {number: key for key, number in _propositions(one).items()}
    there = _propositions(other)
    by_inputs: dict[tuple[str, tuple[int, ...]], int] = {}
    for number, (kind, _, inputs) in enumerate(other.gates()):
        if kind in ("and", "or", "not"):
            by_inputs.setdefault((kind, tuple(sorted(inputs))), number)
    image: list[int] = []
    for number, (kind, name, inputs) in enumerate(one.gates()):
        if number in named:
            _, role, term = named[number]
            key = (kind, _renamed(role, names), term if kind == "constant" else _renamed(term, names))
            found = there.get(key)
        else:
            found = by_inputs.get((kind, tuple(sorted(image[gate] for gate in inputs))))
        if found is None:
            return None
        image.append(found)
    return image
