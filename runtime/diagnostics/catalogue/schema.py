"""What the schema says: elements, attributes, values."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import APART, ARMATURE, BALL, FIXED_TIP, GOOD, arm, robot, x_xy

CODES = (
    Code(
        "PB011",
        "unknown element",
        UNTOLERATED,
        "The format has no such element, or does not allow it here.",
        x_xy("<geo/>"),
        GOOD,
    ),
    Code(
        "PB012",
        "unknown attribute",
        UNTOLERATED,
        "The format has no such attribute on this element. Unknown attributes are always reported: if a "
        "misspelt attribute were ignored, its default would be used instead.",
        arm('name="arm" joint="rx" dampin="1"'),
        arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB013",
        "stray text",
        TOLERATED,
        "The element contains text but does not allow any. Often this is the rest of a comment or of a tag.",
        x_xy("arm"),
        GOOD,
    ),
    Code(
        "PB014",
        "too many elements",
        ALWAYS,
        "The format limits how often this element may occur here, usually to once.",
        arm('name="arm" joint="rx"', "<options/><options/>"),
        arm('name="arm" joint="rx"', "<options/>"),
    ),
    Code(
        "PB015",
        "missing element",
        ALWAYS,
        "A child element that the format requires is missing.",
        "<x_xy>\n  <worldbody/>\n</x_xy>\n",
        GOOD,
    ),
    Code(
        "PB016",
        "invalid value",
        ALWAYS,
        "The value does not have the required type. Numbers are written as in XML Schema: `1`, `-0.5`, "
        "`1e-3`. A decimal comma, `1_000` and hexadecimal numbers are not allowed.",
        arm('name="arm" joint="rx" damping="0,5"'),
        arm('name="arm" joint="rx" damping="0.5"'),
    ),
    Code(
        "PB017",
        "wrong number of values",
        ALWAYS,
        "A vector must have exactly the number of values that the format requires. A single number is "
        "not expanded to a vector.",
        arm('name="arm" joint="rx" pos="0 1"'),
        arm('name="arm" joint="rx" pos="0 1 0"'),
    ),
    Code(
        "PB086",
        "missing value",
        ALWAYS,
        "An attribute or element is written without a value: its numbers or its keyword are missing.",
        arm('name="arm" joint="rx" pos=""'),
        arm('name="arm" joint="rx" pos="0 1 0"'),
    ),
    Code(
        "PB018",
        "invalid keyword",
        ALWAYS,
        "The value must be one of a fixed set of keywords, spelt exactly as listed in the message. Letter "
        "case matters.",
        arm('name="arm" joint="Rx"'),
        GOOD,
    ),
    Code(
        "PB019",
        "value out of range",
        TOLERATED,
        "The number is outside the range that the format or physics allows, such as a negative mass or "
        "time step.",
        x_xy('<geom type="sphere" mass="-1" dim="0.1"/>'),
        x_xy(BALL),
    ),
    Code(
        "PB020",
        "value not finite",
        ALWAYS,
        "NaN and infinity are not allowed here.",
        arm('name="arm" joint="rx" damping="INF"'),
        arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB021",
        "missing attribute",
        ALWAYS,
        "The element requires the attribute. In formats with elements for defaults, a default "
        "may provide it.",
        x_xy('<geom type="sphere" dim="0.1"/>'),
        x_xy(BALL),
    ),
    Code(
        "PB022",
        "mutually exclusive attributes",
        ALWAYS,
        "Two attributes specify the same quantity in different ways. One of them may come from a default.",
        arm('name="arm" joint="rx" quat="1 0 0 0" euler="0 0 90"'),
        arm('name="arm" joint="rx" euler="0 0 90"'),
    ),
    Code(
        "PB023",
        "incomplete group of attributes",
        UNTOLERATED,
        "One attribute has a meaning only together with another one, which is missing.",
        arm('name="arm" joint="rx" pos_min="0 0 0"'),
        arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB024",
        "wrong size",
        ALWAYS,
        "The number of values depends on another attribute: for example, the damping of a joint on its "
        "type, or the size of a shape on the kind of shape. A default that applies to elements of "
        "several kinds must fit all of them; otherwise both places are reported.",
        arm('name="arm" joint="rx" damping="1 2 3"'),
        arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB025",
        "attribute given twice",
        ALWAYS,
        "The attribute has two names, and both are given.",
        GOOD.replace("<x_xy>", '<x_xy name="a" model="a">'),
        GOOD.replace("<x_xy>", '<x_xy model="a">'),
    ),
    Code(
        "PB026",
        "empty or malformed text",
        ALWAYS,
        "The text is empty or does not match the pattern that the format requires.",
        x_xy('<geom type="sphere" mass="1" dim="0.1" color=""/>'),
        x_xy('<geom type="sphere" mass="1" dim="0.1" color="orange"/>'),
    ),
    Code(
        "PB027",
        "no effect",
        NOTABLE,
        "The attribute is allowed here but has no effect, so it is probably a mistake. In a format of your "
        "own, a DOCTYPE without content has no effect either.",
        x_xy('<geom type="xyz" mass="1"/>'),
        x_xy('<geom type="xyz"/>'),
    ),
    Code(
        "PB028",
        "omitted, but required by some readers",
        NOTABLE,
        "The attribute or element is missing. Some readers of the format require it, others use a default. "
        "The reference page of the format gives the default.",
        robot('<link name="tip"><inertial><mass value="1"/></inertial></link>').replace(
            "</robot>", FIXED_TIP + "</robot>"
        ),
        robot('<link name="tip"/>').replace("</robot>", FIXED_TIP + "</robot>"),
    ),
    Code(
        "PB029",
        "newer than the supported version",
        UNTOLERATED,
        "The element, attribute or value was added in a later version or release of the format than the one "
        "as which the document is read.",
        APART,
        ARMATURE,
    ),
    Code(
        "PB030",
        "text without effect",
        NOTABLE,
        "The element contains text, which readers of the format ignore. Often this is the rest of a "
        "comment or of a tag.",
        "<mujoco>arm</mujoco>\n",
        "<mujoco/>\n",
    ),
)
