"""Frames that sensors measure: a class per keyword of ObjectType in schemas/model/types.xsd that has a frame.

Positions and axes follow from those of links, quaternions from those of bodies; cameras have their own.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .kinematics import mocap_pose
from .spatial import Mat3, Quat, Vec3, of_matrix


class Frame:
    """A frame fixed to a body, at `pos` with orientation `quat`.

    Attributes:
        name: the keyword.
        code: its code.
        axis: the axis of its rows.
        flags: flags that are set if a sensor measures one.
    """

    name: str
    code: int
    axis: str
    flags: tuple[str, ...] = ()

    @classmethod
    def body(kind, t: Any, n: Any) -> Any:
        """The body to which it is fixed."""
        raise NotImplementedError

    @classmethod
    def pose(kind, t: Any, n: Any) -> tuple[Vec3, Quat]:
        """Its pose in the body's frame."""
        raise NotImplementedError

    @classmethod
    def place(kind, m: Machine, t: Any, n: Any) -> Vec3:
        """Its origin in world coordinates."""
        b = kind.body(t, n)
        k = t.body_linkid[b]
        return t.link_xpos[k] + t.link_xmat[k] @ place(m, t, b, kind.pose(t, n)[0])

    @classmethod
    def turn(kind, m: Machine, t: Any, n: Any) -> Mat3:
        """Its axes in world coordinates."""
        b = kind.body(t, n)
        return t.link_xmat[t.body_linkid[b]] @ turn(m, t, b, kind.pose(t, n)[1])

    @classmethod
    def quaternion(kind, m: Machine, t: Any, n: Any) -> Quat:
        """The same as a quaternion."""
        return t.xquat[kind.body(t, n)] @ kind.pose(t, n)[1]


def place(m: Machine, t: Any, b: Any, pos: Vec3) -> Vec3:
    """The position of a body's point in its link."""
    own = m.locals(place=t.body_linkpos[b] + t.body_linkquat[b].turn(pos))
    for _ in m.when(t.body_mocaprootid[b] >= 0):
        at, quat = mocap_pose(t, b)
        own.place = at + quat.turn(pos)
    return own.place


def turn(m: Machine, t: Any, b: Any, quat: Quat) -> Mat3:
    """The orientation of axes fixed to a body, in its link."""
    own = m.locals(turn=(t.body_linkquat[b] @ quat).matrix())
    for _ in m.when(t.body_mocaprootid[b] >= 0):
        own.turn = (mocap_pose(t, b)[1] @ quat).matrix()
    return own.turn


class OfInertia(Frame):
    """A body's principal axes, at its centre of mass."""

    name, code, axis = "BODY", 1, "body"

    @classmethod
    def body(kind, t: Any, n: Any) -> Any:
        return n

    @classmethod
    def pose(kind, t: Any, n: Any) -> tuple[Vec3, Quat]:
        return t.body_ipos[n], t.body_iquat[n]


class OfBody(Frame):
    """The body frame."""

    name, code, axis = "XBODY", 2, "body"

    @classmethod
    def body(kind, t: Any, n: Any) -> Any:
        return n

    @classmethod
    def pose(kind, t: Any, n: Any) -> tuple[Vec3, Quat]:
        return Vec3.zero(), Quat.identity()


class OfGeom(Frame):
    """The frame of a geom."""

    name, code, axis = "GEOM", 5, "geom"

    @classmethod
    def body(kind, t: Any, n: Any) -> Any:
        return t.geom_bodyid[n]

    @classmethod
    def pose(kind, t: Any, n: Any) -> tuple[Vec3, Quat]:
        return t.geom_pos[n], t.geom_quat[n]


class OfSite(Frame):
    """The frame of a site."""

    name, code, axis = "SITE", 6, "site"

    @classmethod
    def body(kind, t: Any, n: Any) -> Any:
        return t.site_bodyid[n]

    @classmethod
    def pose(kind, t: Any, n: Any) -> tuple[Vec3, Quat]:
        return t.site_pos[n], t.site_quat[n]


class OfCamera(Frame):
    """The frame of a camera, depending on its mode. Its velocity and acceleration are those of its body at
    its position.
    """

    name, code, axis = "CAMERA", 7, "cam"
    flags = ("opt_measures_cameras",)

    @classmethod
    def body(kind, t: Any, n: Any) -> Any:
        return t.cam_bodyid[n]

    @classmethod
    def pose(kind, t: Any, n: Any) -> tuple[Vec3, Quat]:
        return t.cam_pos[n], t.cam_quat[n]

    @classmethod
    def place(kind, m: Machine, t: Any, n: Any) -> Vec3:
        return t.cam_xpos[n]

    @classmethod
    def turn(kind, m: Machine, t: Any, n: Any) -> Mat3:
        return t.cam_xmat[n]

    @classmethod
    def quaternion(kind, m: Machine, t: Any, n: Any) -> Quat:
        own = m.locals(quat=super().quaternion(m, t, n))
        for _ in m.when(t.cam_mode[n] > 0):
            own.quat = of_matrix(t.cam_xmat[n])
        return own.quat


FRAMES: list[type[Frame]] = [OfInertia, OfBody, OfGeom, OfSite, OfCamera]


class Seen:
    """A frame whose type and row are read from tables."""

    def __init__(self, m: Machine, t: Any, code: Any, n: Any) -> None:
        self.m, self.t, self.code, self.n = m, t, code, n

    @property
    def body(self) -> Any:
        own = self.m.locals(body=0)
        for kind in self.m.cases(FRAMES, self.code):
            own.body = kind.body(self.t, self.n)
        return own.body

    @property
    def place(self) -> Vec3:
        own = self.m.locals(place=Vec3.zero())
        for kind in self.m.cases(FRAMES, self.code):
            own.place = kind.place(self.m, self.t, self.n)
        return own.place

    @property
    def turn(self) -> Mat3:
        own = self.m.locals(turn=Quat.identity().matrix())
        for kind in self.m.cases(FRAMES, self.code):
            own.turn = kind.turn(self.m, self.t, self.n)
        return own.turn

    @property
    def quaternion(self) -> Quat:
        own = self.m.locals(quat=Quat.identity())
        for kind in self.m.cases(FRAMES, self.code):
            own.quat = kind.quaternion(self.m, self.t, self.n)
        return own.quat
