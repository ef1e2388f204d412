"""Copies of bodies and of the content of frames, with other names."""

from __future__ import annotations

from polybody.lowering.mjcf.elements import TREE_KINDS, Body, Element, Frame

TARGETING = ("camera", "light")
"""Parts that refer to a target body."""


class Copier:
    """Copies elements, with a prefix and a suffix on every name.

    Args:
        prefix, suffix: added to names.
        assets: prefix of the names of materials, meshes and height fields that parts refer to.
        frames: the frames of copied parts, by the frames of the originals.
    """

    def __init__(
        self, prefix: str, suffix: str, assets: str = "", frames: dict[Frame, Frame | None] | None = None
    ) -> None:
        self.prefix, self.suffix, self.assets = prefix, suffix, assets
        self._frames: dict[Frame, Frame | None] = {} if frames is None else frames

    def name(self, name: str | None) -> str | None:
        """A name in the copy; unnamed elements remain unnamed."""
        return self.prefix + name + self.suffix if name else name

    def take(self, frame: Frame, around: Frame) -> None:
        """Copy a frame into another one, without those around it."""
        if frame not in self._frames:
            self._frames[frame] = frame.copied(around, self.name(frame.name) or "")

    def frame(self, frame: Frame | None) -> Frame | None:
        """The copy of a frame."""
        chain = []
        while frame is not None and frame not in self._frames:
            chain.append(frame)
            frame = frame.parent
        around = None if frame is None else self._frames[frame]
        for inner in reversed(chain):
            around = self._frames[inner] = inner.copied(around, self.name(inner.name) or "")
        return around

    def part(self, part: Element) -> Element:
        """The copy of a joint, geom, site, camera or light."""
        twin = part.copied()
        values = twin.values
        values["name"] = self.name(values["name"])
        twin.frame = self.frame(part.frame)
        if part.kind in TARGETING:
            values["target"] = self.name(values.get("target"))
        elif self.assets:
            for asset in ("material", "mesh", "hfield"):
                if values.get(asset):
                    values[asset] = self.assets + values[asset]
        return twin

    def parts(self, source: Body, target: Body) -> None:
        """Append copies of a body's own parts to another's."""
        for kind in TREE_KINDS:
            getattr(target, kind).extend(map(self.part, getattr(source, kind)))

    def body(self, body: Body, parent: Body) -> Body:
        """The copy of a body's subtree, which is not yet a child of its parent."""
        top = self._alone(body, parent)
        stack = [(body, top)]
        while stack:
            source, twin = stack.pop()
            for child in source.bodies:
                copy = self._alone(child, twin)
                twin.bodies.append(copy)
                stack.append((child, copy))
        return top

    def _alone(self, body: Body, parent: Body) -> Body:
        twin = Body(body.node, body.values.copy(), body.settings, self.frame(body.frame), parent)
        twin.values["name"] = self.name(body.values["name"])
        twin.state, body.state = body.state, None
        self.parts(body, twin)
        for joint in body.joint:
            joint.state = None
        return twin
