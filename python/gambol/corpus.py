"""Collections of rulesheets: taken through the program game by game, and looked at as a table.

The work is done by the program `gambol` (`cargo install --path crates/cli`): one process for each game, under limits, so
that a game that goes wrong takes nothing else with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Sequence

if TYPE_CHECKING:
    import pandas

__all__ = ["distribute", "frame", "run"]

STAGES = ("check", "ground", "net", "simulate")
_ENDINGS = (".kif", ".gdl", ".txt")


def run(
    folder: str | os.PathLike[str],
    database: str | os.PathLike[str],
    *,
    jobs: int = 2,
    stages: Sequence[str] = STAGES,
    time: float = 60,
    memory_mib: int = 4096,
    program: str = "gambol",
) -> None:
    """Takes every rulesheet under a folder through the program. Games that are in the database are not run again."""
    command = [
        *_command(program, folder, stages, time, memory_mib),
        *("--out", os.fspath(database), "--jobs", str(jobs)),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    # 1 says that some games failed, which is a result.
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.strip() or f"gambol corpus ended with {done.returncode}")


def _command(program: str, folder: Any, stages: Sequence[str], time: float, memory_mib: int) -> list[str]:
    found = shutil.which(program)
    if found is None:
        raise FileNotFoundError(f"there is no program {program}; `cargo install --path crates/cli` installs it")
    limits = ["--time", str(time), "--memory", str(memory_mib)]
    return [found, "corpus", os.fspath(folder), "--stages", ",".join(stages), "--json", "--quiet", *limits]


def frame(database: str | os.PathLike[str]) -> pandas.DataFrame:
    """The results as a table: a row for each game, the program's counts and seconds as columns."""
    import pandas

    with sqlite3.connect(f"file:{os.fspath(database)}?mode=ro", uri=True) as connection:
        rows = connection.execute("select id, stage_reached, error, seconds, seconds_by_stage, counts from games").fetchall()
    table = []
    for name, stage, error, seconds, by_stage, counts in rows:
        row = {"id": name, "stage_reached": stage, "error": error, "seconds": seconds}
        row.update({f"seconds_{stage}": value for stage, value in json.loads(by_stage).items()})
        row.update(json.loads(counts))
        table.append(row)
    return pandas.DataFrame(table).set_index("id").sort_index() if table else pandas.DataFrame()


def distribute(
    client: Any,
    folder: str | os.PathLike[str],
    database: str | os.PathLike[str],
    *,
    stages: Sequence[str] = STAGES,
    time: float = 60,
    memory_mib: int = 4096,
    program: str = "gambol",
    retries: int = 3,
) -> None:
    """The same on the workers of a `distributed.Client`, each of which needs the program.

    Rows carry a hash of rules, program and options; what is in the database under that hash is not run again. A game whose
    worker is lost is given out anew, as often as `retries` says; one that loses it each time gets a row that says so.
    """
    from distributed import KilledWorker, as_completed

    root = Path(folder)
    options = (tuple(stages), time, memory_mib, program)
    version = _version(program)
    with sqlite3.connect(database) as connection:
        connection.execute(
            "create table if not exists games (id text primary key, stage_reached text, error text, seconds real not null,"
            " seconds_by_stage text not null, counts text not null, key text not null)"
        )
        known = dict(connection.execute("select id, key from games"))
        futures = {}

        def submit(name: str, text: bytes, key: str, tries: int) -> Any:
            future = client.submit(_one, name, text, *options, retries=retries, pure=False)
            futures[future] = (name, text, key, tries)
            return future

        for path in sorted(path for path in root.rglob("*") if path.suffix in _ENDINGS):
            text, name = path.read_bytes(), path.relative_to(root).as_posix()
            key = _key(text, version, options)
            if known.get(os.path.splitext(name)[0]) != key:
                submit(name, text, key, retries)
        completed = as_completed(list(futures))  # type: ignore[no-untyped-call,unused-ignore]
        for future in completed:
            name, text, key, tries = futures.pop(future)
            # The scheduler blames a task for every worker that is lost with it, also when others lost it.
            if tries > 0 and isinstance(future.exception(), KilledWorker):
                completed.add(submit(name, text, key, tries - 1))  # type: ignore[no-untyped-call,unused-ignore]
                continue
            row = _row(future, os.path.splitext(name)[0])
            connection.execute("insert or replace into games values (?, ?, ?, ?, ?, ?, ?)", (*row, key))
            connection.commit()


def _version(program: str) -> bytes:
    """What tells a program from an earlier one: its bytes. Workers may have it where we have none."""
    found = shutil.which(program)
    return hashlib.sha256(Path(found).read_bytes()).digest() if found else b""


def _key(text: bytes, version: bytes, options: tuple[Any, ...]) -> str:
    digest = hashlib.sha256()
    for part in (text, version, repr(options).encode()):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _one(name: str, text: bytes, stages: Sequence[str], time: float, memory_mib: int, program: str) -> dict[str, Any]:
    """One game, in a folder of its own: what `gambol corpus` says of it."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        command = [*_command(program, place, stages, time, memory_mib), "--jobs", "1"]
        done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        row: dict[str, Any] = json.loads(line)
        if "counts" in row:
            return row
    raise RuntimeError(done.stderr.strip() or f"gambol corpus ended with {done.returncode}")


def _row(future: Any, name: str) -> tuple[Any, ...]:
    error = future.exception()
    if error is None:
        row = future.result()
        by_stage = row["seconds_by_stage"]
        seconds = sum(by_stage.values())
        return row["id"], row["stage_reached"], row["error"], seconds, json.dumps(by_stage), json.dumps(row["counts"])
    kind = type(error).__name__
    reason = f"{name} killed its worker again and again" if kind == "KilledWorker" else f"{kind}: {error}"
    return name, None, reason, 0.0, "{}", "{}"
