"""Fixtures of the tests of the runtime."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.runtime.batches import WIDTHS, by_hand


@pytest.fixture(params=WIDTHS)
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Batches of rails are moved by the loop kernels, or by a program with this many lanes."""
    by_hand(monkeypatch, request.param)
    return request.param
