"""Comparisons in processes of their own: engines crash on some files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import mujoco

from tests.differential.report import Comparison

TIMEOUT = 120.0
"""Seconds for one file."""


def each_alone(
    paths: Sequence[Path], workers: int, compare: Callable[..., Comparison], *arguments: Any
) -> list[Comparison]:
    """``compare(path, *arguments)`` of each file, so many at a time."""
    context = get_context("forkserver")
    context.set_forkserver_preload([compare.__module__])

    def alone(path: Path) -> Comparison:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(theirs, compare, path, *arguments))
        process.start()
        theirs.close()
        try:
            if ours.poll(TIMEOUT):
                found: Comparison = ours.recv()
                return found
            return Comparison(str(path), failure=f"no answer in {TIMEOUT:g} s")
        except EOFError:
            return Comparison(str(path), skipped="MuJoCo: it crashes")
        finally:
            process.kill()
            process.join(TIMEOUT)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(alone, paths))


def _send(pipe: Any, compare: Callable[..., Comparison], path: Path, *arguments: Any) -> None:
    try:
        pipe.send(compare(path, *arguments))
    except mujoco.FatalError as error:
        pipe.send(Comparison(str(path), skipped=f"MuJoCo: {error}"))
    except Exception as error:  # of ours: whatever it is, the report goes on
        pipe.send(Comparison(str(path), failure=f"polybody: {type(error).__name__}: {error}"))
