"""Games as tests for reasoning machines: other words, questions, counts of plans."""

import json

import pytest

import gambol

KINDS = {"legal", "next", "terminal", "goals", "value", "best", "latches"}


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four-4x4", "nim", "goofspiel", "hanoi", "hex-3x3"])
def test_other_words_same_game(name):
    game = gambol.load(name)
    other = game.scramble(seed=5)
    assert not set(other.game.fluents) & set(game.fluents)
    state, image = game.initial(), other.game.initial()
    for _ in range(6):
        if state.is_terminal():
            break
        assert {other.translate(fluent) for fluent in state.true()} == set(image.true())
        moves = {role: state.legal_actions(role)[0] for role in game.roles}
        words = [other.translate(game.action_name(role, action)) for role, action in moves.items()]
        actions = [other.game.action_id(role, word) for role, word in zip(other.game.roles, words)]
        state, image = state.child(list(moves.values())), image.child(actions)
    assert state.is_terminal() == image.is_terminal() and state.goals() == image.goals()


def test_other_words_for_infix_rules():
    game = gambol.loads(gambol.load("nim").to_text("infix"), notation="infix")
    other = game.scramble(seed=2)
    assert {other.translate(fluent) for fluent in game.fluents} == set(other.game.fluents)


def test_players_who_move_at_once_have_no_best_moves_but_other_questions():
    kinds = {question["kind"] for question in gambol.load("rock-paper-scissors").quiz(12)}
    assert {"legal", "next", "terminal", "goals"} <= kinds and "best" not in kinds


def test_questions_have_answers_of_every_kind():
    game = gambol.load("tic-tac-toe")
    asked = game.quiz(28, seed=2)
    assert {question["kind"] for question in asked} == KINDS
    assert asked == game.quiz(28, seed=2) and json.dumps(asked)
    best = next(question for question in asked if question["kind"] == "best")
    state = game.state(best["state"])
    assert set(best["answer"]) <= {state.action_to_string(action) for action in state.legal_actions()}
    with pytest.raises(ValueError, match="no such question"):
        game.quiz(kinds=["colour"])
    with pytest.raises(ValueError, match="hidden information"):
        gambol.load("kuhn-poker").quiz()


def test_plans_are_counted():
    hanoi = gambol.load("hanoi").solve().plans()
    assert hanoi.unique and (hanoi.value, hanoi.length) == (100, 15)
    queens = gambol.load("eight-queens").solve().plans()
    assert queens.count == 92 and not queens.unique
    with pytest.raises(ValueError, match="one player"):
        gambol.load("tic-tac-toe").solve().plans()
