"""What the process that builds programs imports."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from polybody.programs import worker_protocol as jobs
from polybody.programs.start import Found
from polybody.programs.worker_protocol import Worker

from tests.programs.caches import empty, job, silent
from tests.runtime.models import pendulum
from tests.waiting import said

pytestmark = pytest.mark.concurrent


def test_files_named_like_modules_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those beside the user's script, or in a folder that PYTHONPATH names."""
    home, folder = tmp_path / "cache", tmp_path / "own"
    empty(home, monkeypatch)
    folder.mkdir()
    known = [name for name in sys.stdlib_module_names if name in sys.modules]  # this process has them
    assert {"dis", "types", "json"} <= {*known}
    for name in (*known, *jobs.SAME, *jobs.OTHERS):
        (folder / f"{name}.py").write_text("raise SystemExit('a file of the user')\n")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    assert Worker(job(pendulum(), home)).work(silent) == ""


def test_packages_are_found_where_this_process_has_them(tmp_path: Path) -> None:
    """Of these folders nothing else is imported."""
    for name in ("same", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    found = Found({"same": str(tmp_path)})
    spec = found.find_spec("same")
    assert spec is not None
    assert spec.origin == str(tmp_path / "same" / "__init__.py")
    assert found.find_spec("other") is None
    places = dict(jobs._places())
    assert places["numpy"] == str(Path(np.__file__).parents[1])
    assert {*jobs.OTHERS} <= places.keys()


def test_a_worker_imports_no_other_packages() -> None:
    code = (
        "import sys, polybody.programs.worker, polybody.codegen.specialised, polybody.programs.load\n"
        "import polybody.generated.kernels.dynamics, polybody.codegen.staging.calls\n"
        "print(*{name.partition('.')[0] for name, module in sys.modules.items()"
        " if getattr(module, '__file__', None)} - {*sys.stdlib_module_names})"
    )
    bare = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    assert {*said(code).split()} - {*said(bare).split()} <= {*jobs.SAME, *jobs.OTHERS}


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed")
def test_a_current_folder_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, folder = tmp_path / "cache", tmp_path / "gone"
    empty(home, monkeypatch)
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert Worker(job(pendulum(), home)).work(silent) == ""
