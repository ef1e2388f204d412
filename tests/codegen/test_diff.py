"""The output of `polybody schema diff` for two schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.codegen.schema import SCHEMAS, load
from polybody.codegen.schema.diff import changes

from .schemas import write_schema

X_XY = (SCHEMAS / "x_xy.xsd").read_text(encoding="utf-8")
BODY = "x_xy/worldbody/body"
GEOM = "x_xy/worldbody/body/geom"

DT = "x_xy/options/@dt"
DIFFER = '<pb:differ names="pos_min pos_max">The range of random positions would be empty.</pb:differ>'
PARSED = 'pb:status="unsupported" pb:reason="r"'

CASES = [  # (old text, new text, kind, path, part of the message, breaking)
    ('name="dt" type="positive"', 'name="step" type="positive"', "renamed", DT, "is now step", True),
    ('name="dt" type="positive" default="0.01"', 'name="step" type="real" default="1" pb:mistaken="dt"',
     "renamed", DT, "is now step", True),
    ('name="dt" type="positive" default="0.01"', 'name="step" type="real" default="1" pb:mistaken="dt"',
     "re-defaulted", "x_xy/options/@step", "default 0.01 is now 1", True),
    ('<xs:element name="omc" type="Omc"', '<xs:element name="marker" type="Omc"', "renamed", BODY,
     "<omc> is now <marker>, as all else is the same", True),
    ('default="0.01"', 'default="0.002"', "re-defaulted", DT, "0.01 is now 0.002", True),
    ('name="dt" type="positive"', 'name="dt" type="real"', "retyped", DT, "was real within (0,", True),
    ('pb:unit="deg"', 'pb:unit="rad"', "retyped", f"{BODY}/@euler", "meant deg", True),
    ('type="xs:int" use="required"', 'type="xs:int"', "optional", f"{BODY}/omc/@pos_marker", "", False),
    ('type="xs:int" use="required"', 'type="xs:date" use="required"', "retyped", f"{BODY}/omc/@pos_marker",
     "is string that is an xs:date", True),
    ('name="dt" type="positive" default="0.01"', 'name="dt" type="positive" fixed="0.01"', "retyped", DT,
     "that is always 0.01", True),
    ('<pb:required names="name joint"/>', "", "ruled", BODY, "no longer", False),
    (DIFFER, '<pb:together names="damping armature"/>', "ruled", BODY, "now:", True),
    ('tolerance="1e-6" severity="warning"', 'tolerance="1e-6"', "ruled", BODY,
     'now: pb:unitQuaternion of="quat" tolerance="1e-06"', True),
    ('type="Omc" minOccurs="0"', 'type="Omc" minOccurs="0" maxOccurs="2"', "counted", BODY, "was 0..1", True),
    ('type="Omc" minOccurs="0"', 'type="Omc"', "counted", BODY, "is 1..1", True),
    ('<xs:enumeration value="p3d"', '<xs:enumeration value="q"', "removed", "Joint", '"p3d" is gone', True),
    ('<xs:enumeration value="p3d"', '<xs:enumeration value="q"', "added", "Joint", '"q" is new', False),
    ('pb:sequence="hinge:y hinge:z"', 'pb:sequence="hinge hinge"', "retyped", "Joint", "saddle", True),
    ('pb:aliasOf="model"', "", "added", "x_xy/@name", "new attribute", False),
    ('pb:aliasOf="model"', "", "removed", "x_xy/@model", "no longer read", True),
    ('<xs:element name="omc" type="Omc" minOccurs="0"/>', "", "removed", f"{BODY}/omc", "is gone", True),
    ('type="nonNegative" pb:status="simulated"', f'type="nonNegative" {PARSED}', "restated", f"{GEOM}/@mass",
     "unsupported", True),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "kind", "path", "message", "breaking"), CASES)
def test_a_change_is_reported(
    tmp_path: Path, old: str, new: str, kind: str, path: str, message: str, breaking: bool
) -> None:
    assert old in X_XY
    changed = tmp_path / "x_xy.xsd"
    changed.write_text(X_XY.replace(old, new), encoding="utf-8")
    found = changes(load(SCHEMAS / "x_xy.xsd"), load(changed))
    told = [
        c for c in found if (c.kind, c.path, c.breaking) == (kind, path, breaking) and message in c.message
    ]
    assert len(told) == 1, found


def test_places_and_documentation_are_no_changes(tmp_path: Path) -> None:
    moved = tmp_path / "x_xy.xsd"
    moved.write_text(X_XY.replace("<xs:documentation>", "<xs:documentation>\n\n   "), encoding="utf-8")
    assert changes(load(SCHEMAS / "x_xy.xsd"), load(moved)) == ()


def test_the_command(tmp_path: Path) -> None:
    changed = tmp_path / "x_xy.xsd"
    changed.write_text(X_XY.replace('default="0.01"', 'default="0.002"'), encoding="utf-8")
    result = CliRunner().invoke(app, ["schema", "diff", str(SCHEMAS / "x_xy.xsd"), str(changed)])
    assert result.exit_code == 0
    assert "BREAKS re-defaulted x_xy/options/@dt: default 0.01 is now 0.002" in result.stdout
    result = CliRunner().invoke(app, ["schema", "diff", str(SCHEMAS / "x_xy.xsd"), str(changed), "--json"])
    assert [change["kind"] for change in json.loads(result.stdout)] == ["re-defaulted"]
    broken = write_schema(tmp_path, "<xs:element/>")
    assert CliRunner().invoke(app, ["schema", "diff", str(changed), str(broken)]).exit_code == 2
    assert CliRunner().invoke(app, ["schema", "x_xy", str(changed)]).exit_code == 2


def test_content_of_a_renamed_element_is_neither_removed_nor_added(tmp_path: Path) -> None:
    changed = tmp_path / "x_xy.xsd"
    changed.write_text(X_XY.replace('name="worldbody"', 'name="world"'), encoding="utf-8")
    (found,) = changes(load(SCHEMAS / "x_xy.xsd"), load(changed))
    assert (found.kind, found.path) == ("renamed", "x_xy")
    changed.write_text(
        X_XY.replace('name="worldbody"', 'name="world"').replace('default="0.01"', 'default="1"'),
        encoding="utf-8",
    )
    assert {each.kind for each in changes(load(SCHEMAS / "x_xy.xsd"), load(changed))} == {
        "renamed",
        "re-defaulted",
    }
