"""Comparisons in processes of their own: engines crash on some files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.differential.report import Comparison
from tests.waiting import PATIENCE


class EngineError(Exception):
    """The message of an engine about a file that it rejects."""


def each_alone(
    paths: Sequence[Path],
    workers: int,
    engine: str,
    compare: Callable[..., Comparison],
    *arguments: Any,
    refuses: type[Exception] = EngineError,
    preload: Sequence[str] = (),
) -> list[Comparison]:
    """Run ``compare(path, *arguments)`` for each file, several at a time.

    Args:
        engine: the name of the other engine.
        refuses: what ``compare`` raises if the engine rejects a file, which is then skipped.
        preload: modules to import once, for all processes, besides that of ``compare``.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([compare.__module__, *preload])

    def alone(path: Path) -> Comparison:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(theirs, engine, refuses, compare, path, *arguments))
        process.start()
        theirs.close()
        try:
            if ours.poll(PATIENCE):
                found: Comparison = ours.recv()
                return found
            return Comparison(str(path), failure=f"no answer in {PATIENCE:g} s")
        except EOFError:
            return Comparison(str(path), skipped=f"{engine}: it ends the process")
        finally:
            process.kill()
            process.join(PATIENCE)

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(alone, paths))


def _send(
    pipe: Any,
    engine: str,
    refuses: type[Exception],
    compare: Callable[..., Comparison],
    path: Path,
    *arguments: Any,
) -> None:
    try:
        pipe.send(compare(path, *arguments))
    except refuses as error:
        pipe.send(Comparison(str(path), skipped=f"{engine}: {error}"))
    except Exception as error:  # an error of ours: whatever it is, the report continues
        pipe.send(Comparison(str(path), failure=f"polybody: {type(error).__name__}: {error}"))
