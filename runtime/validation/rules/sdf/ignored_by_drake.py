"""What SDFormat has and Drake loads without taking note of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from polybody.base import Span, held
from polybody.diagnostics import Findings
from polybody.generated.formats.sdf.documents import JointType


class Passed(NamedTuple):
    """A place and what Drake does there."""

    node: Any
    span: Span | None
    what: str


def check(model: Any, findings: Findings) -> None:
    """Remark on values of a model that Drake does not use; the models in it are asked on their own."""
    for passed in (*_links(model), *_joints(model)):
        findings.add("PB067", passed.span, passed.what, source=passed.node.source)


def _links(model: Any) -> Iterator[Passed]:
    for link in model.link:
        if link.gravity is False:
            yield _value(link, "gravity", "Drake lets gravity act on every link")
        if link.kinematic:
            yield _value(link, "kinematic", "Drake has no link that is kinematic alone")
        for collision in held(link, "collision"):
            if collision.laser_retro:
                yield _value(collision, "laser_retro", "Drake has no `laser_retro`")
        for visual in held(link, "visual"):
            yield from _visual(visual)
        for visual in held(link, "drake_visual"):
            for renderer in visual.drake_accepting_renderer:
                what = "in a <drake:visual>, Drake passes over <drake:accepting_renderer>"
                yield Passed(renderer, renderer.span, what)


def _visual(visual: Any) -> Iterator[Passed]:
    illustration, perception = (
        getattr(visual, f"drake_{role}_properties") for role in ("illustration", "perception")
    )
    unseen = perception is not None and perception.enabled is False
    if unseen and illustration is not None and illustration.enabled is False:
        what = "Drake shows this visual to nobody: illustration and perception are both disabled"
        yield Passed(visual, visual.span, what)
    elif unseen:
        for renderer in visual.drake_accepting_renderer:
            what = "no renderer accepts a visual whose perception is disabled"
            yield Passed(renderer, renderer.span, what)


def _joints(model: Any) -> Iterator[Passed]:
    for joint in model.joint:
        if joint.type is not JointType.UNIVERSAL:
            continue
        first, second = (
            None if axis is None or axis.dynamics is None else axis.dynamics
            for axis in (joint.axis, joint.axis2)
        )
        if second is None or second.damping is None:
            continue
        if second.damping != ((first and first.damping) or 0.0):
            what = "Drake damps both axes of a universal joint as the first"
            yield Passed(second, second.child_span("damping"), what)


def _value(node: Any, tag: str, what: str) -> Passed:
    return Passed(node, node.child_span(tag), f"<{tag}>: {what}")
