"""OpenRAVE XML: names across elements and files, formulas of joints, sizes that depend on each other."""

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
