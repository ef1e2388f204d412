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

cable           the cable of `composite`: a chain of bodies along a curve, connected by ball joints
codes           MuJoCo's codes for the document's keywords
composite       `composite`: particles, grids and cables, expanded as in MuJoCo 3.2.7
composite_skin  skins of composites: a two-sided sheet over the elements of a grid or the bodies of a cable
discard         `discardvisual`: removes purely visual elements
files           files of assets: their locations and kinds
flex_points     points and elements of a `flexcomp`, by its type, numbered as in MuJoCo 3.2.7
flexcomp        `flexcomp`: a flex with its bodies and joints, created as in MuJoCo 3.2.7
flexes          compilation of flexes, and their columns
fluid           geoms in a fluid: the ellipsoid that approximates a shape, and its virtual mass and inertia
fusing          `fusestatic`: merges bodies without joints into their parents
integers        finds integers that do not fit into 32 bits, after one was encountered
length_ranges   ranges of the lengths of actuators that are found by simulation: which ones, and whether
                they can be
histories       past samples of actuators and sensors, which delays need
mesh_builtins   meshes that are made from parameters
nodes           the elements of a document, with include elements replaced by the content of their files
numbering       numbering of all elements, and lookup by kind and name
plugin_use      uses of plugins by elements
plugins         instances of plugins, the elements that use them, and their columns
problems        reasons why a document cannot be compiled: findings at the elements, as many as possible in
                one run
scaled_gains    gains, biases and controls of actuators in scaled frames
scales          scales of frames, and what they do to single values
scaling         `scale` of frames: what is inside, and what refers to it, in other units
servo_values    the values of servos, which are PID controllers, DC motors and orientation servos
skins           skins: their columns
stretching      frames with different scales along their axes: shapes, joints and inertias inside
"""

from typing import Any

from polybody.lowering.mjcf.compile import Compiled, DampRatio, LengthRange, SpringDamper, compile_document
from polybody.lowering.mjcf.lower import Native, lower, report_not_simulated

__all__ = [
    "Compiled",
    "DampRatio",
    "LengthRange",
    "Native",
    "SpringDamper",
    "compile_document",
    "fill",
    "lower",
    "report_not_simulated",
]


def fill(*arguments: Any, **options: Any) -> int:
    """As `planting.fill`, which is imported for scenes only."""
    from polybody.lowering.mjcf import planting

    return planting.fill(*arguments, **options)
