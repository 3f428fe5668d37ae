"""Collections, taken through the program. Without it, or without pandas or Dask, these tests say so and pass."""

import os
import pathlib
import shutil
import signal
import threading

import pytest

import gambol

ROOT = pathlib.Path(__file__).parents[2]
BUILT = [os.environ.get("GAMBOL_PROGRAM"), ROOT / "target/release/gambol", ROOT / "target/debug/gambol", shutil.which("gambol")]
PROGRAM = next((str(path) for path in BUILT if path and pathlib.Path(path).exists()), None)
SAME = ["stage_reached", "error", "fluents", "moves", "roles", "rules", "clauses", "and_gates", "or_gates", "depth"]

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the program is not built")


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "games"
    for name in ("nim", "hanoi", "tic-tac-toe", "chomp", "hex-3x3", "goofspiel"):
        path = place / "some" / f"{name}.kif"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(gambol.load(name).to_text())
    (place / "broken.kif").write_text("(role you")
    return place


def test_a_collection_as_a_table(folder, tmp_path):
    pytest.importorskip("pandas")
    from gambol import corpus

    corpus.run(folder, tmp_path / "found.sqlite", program=PROGRAM, stages=("check", "ground", "net"))
    table = corpus.frame(tmp_path / "found.sqlite")
    assert len(table) == 7 and table.loc["some/tic-tac-toe", "fluents"] == 29
    assert table.loc["broken", "error"]
    with pytest.raises(FileNotFoundError, match="cargo install"):
        corpus.run(folder, tmp_path / "found.sqlite", program="no-such-program")


class Killer(threading.Thread):
    """Kills a worker every few seconds, as soon as there are two again, until it is told to stop."""

    def __init__(self, client, seconds):
        super().__init__(daemon=True)
        self.client, self.seconds, self.done, self.killed = client, seconds, threading.Event(), 0

    def run(self):
        while not self.done.wait(self.seconds):
            workers = list(self.client.run(os.getpid, on_error="ignore").values())
            # On a slow machine nobody would get round to working otherwise.
            if len(workers) > 1:
                os.kill(workers[self.killed % len(workers)], signal.SIGKILL)
                self.killed += 1


def test_workers_that_are_killed_lose_nothing(folder, tmp_path):
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("pandas")
    from gambol import corpus

    for number in range(30):
        text = gambol.load("tic-tac-toe").scramble(seed=number).game.to_text()
        (folder / f"scrambled-{number}.kif").write_text(text)
    stages = ("check", "ground", "net", "simulate")
    corpus.run(folder, tmp_path / "plain.sqlite", program=PROGRAM, stages=stages)
    expected = corpus.frame(tmp_path / "plain.sqlite")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster, distributed.Client(cluster) as client:
        killer = Killer(client, 2.0)
        killer.start()
        corpus.distribute(client, folder, tmp_path / "spread.sqlite", program=PROGRAM, stages=stages, retries=20)
        killer.done.set()
        killer.join()
        assert killer.killed > 0
        found = corpus.frame(tmp_path / "spread.sqlite")
        assert len(found) == 37 and list(found.index) == list(expected.index)
        both = found[SAME].astype(object), expected[SAME].astype(object)
        assert both[0].where(both[0].notna(), None).equals(both[1].where(both[1].notna(), None))
        # What is known is not run again: there is nobody who could.
        client.retire_workers()
        corpus.distribute(client, folder, tmp_path / "spread.sqlite", program=PROGRAM, stages=stages)


def test_a_game_that_kills_its_worker_is_named(folder, tmp_path):
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("pandas")
    from gambol import corpus

    # A program that kills whoever started it when it comes to one of the games.
    program = tmp_path / "murderer"
    program.write_text(f'#!/bin/sh\nfor f in "$2"/some/*; do case "$f" in *chomp*) kill -9 $PPID;; esac; done\nexec {PROGRAM} "$@"\n')
    program.chmod(0o755)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster, distributed.Client(cluster) as client:
        corpus.distribute(client, folder, tmp_path / "spread.sqlite", program=str(program), stages=("check",), retries=1)
    found = corpus.frame(tmp_path / "spread.sqlite")
    assert "killed its worker" in found.loc["some/chomp", "error"]
    assert found.loc["some/nim", "stage_reached"] == "check" and len(found) == 7
