"""Elements of SDFormat that Drake loads and ignores."""

from __future__ import annotations

from typing import Any

from polybody.base import held
from polybody.generated.formats.sdf.documents import JointType
from polybody.validation.scene import Scene

CODE = "PB067"
LINK, COLLISION, VISUAL, JOINT = "Link", "Collision", "Visual", "Joint"
PERCEPTION, DRAKE_VISUAL = "drake:Role(drake:perception_properties)", "drake:DrakeVisual"
NODES = (LINK, COLLISION, VISUAL, JOINT, PERCEPTION, DRAKE_VISUAL)


def check(scene: Scene, models: set[int]) -> None:
    """Report values that Drake does not use, in models with these ids."""

    def inside(node: Any) -> bool:
        return id(scene.parent(node)) in models

    for link in filter(inside, scene.select(LINK, "gravity", False)):
        scene.report(CODE, link, "gravity", "<gravity>: in Drake gravity acts on every link")
    for link in filter(inside, scene.select(LINK, "kinematic", True)):
        scene.report(CODE, link, "kinematic", "<kinematic>: Drake has no kinematic links")
    for collision in scene.having(COLLISION, "laser_retro"):
        if collision.laser_retro and inside(scene.parent(collision)):
            scene.report(CODE, collision, "laser_retro", "<laser_retro>: Drake has no `laser_retro`")
    for perception in scene.select(PERCEPTION, "enabled", False):
        visual = scene.parent(perception)
        if inside(scene.parent(visual)):
            _unseen(visual, scene)
    for visual in scene.nodes(DRAKE_VISUAL):
        for renderer in held(visual, "drake_accepting_renderer") if inside(scene.parent(visual)) else ():
            what = "in a <drake:visual>, Drake ignores <drake:accepting_renderer>"
            scene.report(CODE, renderer, None, what)
    for joint in filter(inside, scene.select(JOINT, "type", JointType.UNIVERSAL)):
        _universal(joint, scene)


def _unseen(visual: Any, scene: Scene) -> None:
    """A visual whose perception role is disabled."""
    illustration = visual.drake_illustration_properties
    if illustration is not None and illustration.enabled is False:
        what = "this visual is never shown in Drake: illustration and perception are both disabled"
        scene.report(CODE, visual, None, what)
        return
    for renderer in held(visual, "drake_accepting_renderer"):
        scene.report(CODE, renderer, None, "no renderer accepts a visual whose perception is disabled")


def _universal(joint: Any, scene: Scene) -> None:
    first, second = (
        None if axis is None or axis.dynamics is None else axis.dynamics for axis in (joint.axis, joint.axis2)
    )
    if second is None or second.damping is None:
        return
    if second.damping != ((first and first.damping) or 0.0):
        what = "Drake uses the damping of the first axis for both axes of a universal joint"
        scene.report(CODE, second, "damping", what)
