"""Games of Gambol as environments of Gymnasium: one learner against given opponents.

The learner is asked where it is its turn; opponents and chance move in between. Its reward is its goal, 0 to 100, at
the end. The mask of legal actions is in `info["action_mask"]`. An action that is not legal ends the game with nothing,
and `info["illegal"]` says so: Gymnasium has no other word for it.
"""

from __future__ import annotations

from typing import Any, Callable, Literal

import gymnasium
import numpy as np
from gymnasium import spaces

from gambol._gambol import Game, State

__all__ = ["LearnerGame", "Opponent", "to_gymnasium"]

Opponent = Callable[[State, str], int]
"""Chooses an action for a role in a state."""


def to_gymnasium(
    game: Game,
    role: int | str = 0,
    opponents: Literal["random"] | Opponent = "random",
    *,
    max_steps: int | None = 1000,
    render_mode: str | None = None,
) -> LearnerGame:
    """The game as an environment of one player."""
    return LearnerGame(game, role, opponents, max_steps=max_steps, render_mode=render_mode)


class LearnerGame(gymnasium.Env[Any, Any]):
    """One player learns; the others are played."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: Game,
        role: int | str = 0,
        opponents: Literal["random"] | Opponent = "random",
        *,
        max_steps: int | None = 1000,
        render_mode: str | None = None,
    ) -> None:
        if game.has_hidden_information:
            raise ValueError(f"{game.name} has hidden information, which its states do not tell")
        self.game = game
        self.learner = game.players[role] if isinstance(role, int) else role
        if self.learner not in game.players:
            raise ValueError(f"{self.learner} is no player of {game.name}")
        self.opponents = opponents
        self.max_steps = max_steps
        self.render_mode = render_mode
        self.observation_space = spaces.MultiBinary(len(game.fluents))
        self.action_space = spaces.Discrete(game.num_actions(self.learner))
        self._number = game.players.index(self.learner)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.position = self.game.initial()
        self._steps = 0
        self._play_others()
        return self._seen(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if int(action) not in self.position.legal_actions(self.learner):
            return self._seen(), 0.0, True, False, {**self._info(), "illegal": True}
        self._move({self.learner: int(action)})
        self._play_others()
        over = self.position.is_terminal()
        reward = self.position.returns()[self._number] if over else 0.0
        return self._seen(), reward, over, self._is_late() and not over, self._info()

    def render(self) -> Any:
        return str(self.position) if self.render_mode == "ansi" else None

    def _play_others(self) -> None:
        while not self.position.is_terminal() and not self._is_late():
            if self.position.current_player() in (self._number, -2):
                return
            self._move({})

    def _move(self, chosen: dict[str, int]) -> None:
        joint = [chosen[role] if role in chosen else self._choose(role) for role in self.game.roles]
        self.position = self.position.child(joint)
        self._steps += 1

    def _choose(self, role: str) -> int:
        legal = self.position.legal_actions(role)
        if len(legal) > 1 and role != "random" and self.opponents != "random":
            return self.opponents(self.position, role)
        return legal[int(self.np_random.integers(len(legal)))]

    def _is_late(self) -> bool:
        return self.max_steps is not None and self._steps >= self.max_steps

    def _seen(self) -> Any:
        return self.position.bits().astype(np.int8)

    def _info(self) -> dict[str, Any]:
        mask = np.zeros(self.game.num_actions(self.learner), np.int8)
        mask[self.position.legal_actions(self.learner)] = 1
        return {"action_mask": mask}
