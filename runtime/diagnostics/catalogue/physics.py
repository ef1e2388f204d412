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
        "A quaternion of norm zero is no rotation, and cannot be normalised.",
        arm('name="arm" joint="rx" quat="0 0 0 0"'),
        arm('name="arm" joint="rx" quat="1 0 0 0"'),
    ),
    Code(
        "PB042",
        "quaternion normalised",
        NOTABLE,
        "The quaternion's norm is not 1; it is normalised when used. Often a digit is missing.",
        arm('name="arm" joint="rx" quat="0.7 0.7 0 0"'),
        arm('name="arm" joint="rx" quat="0.70710678 0.70710678 0 0"'),
    ),
    Code(
        "PB043",
        "quaternion not of unit length",
        TOLERATED,
        "Here a quaternion is used as it stands, so that it must have norm 1.",
        arm('name="arm" joint="spherical" spring_zero="1 1 0 0"'),
        arm('name="arm" joint="spherical" spring_zero="1 0 0 0"'),
    ),
    Code(
        "PB044",
        "bounds in the wrong order",
        TOLERATED,
        "A lower bound is greater than its upper bound.",
        arm('name="arm" joint="rx" pos_min="0 0 1" pos_max="0 0 0"'),
        arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB045",
        "bounds are equal",
        UNTOLERATED,
        "The two bounds of a range are the same, so that there is nothing to choose from.",
        arm('name="arm" joint="rx" pos_min="0 0 1" pos_max="0 0 1"'),
        arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB046",
        "no direction",
        ALWAYS,
        "A vector whose direction matters, such as a joint's axis, is zero.",
        robot("").replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 0"/>'),
        robot("").replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 1"/>'),
    ),
    Code(
        "PB047",
        "not the inertia of a body",
        TOLERATED,
        "Principal moments of inertia are positive, and none is greater than the sum of the other two, "
        "whatever the body. Engines replace other inertias by ones of their own, or become unstable.",
        inertia("9 0 0 1 0 1"),
        inertia("1 0 0 1 0 1"),
    ),
    Code(
        "PB048",
        "joint cannot be followed",
        ALWAYS,
        "A joint with one freedom can only follow another with one freedom.",
        followed("floating"),
        followed("continuous"),
    ),
    Code(
        "PB049",
        "not in this place of the tree",
        ALWAYS,
        "A joint, shape or body is legal there by its tag, but not on that body: a free joint below "
        "another body, a plane that would move.",
        mjcf('<freejoint/><joint/><geom size="1"/>'),
        mjcf('<freejoint/><geom size="1"/>'),
    ),
    Code(
        "PB050",
        "moving body without mass",
        UNTOLERATED,
        "A body with joints needs mass and inertia: its own, or those of a body that is fixed to it. MuJoCo "
        "refuses it, since nothing says how it would move.",
        mjcf('<freejoint/><geom size="1" mass="0"/>'),
        mjcf('<freejoint/><geom size="1" mass="1"/>'),
    ),
    Code(
        "PB051",
        "gravity points upwards",
        NOTABLE,
        "In x_xy, gravity is the acceleration of the base: `0 0 9.81` lets things fall down. With a "
        "negative z they fall up, which is rarely meant.",
        arm('name="arm" joint="rx"', '<options gravity="0 0 -9.81"/>'),
        arm('name="arm" joint="rx"', '<options gravity="0 0 9.81"/>'),
    ),
    Code(
        "PB052",
        "moving part without mass",
        NOTABLE,
        "A body that moves and neither has mass nor carries any makes the mass matrix singular: its "
        "acceleration is only defined by armature or regularisation.",
        GOOD,
        x_xy(BALL),
    ),
    Code(
        "PB053",
        "unknown colour name",
        REMARK,
        "The colour's name is kept as it is; viewers that do not know it show their own default.",
        x_xy('<geom type="sphere" mass="1" dim="0.1" color="dustin"/>'),
        x_xy('<geom type="sphere" mass="1" dim="0.1" color="orange"/>'),
    ),
    Code(
        "PB055",
        "no rotation",
        TOLERATED,
        "The columns of a rotation's matrix are of length 1 and at right angles, and its determinant is 1.",
        kinbody("<body><rotationmat>1 0 0 0 1 0 0 0 2</rotationmat></body>"),
        kinbody("<body><rotationmat>1 0 0 0 1 0 0 0 1</rotationmat></body>"),
    ),
    Code(
        "PB056",
        "tendon that leads nowhere",
        ALWAYS,
        "Each branch of a spatial tendon begins and ends with a site, and goes around a geom between two "
        "sites.",
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
        "The bound of a hinge is a usual part of a turn in the other unit: 1.57 where degrees are read, 90 "
        "where radians are. In MJCF, `angle` of <compiler> tells which, and is `degree` without.",
        mjcf('<joint range="-1.57 1.57"/><geom size="1"/>'),
        mjcf('<joint range="-90 90"/><geom size="1"/>'),
    ),
    Code(
        "PB068",
        "lengths or masses that seem to be in another unit",
        NOTABLE,
        "Shapes, moments of inertia, masses and the distances of joints differ from each other by a factor "
        "of some hundred, which the message estimates: a mesh in mm, masses in g, moments in kg mm^2, "
        "reported once, at the first link that it is about.",
        inertia("4000 0 0 4000 0 4000").replace("</inertial>", f"</inertial>{_BOX}"),
        inertia("0.004 0 0 0.004 0 0.004").replace("</inertial>", f"</inertial>{_BOX}"),
    ),
    Code(
        "PB066",
        "limit of zero",
        NOTABLE,
        "No effort or no velocity is allowed of a joint that is there to move: simulators take it at its "
        "word, and the joint does not follow its commands.",
        robot("").replace("</joint>", '<limit effort="0" velocity="1"/></joint>'),
        robot("").replace("</joint>", '<limit effort="9" velocity="1"/></joint>'),
    ),
    Code(
        "PB057",
        "not a formula",
        ALWAYS,
        "The text is no formula of joints: a sign is missing, a parenthesis is not closed, or a name is "
        "neither a joint nor a function. The place is told to the column.",
        follower('mimic_pos="2*(a" mimic_vel="|a 2"'),
        follower('mimic_pos="2*a" mimic_vel="|a 2"'),
    ),
    Code(
        "PB058",
        "not the derivative",
        NOTABLE,
        "The partial derivative that is given differs from that of the formula, so that velocities or "
        "accelerations would not be those of the positions.",
        follower('mimic_pos="2*a" mimic_vel="|a 3"'),
        follower('mimic_pos="2*a" mimic_vel="|a 2"'),
    ),
    Code(
        "PB059",
        "opened again",
        REMARK,
        "A body of that name exists already: what stands here is added to it.",
        kinbody('<body name="a"/><body name="a"/>'),
        kinbody('<body name="a"/><body name="b"/>'),
    ),
)
