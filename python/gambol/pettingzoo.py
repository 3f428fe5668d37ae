"""Games of Gambol as environments of PettingZoo: in turn (AEC) or all at once (parallel).

Agents are the players of the rules, under their names. An observation holds the fluents and the mask of legal actions.
Goals are given at the end. Chance is drawn inside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped,unused-ignore]

from gambol._gambol import Game, State

__all__ = ["ParallelGame", "TurnGame", "to_pettingzoo"]


def to_pettingzoo(
    game: Game, *, parallel: bool = False, render_mode: str | None = None, max_steps: int | None = 1000
) -> Any:
    """The game as an `AECEnv`, or as a `ParallelEnv`."""
    made = ParallelGame if parallel else TurnGame
    return made(game, render_mode=render_mode, max_steps=max_steps)


class _Play:
    """A game in play: what both kinds of environments have in common."""

    def __init__(self, game: Game, render_mode: str | None, max_steps: int | None) -> None:
        if game.has_hidden_information:
            raise ValueError(f"{game.name} has hidden information, which its states do not tell")
        if render_mode not in (None, "ansi", "human"):
            raise ValueError(f"render_mode is ansi or human, not {render_mode}")
        self.game = game
        self.render_mode = render_mode
        self.max_steps = max_steps
        self.metadata = {"name": game.name, "render_modes": ["ansi", "human"], "is_parallelizable": True}
        self.possible_agents = list(game.players)
        self.observation_spaces = {agent: self._observation_space(agent) for agent in game.players}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions(agent)) for agent in game.players}
        self._random, _ = seeding.np_random(None)

    def _observation_space(self, agent: str) -> spaces.Dict:
        count = len(self.game.fluents)
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (count,), np.int8),
                "action_mask": spaces.Box(0, 1, (self.game.num_actions(agent),), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def _start(self, seed: int | None) -> None:
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.position: State = self.game.initial()
        self._steps = 0
        self.agents = list(self.possible_agents)
        self.rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Any]:
        over = self.position.is_terminal()
        mask = np.zeros(self.game.num_actions(agent), np.int8) if over else self._mask(agent)
        return {"observation": self.position.bits().astype(np.int8), "action_mask": mask}

    def _mask(self, agent: str) -> Any:
        return self.position.legal_actions_mask(agent).astype(np.int8)

    def _draw(self) -> int:
        actions = self.position.legal_actions("random")
        return actions[int(self._random.integers(len(actions)))]

    def _joint(self, chosen: dict[str, int]) -> list[int]:
        """One action for each role: what was chosen, what chance draws, and the only move of the others."""
        joint = []
        for role in self.game.roles:
            if role == "random":
                joint.append(self._draw())
            elif role in chosen:
                joint.append(int(chosen[role]))
            else:
                joint.append(self.position.legal_actions(role)[0])
        return joint

    def _move(self, chosen: dict[str, int]) -> None:
        self.position = self.position.child(self._joint(chosen))
        self._steps += 1
        over = self.position.is_terminal()
        late = self.max_steps is not None and self._steps >= self.max_steps
        if over:
            self.rewards = dict(zip(self.possible_agents, self.position.returns()))
        self.terminations = {agent: over for agent in self.agents}
        self.truncations = {agent: late and not over for agent in self.agents}

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        text = str(self.position)
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def close(self) -> None:
        """Nothing is held open."""


class TurnGame(_Play, AECEnv):  # type: ignore[misc,type-arg,unused-ignore]
    """Players take turns. Where the rules let several move at once, each is asked in turn before anything happens."""

    def __init__(self, game: Game, *, render_mode: str | None = None, max_steps: int | None = 1000) -> None:
        AECEnv.__init__(self)
        _Play.__init__(self, game, render_mode, max_steps)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._start(seed)
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self._chosen: dict[str, int] = {}
        self._pass_chance()
        self._asked = self._to_ask()
        self.agent_selection = self._asked[0]

    def _pass_chance(self) -> None:
        while not self.position.is_terminal() and self.position.is_chance_node():
            self._move({})

    def _to_ask(self) -> list[str]:
        player = self.position.current_player()
        return [self.possible_agents[player]] if player >= 0 else list(self.possible_agents)

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or action not in self.position.legal_actions(agent):
            raise ValueError(f"{action} is not a legal action of {agent} here")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen[agent] = int(action)
        self._asked = self._asked[1:]
        if not self._asked:
            self._move(self._chosen)
            self._pass_chance()
            self._chosen = {}
            self._asked = self._to_ask()
        self.agent_selection = self._asked[0]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()


class ParallelGame(_Play, ParallelEnv):  # type: ignore[misc,type-arg,unused-ignore]
    """All players act in every step; those who have no choice have one legal action.

    An action that is not legal ends the game with nothing for anybody, and `infos` says whose it was.
    """

    def __init__(self, game: Game, *, render_mode: str | None = None, max_steps: int | None = 1000) -> None:
        _Play.__init__(self, game, render_mode, max_steps)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self._start(seed)
        return {agent: self.observe(agent) for agent in self.agents}, dict(self.infos)

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        missing = [agent for agent in self.agents if agent not in actions]
        if missing or not self.agents:
            raise ValueError(f"no action was given for {missing[0]}" if missing else "the game is over")
        illegal = [agent for agent in self.agents if actions[agent] not in self.position.legal_actions(agent)]
        if illegal:
            self.terminations = {agent: True for agent in self.agents}
            self.infos = {agent: {"illegal": agent in illegal} for agent in self.agents}
        else:
            self._move(actions)
        seen = {agent: self.observe(agent) for agent in self.agents}
        answer = seen, dict(self.rewards), dict(self.terminations), dict(self.truncations), dict(self.infos)
        if any(self.terminations.values()) or any(self.truncations.values()):
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return answer
