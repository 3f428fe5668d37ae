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


def test_workers_that_are_killed_lose_nothing(folder, tmp_path):
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("pandas")
    from gambol import corpus

    stages = ("check", "ground", "net")
    corpus.run(folder, tmp_path / "plain.sqlite", program=PROGRAM, stages=stages)
    expected = corpus.frame(tmp_path / "plain.sqlite")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster, distributed.Client(cluster) as client:
        victims = list(client.run(os.getpid).values())
        killer = threading.Timer(0.05, os.kill, (victims[0], signal.SIGKILL))
        killer.start()
        corpus.distribute(client, folder, tmp_path / "spread.sqlite", program=PROGRAM, stages=stages, retries=20)
        killer.join()
        found = corpus.frame(tmp_path / "spread.sqlite")
        assert list(found.index) == list(expected.index)
        both = found[SAME].astype(object), expected[SAME].astype(object)
        assert both[0].where(both[0].notna(), None).equals(both[1].where(both[1].notna(), None))
        # What is known is not run again: there is nobody who could.
        client.retire_workers()
        corpus.distribute(client, folder, tmp_path / "spread.sqlite", program=PROGRAM, stages=stages)
