"""Communication with the process that builds a program (worker.py)."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray
from polybody.errors import CompileError
from polybody.generated.kernels.interface import Request
from polybody.programs.cache import CacheError
from polybody.programs.compiler import SECONDS
from polybody.programs.target import Target

MOST = 16
"""Maximum number of compilers at a time."""
PATIENCE = 10
"""Priority of builds in the background (POSIX nice): simulations come first."""
JOB = "job"
"""The file in the build folder that contains the job."""
DETACH = "POLYBODY_DETACH"
"""The environment variable that, with the value 0, lets builds end with the process that asked for them."""
START = Path(__file__).with_name("start.py")
SAME = ("polybody", "numpy")
"""The packages that the worker imports from where this process has them."""
OTHERS = ("jinja2", "markupsafe")
"""The other packages that it imports."""
Columns = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Job:
    """The input of a worker."""

    columns: Columns
    request: Request
    constraints: str
    """The C text of the constraint solver, which is part of the program; or ""."""
    unread: Mapping[str, frozenset[int]]
    """Indices of columns that it does not read."""
    program: str
    """The halves of the key: of what is computed, and"""
    build: str
    """of how it is compiled."""
    target: Target
    cache: Path
    folder: Path
    """The build folder; it exists. The requesting process removes it, or the worker if that has ended."""
    facts: Mapping[str, Any]
    """Further facts about the program for the cache."""
    anew: bool = False
    """Whether to build it even if the cache has it."""
    jobs: int = 1
    """Number of compilers at a time."""
    patience: int = 0
    """Priority (POSIX nice)."""
    seconds: float = SECONDS
    """Maximum time of the compiler for one text, in seconds."""
    lasting: bool = False
    """Whether the worker goes on when the requesting process ends."""

    @property
    def key(self) -> str:
        """Both halves of the key."""
        return f"{self.program}-{self.build}"


class Progress(NamedTuple):
    """Progress of a build."""

    stage: str
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.stage}, {self.done} of {self.total}" if self.total else self.stage


class Worker:
    """A process that executes a job, in a session of its own. It notices on its standard input that the
    requesting process has ended or does not wait any longer.

    Raises:
        CompileError: it cannot be started.
        OSError: the job cannot be written to its folder.
    """

    def __init__(self, job: Job) -> None:
        if not sys.executable or getattr(sys, "frozen", False):
            raise CompileError(
                "compiling requires a Python interpreter that can be started, which this program is not"
            )
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONPATH", None)  # it may name the folder of the user's script
        places = [f"{name}={place}" for name, place in _places()]
        self.job, self.left = job, False
        path = job.folder / JOB
        path.write_bytes(pickle.dumps(job))  # at once, even if this process ends now
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(START), str(path), *places],
                env=environment,
                cwd=START.parent,  # that of this process may be removed
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # signals of the terminal do not reach it
            )
        except OSError as error:
            why = error.strerror or error
            raise CompileError(f"the process that compiles cannot be started: {why}") from None

    def work(self, tell: Callable[[Progress], object]) -> str:
        """Wait until the job is executed; returns the failure, or "". ``tell`` is called with the progress.

        If the wait is interrupted, a lasting job goes on.

        Raises:
            CacheError: it failed because of the cache folder; another folder might work.
        """
        try:
            assert self.process.stdout is not None
            last, stray = _heard(self.process.stdout, tell)
        except Exception:
            self._finish(kill=True)
            raise
        except BaseException:  # Ctrl-C
            self.leave() if self.job.lasting else self._finish(kill=True)
            raise
        code = self._finish(kill=False)
        if last.get("stage") == "failed" and last.get("place"):
            raise CacheError(str(last.get("message")))
        if last.get("stage") == "failed":
            return str(last.get("message"))
        if last.get("stage") == "done":
            return ""
        ended = f"by signal {-code}" if code < 0 else f"with code {code}"
        return f"the process that compiles ended {ended}" + (f": {stray}" if stray else "")

    def _finish(self, kill: bool) -> int:
        """Its exit code, after it has ended or been killed. The compilers that it started end with it."""
        if not kill and hasattr(os, "waitid"):  # its process id is not reused until it is waited for
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
            kill = True
        if kill:
            self.kill()
        self._hang_up()
        return self.process.wait()

    def _hang_up(self) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()

    def leave(self) -> None:
        """Let it go on alone. It removes its folder."""
        self.left = True
        self._hang_up()
        threading.Thread(target=self.process.wait, daemon=True).start()  # so that no zombie remains

    def kill(self) -> None:
        """End it and its compilers."""
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    def abandon(self) -> None:
        """End it without waiting, and leave nothing behind."""
        self.kill()
        shutil.rmtree(self.job.folder, ignore_errors=True)


def _places() -> Iterator[tuple[str, str]]:
    """The folders of packages that the worker might not find by itself."""
    for name in SAME:
        origin = os.path.abspath(sys.modules[name].__file__ or "")  # noqa: PTH100
        folder = str(Path(origin).parents[1])
        found = PathFinder.find_spec(name, [folder])
        if found is not None and found.origin == origin:  # otherwise an editable installation finds it
            yield name, folder
    beside = _absolute(("", _folder_of_script()))
    paths = [path for path in _absolute(sys.path) if path not in beside]
    for name in OTHERS:
        found = PathFinder.find_spec(name, paths)
        if found is not None and found.origin is not None:
            yield name, str(Path(found.origin).parents[1])


def _absolute(folders: Iterable[str]) -> list[str]:
    """Folders by their full paths; none that is relative to a current folder that was removed."""
    try:
        current = os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        return [folder for folder in folders if os.path.isabs(folder)]  # noqa: PTH117
    return [os.path.normpath(os.path.join(current, folder)) for folder in folders]  # noqa: PTH118


def _folder_of_script() -> str:
    return os.path.dirname(getattr(sys.modules.get("__main__"), "__file__", None) or "")  # noqa: PTH120


def _heard(lines: Iterable[bytes], tell: Callable[[Progress], object]) -> tuple[dict[str, Any], str]:
    """The last progress that was reported, and the last line that was not a report."""
    last: dict[str, Any] = {}
    stray = b""
    for line in lines:
        try:
            said = json.loads(line)
            progress = Progress(said["stage"], said.get("done", 0), said.get("total", 0))
        except (ValueError, TypeError, KeyError):
            stray = line
        else:
            last = said
            tell(progress)
    return last, stray.decode("utf-8", "replace").strip()


def processors() -> int:
    """Number of processors that this process may use, up to a useful maximum."""
    allowed: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return min(MOST, len(allowed(0)) if allowed else os.cpu_count() or 1)
