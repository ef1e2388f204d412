"""The comparison of trajectories with constraints detects a wrong one, and skips models without rows."""

from __future__ import annotations

from pathlib import Path

import polybody
import pytest

from tests.differential import mjcf_parting

BALL = """<mujoco><worldbody><geom type="plane" size="5 5 1" friction="{}"/>
<body pos="0 0 .099"><freejoint/><geom size=".1"/></body></worldbody>
<keyframe><key qvel="1 0 0 0 0 0"/></keyframe></mujoco>"""


def test_a_trajectory_that_parts_too_early_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, wrong = tmp_path / "right.xml", tmp_path / "wrong.xml"
    right.write_text(BALL.format(1.3))
    wrong.write_text(BALL.format(1.3001))
    result = mjcf_parting.compare(right, 0, 50)
    assert result.errors == dict.fromkeys(mjcf_parting.NAMES, 0.0)
    assert mjcf_parting.table([result]) == "none parts too early"
    load = polybody.load
    monkeypatch.setattr(mjcf_parting.polybody, "load", lambda path, **kwargs: load(wrong, **kwargs))
    result = mjcf_parting.compare(right, 0, 50)
    assert result.errors["within 1e-09"] > 0
    assert "right.xml: within 1e-09: to step" in mjcf_parting.table([result])


def test_what_has_no_rows_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "free.xml"
    path.write_text(BALL.format(1.3).replace(".099", "9"))
    assert mjcf_parting.compare(path, 0, 5).skipped == "no rows of constraints"
