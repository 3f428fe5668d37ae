"""Ctrl-C ends every call that can be long."""

import signal
import threading

import pytest

import gambol

# Grounding this takes for ever: eight places of thirty values each.
ENDLESS = "(role you) (init p) (legal you go) " + " ".join(f"(digit {n})" for n in range(30)) + """
(<= (next (code ?a ?b ?c ?d ?e ?f ?g ?h)) (does you go)
    (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f) (digit ?g) (digit ?h))
(<= terminal (true q)) (goal you 0)
"""

LONG = {
    "load": lambda: gambol.loads(ENDLESS, time=1000, memory_mib=100_000),
    "solve": lambda: gambol.load("reversi-6x6").solve(),
    "strong": lambda: gambol.load("connect-four-5x5").solve(strong=True, memory_mib=100_000),
    "decompose": lambda: gambol.load("double-connect-four").decompose(playouts=10**10),
    "regress": lambda: gambol.load("connect-four").regress(),
    "simulate": lambda: gambol.load("connect-four").simulate(10**11),
    "rollouts": lambda: gambol.load("connect-four").initial().rollouts(2**32 - 1),
    "choose by playouts": lambda: choose(playouts=10**12),
    "choose by time": lambda: choose(seconds=1000),
    "evaluate": lambda: choose(lambda seen, masks: (seen[:, :2] * 0, masks), playouts=10**12),
    "quiz": lambda: gambol.load("tic-tac-toe").quiz(10**9),
    "children": lambda: [gambol.load("connect-four").initial().children() for _ in range(10**9)],
}


def choose(evaluate=None, **effort):
    game = gambol.load("connect-four")
    return game.player(evaluate=evaluate).choose(game.initial(), **effort)


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_a_signal_ends_it(call):
    timer = threading.Timer(1.0, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
