"""Players in processes of their own, and the referee. Used by the scripts beside this file."""

import json
import os
import subprocess

GAMBOL = os.environ.get("GAMBOL", "target/release/gambol")


class Player:
    """A player that waits on a free port until it is ended."""

    def __init__(self, *settings):
        command = [GAMBOL, "player", "--port", "0", "--json", *settings]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = json.loads(self.process.stdout.readline())["listening"]

    def end(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def referee(game, players, *settings, seconds=600):
    """The report of a match, or what the referee complained about."""
    command = [GAMBOL, "match", game, *players, "--json", "--quiet", *settings]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    try:
        return json.loads(done.stdout.splitlines()[0])
    except (IndexError, ValueError):
        return {"error": {"message": done.stderr.strip() or f"exit code {done.returncode}"}}
