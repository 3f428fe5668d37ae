"""Steps per second of processor time, one thread: `VectorEnv` beside what else can be installed.

Every engine plays random legal moves and writes masks and observations. `python benchmarks/vector_env.py`
"""

from __future__ import annotations

import random
import time

import gambol


def rate(steps: int, play) -> float:
    begun = time.process_time()
    play()
    return steps / (time.process_time() - begun)


def stepped(games: int, rounds: int, choose, step) -> float:
    """Steps per second of `step` alone: the moves are chosen outside of the measurement."""
    spent = 0.0
    for _ in range(rounds):
        actions = choose()
        begun = time.process_time()
        step(actions)
        spent += time.process_time() - begun
    return games * rounds / spent


def vector(name: str, games: int, rounds: int) -> tuple[float, float]:
    """With moves drawn inside the measurement, and without."""
    env = gambol.load(name).vector(games, seed=1)
    env.step(env.sample())

    def whole() -> None:
        for _ in range(rounds):
            env.step(env.sample())

    return rate(games * rounds, whole), stepped(games, rounds, env.sample, env.step)


def child() -> float:
    state = gambol.load("tic-tac-toe").initial()
    actions = state.legal_actions()

    def play() -> None:
        for _ in range(40_000):
            for action in actions:
                state.child(action)

    return rate(40_000 * len(actions), play)


def open_spiel(name: str, steps: int) -> float:
    import pyspiel

    game = pyspiel.load_game(name)
    draw = random.Random(1)

    def play() -> None:
        state = game.new_initial_state()
        for _ in range(steps):
            state.apply_action(draw.choice(state.legal_actions()))
            if state.is_terminal():
                state = game.new_initial_state()
            state.legal_actions_mask()
            state.observation_tensor()

    return rate(steps, play)


def pgx_steps(name: str, games: int, rounds: int) -> float:
    import jax
    import pgx

    env = pgx.make(name)
    step, start = jax.jit(jax.vmap(env.step)), jax.jit(jax.vmap(env.init))
    begin = start(jax.random.split(jax.random.PRNGKey(1), games))
    state, key, round = begin, jax.random.PRNGKey(2), 0

    @jax.jit
    def drawn(state, key):
        noise = jax.random.uniform(key, state.legal_action_mask.shape)
        return (noise * state.legal_action_mask).argmax(axis=1)

    def choose():
        nonlocal state, key, round
        key, own = jax.random.split(key)
        round += 1
        if round % 20 == 0:
            state = begin
        return jax.block_until_ready(drawn(state, own))

    def play(actions) -> None:
        nonlocal state
        state = jax.block_until_ready(step(state, actions))

    stepped(games, 2, choose, play)  # compiles
    return stepped(games, rounds, choose, play)


def envpool_steps(name: str, games: int, rounds: int) -> float:
    import envpool
    import numpy

    env = envpool.make(name, env_type="gymnasium", num_envs=games, num_threads=1)
    _, info = env.reset()
    draw = numpy.random.default_rng(1)

    def choose():
        mask = info["legal_action_mask"]
        return (draw.random(mask.shape) * mask).argmax(axis=1).astype(numpy.int32)

    def play(actions) -> None:
        nonlocal info
        info = env.step(actions)[4]

    return stepped(games, rounds, choose, play)


def show(label: str, figure: float) -> None:
    print(f"{label:44} {figure / 1e6:9.3f} M/s", flush=True)


def main() -> None:
    show("tic-tac-toe, State.child", child())
    for name, rounds in (("tic-tac-toe", 300), ("connect-four", 300), ("breakthrough", 100)):
        with_moves, alone = vector(name, 16_384, rounds)
        show(f"{name}, VectorEnv, moves drawn too", with_moves)
        show(f"{name}, VectorEnv", alone)
    for label, measure in (
        ("connect four, OpenSpiel", lambda: open_spiel("connect_four", 100_000)),
        ("connect four, Pgx", lambda: pgx_steps("connect_four", 16_384, 40)),
        ("connect four, EnvPool", lambda: envpool_steps("ConnectFour-v1", 16_384, 40)),
    ):
        try:
            show(label, measure())
        except ImportError as missing:
            print(f"{label:44} {missing}")


if __name__ == "__main__":
    main()
