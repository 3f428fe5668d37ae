"""Other people's conventions, judged by their own tests."""

import pytest

import gambol

OPEN = [name for name in gambol.games() if not gambol.load(name).has_hidden_information]

DICE = """
(role you) (role random) (init (turn you))
(<= (legal you (bet ?x)) (face ?x) (true (turn you)))
(<= (legal you wait) (true (turn random)))
(<= (legal random (roll ?x)) (face ?x) (true (turn random)))
(<= (legal random wait) (true (turn you)))
(face 1) (face 2) (face 3)
(<= (next (bet ?x)) (does you (bet ?x)))
(<= (next (bet ?x)) (true (bet ?x)))
(<= (next (turn random)) (true (turn you)))
(<= (next (rolled ?x)) (does random (roll ?x)))
(<= over (true (rolled ?x)))
(<= terminal over)
(<= (goal you 100) (true (bet ?x)) (true (rolled ?x)))
(<= (goal you 0) (true (bet ?x)) (true (rolled ?y)) (distinct ?x ?y))
"""

COIN = """
(role you) (role random) (side heads) (side tails) (init open)
(<= (legal you (call ?s)) (side ?s)) (<= (legal random (flip ?s)) (side ?s))
(<= (next right) (does you (call ?s)) (does random (flip ?s)))
(<= (next closed) (true open))
(<= terminal (true closed))
(<= (goal you 100) (true right)) (<= (goal you 0) (not (true right)))
"""


@pytest.mark.parametrize("name", OPEN)
def test_open_spiel_plays_it(name):
    pyspiel = pytest.importorskip("pyspiel")
    # States are written down and read again by playing all moves anew, which takes long on large boards.
    large = len(gambol.load(name).fluents) > 110
    game = gambol.load(name).to_open_spiel(max_length=3 if large else 40)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_open_spiel_sees_chance():
    pyspiel = pytest.importorskip("pyspiel")
    dice = gambol.loads(DICE, name="dice")
    assert dice.dynamics == "sequential"
    game = dice.to_open_spiel()
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[0])
    assert state.is_chance_node() and len(state.chance_outcomes()) == 3
    for made in (game, gambol.loads(COIN, name="coin").to_open_spiel()):
        pyspiel.random_sim_test(made, num_sims=20, serialize=True, verbose=False)


def test_open_spiel_solves_it():
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import minimax

    game = gambol.load("nim-2-3-4").to_open_spiel(utility="zero_sum", register_as="gambol_nim_zero_sum")
    value, _ = minimax.alpha_beta_search(game)
    assert value == 1.0 and game.get_type().utility.name == "ZERO_SUM"


def test_a_sum_that_is_not_proved_is_refused():
    pytest.importorskip("pyspiel")
    with pytest.raises(ValueError, match="not proved"):
        gambol.load("prisoners-dilemma").to_open_spiel(utility="zero_sum")
    with pytest.raises(ValueError, match="hidden information"):
        gambol.load("kuhn-poker").to_open_spiel()


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_accepts_it(name):
    test = pytest.importorskip("pettingzoo.test")
    game = gambol.load(name)
    test.api_test(game.to_pettingzoo(max_steps=60), num_cycles=200)
    test.seed_test(lambda: game.to_pettingzoo(max_steps=60))
    test.parallel_api_test(game.to_pettingzoo(parallel=True, max_steps=60), num_cycles=200)
    test.parallel_seed_test(lambda: game.to_pettingzoo(parallel=True, max_steps=60))


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.filterwarnings("ignore")
def test_gymnasium_accepts_it(name):
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    checker.check_env(gambol.load(name).to_gymnasium())


def test_the_best_player_never_loses_to_the_learner():
    pytest.importorskip("gymnasium")
    game = gambol.load("nim-2-3-4")

    def best(state, role):
        """Leaves the learner a state from which all its moves keep us winning: by looking at all of them."""
        return max(state.legal_actions(role), key=lambda action: worth(state.child(action)))

    def worth(state):
        if state.is_terminal():
            return state.returns()[0]
        mine = state.current_player() == 0
        return (max if mine else min)(worth(child) for _, child in state.children())

    env = game.to_gymnasium("second", best)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert reward == 0.0


def test_an_illegal_action_ends_the_game_of_all():
    pytest.importorskip("pettingzoo")
    env = gambol.load("rock-paper-scissors").to_pettingzoo(parallel=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="no action was given"):
        env.step({env.agents[0]: 0})
    one, other = env.agents
    _, rewards, over, _, infos = env.step({one: 99, other: 0})
    assert all(over.values()) and not any(rewards.values()) and not env.agents
    assert infos[one]["illegal"] and not infos[other]["illegal"]


def test_an_illegal_action_ends_the_game():
    pytest.importorskip("gymnasium")
    env = gambol.load("tic-tac-toe").to_gymnasium()
    env.reset(seed=1)
    _, reward, over, _, info = env.step(9)
    assert over and reward == 0 and info["illegal"]
