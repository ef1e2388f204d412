"""The MuJoCo of this environment and that of another one, beside which steps are timed in turn."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.peers import mujoco_steps

OLDEST = "3.2.7"
"""The release that this environment has."""


class Peer(NamedTuple):
    """An engine, and the release as which polybody simulates the same."""

    engine: Any
    release: str
    version: str


class Elsewhere:
    """`mujoco_steps.Engine` in a process of another environment."""

    def __init__(self, python: str, arguments: tuple[str, ...]) -> None:
        command = [python, mujoco_steps.__file__, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self._call(name, *arguments)

    def _call(self, name: str, *arguments: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([name, *arguments]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the MuJoCo of the other environment does not load this model")
        return json.loads(line)


@contextmanager
def peers(path: Path, integrator: str, disable: tuple[str, ...], other: str | None) -> Iterator[list[Peer]]:
    """The engines with this model: that of this environment, and that of the Python ``other``, if any."""
    arguments = (str(path), integrator, *disable)
    own = mujoco_steps.Engine(*arguments)
    found = [Peer(own, OLDEST, own.version())]
    if other is None:
        yield found
        return
    elsewhere = Elsewhere(other, arguments)
    try:
        version = elsewhere.version()
        release = OLDEST if version.startswith(OLDEST) else "4.0"
        yield [*found, Peer(elsewhere, release, version)]
    finally:
        elsewhere.process.communicate()
