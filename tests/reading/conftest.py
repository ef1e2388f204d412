"""These tests are about documents: what `check` says of their Models is tested in `tests/plausibility`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from polybody.checking import check


@pytest.fixture(autouse=True)
def documents_alone() -> Iterator[None]:
    """Calls of `check` in this process that do not ask for the Model judge the document alone."""
    defaults = check.__kwdefaults__
    assert defaults is not None
    defaults["model"] = False
    yield
    defaults["model"] = True
