"""Edits of files of public repositories leave nothing behind; see tests/edits.py."""

from __future__ import annotations

import pytest

from tests.amounts import some
from tests.edits import EDITS, SUFFIXES_BY_FORMAT, answer
from tests.lossless import CORPORA, ROOT, files

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
WITH_DEFAULTS = ("mjcf", "x_xy")
SAMPLES = [
    (form, ROOT / "tests" / "samples" / f"pendulum.{ending}") for form, ending in SUFFIXES_BY_FORMAT.items()
]


@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_the_samples(edit: str) -> None:
    edited = 0
    for form, path in SAMPLES:
        found = answer(path, form, edit, engine=edit in ("delete-below", "attach") and form != "x_xy")
        assert found is not None
        assert found.faults == ()
        assert found.loaded is not False
        edited += not found.refused
    assert edited or edit == "delete-default"  # they have none


@pytest.mark.skipif(CORPORA is None, reason="no corpora next to the checkout")
@pytest.mark.long
@pytest.mark.parametrize("form", SUFFIXES_BY_FORMAT)
@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_public_files(form: str, edit: str) -> None:
    assert CORPORA is not None
    paths = some(files(CORPORA / form), 12)
    found = [each for path in paths if (each := answer(path, form, edit)) is not None]
    assert [(each.path, each.faults) for each in found if each.faults] == []
    assert any(not each.refused for each in found) or (edit == "delete-default" and form not in WITH_DEFAULTS)
