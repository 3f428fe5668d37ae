"""Players in processes of their own, and the referee. Used by the scripts beside this file."""

import json
import os
import subprocess
import tempfile
import time
import urllib.request

GAMBOL = os.environ.get("GAMBOL", "target/release/gambol")


class Player:
    """A player that waits on a free port until it is ended."""

    def __init__(self, *settings, log=False, program=GAMBOL):
        command = [program, "player", "--port", "0", "--json", *settings]
        self.log = tempfile.TemporaryFile("w+") if log else None
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log or subprocess.DEVNULL, text=True)
        self.address = json.loads(self.process.stdout.readline())["listening"]

    def ask(self, message, seconds):
        """The answer to a message of the protocol, and how long it took."""
        begun = time.time()
        request = urllib.request.Request(f"http://{self.address}/", message.encode(), {"Content-Type": "text/acl"})
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.read().decode().strip(), time.time() - begun

    def said(self, word):
        """How often it reported something of itself."""
        self.log.seek(0)
        return sum(word in line for line in self.log)

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
