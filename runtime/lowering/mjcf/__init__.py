"""Compilation of MJCF documents: from elements to MuJoCo's fields.

MuJoCo 3.2.7 is the reference where its documentation differs from it.

reading        a document as a Spec: sections in order, the tree with its macros expanded
values         effective values: defaults classes in two passes; actuator_values: shortcuts
listed         list elements in one form; references: names across copies
replicate, attach, copying, keyframes    macros
compile        the order of compilation: Compiled; lower: the Model, and steps that need inertias
tree           bodies: geoms, joints, cameras; solids, principal, poses: formulas; shapes: meshes
planting       a model as a part of a scene of model directives
columns        arrays; body_columns, assets, constraints, tendons, actuators, sensors, custom, options
"""

from typing import Any

from polybody.lowering.mjcf.compile import Compiled, DampRatio, LengthRange, SpringDamper, compile_document
from polybody.lowering.mjcf.lower import Native, lower

__all__ = [
    "Compiled",
    "DampRatio",
    "LengthRange",
    "Native",
    "SpringDamper",
    "compile_document",
    "fill",
    "lower",
]


def fill(*arguments: Any, **options: Any) -> int:
    """As `planting.fill`, which is imported for scenes only."""
    from polybody.lowering.mjcf import planting

    return planting.fill(*arguments, **options)
