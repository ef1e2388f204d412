"""One verdict about a file, however it is read, and none that a milder policy takes back."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import polybody as pb
import pytest
from polybody.lowering import lowered

from tests.amounts import some
from tests.lossless import CORPORA, ROOT, files
from tests.verdicts import POLICIES, differences, main

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
LARGEST = 200_000
"""Maximum size in bytes of the files of a sample."""
OWN = [path for folder in ("tests", "examples") for path in files(ROOT / folder)]
DROPPED = (
    '<sdf version="1.9"><world name="w"><physics name="1ms" type="{}"><max_step_size>0.001</max_step_size>'
    '</physics><model name="m"><link name="a"/></model></world></sdf>'
)
"""Drake does not read the type, which libsdformat requires."""


@pytest.mark.parametrize("path", some(OWN, 12), ids=lambda path: path.name)
def test_own_files(path: Path) -> None:
    assert list(differences(path)) == []


@pytest.mark.skipif(CORPORA is None, reason="no corpora next to the checkout")
def test_files_of_public_repositories() -> None:
    assert CORPORA is not None
    small = [path for path in files(CORPORA) if path.stat().st_size < LARGEST]
    found = {path: list(differences(path)) for path in some(small, 20)}
    assert {path: said for path, said in found.items() if said} == {}


def test_what_was_ignored_is_not_required_later(tmp_path: Path) -> None:
    """By no policy that ignores it, nor for a copy; by every policy once it is gone for another reason."""
    path = tmp_path / "m.sdf"
    path.write_text(DROPPED.format("ignore"))
    assert [(each.code, each.severity) for each in pb.check(path, "warn")] == [("PB018", "warning")]
    for policy in POLICIES[1:]:
        document = pb.read(path, policy=policy)
        assert document.world[0].physics[0].type is None
        for each in (document, copy.deepcopy(document), pickle.loads(pickle.dumps(document))):
            assert pb.validate(each, policy) == []
            assert lowered(each, policy=policy).model.nbody == 2
    assert list(differences(path)) == []
    path.write_text(DROPPED.format("ode"))
    document = pb.read(path)
    document.world[0].physics[0].type = None
    assert [each.code for each in pb.validate(document, "warn")] == ["PB021"]


def test_the_command_lists_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 files, 0 differences\n"
