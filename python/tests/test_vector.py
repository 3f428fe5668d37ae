"""Many games at once, held to single states and to the interpreter."""

import numpy as np
import pytest

import gambol

GAMES = ["tic-tac-toe", "connect-four", "breakthrough-4x4", "tic-tac-toe-for-three", "rock-paper-scissors", "eight-puzzle",
         "goofspiel", "three-mens-morris"]


def joint(env, actions, place):
    return int(actions[place]) if actions.ndim == 1 else [int(action) for action in actions[place]]


@pytest.mark.parametrize("name", GAMES)
def test_every_step_is_the_step_of_the_state(name):
    game = gambol.load(name)
    env = game.vector(70, seed=3, max_steps=30)
    states = [game.initial()] * env.num_envs
    for _ in range(40):
        actions = env.sample().copy()
        after = [state.child(joint(env, actions, place)) for place, state in enumerate(states)]
        seen, rewards, terminated, truncated, info = env.step(actions)
        ended = terminated | truncated
        assert list(info["final_env"]) == list(np.flatnonzero(ended))
        for row, place in zip(info["final_obs"], info["final_env"]):
            assert (row == after[place].bits()).all()
        for place, state in enumerate(after):
            assert terminated[place] == state.is_terminal()
            assert list(rewards[place]) == state.returns()
            states[place] = game.initial() if ended[place] else state
            assert (seen[place] == states[place].bits()).all()
            assert env.current_player[place] == states[place].current_player()
            check_mask(env, game, states[place], place)
    assert (env.states()[0] == states[0].words()).all()


def check_mask(env, game, state, place):
    mask = env.legal_action_mask[place]
    if mask.ndim == 1:
        assert list(np.flatnonzero(mask)) == state.legal_actions()
    else:
        for player, own in enumerate(mask):
            assert list(np.flatnonzero(own)) == state.legal_actions(player)


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four-4x4", "goofspiel"])
def test_every_step_is_what_the_interpreter_says(name):
    game = gambol.load(name)
    env = game.vector(3, seed=5, autoreset="disabled")
    while not env.terminated.all():
        before = [game.state(row) for row in env.states()]
        actions = env.sample().copy()
        env.step(actions)
        for place, (state, row) in enumerate(zip(before, env.states())):
            if state.is_terminal():
                continue
            told = game.interpret(state.true())
            assert told["terminal"] is False
            names = [[game.action_name(role, action) for action in state.legal_actions(role)] for role in game.roles]
            assert [sorted(legal) for legal in told["legal"]] == [sorted(legal) for legal in names]
            moves = moves_of(game, state, joint(env, actions, place))
            assert sorted(game.interpret(state.true(), moves)["next"]) == sorted(game.state(row).true())
    for row, rewards in zip(env.states(), env.rewards):
        told = game.interpret(game.state(row).true())
        assert told["terminal"] is True


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four-4x4", "tic-tac-toe-for-three", "chomp"])
def test_a_million_steps_are_those_of_state_and_interpreter(name):
    """Every step, as a pair of packed states and a move; each that is new is asked of `State.child` and the interpreter."""
    game = gambol.load(name)
    env = game.vector(8192, seed=9)
    seen, steps, rounds = {}, 0, -(-250_000 // env.num_envs)
    for _ in range(rounds):
        before, movers, actions = env.states(), env.current_player.copy(), env.sample().copy()
        _, rewards, terminated, _, info = env.step(actions)
        after = env.states()
        final = {int(place): np.packbits(row, bitorder="little") for place, row in zip(info["final_env"], info["final_obs"])}
        for place in range(env.num_envs):
            over = bool(terminated[place])
            row = final[place].tobytes() if over else after[place].tobytes()
            key = before[place].tobytes(), int(actions[place])
            said = row.rstrip(b"\0"), over, tuple(rewards[place]), int(movers[place])
            assert seen.setdefault(key, said) == said
        steps += env.num_envs
    assert steps >= 250_000
    for number, ((words, action), (row, over, rewards, mover)) in enumerate(seen.items()):
        state = game.state(np.frombuffer(words, np.uint64))
        child = state.child(action)
        assert child.words().tobytes().rstrip(b"\0") == row and state.current_player() == mover
        assert (child.is_terminal(), tuple(child.returns())) == (over, rewards)
        if number < 500:  # the interpreter takes its time
            told = game.interpret(state.true(), moves_of(game, state, action))
            assert sorted(told["next"]) == sorted(child.true())
            end = game.interpret(child.true())
            assert end["terminal"] == over and (not over or tuple(end["goals"]) == child.goals())


def moves_of(game, state, action):
    if isinstance(action, list):
        return [game.action_name(role, one) for role, one in zip(game.roles, action)]
    mover = game.players[state.current_player()]
    return [game.action_name(role, action if role == mover else state.legal_actions(role)[0]) for role in game.roles]


def test_the_mean_length_of_random_tic_tac_toe():
    env = gambol.load("tic-tac-toe").vector(40_000, seed=7, autoreset="disabled", final_obs=False)
    steps = 0
    while not env.terminated.all():
        steps += int((~env.terminated).sum())
        env.step(env.sample())
    assert abs(steps / env.num_envs - 7.626) < 0.03


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads():
    game = gambol.load("connect-four")
    runs = []
    for threads in (1, 3):
        env = game.vector(1000, seed=11, threads=threads)
        for _ in range(30):
            env.step(env.sample())
        runs.append(env.states())
    assert (runs[0] == runs[1]).all()
    env.reset(seed=11)
    for _ in range(30):
        env.step(env.sample())
    assert (env.states() == runs[0]).all()


def test_arrays_are_buffers_and_never_copied():
    env = gambol.load("tic-tac-toe").vector(10)
    seen, mask = env.observation, env.legal_action_mask
    again, rewards, *_ = env.step(env.sample())
    assert again is seen and env.legal_action_mask is mask and rewards is env.rewards
    shared = np.from_dlpack(seen)
    assert np.shares_memory(shared, seen) and seen.ctypes.data % 64 == mask.ctypes.data % 64 == 0
    assert seen.dtype == np.uint8 and mask.dtype == np.bool_ and mask.flags.c_contiguous


def test_illegal_actions():
    game = gambol.load("tic-tac-toe")
    env = game.vector(4)
    env.step(np.array([0, 1, 2, 3]))
    before = env.states()
    with pytest.raises(ValueError, match=r"game 2: \[2\] is not legal"):
        env.step(np.array([1, 2, 2, 4]))
    assert (env.states() == before).all()
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros(3, np.int32))
    # Numbers that would be legal if they were cut down to 32 bits or to whole ones are refused too.
    for wrong in (np.array([2**32 + 1, 2, 1, 4]), np.array([2**64 - 1, 2, 1, 4], np.uint64), [-1, 2, 1, 4]):
        with pytest.raises(ValueError, match="game 0: .* is not legal"):
            env.step(wrong)
    for wrong in (np.array([1.5, 2, 1, 4]), np.ones(4, bool), ["1", "2", "1", "4"]):
        with pytest.raises(TypeError, match="whole numbers"):
            env.step(wrong)
    assert (env.states() == before).all()
    env.step(np.array([1, 9, 2, 9, 1, 9, 4, 9], np.int32)[::2])  # any array of whole numbers will do
    env = game.vector(2, illegal="terminate", autoreset="disabled")
    env.step(np.array([0, 0]))
    _, rewards, terminated, _, _ = env.step(np.array([0, 1]))
    assert list(terminated) == [True, False] and not rewards.any()


def test_the_three_ways_to_begin_anew():
    game = gambol.load("rock-paper-scissors")
    for mode, players in (("same-step", [-2]), ("next-step", [-4, -2]), ("disabled", [-4, -4])):
        env = game.vector(1, autoreset=mode)
        while not env.step(env.sample())[2].any():
            pass
        for player in players:
            assert env.current_player[0] == player
            env.step(env.sample())
        assert env.rewards.sum() == 0 or mode == "same-step"


def test_states_go_in_and_come_out():
    game = gambol.load("connect-four")
    state = game.initial().child(3).child(3)
    env = game.vector(2)
    env.set_states(np.stack([state.words(), game.initial().words()]))
    assert (env.observation[0] == state.bits()).all() and env.current_player[0] == state.current_player()
    with pytest.raises(ValueError, match="no states"):
        env.set_states(np.full_like(env.states(), 2**64 - 1))


def test_planes_of_a_board():
    game = gambol.load("connect-four")
    env = game.vector(3, observation="board")
    planes, height, width = env.observation.shape[1:]
    assert planes == len(env.plane_names) and (height, width) == (6, 7)
    env.step(np.array([0, 3, 6]))
    lit = [name for name, plane in zip(env.plane_names, env.observation[1]) if plane.sum() == 1]
    assert len(lit) == 1
    packed = game.vector(3, observation="packed")
    assert (packed.observation[0] == game.initial().words()).all()


def test_chance_is_drawn_inside():
    game = gambol.load("pig")
    env = game.vector(200, seed=2, max_steps=50)
    for _ in range(60):
        env.step(env.sample())
    assert len({row.tobytes() for row in env.states()}) > 1
