"""Physics: rotations, bounds, masses, joints."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, REMARK, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import (
    BALL,
    GOOD,
    arm,
    followed,
    follower,
    inertia,
    kinbody,
    mjcf,
    robot,
    x_xy,
)

_BOX = '<collision><geometry><box size="0.1 0.2 0.2"/></geometry></collision>'

CODES = (
    Code(
        "PB041",
        "zero quaternion",
        ALWAYS,
        "A quaternion of norm zero does not represent a rotation and cannot be normalised.",
        arm('name="arm" joint="rx" quat="0 0 0 0"'),
        arm('name="arm" joint="rx" quat="1 0 0 0"'),
    ),
    Code(
        "PB042",
        "quaternion normalised",
        NOTABLE,
        "The norm of the quaternion is not 1. The quaternion is normalised before use. Often a digit is "
        "missing.",
        arm('name="arm" joint="rx" quat="0.7 0.7 0 0"'),
        arm('name="arm" joint="rx" quat="0.70710678 0.70710678 0 0"'),
    ),
    Code(
        "PB043",
        "not a unit quaternion",
        TOLERATED,
        "The quaternion is used without normalisation here, so its norm must be 1.",
        arm('name="arm" joint="spherical" spring_zero="1 1 0 0"'),
        arm('name="arm" joint="spherical" spring_zero="1 0 0 0"'),
    ),
    Code(
        "PB044",
        "reversed bounds",
        TOLERATED,
        "The lower bound is greater than the upper bound.",
        arm('name="arm" joint="rx" pos_min="0 0 1" pos_max="0 0 0"'),
        arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB045",
        "equal bounds",
        UNTOLERATED,
        "Both bounds of the range are equal, so the range contains a single value.",
        arm('name="arm" joint="rx" pos_min="0 0 1" pos_max="0 0 1"'),
        arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB046",
        "zero direction",
        ALWAYS,
        "A vector that specifies a direction, such as the axis of a joint, is zero.",
        robot("").replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 0"/>'),
        robot("").replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 1"/>'),
    ),
    Code(
        "PB047",
        "impossible inertia",
        TOLERATED,
        "The principal moments of inertia of a body cannot be negative, and none can be greater than the sum "
        "of the other two. With other values, engines refuse the model, replace the values or become "
        "unstable.",
        inertia("9 0 0 1 0 1"),
        inertia("1 0 0 1 0 1"),
    ),
    Code(
        "PB048",
        "joint cannot be followed",
        ALWAYS,
        "A joint with one degree of freedom can only follow another joint with one degree of freedom.",
        followed("floating"),
        followed("continuous"),
    ),
    Code(
        "PB049",
        "not allowed at this place in the tree",
        ALWAYS,
        "A joint, shape or body of this kind is not allowed on this body: for example a free joint below "
        "another body, or a plane on a moving body.",
        mjcf('<freejoint/><joint/><geom size="1"/>'),
        mjcf('<freejoint/><geom size="1"/>'),
    ),
    Code(
        "PB050",
        "moving body without mass",
        UNTOLERATED,
        "A body with joints needs mass and inertia: its own, or those of a body that is fixed to it. "
        "Otherwise its motion is undefined, and MuJoCo refuses the model.",
        mjcf('<freejoint/><geom size="1" mass="0"/>'),
        mjcf('<freejoint/><geom size="1" mass="1"/>'),
    ),
    Code(
        "PB051",
        "gravity points upwards",
        NOTABLE,
        "In x_xy, gravity is the acceleration of the base: with `0 0 9.81`, bodies fall down. With a "
        "negative z they fall upwards, which is rarely intended.",
        arm('name="arm" joint="rx"', '<options gravity="0 0 -9.81"/>'),
        arm('name="arm" joint="rx"', '<options gravity="0 0 9.81"/>'),
    ),
    Code(
        "PB052",
        "moving part without mass",
        NOTABLE,
        "A body that moves without any mass, neither its own nor that of bodies attached to it, makes "
        "the mass matrix singular. Its acceleration is then determined only by armature or "
        "regularization.",
        GOOD,
        x_xy(BALL),
    ),
    Code(
        "PB053",
        "unknown colour name",
        REMARK,
        "The colour is not a CSS colour name. It is kept unchanged. Viewers that do not know it show a "
        "default colour.",
        x_xy('<geom type="sphere" mass="1" dim="0.1" color="dustin"/>'),
        x_xy('<geom type="sphere" mass="1" dim="0.1" color="orange"/>'),
    ),
    Code(
        "PB055",
        "not a rotation matrix",
        TOLERATED,
        "The columns of a rotation matrix are orthogonal and of length 1, and its determinant is 1.",
        kinbody("<body><rotationmat>1 0 0 0 1 0 0 0 2</rotationmat></body>"),
        kinbody("<body><rotationmat>1 0 0 0 1 0 0 0 1</rotationmat></body>"),
    ),
    Code(
        "PB056",
        "invalid tendon path",
        ALWAYS,
        "Each branch of a spatial tendon must begin and end with a site. A geom that it wraps around must be "
        "between two sites.",
        mjcf('<site name="a"/>', '<tendon><spatial><site site="a"/></spatial></tendon>'),
        mjcf(
            '<site name="a"/><site name="b" pos="0 0 1"/>',
            '<tendon><spatial><site site="a"/><site site="b"/></spatial></tendon>',
        ),
    ),
    Code(
        "PB065",
        "angle that seems to be in another unit",
        NOTABLE,
        "The limit of a hinge is a common fraction of a turn in the other unit: 1.57 where degrees are "
        "expected, or 90 where radians are expected. In MJCF, the attribute `angle` of <compiler> selects "
        "the unit; the default is `degree`.",
        mjcf('<joint range="-1.57 1.57"/><geom size="1"/>'),
        mjcf('<joint range="-90 90"/><geom size="1"/>'),
    ),
    Code(
        "PB068",
        "lengths or masses that seem to be in another unit",
        NOTABLE,
        "Shapes, moments of inertia, masses and distances between joints are inconsistent by a factor of "
        "several hundred, which the message estimates: for example a mesh in mm, masses in g, or moments "
        "in kg mm^2. Reported once, at the first link concerned.",
        inertia("4000 0 0 4000 0 4000").replace("</inertial>", f"</inertial>{_BOX}"),
        inertia("0.004 0 0 0.004 0 0.004").replace("</inertial>", f"</inertial>{_BOX}"),
    ),
    Code(
        "PB066",
        "limit of zero",
        NOTABLE,
        "The effort or the velocity of a movable joint is limited to zero. Simulators apply the limit, so "
        "the joint does not follow its commands.",
        robot("").replace("</joint>", '<limit effort="0" velocity="1"/></joint>'),
        robot("").replace("</joint>", '<limit effort="9" velocity="1"/></joint>'),
    ),
    Code(
        "PB057",
        "invalid formula",
        ALWAYS,
        "The text is not a valid formula of joint values: for example, an operator is missing, a parenthesis "
        "is not closed, or a name is neither a joint nor a function. The message gives the column in the "
        "formula.",
        follower('mimic_pos="2*(a" mimic_vel="|a 2"'),
        follower('mimic_pos="2*a" mimic_vel="|a 2"'),
    ),
    Code(
        "PB058",
        "wrong derivative",
        NOTABLE,
        "The given partial derivative differs from that of the formula, so velocities or accelerations "
        "would not match the positions.",
        follower('mimic_pos="2*a" mimic_vel="|a 3"'),
        follower('mimic_pos="2*a" mimic_vel="|a 2"'),
    ),
    Code(
        "PB059",
        "body extended",
        REMARK,
        "A body of that name already exists. The content of this element is added to it.",
        kinbody('<body name="a"/><body name="a"/>'),
        kinbody('<body name="a"/><body name="b"/>'),
    ),
)
