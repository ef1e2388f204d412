"""MJCF: rules that its tables cannot express, about generated names, trees, sizes, actuators, assets and
files.
"""

from __future__ import annotations

from collections.abc import Callable

from polybody.validation.checker import Rules
from polybody.validation.rules.mjcf import (
    actuators_and_limits,
    assets,
    bodies,
    counts,
    flexes,
    fromto,
    implicit_names,
    mass,
    meshes,
    plugins,
    removed,
    sizes,
)
from polybody.validation.scene import Scene

PARTS = (
    *(implicit_names, bodies, mass, sizes, fromto, actuators_and_limits),
    *(assets, flexes, meshes, plugins, removed, counts),
)
NODES = tuple(dict.fromkeys(key for part in PARTS for key in part.NODES))


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    for part in PARTS:
        part.check(scene)


def known(rules: Rules) -> Callable[[str, str], bool]:
    """Whether a name of a namespace exists although no element declares exactly this name."""
    return implicit_names.Made(rules).known
