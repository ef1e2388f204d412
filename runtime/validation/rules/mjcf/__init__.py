"""MJCF: rules that its tables cannot express, about generated names, trees, sizes, actuators, assets and
files.

actuators_and_limits  limits that are neither enabled nor disabled, activations, and paths of spatial
                      tendons
bodies                bodies: where joints and shapes are allowed, and physically possible inertia
counts                counts beyond their bounds, with which no Model is made; as far as macros do not add
                      to them
extents               bounds on the size of a shape, and thereby on its moments of inertia
flexes                flexible bodies that the compiler makes: number and spacing of points, and which
                      points form an element
fromto                shapes that are given by their two ends: which can be, and which other attributes are
                      not allowed then
implicit_names        names that exist in MJCF without an element that declares them, and names of objects
                      of any kind
later                 what later releases of MuJoCo refuse beyond their schemas
mass                  moving bodies need mass and inertia, of their own or of a body that is fixed to them
meshes                meshes that are given explicitly: number of vertices, validity of faces, volume
plugins               configurations of plugins: each key once, and only valid keys for MuJoCo's plugins
removed               keywords and plugins that MuJoCo had and no longer has
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
    later,
    mass,
    meshes,
    plugins,
    removed,
    sizes,
)
from polybody.validation.scene import Scene

PARTS = (
    *(implicit_names, bodies, mass, sizes, fromto, actuators_and_limits),
    *(assets, flexes, meshes, plugins, removed, counts, later),
)
NODES = tuple(dict.fromkeys(key for part in PARTS for key in part.NODES))


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    for part in PARTS:
        part.check(scene)


def known(rules: Rules) -> Callable[[str, str], bool]:
    """Whether a name of a namespace exists although no element declares exactly this name."""
    return implicit_names.Made(rules).known
