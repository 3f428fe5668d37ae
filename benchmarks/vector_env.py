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


def vector(name: str, games: int, rounds: int) -> tuple[float, float]:
    """With moves drawn inside the measurement, and without."""
    env = gambol.load(name).vector(games, seed=1)
    env.step(env.sample())

    def whole() -> None:
        for _ in range(rounds):
            env.step(env.sample())

    with_moves = rate(games * rounds, whole)
    spent = 0.0
    for _ in range(rounds):
        actions = env.sample()
        begun = time.process_time()
        env.step(actions)
        spent += time.process_time() - begun
    return with_moves, games * rounds / spent


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
    keys = jax.random.split(jax.random.PRNGKey(1), games)
    begin = start(keys)

    @jax.jit
    def choose(state, key):
        noise = jax.random.uniform(key, state.legal_action_mask.shape)
        return (noise * state.legal_action_mask).argmax(axis=1)

    def play(state, rounds: int):
        key = jax.random.PRNGKey(2)
        for round in range(rounds):
            key, own = jax.random.split(key)
            state = step(state, choose(state, own))
            if round % 9 == 8:
                state = begin
        jax.block_until_ready(state.observation)
        return state

    warm = play(begin, 2)
    return rate(games * rounds, lambda: play(warm, rounds))


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
    ):
        try:
            show(label, measure())
        except ImportError as missing:
            print(f"{label:44} {missing}")


if __name__ == "__main__":
    main()
