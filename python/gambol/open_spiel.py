"""Games of Gambol as games of OpenSpiel.

A game is registered with OpenSpiel under a name, so that its states can be written down and read again. `random` is
chance: where it has a choice beside the players, they move first and chance after them. A game of rules that never end
is cut off after `max_length` moves.
"""

from __future__ import annotations

from typing import Any, Callable, Literal, Sequence

import numpy as np
import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]

from gambol._gambol import Game, State

__all__ = ["to_open_spiel"]

Utility = Literal["goal", "zero_sum"]


def to_open_spiel(
    game: Game, *, utility: Utility = "goal", register_as: str | None = None, max_length: int = 1000
) -> Any:
    """The game as a `pyspiel.Game`.

    Returns are goals, 0 to 100. With `utility="zero_sum"` they are (goal - 50) / 50; that the goals of two players add up
    to 100 in every end must be proved, or it is refused.
    """
    if game.has_hidden_information:
        raise ValueError(f"{game.name} has hidden information, which its states do not tell")
    if utility == "zero_sum" and game.goal_sum() != 100:
        raise ValueError(f"it is not proved that the goals of {game.name} always add up to 100")
    name = register_as or "gambol_" + game.name.replace("-", "_")
    kind = _game_type(game, name, utility)
    made = _game_class(game, kind, utility, max_length)
    pyspiel.register_game(kind, made)
    return made()


def _game_type(game: Game, name: str, utility: Utility) -> Any:
    types = pyspiel.GameType
    simultaneous = game.dynamics == "simultaneous"
    return types(
        short_name=name,
        long_name=game.name,
        dynamics=types.Dynamics.SIMULTANEOUS if simultaneous else types.Dynamics.SEQUENTIAL,
        chance_mode=types.ChanceMode.EXPLICIT_STOCHASTIC if game.has_chance else types.ChanceMode.DETERMINISTIC,
        information=types.Information.PERFECT_INFORMATION,
        utility=types.Utility.ZERO_SUM if utility == "zero_sum" else types.Utility.GENERAL_SUM,
        reward_model=types.RewardModel.TERMINAL,
        max_num_players=game.num_players(),
        min_num_players=game.num_players(),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


def _game_info(game: Game, utility: Utility, max_length: int) -> Any:
    ranges = [game.goal_range(player) for player in range(game.num_players())]
    lowest, highest = min(low for low, _ in ranges), max(high for _, high in ranges)
    scale = _scale(utility)
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_distinct_actions(),
        max_chance_outcomes=game.num_actions("random") if game.has_chance else 0,
        num_players=game.num_players(),
        min_utility=scale(min(lowest, 0) if utility == "goal" else lowest),
        max_utility=scale(highest),
        utility_sum=0.0 if utility == "zero_sum" else None,
        max_game_length=max_length,
    )


def _scale(utility: Utility) -> Callable[[float], float]:
    return (lambda goal: (goal - 50) / 50) if utility == "zero_sum" else float


def _game_class(game: Game, kind: Any, utility: Utility, max_length: int) -> Any:
    info = _game_info(game, utility, max_length)

    class GambolGame(pyspiel.Game):  # type: ignore[misc,unused-ignore]
        """A game of Gambol, from which states and observers can be made."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(kind, info, params or {})
            self.rules = game

        def new_initial_state(self) -> Any:
            return _OpenSpielState(self, game.initial(), _scale(utility), max_length)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
            return _Observer(game, params)

    return GambolGame


class _OpenSpielState(pyspiel.State):  # type: ignore[misc,unused-ignore]
    """A state that changes in place, as OpenSpiel has them."""

    def __init__(self, game: Any, state: State, scale: Callable[[float], float], left: int) -> None:
        super().__init__(game)
        self.position = state
        self._scale = scale
        self._left = left
        self._chosen: Sequence[int] | None = None  # what the players did while chance has not answered

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self._chosen is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.position.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.position.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        if self._chosen is None:
            self._move(action)
        else:
            self._move(self._with_chance(self._chosen, action))
            self._chosen = None

    def _apply_actions(self, actions: Sequence[int]) -> None:
        if len(self.position.chance_outcomes()) > 1:
            self._chosen = list(actions)
        else:
            self._move(list(actions))

    def _with_chance(self, actions: Sequence[int], drawn: int) -> list[int]:
        given = iter(actions)
        return [drawn if role == "random" else next(given) for role in self.position.game.roles]

    def _move(self, action: int | list[int]) -> None:
        if not self.position.is_chance_node():
            self._left -= 1
        self.position = self.position.child(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.action_to_string(player, action)

    def is_terminal(self) -> bool:
        return self.position.is_terminal() or self._left <= 0

    def returns(self) -> list[float]:
        if not self.position.is_terminal():
            return [0.0] * self.position.game.num_players()
        return [self._scale(goal) for goal in self.position.returns()]

    def information_state_string(self, player: int | None = None) -> str:
        """Everything that was done: nothing is hidden."""
        return str(self.history_str())

    def observation_string(self, player: int | None = None) -> str:
        return self.position.observation_string()

    def __str__(self) -> str:
        chosen = "" if self._chosen is None else f" {list(self._chosen)}"
        return self.position.observation_string() + chosen


class _Observer:
    """Writes a state into a tensor, one number per fluent."""

    def __init__(self, game: Game, params: Any) -> None:
        if params:
            raise ValueError(f"this observer takes no parameters: {params}")
        self.tensor = np.zeros(len(game.fluents), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: Any, player: int) -> None:
        self.tensor[:] = state.position.observation_tensor()

    def string_from(self, state: Any, player: int) -> str:
        return str(state.observation_string(player))
