"""Games as tests for reasoning machines."""

import json

import pytest

import gambol
from gambol.puzzles import count_plans
from gambol.quizzes import KINDS, quiz
from gambol.scrambling import isomorphic, scramble


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four-4x4", "nim", "goofspiel", "hanoi"])
def test_other_words_same_game(name):
    game = gambol.load(name)
    other = scramble(game, seed=5)
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


def test_another_game_is_not_taken_for_the_same():
    one, other = gambol.load("nim").net(), gambol.load("nim-2-3-4").net()
    assert not isomorphic(one, other, {}) and isomorphic(one, one, {})
    changed = gambol.load("tic-tac-toe").to_text().replace("(goal ?w 100)", "(goal ?w 99)")
    assert not isomorphic(gambol.loads(changed).net(), gambol.load("tic-tac-toe").net(), {}) or "99" not in changed


def test_questions_have_answers_of_every_kind():
    game = gambol.load("tic-tac-toe")
    asked = list(quiz(game, 24, seed=2))
    assert {question["kind"] for question in asked} == set(KINDS)
    assert asked == list(quiz(game, 24, seed=2)) and json.dumps(asked)
    best = next(question for question in asked if question["kind"] == "best")
    state = game.state(best["state"])
    assert set(best["answer"]) <= {state.action_to_string(action) for action in state.legal_actions()}
    with pytest.raises(ValueError, match="no such question"):
        next(quiz(game, kinds=("colour",)))


def test_plans_are_counted():
    hanoi = count_plans(gambol.load("hanoi"))
    assert hanoi.unique and hanoi.value == 100
    lights = count_plans(gambol.load("lights-out-3x3"))
    assert lights.count > 1 and not lights.unique
    with pytest.raises(ValueError, match="no puzzle"):
        count_plans(gambol.load("tic-tac-toe"))


def test_the_commands(capsys, tmp_path):
    from gambol.__main__ import main

    assert main(["plans", "hanoi", "--unique"]) == 0
    assert json.loads(capsys.readouterr().out)["unique"] is True
    assert main(["plans", "lights-out-3x3", "--unique"]) == 1
    assert main(["plans", "tic-tac-toe"]) == 4 and main(["plans", "nosuchgame"]) == 4
    capsys.readouterr()
    assert main(["scramble", "nim", "--names", str(tmp_path / "names.json")]) == 0
    assert gambol.loads(capsys.readouterr().out).num_players() == 2
    assert json.loads((tmp_path / "names.json").read_text())
    assert main(["quiz", "nim", "--questions", "4", "--kinds", "legal,next"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["kind"] for line in lines] == ["legal", "next", "legal", "next"]
    assert main(["quiz", "kuhn-poker"]) == 4
