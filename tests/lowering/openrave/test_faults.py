"""Faults of documents are reported at their lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from polybody.lowering import lowered

from .documents import errors, hinge, kinbody, low, said, two

BAD = {
    "a joint with one body": two('<joint name="j" type="hinge"><body>a</body></joint>'),
    "a joint of a body with itself": two(hinge("j", "a", "a")),
    "a joint to nothing": two(hinge("j", "a", "x")),
    "offsetfrom itself": kinbody('<body name="a"><offsetfrom>a</offsetfrom></body>'),
    "offsetfrom what comes later": kinbody(
        '<body name="a"><offsetfrom>b</offsetfrom></body><body name="b"/>'
    ),
    "formulas in a circle": kinbody(
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        + hinge("j", "a", "b").replace('type="hinge"', 'type="hinge" mimic_pos="k" mimic_vel="|k 1"')
        + hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="j" mimic_vel="|j 1"')
    ),
    "a formula without value": kinbody(
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        + hinge("j", "a", "b")
        + hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="1/j" mimic_vel="|j -1/j^2"')
    ),
    "a formula without derivative": kinbody(
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        + hinge("j", "a", "b")
        + hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="sqrt(j)"')
    ),
    "a formula beyond all numbers": kinbody(
        '<body name="a" type="static"/><body name="b"/><body name="c"/>'
        + hinge("j", "a", "b")
        + hinge("k", "b", "c").replace('type="hinge"', 'type="hinge" mimic_pos="exp(1000+j)"')
    ),
    "a mass of no volume": kinbody('<body name="a"><mass type="mimicgeom"><total>1</total></mass></body>'),
    "a universal joint of one axis": two(
        hinge("j", "a", "b", "<axis1>0 0 1</axis1>").replace('"hinge"', '"universal"')
    ),
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("policy", ["warn", "lenient"])
def test_faults_are_findings_with_lines(tmp_path: Path, text: str, policy: Any) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(text)
    with pytest.raises(pb.ValidationError) as caught:
        lowered(pb.read(path, policy=policy), policy=policy)
    assert errors(caught)
    assert all(each.startswith(f"{path}:1:") for each in errors(caught))
    assert not any("PB099" in each for each in errors(caught))


@pytest.mark.parametrize(
    ("kind", "inertia", "fault"), [("hinge", 0.0, True), ("hinge", 0.4, False), ("slider", 0.4, True)]
)
def test_what_moves_no_mass_is_a_finding(tmp_path: Path, kind: str, inertia: float, fault: bool) -> None:
    tensor = f"<inertia>{inertia} 0 0 0 {inertia} 0 0 0 {inertia}</inertia>"
    massless = f'<mass type="custom"><total>0</total>{tensor}</mass>'
    made = low(tmp_path, two(hinge("j", "a", "b").replace('"hinge"', f'"{kind}"'), massless))
    assert said(made, "neither it nor its descendants") == fault
