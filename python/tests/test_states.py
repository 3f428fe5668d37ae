"""One game, one state."""

import copy
import pickle

import pytest

import gambol

LAMP = """
(role you) (init dark)
(legal you press)
(<= (next lit) (does you press))
(<= terminal (true lit))
(<= (goal you 100) (true lit)) (<= (goal you 0) (true dark))
"""


def test_bundled_games_are_named_and_read():
    assert "tic-tac-toe" in gambol.games()
    game = gambol.load("tic-tac-toe")
    assert game.roles == game.players == ("xplayer", "oplayer")
    assert game.dynamics == "sequential"
    assert len(game.fluents) == 29


def test_a_game_from_text_and_from_a_file(tmp_path):
    path = tmp_path / "lamp.kif"
    path.write_text(LAMP)
    for game in (gambol.loads(LAMP), gambol.load(path), gambol.load(str(path))):
        state = game.initial()
        assert state.true() == ["dark"] and state.current_player() == 0
        after = state.child(game.action_id("you", "press"))
        assert after.is_terminal() and after.returns() == [100.0] and after.goals() == (100,)
        assert after.current_player() == -4 and after.legal_actions() == []


def test_both_notations_are_one_game():
    game = gambol.load("nim")
    infix = gambol.loads(game.to_text("infix"), notation="infix")
    assert pickle.loads(pickle.dumps(infix)) == infix != game
    assert infix.fluents == game.fluents and infix.num_actions(0) == game.num_actions(0)


def test_actions_have_the_same_number_in_every_state():
    game = gambol.load("tic-tac-toe")
    state = game.initial()
    for name in ("(put 2 2)", "(put 1 1)", "(put 3 3)"):
        action = game.action_id(state.current_player(), name)
        assert state.action_to_string(action) == name and state.string_to_action(name) == action
        state = state.child(action)
    assert state.action_to_string("xplayer", 0) == game.action_name("xplayer", 0)


def test_states_are_values():
    game = gambol.load("connect-four")
    one, other = game.initial().child(3), gambol.load("connect-four").initial().child(3)
    assert one == other and hash(one) == hash(other) and one != game.initial()
    assert len({one, other, game.initial()}) == 2
    for same in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), game.state(one.true())):
        assert same == one and same.legal_actions() == one.legal_actions()
    assert game.state(one.bits()) == game.state(one.words()) == one
    assert pickle.loads(pickle.dumps(game)) == game
    assert gambol.load("nim").initial() != one


def test_children_are_the_children():
    state = gambol.load("tic-tac-toe").initial().child(4)
    children = state.children()
    assert [actions[1] for actions, _ in children] == state.legal_actions()
    assert all(child == state.child(actions) for actions, child in children)


def test_players_who_move_at_once():
    game = gambol.load("rock-paper-scissors")
    state = game.initial()
    assert game.dynamics == "simultaneous" and state.current_player() == -2
    with pytest.raises(ValueError, match="same time"):
        state.legal_actions()
    assert len(state.legal_actions(0)) == 3
    with pytest.raises(ValueError):
        state.child([0])
    assert state.child([0, 1]) != state.child([1, 0])


def test_chance_is_no_player():
    game = gambol.load("pig")
    assert game.has_chance and "random" in game.roles and "random" not in game.players
    assert game.num_players() == len(game.roles) - 1
    outcomes = game.initial().chance_outcomes()
    assert sum(probability for _, probability in outcomes) == pytest.approx(1.0)


def test_what_is_not_legal_is_refused_by_name():
    state = gambol.load("tic-tac-toe").initial().child(4)
    with pytest.raises(ValueError, match=r"\(put 2 2\) is not a legal move of oplayer"):
        state.child(4)
    with pytest.raises(IndexError, match="no action 99"):
        state.child(99)
    with pytest.raises(KeyError, match="nobody"):
        state.legal_actions("nobody")
    with pytest.raises(KeyError, match="is not a fluent"):
        state.game.state(["(cell 9 9 x)"])


def test_errors_have_places():
    with pytest.raises(gambol.RulesError) as raised:
        gambol.loads("(role r)\n(<= (next p) (true q)")
    found = raised.value.diagnoses[0]
    assert (found.code, found.line, found.column) == ("syntax.unmatched-open", 2, 1)
    assert pickle.loads(pickle.dumps(raised.value)).diagnoses == raised.value.diagnoses


def test_a_misspelt_name_is_corrected():
    with pytest.raises(KeyError, match="did you mean tic-tac-toe"):
        gambol.load("tictactoe")
    with pytest.raises(FileNotFoundError):
        gambol.load("no/such/file.kif")


GROWING = """
(role r) (init (n 0)) (<= (next (n (s ?x))) (true (n ?x))) (legal r go) (terminal) (goal r 0)
"""

LARGE = """
(role r) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7) (digit 8) (digit 9)
(init start) (<= terminal (true done)) (goal r 50)
(<= (legal r (set ?a ?b ?c ?d ?e ?f ?g ?h))
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g) (digit ?h))
(<= (next (n ?a ?b ?c ?d ?e ?f ?g ?h)) (does r (set ?a ?b ?c ?d ?e ?f ?g ?h)))
"""


def test_limits_are_met_and_named():
    with pytest.raises(gambol.LimitReached, match="within 0.1 s"):
        gambol.loads(LARGE, time=0.1)
    with pytest.raises(gambol.RulesError):
        gambol.loads(GROWING)


def test_rollouts_are_repeatable_means():
    state = gambol.load("tic-tac-toe").initial()
    first, again = state.rollouts(20_000, seed=5), state.rollouts(20_000, seed=5)
    assert (first == again).all() and abs(first.sum() - 100) < 1e-3
    assert abs(first[0] - 64.9) < 1.5
