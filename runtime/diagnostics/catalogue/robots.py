"""Files that belong to a robot's URDF, and extensions of it for other programs."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, TOLERATED, Code
from polybody.diagnostics.catalogue.documents import robot


def semantic(inside: str, name: str = "r") -> str:
    """An SRDF for the robot of example.urdf."""
    return f'<robot name="{name}">  <!-- beside example.urdf -->\n  {inside}\n</robot>\n'


PAIR = semantic('<disable_collisions link1="base" link2="arm" reason="Adjacent"/>')
URDF = {"example.urdf": robot("")}

CODES = (
    Code(
        "PB130",
        "name that the robot does not have",
        TOLERATED,
        "An SRDF names a link or joint that the URDF does not have, or a chain between links that joints do "
        "not connect. MoveIt reports it and omits the element. The URDF is the one given, or those in the "
        "folder of the SRDF, in `../urdf`, in `../robots` and in `..` with its name or its robot's name.",
        PAIR.replace("arm", "hand"),
        PAIR,
        URDF,
    ),
    Code(
        "PB131",
        "SRDF of another robot",
        ALWAYS,
        "The URDF has none of the links that the SRDF names.",
        PAIR.replace("arm", "hand").replace("base", "foot"),
        PAIR,
        URDF,
    ),
    Code(
        "PB132",
        "SRDF for a robot of another name",
        NOTABLE,
        "The robots of the SRDF and of the URDF have different names. MoveIt reports an error and uses it "
        "nevertheless.",
        PAIR.replace('name="r"', 'name="q"'),
        PAIR,
        URDF,
    ),
    Code(
        "PB133",
        "unknown content of an extension",
        NOTABLE,
        "`<gazebo>` or `<ros2_control>` contains an element that looks misspelt, that is in the wrong place, "
        "that names no link or joint of the robot, or whose value its reader cannot read.",
        robot('<gazebo reference="arm"><selfColide>true</selfColide></gazebo>'),
        robot('<gazebo reference="arm"><selfCollide>true</selfCollide></gazebo>'),
    ),
)
