"""OpenRAVE XML: names across elements and files, formulas of joints, sizes that depend on each other."""

from __future__ import annotations

from typing import Any

from polybody.diagnostics import Findings
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.validation.checker import Rules
from polybody.validation.rules.openrave import bodies, files, part_names

KEYS = {row.cls.__name__: key for key, row in FORMAT.elements.items()}
CHECKS = {
    KEYS["KinBody"]: bodies.kinbody,
    KEYS["Geom"]: bodies.geom,
    KEYS["Mass"]: bodies.mass,
    KEYS["Joint"]: bodies.joint,
    KEYS["Manipulator"]: bodies.manipulator,
    KEYS["RotationMat"]: bodies.rotation_matrix,
    KEYS["RotationAxis"]: bodies.rotation_axis,
    KEYS["Quat"]: bodies.quaternion,
    KEYS["Sensor"]: bodies.sensor,
}
NODES = tuple(CHECKS)


def check(root: Any, rules: Rules, findings: Findings) -> None:
    """Report what the tables cannot say about a document; of its files, what they say with it."""
    for key, look in CHECKS.items():
        for node in rules.nodes[key]:
            look(node, findings)
    files.check(rules.nodes[KEYS["KinBody"]], root, findings)
    if root.source is None or not root.source.include_stack:
        part_names.check(root, rules.lost, findings)
