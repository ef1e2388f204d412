"""OpenRAVE XML: names across elements and files, formulas of joints, sizes that depend on each other.

bodies          bodies, joints and manipulators: rules about single elements
mimic           formulas of joints that follow others, and the given derivatives
part_names      names of links and joints, in the order in which elements are read
"""

from __future__ import annotations

from polybody.validation.rules.openrave import bodies, files, part_names
from polybody.validation.scene import Scene

NODES = bodies.NODES


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express, for a document together with its files."""
    bodies.check(scene)
    files.check(scene)
    source = scene.root.source
    if source is None or not source.include_stack:
        part_names.check(scene)
