"""World poses of everything attached to bodies."""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import maximum, where
from .joints import JOINTS, Slide
from .kinematics import mocap_turn
from .modes import MODES
from .spatial import Mat3, Quat, Vec3

LIGHT = 1e-15
"""Mass of a subtree, kg, below which its centre is defined as that of its root body."""


def attached(t: Any, b: Any, pos: Vec3, quat: Quat) -> tuple[Vec3, Mat3]:
    """The world pose of a frame of a body."""
    return t.xpos[b] + t.xmat[b] @ pos, t.xmat[b] @ quat.matrix()


def centres(m: Machine, t: Any) -> None:
    """xipos, ximat, subtree_com."""
    still = Vec3.zero()
    t.xipos[0], t.ximat[0], t.subtree_com[0] = still, Quat.identity().matrix(), still
    for b in m.bodies():
        t.xipos[b], t.ximat[b] = attached(t, b, t.body_ipos[b], t.body_iquat[b])
        t.subtree_com[b] = t.xipos[b] * t.body_mass[b]
    for b in m.bodies(backward=True):
        t.subtree_com[t.body_parentid[b]] += t.subtree_com[b]
    for b in m.rows_of("body"):
        mass = t.body_subtreemass[b]
        scale = where(mass < LIGHT, 0.0, 1.0 / maximum(mass, LIGHT))
        alone = where(mass < LIGHT, 1.0, 0.0)
        t.subtree_com[b] = t.subtree_com[b] * scale + t.xipos[b] * alone


def joints(m: Machine, t: Any) -> None:
    """xanchor, xaxis."""
    for k in m.links():
        j = k - 1
        t.xanchor[j] = t.link_xpos[k]
        for kind in m.cases(JOINTS, t.link_type[k]):
            t.xaxis[j] = kind.axis(t, k)
        for _ in m.when(t.link_mocapid[k] >= 0):
            t.xaxis[j] = mocap_turn(t, t.link_mocapid[k]).turn(t.xaxis[j])
        for _ in m.cases([Slide], t.link_type[k]):
            a = t.link_qposadr[k]
            t.xanchor[j] = t.link_xpos[k] - t.xaxis[j] * (t.qpos[a] - t.qpos_ref[a])


def geoms(m: Machine, t: Any) -> None:
    """geom_xpos, geom_xmat."""
    for g in m.rows_of("geom"):
        t.geom_xpos[g], t.geom_xmat[g] = attached(t, t.geom_bodyid[g], t.geom_pos[g], t.geom_quat[g])


def sites(m: Machine, t: Any) -> None:
    """site_xpos, site_xmat."""
    for s in m.rows_of("site"):
        t.site_xpos[s], t.site_xmat[s] = attached(t, t.site_bodyid[s], t.site_pos[s], t.site_quat[s])


def cameras(m: Machine, t: Any) -> None:
    """cam_xpos, cam_xmat."""
    for c in m.rows_of("cam"):
        pos, turn = attached(t, t.cam_bodyid[c], t.cam_pos[c], t.cam_quat[c])
        t.cam_xpos[c], t.cam_xmat[c] = pos, turn
        for mode in m.cases(MODES, t.cam_mode[c]):
            mode.camera(m, t, c)


def lights(m: Machine, t: Any) -> None:
    """light_xpos, light_xdir."""
    for n in m.rows_of("light"):
        b = t.light_bodyid[n]
        t.light_xpos[n] = t.xpos[b] + t.xmat[b] @ t.light_pos[n]
        t.light_xdir[n] = (t.xmat[b] @ t.light_dir[n]).normalized()
        for mode in m.cases(MODES, t.light_mode[n]):
            mode.light(m, t, n)
