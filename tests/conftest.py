"""For all tests: no compiling in the background that nobody asked for, and no cache that others use."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache() -> Iterator[None]:
    """Steppers take the loop kernels unless a test says otherwise; what one test compiles others may use."""
    folder = tempfile.mkdtemp(prefix="polybody-tests-")
    os.environ.update(POLYBODY_KERNELS="loop", POLYBODY_CACHE=folder)
    yield
    shutil.rmtree(folder, ignore_errors=True)
