"""Settings for all tests: their extent, no background compilation unless requested, and a cache of their
own.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from polybody.diagnostics.internal import NOTED_IN

from tests import amounts


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("amounts", "how much the tests try (tests/amounts.py)")
    group.addoption("--full", action="store_true", help="try everything, as `make test-all` does")
    group.addoption("--sample-seed", type=int, default=0, help="seed of the sample tried without it")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    amounts.full, amounts.seed = config.getoption("--full"), config.getoption("--sample-seed")
    if not amounts.full and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(amounts.seed)
    settings.register_profile("polybody", deadline=None)  # of an example, in wall-clock time
    settings.load_profile("polybody")


def pytest_report_header(config: pytest.Config) -> str:
    return "amounts: everything" if amounts.full else f"amounts: the sample of seed {amounts.seed}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests come first: at the end, one worker would run them while the others have nothing left."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(scope="session")
def internal_errors() -> Iterator[Path]:
    """Where internal errors of this process and of processes that tests start are recorded."""
    with tempfile.TemporaryDirectory(prefix="polybody-tests-") as folder:
        path = Path(folder) / "internal-errors"
        path.touch()
        os.environ[NOTED_IN] = str(path)
        yield path


@pytest.fixture(autouse=True)
def no_internal_error(internal_errors: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """An internal error fails any test, except one that causes such errors and declares it."""
    os.truncate(internal_errors, 0)
    yield
    text = internal_errors.read_text(encoding="utf-8")
    os.truncate(internal_errors, 0)
    assert bool(text) == bool(request.node.get_closest_marker("internal_error")), text or "no internal error"


@pytest.fixture(scope="session", autouse=True)
def own_cache() -> Iterator[None]:
    """Steppers use the loop kernels unless a test requests otherwise; tests share the programs that they
    compile.
    """
    folder = tempfile.mkdtemp(prefix="polybody-tests-")
    os.environ.update(POLYBODY_KERNELS="loop", POLYBODY_CACHE=folder, POLYBODY_DETACH="0")
    os.environ.setdefault("PYTHONWARNINGS", "ignore:compiling kernels for")  # of processes that tests start
    yield
    shutil.rmtree(folder, ignore_errors=True)
