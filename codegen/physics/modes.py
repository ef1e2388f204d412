"""How cameras and lights move with bodies: a class per keyword of Mode in schemas/model/types.xsd.

Each modifies the pose computed by poses.py, which is that of one fixed to its body.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import maximum, sqrt, where
from .spatial import Mat3, Vec3

UP = Vec3(0.0, 0.0, 1.0)
NEAR = 1e-15
"""Distance below which a point has no direction, m."""


def direction(v: Vec3) -> Vec3:
    """The direction of a vector; the x axis if it has none, as in MuJoCo."""
    square = v.dot(v)
    scale = where(square < NEAR * NEAR, 0.0, 1.0 / sqrt(maximum(square, NEAR * NEAR)))
    found: Vec3 = v * scale + Vec3(where(square < NEAR * NEAR, 1.0, 0.0), 0.0, 0.0)
    return found


class Fixed:
    """Fixed to its body."""

    name, code = "fixed", 0

    @classmethod
    def camera(mode, m: Machine, t: Any, c: Any) -> None:
        """Modifies cam_xpos, cam_xmat."""

    @classmethod
    def light(mode, m: Machine, t: Any, n: Any) -> None:
        """Modifies light_xpos, light_xdir."""


class Track(Fixed):
    """At the offset from its body that it has at qpos0, with constant orientation."""

    name, code = "track", 1

    @classmethod
    def camera(mode, m: Machine, t: Any, c: Any) -> None:
        t.cam_xpos[c], t.cam_xmat[c] = t.xpos[t.cam_bodyid[c]] + t.cam_pos0[c], t.cam_mat0[c]

    @classmethod
    def light(mode, m: Machine, t: Any, n: Any) -> None:
        t.light_xpos[n] = t.xpos[t.light_bodyid[n]] + t.light_pos0[n]
        t.light_xdir[n] = t.light_dir0[n].normalized()


class TrackCentre(Fixed):
    """The same, relative to the centre of mass of its body's subtree."""

    name, code = "trackcom", 2

    @classmethod
    def camera(mode, m: Machine, t: Any, c: Any) -> None:
        t.cam_xpos[c], t.cam_xmat[c] = t.subtree_com[t.cam_bodyid[c]] + t.cam_poscom0[c], t.cam_mat0[c]

    @classmethod
    def light(mode, m: Machine, t: Any, n: Any) -> None:
        t.light_xpos[n] = t.subtree_com[t.light_bodyid[n]] + t.light_poscom0[n]
        t.light_xdir[n] = t.light_dir0[n].normalized()


class Target(Fixed):
    """Fixed to its body, but directed towards another body, if it has one."""

    name, code = "targetbody", 3

    @classmethod
    def aim(mode, t: Any, b: Any) -> Vec3:
        """The target point of a body."""
        aim: Vec3 = t.xpos[b]
        return aim

    @classmethod
    def camera(mode, m: Machine, t: Any, c: Any) -> None:
        for _ in m.when(t.cam_targetbodyid[c] >= 0):
            z = direction(t.cam_xpos[c] - mode.aim(t, t.cam_targetbodyid[c]))
            x = direction(UP.cross(z))
            y = direction(z.cross(x))
            t.cam_xmat[c] = Mat3(Vec3(x.x, y.x, z.x), Vec3(x.y, y.y, z.y), Vec3(x.z, y.z, z.z))

    @classmethod
    def light(mode, m: Machine, t: Any, n: Any) -> None:
        for _ in m.when(t.light_targetbodyid[n] >= 0):
            t.light_xdir[n] = direction(mode.aim(t, t.light_targetbodyid[n]) - t.light_xpos[n])


class TargetCentre(Target):
    """The same, towards the centre of mass of that body's subtree."""

    name, code = "targetbodycom", 4

    @classmethod
    def aim(mode, t: Any, b: Any) -> Vec3:
        aim: Vec3 = t.subtree_com[b]
        return aim


MODES: list[type[Fixed]] = [Fixed, Track, TrackCentre, Target, TargetCentre]
