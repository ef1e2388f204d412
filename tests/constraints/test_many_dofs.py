"""Newton's method with more degrees of freedom than one dense matrix holds, compared with MuJoCo 3.2.7."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polybody as pb
import pytest

from tests.constraints.scenes import loaded

mujoco = pytest.importorskip("mujoco")
OPTIONS = '<option timestep=".003" solver="Newton" {option}/><size memory="60M"/>'
SHEET = """<flexcomp name="s" type="grid" count="9 8 1" spacing=".06 .06 .1" dim="2" mass="1"
radius=".01" pos="0 0 .28"><edge equality="true" damping=".1"/><contact selfcollide="none"/>{pin}
</flexcomp>"""
CLOTH = """<mujoco>{options}<worldbody><geom type="plane" size="2 2 1"/>
<body pos=".03 .02 .1"><freejoint/><geom size=".15"/></body>{sheet}</worldbody></mujoco>"""


def cloth(option: str, pin: str = "") -> str:
    return CLOTH.format(options=OPTIONS.format(option=option), sheet=SHEET.format(pin=pin))


def limbs(option: str) -> str:
    """Four chains of 34 links on a moving trunk above a plane; their ends are connected in pairs."""

    def link(limb: int, left: int) -> str:
        if left == 0:
            return ""
        joint = f'<joint axis="0 {left % 2} {1 - left % 2}" damping=".05" frictionloss=".01" range="-40 40"/>'
        geom = '<geom type="capsule" size=".02" fromto="0 0 0 .05 0 0"/>'
        return f'<body name="l{limb}_{left}" pos=".06 0 0">{joint}{geom}{link(limb, left - 1)}</body>'

    made = "".join(f'<body euler="0 0 {90 * k}">{link(k, 34)}</body>' for k in range(4))
    trunk = f'<body pos="0 0 .3"><freejoint/><geom size=".06"/>{made}</body>'
    joined = "".join(
        f'<connect body1="l{a}_1" body2="l{b}_{k}" anchor="0 0 0" solref=".05 1"/>'
        for a, b, k in ((0, 1, 1), (2, 3, 20))
    )
    return f"""<mujoco><compiler angle="degree"/>{OPTIONS.format(option=option)}<worldbody>
    <geom type="plane" size="3 3 1"/>{trunk}</worldbody><equality>{joined}</equality></mujoco>"""


def pile(option: str) -> str:
    """Thirty bodies in a heap; which of them touch changes from step to step."""
    bodies = "".join(
        f'<body pos="{0.13 * (k % 3) + 0.01 * (k % 7)} {0.13 * (k // 3 % 3)} {0.08 + 0.15 * (k // 9)}">'
        f'<freejoint/><geom type="{("sphere", "capsule", "sphere")[k % 3]}" size=".07 .04"/></body>'
        for k in range(30)
    )
    options = OPTIONS.format(option=option)
    return f'<mujoco>{options}<worldbody><geom type="plane" size="2 2 1"/>{bodies}</worldbody></mujoco>'


def herd(option: str) -> str:
    """Eight bodies with four chains each, of which two are connected and two lie on each other."""

    def limb(turn: int) -> str:
        link = '<joint axis="0 1 0" range="-60 60"/><geom type="capsule" size=".02" fromto="0 0 0 .1 0 0"/>'
        inner = f'<body pos=".11 0 0">{link}</body>'
        return f'<body euler="0 0 {90 * turn}" pos="0 0 0"><joint axis="0 0 1"/>{link}{inner}</body>'

    limbs = "".join(map(limb, range(4)))
    places = [(0.6 * (k % 3), 0.6 * (k // 3), 0.1 + 0.02 * k) for k in range(7)] + [(0.06, 1.24, 0.4)]
    bodies = "".join(
        f'<body name="b{k}" pos="{x} {y} {z}"><freejoint/><geom size=".05"/>{limbs}</body>'
        for k, (x, y, z) in enumerate(places)
    )
    return f"""<mujoco><compiler angle="degree"/>{OPTIONS.format(option=option)}<worldbody>
    <geom type="plane" size="3 3 1"/>{bodies}</worldbody>
    <equality><connect body1="b0" body2="b3" anchor=".05 0 .1" solref=".05 1"/></equality></mujoco>"""


MODELS = {
    "cloth": cloth(""),
    "pinned cloth, elliptic cones": cloth('cone="elliptic"', '<pin id="0 8"/>'),
    "limbs": limbs(""),
    "limbs, elliptic cones": limbs('cone="elliptic" impratio="2"'),
    "pile": pile(""),
    "pile, elliptic cones": pile('cone="elliptic"'),
    "herd": herd(""),
    "herd, elliptic cones": herd('cone="elliptic"'),
}


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_are_those_of_mujoco(name: str) -> None:
    engine, model = mujoco.MjModel.from_xml_string(MODELS[name]), loaded(MODELS[name])
    theirs, data, coupled = mujoco.MjData(engine), pb.Data(model), 0
    assert engine.nv > 128
    for steps in (0, 30, 30, 60):
        for _ in range(steps):
            mujoco.mj_step(engine, theirs)
        for field in ("qpos", "qvel", "qacc_warmstart"):
            setattr(data, field, np.array(getattr(theirs, field)))
        mujoco.mj_forward(engine, theirs)
        pb.forward(model, data)
        assert (data.ncon, data.nefc) == (theirs.ncon, theirs.nefc)
        for field in ("qacc", "qfrc_constraint"):
            expected = getattr(theirs, field)
            found = getattr(data, field)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * (1 + abs(expected).max()))
        assert abs(int(theirs.solver_niter[0]) - int(data.solver_niter.sum())) <= 1
        coupled += int(data.solver_niter.sum())
    assert coupled > 4


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("scene", [limbs, pile, herd])
def test_gauss_seidel_takes_the_iterations_of_mujoco(scene: Callable[[str], str], cone: str) -> None:
    text = scene(f'cone="{cone}"').replace('solver="Newton"', 'solver="PGS"')
    engine, model = mujoco.MjModel.from_xml_string(text), loaded(text)
    theirs, data, taken = mujoco.MjData(engine), pb.Data(model), 0
    for _ in range(3):
        for _ in range(20):
            mujoco.mj_step(engine, theirs)
        for field in ("qpos", "qvel", "qacc_warmstart"):
            setattr(data, field, np.array(getattr(theirs, field)))
        mujoco.mj_forward(engine, theirs)
        pb.forward(model, data)
        assert data.nefc == theirs.nefc
        assert data.solver_niter.sum() == theirs.solver_niter.sum()
        scale = 1 + abs(theirs.qacc).max()
        np.testing.assert_allclose(data.qacc, theirs.qacc, rtol=0, atol=1e-9 * scale)
        taken += int(data.solver_niter.sum())
    assert taken >= 3


def test_another_number_of_contacts_is_another_matrix() -> None:
    """Steps from a state do not depend on what the simulation computed before."""
    model = loaded(MODELS["pile"])
    once, again = pb.Data(model), pb.Data(model)
    pb.step(model, once, 80)
    again.qpos = once.qpos
    again.qvel, again.qacc_warmstart = once.qvel, once.qacc_warmstart
    pb.step(model, once, 5)
    pb.step(model, again, 5)
    np.testing.assert_array_equal(once.qpos, again.qpos)
