"""Examples of findings in widely used formats, for codes whose first example is in another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from polybody.diagnostics.catalogue.documents import mjcf, robot


class Example(NamedTuple):
    """A minimal document with a finding, and the corrected document."""

    bad: str
    good: str


LIMITED = '<joint name="j" type="continuous">', '<joint name="j" type="revolute"><limit {}/>'


def _limited(bad: str, good: str) -> Example:
    """URDF documents with these limits of a joint."""
    before, after = LIMITED
    return Example(
        robot("").replace(before, after.format(bad)), robot("").replace(before, after.format(good))
    )


def _geom(bad: str, good: str) -> Example:
    """MJCF documents with these attributes of a shape."""
    return Example(mjcf(f"<geom {bad}/>"), mjcf(f"<geom {good}/>"))


def _robot(bad: str, good: str) -> Example:
    """URDF documents with this further content."""
    return Example(robot(bad), robot(good))


BOUNDS = 'lower="-1" upper="1" effort="9" velocity="1"'
EXAMPLES: Mapping[str, Mapping[str, Example]] = {
    "PB011": {
        "mjcf": Example(mjcf('<geoms size="1"/>'), mjcf('<geom size="1"/>')),
        "urdf": _robot('<lnk name="tool"/>', ""),
    },
    "PB012": {
        "mjcf": _geom('size="1" colour="1 0 0 1"', 'size="1" rgba="1 0 0 1"'),
        "urdf": _limited(f'{BOUNDS} uper="1"', BOUNDS),
    },
    "PB013": {"urdf": _robot("arm", "")},
    "PB014": {"urdf": _limited(f"{BOUNDS}/><limit {BOUNDS}", BOUNDS)},
    "PB015": {"urdf": Example(robot("").replace('<parent link="base"/>', ""), robot(""))},
    "PB016": {
        "mjcf": _geom('size="0,5"', 'size="0.5"'),
        "urdf": _limited('lower="-1" upper="90deg" effort="9" velocity="1"', BOUNDS),
    },
    "PB017": {
        "mjcf": _geom('size="1" pos="0 1"', 'size="1" pos="0 1 0"'),
        "urdf": Example(
            robot("").replace("<parent", '<origin xyz="0 1"/><parent'),
            robot("").replace("<parent", '<origin xyz="0 1 0"/><parent'),
        ),
    },
    "PB018": {
        "mjcf": _geom('size="1" type="shpere"', 'size="1" type="sphere"'),
        "urdf": Example(robot("").replace("continuous", "hinge"), robot("")),
    },
    "PB019": {
        "mjcf": _geom('size="1" mass="-1"', 'size="1" mass="1"'),
        "urdf": _limited('lower="-1" upper="1" effort="-9" velocity="1"', BOUNDS),
    },
    "PB020": {"mjcf": _geom('size="1" mass="INF"', 'size="1" mass="1"')},
    "PB021": {
        "urdf": Example(robot("").replace('<link name="arm"/>', '<link name="arm"/><link/>'), robot(""))
    },
    "PB022": {"mjcf": _geom('size="1" quat="1 0 0 0" euler="0 0 90"', 'size="1" euler="0 0 90"')},
    "PB024": {"mjcf": _geom('type="box" size="1"', 'type="box" size="1 1 1"')},
    "PB027": {
        "urdf": Example(robot("").replace("</joint>", f"<limit {BOUNDS}/></joint>"), robot("")),
    },
    "PB041": {"mjcf": _geom('size="1" quat="0 0 0 0"', 'size="1" quat="1 0 0 0"')},
    "PB042": {"mjcf": _geom('size="1" quat="2 0 0 0"', 'size="1" quat="1 0 0 0"')},
    "PB044": {"urdf": _limited('lower="1" upper="-1" effort="9" velocity="1"', BOUNDS)},
    "PB086": {
        "mjcf": _geom('size="1" pos=""', 'size="1"'),
        "urdf": _limited('lower="" upper="1" effort="9" velocity="1"', BOUNDS),
    },
}
