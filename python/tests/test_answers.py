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
    assert (solution.value(states[::-1]) == values[::-1]).all()
    with pytest.raises(ValueError, match="state 1 cannot be reached"):
        solution.value(np.stack([states[0], states[0] * 0]))
    start = game.initial()
    assert solution.value(start) == solution.values
    best = solution.best(start)
    assert best and all(solution.value(start.child(action)) == solution.values for action in best)
    others = set(start.legal_actions()) - set(best)
    assert all(solution.value(start.child(action))["first"] == 0 for action in others)


def test_an_equilibrium_is_no_table_of_what_can_be_secured():
    # Whoever moves first can choose what both want, and the other would not stand in the way.
    game = gambol.loads(FRIENDS)
    solution = game.solve(strong=True)
    assert solution.values == {"ann": 100, "ben": 100} == solution.value(game.initial())
    states, values = solution.table()
    start = (states == game.initial().words()).all(axis=1)
    assert values[start].tolist() == [[0, 0]] == solution.value(states[start]).tolist()


FRIENDS = """
(role ann) (role ben) (init (turn ann))
(<= (legal ann (say ?x)) (word ?x) (true (turn ann))) (<= (legal ann wait) (true (turn ben)))
(<= (legal ben (say ?x)) (word ?x) (true (turn ben))) (<= (legal ben wait) (true (turn ann)))
(word yes) (word no)
(<= (next (turn ben)) (true (turn ann)))
(<= (next (turn over)) (true (turn ben)))
(<= (next (said ?r ?x)) (does ?r (say ?x)))
(<= (next (said ?r ?x)) (true (said ?r ?x)))
(<= both (true (said ann yes)) (true (said ben yes)))
(<= terminal (true (turn over)))
(<= (goal ?r 100) (role ?r) both)
(<= (goal ?r 0) (role ?r) (not both))
"""


def test_a_limit_on_the_value_of_a_state_gives_its_bounds():
    game = gambol.load("reversi-6x6")
    with pytest.raises(gambol.LimitReached) as raised:
        game.solve(time=0.2)
    with pytest.raises(gambol.LimitReached) as again:
        raised.value.partial.value(game.initial())
    low, high = again.value.partial.bounds["black"]
    assert 0 <= low < high <= 100


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


def test_a_limit_on_the_table_leaves_the_value():
    with pytest.raises(gambol.LimitReached) as raised:
        gambol.load("connect-four-4x4").solve(strong=True, memory_mib=8)
    assert raised.value.partial.exact


def test_a_net_as_a_graph():
    networkx = pytest.importorskip("networkx")
    net = gambol.load("tic-tac-toe").net()
    graph = net.to_networkx()
    assert graph.number_of_nodes() == len(net.gates()) and isinstance(graph, networkx.DiGraph)


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


def test_the_leaves_of_a_round_are_evaluated_together():
    game = gambol.load("connect-four")
    sizes = []

    def evaluate(observations, masks):
        assert observations.shape[1] == len(game.fluents) and observations.dtype == np.uint8
        assert masks.shape == (len(observations), game.num_actions()) and masks.dtype == np.bool_
        assert masks.any(axis=1).all()
        sizes.append(len(observations))
        priors = np.where(np.arange(masks.shape[1]) == 5, 10.0, 0.1) * masks
        return np.full((len(observations), 2), 50.0), priors

    choice = game.player(seed=1, evaluate=evaluate).choose(game.initial(), playouts=640)
    assert choice.action == 5 and max(sizes) > 8 and len(sizes) < 40
    assert choice.visits == game.player(seed=1, evaluate=evaluate).choose(game.initial(), playouts=640).visits


def test_exact_values_make_a_perfect_player():
    """A search whose evaluation is the solution plays what the solution plays."""
    game = gambol.load("tic-tac-toe")
    solution = game.solve(strong=True)
    states, values = solution.table()
    known = {row.tobytes(): value for row, value in zip(states, values)}

    def evaluate(observations, masks):
        rows = [game.state(row.astype(bool)).words().tobytes() for row in observations]
        return np.array([known[row] for row in rows]), masks.astype(np.float32)

    player = game.player(seed=1, evaluate=evaluate)
    state = game.initial()
    while not state.is_terminal():
        choice = player.choose(state, playouts=400)
        assert choice.action in solution.best(state)
        state = state.child(choice.action)
    assert state.returns() == [50, 50]


def test_simultaneous_moves_have_a_mask_for_each_player():
    game = gambol.load("goofspiel")

    def evaluate(observations, masks):
        assert masks.shape == (len(observations), 2, game.num_actions())
        return np.full((len(observations), 2), 50), masks

    assert game.player(evaluate=evaluate).choose(game.initial(), 0, playouts=100).action in game.initial().legal_actions(0)


def test_what_goes_wrong_in_an_evaluation_is_raised():
    game = gambol.load("connect-four")
    with pytest.raises(ZeroDivisionError):
        game.player(evaluate=lambda seen, masks: 1 / 0).choose(game.initial())
    with pytest.raises(ValueError, match="values of shape"):
        game.player(evaluate=lambda seen, masks: (np.zeros(3), masks)).choose(game.initial())
    with pytest.raises(ValueError, match="no numbers"):
        game.player(evaluate=lambda seen, masks: (np.full((len(seen), 2), np.nan), masks)).choose(game.initial())
    with pytest.raises(TypeError):
        game.player(evaluate=3)


def test_a_policy_by_regression_says_what_the_solution_says():
    game = gambol.load("nim-2-3-4")
    policy = game.regress()
    assert policy.complete and policy.values == {"first": 100, "second": 0} and len(policy) > 0
    solution = game.solve(strong=True)
    state = game.initial()
    while not state.is_terminal():
        assert policy.value(state) == solution.value(state)
        assert policy.action(state) in solution.best(state)
        assert policy.rule(state) in policy.rules(10_000)
        state = state.child(policy.action(state))
    assert policy.action(state) is None and state.returns() == [100, 0]
    assert len(policy.compressed()) <= len(policy) and policy.to_text()
    assert game.regress(distances=True).distance(game.initial()) > 0
    with pytest.raises(ValueError, match="simultaneous"):
        gambol.load("rock-paper-scissors").regress()


def test_a_policy_that_takes_too_long():
    with pytest.raises(gambol.LimitReached):
        gambol.load("connect-four").regress(time=1)


def test_pictures_are_pictures():
    game = gambol.load("tic-tac-toe")
    assert game.initial()._repr_svg_().startswith("<svg")
    page = game._repr_html_()
    assert "<svg" not in page and "data:image/svg+xml" in page and "<style" not in page
    solution = game.solve()
    assert "<td>50</td>" in solution._repr_html_() and "data:image/svg+xml" in solution._repr_html_()
    last = game.initial()
    for joint in solution.line:
        last = last.child([game.action_id(role, name) for role, name in zip(game.roles, joint)])
    assert last.is_terminal() and solution._repr_svg_() == last._repr_svg_()
    assert game._repr_svg_() == game.initial()._repr_svg_()
    parts = gambol.load("double-tic-tac-toe").decompose()
    for shown in (game.initial(), game.net(), parts):
        assert "data:image/svg+xml" in shown._repr_html_() and "<svg" not in shown._repr_html_()
    net = game.net()
    assert net.counts()["transitions"] == 29 and "<svg" in net._repr_svg_() and "digraph" in net.to_dot()
    kinds = {kind for kind, _, _ in net.gates()}
    assert {"fluent", "move", "and", "or"} <= kinds and len(net.transitions()) == 29
