"""Programs on their way: looked up at once, else built in the background, one at a time.

A thread waits for the process that builds and does nothing else; simulations go on meanwhile.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polybody.errors import CompileError
from polybody.generated.kernels.interface import Request
from polybody.programs import key
from polybody.programs.cache import ABOUT, BESIDE, LIBRARY, Cache, CacheError, Entry, temporary
from polybody.programs.target import Target, native
from polybody.programs.worker_protocol import Columns, Job, Progress, Worker, processors

if TYPE_CHECKING:
    from polybody.model.model import Model
    from polybody.programs.load import Program

PATIENCE = 10
"""How much simulations come before builds in the background (POSIX nice)."""
FORKED = "the process was forked while it was compiled; reset() asks for it again"
Tell = Callable[[Progress], object]


def silent(progress: Progress) -> None:
    """Nobody listens."""


class Build:
    """A program for one Model: ready, failed, or on its way.

    Attributes:
        key: what it is kept under: of what is computed, and of how it is compiled.
        program: to be called, once it is ready; else None.
        entry: where it is kept, once it is ready.
        failure: why there is none, in a sentence; "" if that is not so.
        notice: what its user should know besides; "" if nothing.
        cached: whether it was there when it was asked for.
        progress: how far it is.
        plan: how it is to be built, if it is.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.program: Program | None = None
        self.entry: Entry | None = None
        self.failure = self.notice = ""
        self.cached = False
        self.progress = Progress("waiting")
        self._over = threading.Event()
        self._claimed = False
        self.plan: Plan | None = None

    @property
    def over(self) -> bool:
        """Ready, or failed."""
        return self._over.is_set()

    def wait(self, tell: Tell = silent) -> Program:
        """The program, built first if need be; ``tell`` hears how far it is.

        Raises:
            CompileError: there is none, and why.
        """
        if self.claim():
            self.run(0, tell)
        while not self._over.wait(0.1):
            tell(self.progress)
        if self.program is None:
            raise CompileError(self.failure)
        return self.program

    def claim(self) -> bool:
        """Whether it is up to the caller to run it."""
        with builds.lock:
            mine = not self._claimed and not self.over
            self._claimed = True
            return mine

    def run(self, patience: int, tell: Tell = silent) -> None:
        """Build it, to its end."""

        def hear(progress: Progress) -> None:
            self.progress = progress
            tell(progress)

        try:
            assert self.plan is not None
            try:
                self.plan.carry_out(self, patience, hear)
            except (CacheError, OSError) as error:
                cache = temporary()
                if self.plan.cache is cache:
                    raise
                self.notice = f"compiled programs are kept for this process only: {error}"
                replace(self.plan, cache=cache).carry_out(self, patience, hear)
        except (CompileError, CacheError) as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"it cannot be written: {error}")
        except Exception as error:
            self._fail(f"an internal error, {type(error).__name__}: {error}")
        except BaseException:
            builds.known.pop(self.key, None)  # whoever asks again, asks anew
            self.end("it was interrupted")
            raise

    def _fail(self, failure: str) -> None:
        builds.failed[self.key] = self
        self.end(failure)

    def end(self, failure: str = "") -> None:
        """It is ready, or failed."""
        self.failure = failure
        self.progress = Progress("failed" if failure else "ready")
        self._over.set()


@dataclass(frozen=True)
class Plan:
    """What a program is made of, and where it shall be kept."""

    columns: Columns
    request: Request
    constraints: str
    """The text that solves them; "" where there are none, or where it is not part of the program."""
    unread: Mapping[str, frozenset[int]]
    """Places of columns that it does not look at."""
    target: Target
    cache: Cache
    facts: Mapping[str, Any]

    def carry_out(self, build: Build, patience: int, tell: Tell) -> None:
        """Have a worker build the program, and load it.

        What the cache has may be gone before it is loaded, taken away by other processes. Then it is built
        once more, and taken from where it was built.

        Raises:
            CompileError, CacheError, OSError: it cannot be built.
        """
        failure = self._build(build, patience, tell, anew=False)
        if build.program is None and not failure:
            failure = self._build(build, patience, tell, anew=True)
        if build.program is None:
            raise CompileError(failure or "the compiled program cannot be loaded")
        build.cached = False

    def _build(self, build: Build, patience: int, tell: Tell, anew: bool) -> str:
        """Build and load the program; returns what failed, or ""."""
        program, how = build.key.split("-")
        with self.cache.building(build.key) as folder:
            job = Job(
                columns=self.columns,
                request=self.request,
                constraints=self.constraints,
                unread=self.unread,
                program=program,
                build=how,
                target=self.target,
                cache=self.cache.folder,
                folder=folder,
                facts=self.facts,
                anew=anew,
                jobs=processors(),
                patience=patience,
            )
            with builds.employed(job) as worker:
                failure = worker.work(tell)
            take(build, self.cache)
            if build.program is None and not failure:
                _take_from(build, folder / BESIDE)
        return failure


# --- asking ------------------------------------------------------------------------------------------


def ask(model: Model, request: Request, target: Target | None = None, *, start: bool = True) -> Build:
    """The program of a Model: from the cache, or built in the background.

    Args:
        model: what is simulated.
        request: which kernels.
        target: what it is made for; by default this machine.
        start: whether to start building one that is not there; else :meth:`Build.wait` does.
    """
    columns = key.columns(model, request)
    target = target or native()
    failure = target.missing
    constraints, unread = solver_text(model, request)
    name = f"{key.program_key(columns, request, target, constraints, unread)}-{key.build_key(target)}"
    with builds.lock:
        build = builds.known.get(name)
        if build is None:
            build = builds.known[name] = Build(name)
            try:
                cache = look(build, writing=not failure)
            except (OSError, CacheError) as error:
                failure = failure or f"it cannot be stored: {error}"
            if not build.over:
                if failure:
                    build.end(failure)
                else:
                    facts = {"model": model.name, "nbody": model.nbody, "nv": model.nv}
                    build.plan = Plan(columns, request, constraints, unread, target, cache, facts)
    if start and not build.over:
        builds.enqueue(build)
    return build


def solver_text(model: Model, request: Request) -> tuple[str, Mapping[str, frozenset[int]]]:
    """The text that solves the constraints of a single state, or "", and what constraints do not look at."""
    if not model.opt_constrained:
        return "", {}
    from polybody.constraints.facts import program_text, unread

    several = request.lanes > 1
    return "" if several else program_text(model), {} if request.results else unread(model, several)


def together(wanted: Sequence[Build]) -> Iterator[str]:
    """Build programs at the same time; yields how far they are, now and then, until all are over."""
    threads = [threading.Thread(target=_quietly, args=(build,), daemon=True) for build in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.1)
            yield "; ".join(str(build.progress) for build in wanted)


def _quietly(build: Build) -> None:
    with suppress(CompileError):  # which remains its failure
        build.wait()


def look(build: Build, writing: bool) -> Cache:
    """Load it if it is kept. The cache for it: the user's own, or where that cannot be used this process's.

    Raises:
        OSError, CacheError: neither can be used.
    """
    try:
        cache = Cache()
        take(build, cache)
        if writing and not build.over:
            cache.prepare()
        return cache
    except (OSError, CacheError) as error:
        if not writing:
            raise
        build.notice = f"compiled programs are kept for this process only: {error}"
    cache = temporary()
    take(build, cache)
    return cache


def take(build: Build, cache: Cache) -> None:
    """Load the program if the cache has it; one that cannot be loaded is removed."""
    from polybody.programs.load import Program, ProgramError

    program, _, how = build.key.partition("-")
    while (entry := cache.find(program, how or None)) is not None:
        try:
            build.program = Program(entry.library, program)
        except (OSError, ProgramError):
            cache.remove(entry.key)
            if entry.folder.exists():
                return  # it can be neither loaded nor removed
        else:
            build.entry, build.cached = entry, True
            build.end()
            return


def _take_from(build: Build, folder: Path) -> None:
    """Load the program from where it was built, which is removed afterwards: what is loaded stays."""
    from polybody.programs.load import Program, ProgramError

    with suppress(OSError, ProgramError, ValueError):
        facts = json.loads((folder / ABOUT).read_bytes())
        build.program = Program(folder / LIBRARY, build.key.partition("-")[0])
        build.entry = Entry(build.key, folder, facts, time.time())
        build.end()


# --- the thread --------------------------------------------------------------------------------------


class Builds:
    """Those of this process."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Nothing is known and nothing under way."""
        self.lock = threading.Lock()
        self.known: weakref.WeakValueDictionary[str, Build] = weakref.WeakValueDictionary()
        self.failed: dict[str, Build] = {}
        """Kept, so that they are not tried again and again."""
        self.workers: list[Worker] = []
        self.stopping = False
        self._queue: deque[weakref.ref[Build]] = deque()
        self._thread: threading.Thread | None = None

    @contextmanager
    def employed(self, job: Job) -> Iterator[Worker]:
        """A worker that ends when this process does, at the latest."""
        with self.lock:
            if self.stopping:
                raise CompileError("this process ends")
            worker = Worker(job)
            self.workers.append(worker)
        try:
            yield worker
        finally:
            self.workers.remove(worker)

    def enqueue(self, build: Build) -> None:
        """Let the thread build it, after those that were asked for before."""
        with self.lock:
            if any(waiting() is build for waiting in self._queue):
                return
            self._queue.append(weakref.ref(build))
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="polybody compiles", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        """Build what is asked for until nothing is left; what nobody waits for any more is left out."""
        while True:
            with self.lock:
                if not self._queue:
                    self._thread = None
                    return
                build = self._queue.popleft()()
            if build is not None and build.claim():
                build.run(PATIENCE)
            del build

    def stop(self) -> None:
        """When the interpreter ends: no build keeps it, and none is left behind."""
        with self.lock:
            self.stopping = True
            self._queue.clear()
            workers, thread = list(self.workers), self._thread
        for worker in workers:
            worker.abandon()
        if thread is not None:
            thread.join(2.0)
        self.stopping = False

    def forked(self) -> None:
        """In a new process there is no such thread, and the workers are the old one's."""
        for build in list(self.known.values()):
            if not build.over:
                build.end(FORKED)
        self._begin()


builds = Builds()
atexit.register(builds.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=builds.forked)
