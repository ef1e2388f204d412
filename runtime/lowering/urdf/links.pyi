from typing import Any, NamedTuple

from polybody.generated.formats.urdf import DrakeJoint, Joint, Robot
from polybody.lowering.plants import plant as drake

class Joints(NamedTuple):
    """The joints of a document that Drake reads, in the document's order."""

    made: list[drake.Joint]
    followers: list[Joint | DrakeJoint]
    """The elements of those with a <mimic>."""

def links(reading: Any, document: Robot, instance: int) -> list[drake.Link]:
    """The links of a document that are not to be ignored, with their inertia and shapes.

    Args:
        reading: receives findings and the world's element, and has the shapes.
        document: as read.
        instance: the row of the model instance.
    """

def joints(reading: Any, document: Robot, rows: dict[str, int], instance: int) -> Joints:
    """The joints of a document that are not to be ignored, except those that float and, after a finding,
    those without a parent or child.

    Args:
        reading: receives findings, and what floats.
        document: as read.
        rows: the rows of links by name, the world's included.
        instance: the row of the model instance.
    """
