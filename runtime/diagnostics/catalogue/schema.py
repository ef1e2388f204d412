"""What the schema says: elements, attributes, values."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import BALL, FIXED_TIP, GOOD, MESH, arm, robot, x_xy

CODES = (
    Code(
        "PB011",
        "unknown element",
        UNTOLERATED,
        "An element that the format does not know, or not in this place.",
        x_xy("<geo/>"),
        GOOD,
    ),
    Code(
        "PB012",
        "unknown attribute",
        UNTOLERATED,
        "An attribute that the format does not know on this element. Nothing is ignored silently: a "
        "misspelt attribute would otherwise leave its default in place.",
        arm('name="arm" joint="rx" dampin="1"'),
        arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB013",
        "stray text",
        TOLERATED,
        "Text in an element that takes none; often the remains of a comment or of a tag.",
        x_xy("arm"),
        GOOD,
    ),
    Code(
        "PB014",
        "element too often",
        ALWAYS,
        "The element may stand there only as often as the format says, mostly once.",
        arm('name="arm" joint="rx"', "<options/><options/>"),
        arm('name="arm" joint="rx"', "<options/>"),
    ),
    Code(
        "PB015",
        "element missing",
        ALWAYS,
        "An element lacks a child that the format requires.",
        "<x_xy>\n  <worldbody/>\n</x_xy>\n",
        GOOD,
    ),
    Code(
        "PB016",
        "not a value of its type",
        ALWAYS,
        "Numbers are written as in XML Schema: `1`, `-0.5`, `1e-3`. There is no decimal comma, no "
        "`1_000` and no hexadecimal; words are not numbers.",
        arm('name="arm" joint="rx" damping="0,5"'),
        arm('name="arm" joint="rx" damping="0.5"'),
    ),
    Code(
        "PB017",
        "wrong number of values",
        ALWAYS,
        "Vectors have exactly as many numbers as the format says; one number does not stand for three.",
        arm('name="arm" joint="rx" pos="0 1"'),
        arm('name="arm" joint="rx" pos="0 1 0"'),
    ),
    Code(
        "PB086",
        "empty, where a value is needed",
        ALWAYS,
        "An attribute or element is written and has no value: its numbers or its word are missing.",
        arm('name="arm" joint="rx" pos=""'),
        arm('name="arm" joint="rx" pos="0 1 0"'),
    ),
    Code(
        "PB018",
        "not one of the words",
        ALWAYS,
        "The attribute takes one of a few words, spelt exactly as listed.",
        arm('name="arm" joint="Rx"'),
        GOOD,
    ),
    Code(
        "PB019",
        "out of range",
        TOLERATED,
        "A number beyond what the format or physics allows, such as a negative mass or time step.",
        x_xy('<geom type="sphere" mass="-1" dim="0.1"/>'),
        x_xy(BALL),
    ),
    Code(
        "PB020",
        "not finite",
        ALWAYS,
        "Neither NaN nor an infinity is a value here.",
        arm('name="arm" joint="rx" damping="INF"'),
        arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB021",
        "attribute missing",
        ALWAYS,
        "The element needs the attribute; a defaults element may give it too, where the format has one.",
        x_xy('<geom type="sphere" dim="0.1"/>'),
        x_xy(BALL),
    ),
    Code(
        "PB022",
        "attributes exclude each other",
        ALWAYS,
        "Two attributes say the same thing in different ways. One of them may come from defaults.",
        arm('name="arm" joint="rx" quat="1 0 0 0" euler="0 0 90"'),
        arm('name="arm" joint="rx" euler="0 0 90"'),
    ),
    Code(
        "PB023",
        "attributes belong together",
        UNTOLERATED,
        "One attribute means something only together with another.",
        arm('name="arm" joint="rx" pos_min="0 0 0"'),
        arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB024",
        "size does not fit",
        ALWAYS,
        "How many values an attribute takes depends on another attribute: a joint's damping on its "
        "type, a shape's dimensions on the shape. A default that fills elements of several kinds fits "
        "all of them or is reported at both places.",
        arm('name="arm" joint="rx" damping="1 2 3"'),
        arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB025",
        "given twice",
        ALWAYS,
        "One attribute is given under two names.",
        GOOD.replace("<x_xy>", '<x_xy name="a" model="a">'),
        GOOD.replace("<x_xy>", '<x_xy model="a">'),
    ),
    Code(
        "PB026",
        "empty or not of the required shape",
        ALWAYS,
        "The text is empty or does not follow the pattern that the format asks for.",
        x_xy('<geom type="sphere" mass="1" dim="0.1" color=""/>'),
        x_xy('<geom type="sphere" mass="1" dim="0.1" color="orange"/>'),
    ),
    Code(
        "PB027",
        "no effect",
        NOTABLE,
        "The attribute is legal here but nothing reads it, so that it probably is a mistake.",
        x_xy('<geom type="xyz" mass="1"/>'),
        x_xy('<geom type="xyz"/>'),
    ),
    Code(
        "PB028",
        "left out, where not every reader has a default",
        NOTABLE,
        "Some readers of the format demand it, others take a default. What the default is stands in the "
        "format's reference.",
        robot('<link name="tip"><inertial><mass value="1"/></inertial></link>').replace(
            "</robot>", FIXED_TIP + "</robot>"
        ),
        robot('<link name="tip"/>').replace("</robot>", FIXED_TIP + "</robot>"),
    ),
    Code(
        "PB029",
        "newer than the format's version",
        UNTOLERATED,
        "A later version of the format has this element or attribute, the one that is read here has not.",
        '<mujoco>\n  <asset>\n    <mesh name="a" file="arm.obj" builtin="sphere"/>\n  </asset>\n</mujoco>\n',
        '<mujoco>\n  <asset>\n    <mesh name="a" file="arm.obj"/>\n  </asset>\n</mujoco>\n',
        MESH,
    ),
    Code(
        "PB030",
        "text without effect",
        NOTABLE,
        "Text in an element that takes none, in a format whose readers skip it; often the remains of a "
        "comment or of a tag.",
        "<mujoco>arm</mujoco>\n",
        "<mujoco/>\n",
    ),
)
