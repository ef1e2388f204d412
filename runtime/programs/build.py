"""Programs that are being prepared: loaded from the cache at once, or built in the background, one at a time.

A thread only waits for the process that builds; simulations continue meanwhile.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
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
from polybody.programs.worker_protocol import DETACH, PATIENCE, Columns, Job, Progress, Worker, processors

if TYPE_CHECKING:
    from polybody.model.model import Model
    from polybody.programs.load import Program

HANDED = 2.0
"""Maximum time at interpreter exit, in seconds, for handing a requested build to a worker."""
FORKED = "the process was forked while it was compiled; reset() asks for it again"
Tell = Callable[[Progress], object]


def silent(progress: Progress) -> None:
    """Ignore the progress."""


class Build:
    """A program for one Model: ready, failed, or being built.

    Attributes:
        key: the key in the cache: of what is computed, and of how it is compiled.
        program: the program, once it is ready; else None.
        entry: the cache entry, once it is ready.
        failure: why it failed, in a sentence; "" if it has not failed.
        notice: further information for the user; "" if none.
        cached: whether it was in the cache when it was requested.
        progress: progress of the build.
        plan: how it is to be built, if it is not ready.
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
        """Whether it is ready or has failed."""
        return self._over.is_set()

    def wait(self, tell: Tell = silent) -> Program:
        """The program, built first if necessary; ``tell`` is called with the progress.

        Raises:
            CompileError: it failed; the message says why.
        """
        if self.claim():
            self.run(0, tell)
        while not self._over.wait(0.1):
            tell(self.progress)
        if self.program is None:
            raise CompileError(self.failure)
        return self.program

    def claim(self) -> bool:
        """Whether the caller has to run the build."""
        with builds.lock:
            mine = not self._claimed and not self.over
            self._claimed = True
            return mine

    def run(self, patience: int, tell: Tell = silent) -> None:
        """Build the program, and wait until it is ready."""

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
            builds.known.pop(self.key, None)  # a new request tries again
            self.end("it was interrupted")
            raise

    def _fail(self, failure: str) -> None:
        builds.failed[self.key] = self
        self.end(failure)

    def end(self, failure: str = "") -> None:
        """Mark the build as ready or failed."""
        self.failure = failure
        self.progress = Progress("failed" if failure else "ready")
        self._over.set()


@dataclass(frozen=True)
class Plan:
    """The inputs of a program, and where it will be stored."""

    columns: Columns
    request: Request
    constraints: str
    """The C text of the constraint solver; "" if there are no constraints, or it is not part of the program.
    """
    unread: Mapping[str, frozenset[int]]
    """Indices of columns that the text does not read."""
    target: Target
    cache: Cache
    facts: Mapping[str, Any]

    def carry_out(self, build: Build, patience: int, tell: Tell) -> None:
        """Let a worker build the program, and load it.

        Other processes may remove the program from the cache before it is loaded. In this case it is built
        again and loaded from the build folder.

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
        """Build and load the program; returns the failure, or ""."""
        program, how = build.key.split("-")
        folder = self.cache.building(build.key)
        worker = None
        try:
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
                lasting=self.cache.lasting and os.environ.get(DETACH, "").strip() != "0",
            )
            with builds.employed(job) as worker:
                failure = worker.work(tell)
            take(build, self.cache)
            if build.program is None and not failure:
                _take_from(build, folder / BESIDE)
        finally:
            if worker is None or not worker.left:
                shutil.rmtree(folder, ignore_errors=True)
        return failure


# --- requests ----------------------------------------------------------------------------------------


def ask(model: Model, request: Request, target: Target | None = None, *, start: bool = True) -> Build:
    """The program of a Model: from the cache, or built in the background.

    Args:
        model: the Model.
        request: the kernels.
        target: the target machine; by default this machine.
        start: whether to start building a program that is not in the cache; otherwise :meth:`Build.wait`
            does.
    """
    target = target or native()
    failure = target.missing
    known = f"program {request} {target.processor} {target.features}"
    program, columns, constraints, unread = model.once(known, _identified, model, request, target)
    name = f"{program}-{key.build_key(target)}"
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


def _identified(
    model: Model, request: Request, target: Target
) -> tuple[str, Columns, str, Mapping[str, frozenset[int]]]:
    """The key of a program, and what determines it."""
    columns = key.columns(model, request)
    constraints, unread = solver_text(model, request)
    return key.program_key(columns, request, target, constraints, unread), columns, constraints, unread


def solver_text(model: Model, request: Request) -> tuple[str, Mapping[str, frozenset[int]]]:
    """The C text that solves the constraints of a single state, and what it does not read; "" if there are no
    constraints.
    """
    if not model.opt_constrained:
        return "", {}
    from polybody.constraints.facts import program_text, unread

    several = request.lanes > 1
    return "" if several else program_text(model), {} if request.results else unread(model, several)


def together(wanted: Sequence[Build]) -> Iterator[str]:
    """Build programs at the same time; yields progress from time to time, until all are ready or failed."""
    threads = [threading.Thread(target=_quietly, args=(build,), daemon=True) for build in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.1)
            yield "; ".join(str(build.progress) for build in wanted)


def _quietly(build: Build) -> None:
    with suppress(CompileError):  # it remains as the failure of that build
        build.wait()


def look(build: Build, writing: bool) -> Cache:
    """Load the program if it is in the cache. Returns the cache to store it in: the user's, or a temporary
    one for this process if the user's cannot be used.

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
    """Load the program if the cache has it. One that cannot be loaded is removed."""
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
    """Load the program from its build folder, which is then removed; the loaded program remains usable."""
    from polybody.programs.load import Program, ProgramError

    with suppress(OSError, ProgramError, ValueError):
        facts = json.loads((folder / ABOUT).read_bytes())
        build.program = Program(folder / LIBRARY, build.key.partition("-")[0])
        build.entry = Entry(build.key, folder, facts, time.time())
        build.end()


# --- the thread --------------------------------------------------------------------------------------


class Builds:
    """The builds of this process."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Initialise: no builds are known or running."""
        self.lock = threading.Lock()
        self.known: weakref.WeakValueDictionary[str, Build] = weakref.WeakValueDictionary()
        self.failed: dict[str, Build] = {}
        """Remembered, so that they are not tried again."""
        self.workers: list[Worker] = []
        self.stopping = False
        self._queue: deque[weakref.ref[Build]] = deque()
        self._thread: threading.Thread | None = None

    @contextmanager
    def employed(self, job: Job) -> Iterator[Worker]:
        """A worker; one whose job is not lasting ends with this process."""
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
        """Let the thread build it, after earlier requests."""
        with self.lock:
            if any(waiting() is build for waiting in self._queue):
                return
            self._queue.append(weakref.ref(build))
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="polybody compiles", daemon=True)
                self._thread.start()

    def _serve(self) -> None:
        """Build what was requested until nothing is left; builds that nobody waits for are skipped."""
        while True:
            with self.lock:
                if not self._queue:
                    self._thread = None
                    return
                build = self._queue.popleft()()
            if build is not None and build.claim():
                build.run(PATIENCE)
            del build

    def leave(self) -> None:
        """At interpreter exit: the build that is running, or requested first, goes on without this process
        if its job is lasting; the others end.
        """
        end = time.monotonic() + HANDED
        while self._thread is not None and not self.workers and time.monotonic() < end:
            time.sleep(0.005)
        with self.lock:
            self.stopping = True
            self._queue.clear()
            workers = [worker for worker in self.workers if not worker.job.lasting]
        for worker in workers:
            worker.abandon()

    def stop(self) -> None:
        """End all builds."""
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
        """In a forked process there is no such thread, and the workers belong to the parent."""
        for build in list(self.known.values()):
            if not build.over:
                build.end(FORKED)
        self._begin()


builds = Builds()
atexit.register(builds.leave)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=builds.forked)
