"""Caches for tests of compiled programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from polybody.model.model import Model
from polybody.programs import choosing, key, target
from polybody.programs.build import Build, ask, builds
from polybody.programs.cache import Cache
from polybody.programs.choosing import STEP
from polybody.programs.worker_protocol import Job

from tests.waiting import PATIENCE


def built(model: Model) -> Build:
    """The finished build of the program that takes a Model's steps; polybody itself ends a compiler that
    hangs.

    Raises:
        CompileError: the build failed.
    """
    build = ask(model, STEP, start=False)
    build.wait()
    return build


def forget() -> None:
    """End all builds and discard all information about earlier ones, as in a new process."""
    builds.stop()
    builds.known.clear()
    builds.failed.clear()


def empty(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty cache, "auto" meaning auto, with no earlier messages or builds."""
    monkeypatch.setenv("POLYBODY_CACHE", str(folder))
    monkeypatch.delenv("POLYBODY_KERNELS")
    monkeypatch.setattr(choosing, "_noticed", set())
    forget()
    return folder


def job(model: Model, folder: Path, **other: object) -> Job:
    """A job for a worker, with an empty cache in a folder."""
    cache = Cache(folder / "cache")
    cache.prepare()
    place = folder / "place"
    place.mkdir(exist_ok=True)
    found, columns = target.native(), key.columns(model, STEP)
    program, how = key.program_key(columns, STEP, found), key.build_key(found)
    settings = {"seconds": PATIENCE} | other
    return Job(columns, STEP, "", {}, program, how, found, cache.folder, place, {}, **settings)  # type: ignore[arg-type]


def silent(stage: str, done: int = 0, total: int = 0) -> None:
    """A callback that ignores messages."""
