"""Structure, parts, values and moves."""

from fractions import Fraction

import numpy as np
import pytest

import gambol


def test_structure_is_proved():
    found = gambol.load("tic-tac-toe").structure()
    assert found["complete"] and {turn["role"] for turn in found["turn"]} == {"xplayer", "oplayer"}


def test_a_game_falls_into_parts_that_are_games():
    game = gambol.load("double-tic-tac-toe")
    parts = game.decompose(prove=True, time=60)
    assert parts.basis == "proved" and len(parts) >= 2
    part = parts.subgame(0)
    assert set(part.fluents) & set(parts.parts[0])
    assert "<svg" in parts._repr_svg_() and parts.to_dict()
    with pytest.raises(IndexError):
        parts.subgame(99)


def test_values_are_fractions_with_a_proof():
    solution = gambol.load("tic-tac-toe").solve()
    assert solution.values == {"xplayer": Fraction(50), "oplayer": Fraction(50)} and solution.exact
    assert solution.bounds["xplayer"] == (50, 50)
    accepted = solution.verify()
    assert accepted["is_initial"] and accepted["values"][0]["value"] == "50"
    assert b"digest" in solution.certificate()


def test_simultaneous_moves_have_values_that_are_no_whole_numbers():
    solution = gambol.load("rock-paper-scissors").solve()
    assert sum(solution.values.values()) == 100


def test_whole_tables_as_arrays():
    game = gambol.load("nim-2-3-4")
    solution = game.solve(strong=True)
    states, values = solution.table()
    assert len(states) == len(values) and values.shape[1] == 2
    assert np.isin(values, (0, 100)).all() and (values.sum(axis=1) == 100).all()
    start = game.initial()
    assert solution.value(start) == solution.values
    best = solution.best(start)
    assert best and all(solution.value(start.child(action)) == solution.values for action in best)
    others = set(start.legal_actions()) - set(best)
    assert all(solution.value(start.child(action))["first"] == 0 for action in others)


def test_the_moves_that_keep_a_draw():
    game = gambol.load("tic-tac-toe")
    solution = game.solve(strong=True)
    corner = game.initial().child(game.action_id("xplayer", "(put 1 1)"))
    assert [corner.action_to_string(action) for action in solution.best(corner)] == ["(put 2 2)"]


def test_a_limit_gives_what_is_proved():
    with pytest.raises(gambol.LimitReached) as raised:
        gambol.load("reversi-6x6").solve(time=0.2)
    low, high = raised.value.partial.bounds["black"]
    assert 0 <= low < high <= 100


def test_simulation_is_repeatable():
    game = gambol.load("tic-tac-toe")
    one, other = game.simulate(50_000, seed=4), game.simulate(50_000, seed=4)
    assert one["goals"] == other["goals"] and abs(one["mean_length"] - 7.626) < 0.05
    assert one["lengths"].sum() == one["playouts"] == 50_000


def test_symmetries_commute_with_play():
    game = gambol.load("tic-tac-toe")
    symmetries = game.symmetries()
    assert len(symmetries) == 7
    state = game.initial().child(0)
    for symmetry in symmetries:
        bits = np.zeros(len(game.fluents), bool)
        bits[symmetry["fluents"]] = state.bits()
        image = game.initial().child(int(symmetry["actions"]["xplayer"][0]))
        assert game.state(bits) == image


def test_goals_that_add_up_are_proved():
    assert gambol.load("tic-tac-toe").goal_sum() == 100
    assert gambol.load("prisoners-dilemma").goal_sum() is None


def test_a_player_sees_the_win():
    game = gambol.load("tic-tac-toe")
    state = game.initial()
    for name in ("(put 1 1)", "(put 2 1)", "(put 1 2)", "(put 2 2)"):
        state = state.child(state.string_to_action(name))
    choice = game.player(seed=1).choose(state, playouts=2000)
    assert state.action_to_string(choice.action) == "(put 1 3)"
    # A win at once is proved before any game is played.
    assert choice.reason in ("proved", "solved") and choice.value == 100 and choice.certain


def test_a_player_counts_what_it_tried():
    game = gambol.load("connect-four")
    state = game.initial()
    choice = game.player(seed=1).choose(state, playouts=2000)
    assert sum(choice.visits.values()) > 0
    assert game.player("random", seed=3).choose(state).action in state.legal_actions()
    with pytest.raises(ValueError, match="no player"):
        game.player("nobody")


def test_pictures_are_pictures():
    game = gambol.load("tic-tac-toe")
    assert game.initial()._repr_svg_().startswith("<svg")
    page = game._repr_html_()
    assert "<svg" not in page and "data:image/svg+xml" in page and "<style" not in page
    net = game.net()
    assert net.counts()["transitions"] == 29 and "<svg" in net._repr_svg_() and "digraph" in net.to_dot()
    kinds = {kind for kind, _, _ in net.gates()}
    assert {"fluent", "move", "and", "or"} <= kinds and len(net.transitions()) == 29
