from typing import Any, NamedTuple

from polybody.generated.formats.urdf import DrakeJoint, Joint, Link, Robot
from polybody.lowering.plants import plant as drake

class Joints(NamedTuple):
    """The joints of a document that Drake reads, in the document's order."""

    all: list[Joint | DrakeJoint]
    followers: list[Joint | DrakeJoint]
    """Those of them with a <mimic>."""

def joints_of(document: Robot) -> Joints:
    """The joints of a document that are not to be ignored."""

def link(reading: Any, node: Link, instance: int) -> drake.Link:
    """The link of an element, with its inertia and shapes.

    Args:
        reading: receives findings, and has the shapes.
        node: the element.
        instance: the row of its model instance.
    """

def joint(reading: Any, node: Joint | DrakeJoint, rows: dict[str, int], instance: int) -> drake.Joint | None:
    """The joint of an element; None if it floats or, after a finding, if there is none.

    Args:
        reading: receives findings, and what floats.
        node: the element.
        rows: the rows of links by name, the world's included.
        instance: the row of its model instance.
    """
