"""What a Model shows: moments, units, twins, ranges, overlaps, contacts."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import NOTABLE, Code
from polybody.diagnostics.catalogue.documents import mjcf, model_of_sdf, rigid_robot

_SHAPE = '<collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>'
_LEFT, _RIGHT = (
    f'<body name="{side}_arm" pos="0 {y} 1"><joint/><geom size="0.1" mass="{{}}"/></body>'
    for side, y in (("left", 1), ("right", -1))
)
_ROUND = (
    '<body pos="0 0 {}"><joint/><inertial pos="0 0 0" mass="{}" diaginertia="{}"/><geom size="0.1"/></body>'
)
_BALLS = '<body pos="0 0 {}"><joint/><geom size="0.1" {}/></body>'
_SERVO = '<actuator><position joint="j" kp="9" ctrlrange="{}"/></actuator>'
_MUSCLE = '<compiler><lengthrange mode="none"/></compiler><actuator><muscle joint="j" {}/></actuator>'
_HINGE = '<joint name="j" range="-90 90"/><geom size="0.1" pos="0.1 0 0"/>'

CODES = (
    Code(
        "PB110",
        "moments of inertia out of proportion",
        NOTABLE,
        "The moments of inertia are not those of the mass within the shapes of the body: more than 3 times "
        "the greatest that are possible, which is 9 times those of a solid, or less than 1/5,000 of that. "
        "The body then resists rotations too much, or hardly at all, which makes simulations unstable.",
        rigid_robot("0.1 0 0 0.1 0 0.1", _SHAPE),
        rigid_robot("0.006 0 0 0.006 0 0.006", _SHAPE),
    ),
    Code(
        "PB111",
        "inertia left at its default",
        NOTABLE,
        "A moving link of SDFormat without `<inertial>` or `<inertia>` has moments of 1 kg m^2, for which "
        "its shapes are too small.",
        model_of_sdf("<mass>1</mass>"),
        model_of_sdf("<mass>1</mass><inertia><ixx>0.006</ixx><iyy>0.006</iyy><izz>0.006</izz></inertia>"),
    ),
    Code(
        "PB112",
        "placeholders of inertia",
        NOTABLE,
        "Most moving bodies have the same round number as moments of inertia, although their masses or sizes "
        "differ. The motions are then not those of the real parts.",
        mjcf("\n      ".join(_ROUND.format(z, z, "0.01 0.01 0.01") for z in (1, 2, 3))),
        mjcf("\n      ".join(_ROUND.format(z, z, f"{0.004 * z} {0.004 * z} {0.005 * z}") for z in (1, 2, 3))),
    ),
    Code(
        "PB113",
        "rotation that seems to be in another unit",
        NOTABLE,
        "A rotation by more than a turn, such as an `rpy` of 90, is written in degrees where radians are "
        "expected; or an `euler` of MJCF is 1.57 where degrees are expected.",
        mjcf('<geom size="0.1 0.2 0.3" type="box" euler="1.5708 0 0"/>'),
        mjcf('<geom size="0.1 0.2 0.3" type="box" euler="90 0 0"/>'),
    ),
    Code(
        "PB114",
        "control range that seems to be in another unit",
        NOTABLE,
        "The control of a position servo is the joint's position, in radians for a hinge, whatever `angle` "
        "of <compiler> says. Its range seems to be in degrees.",
        mjcf(_HINGE, _SERVO.format("-90 90")),
        mjcf(_HINGE, _SERVO.format("-1.5708 1.5708")),
    ),
    Code(
        "PB115",
        "twins that differ",
        NOTABLE,
        "A left and a right body, by their names and positions, differ in mass by more than a tenth, in "
        "moments of inertia by more than half, or in the widths of their joints' ranges.",
        mjcf(_LEFT.format(1) + "\n      " + _RIGHT.format(2)),
        mjcf(_LEFT.format(1) + "\n      " + _RIGHT.format(1)),
    ),
    Code(
        "PB116",
        "key outside ranges",
        NOTABLE,
        "A key has a joint outside its range, or a control outside its own. The limit pushes the joint back "
        "with a large force, and the control is clamped.",
        mjcf(_HINGE, '<keyframe><key qpos="2"/></keyframe>'),
        mjcf(_HINGE, '<keyframe><key qpos="1.5"/></keyframe>'),
    ),
    Code(
        "PB117",
        "initial pose outside ranges",
        NOTABLE,
        "At the initial pose, a joint is outside its range. The limit pushes it back with a large force in "
        "the first steps. Not reported of poses of zeros that the document does not give, as in URDF.",
        mjcf('<joint range="10 90"/><geom size="0.1" pos="0.1 0 0"/>'),
        mjcf('<joint range="10 90" ref="10"/><geom size="0.1" pos="0.1 0 0"/>'),
    ),
    Code(
        "PB118",
        "overlap at the initial pose",
        NOTABLE,
        "Shapes of different bodies overlap at the initial pose, and contacts push them apart with large "
        "forces. Reported once, with the number of pairs of bodies and the deepest ones. Exclude the contact "
        "of pairs that are meant to overlap.",
        mjcf('<geom size="0.1"/><body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body>').replace(
            "<freejoint/>", "<joint/>"
        ),
        mjcf('<geom size="0.1"/><body pos="0 0 0.3"><joint/><geom size="0.1"/></body>'),
    ),
    Code(
        "PB119",
        "masks that let nothing touch",
        NOTABLE,
        "Two shapes touch if `contype` of one and `conaffinity` of the other have a bit in common. The bits "
        "of this shape match no other shape, nor one with the default masks.",
        mjcf(_BALLS.format(1, 'contype="2" conaffinity="4"')),
        mjcf(_BALLS.format(1, 'contype="0" conaffinity="0"')),
    ),
    Code(
        "PB120",
        "contact too stiff for the time step",
        NOTABLE,
        "The time constant of a contact is below two time steps, or the time step cannot resolve its "
        "stiffness and damping. MuJoCo raises a time constant, unless the flag `refsafe` is disabled; "
        "otherwise contacts are unstable.",
        mjcf(_BALLS.format(1, 'solref="0.001 1"')),
        mjcf(_BALLS.format(1, 'solref="0.004 1"')),
    ),
    Code(
        "PB121",
        "steps are refused",
        NOTABLE,
        "A part would act and is not simulated, so steps are refused until it is removed or disabled. The "
        "document can be loaded.",
        mjcf('<joint name="j"/><geom size="0.1" pos="0.1 0 0"/>', _MUSCLE.format("")),
        mjcf('<joint name="j"/><geom size="0.1" pos="0.1 0 0"/>', _MUSCLE.format('lengthrange="-1 1"')),
    ),
    Code(
        "PB122",
        "Model that is not judged in full",
        NOTABLE,
        "Whether the Model of a document can be loaded and stepped, and whether it is plausible, is checked "
        "only up to a number of elements, copies included, so that a check takes limited memory and time. "
        "`check(path, limits=Limits(judged=...))` checks larger ones. Overlaps at the initial pose are "
        "looked for among at most 500,000 pairs of shapes that may touch.",
        mjcf('<replicate count="60000" offset="1 0 0"><geom size="0.1"/></replicate>'),
        mjcf('<replicate count="300" offset="1 0 0"><geom size="0.1"/></replicate>'),
    ),
)
