"""Contacts and rows of flexes compared with MuJoCo 3.2.7."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.collision import contacts

from tests.constraints.scenes import loaded

mujoco = pytest.importorskip("mujoco")
SCENE = """<mujoco><option {option}/><asset><mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3 .2 .2 .1"/>
<hfield name="hills" nrow="4" ncol="4" size="1 1 .2 .1" elevation="0 0 1 0 1 0 0 1 0 1 0 0 1 0 0 1"/></asset>
<worldbody><geom type="plane" size="2 2 .1" {ground}/>{geoms}
<body name="base" pos="0 0 .5"><freejoint/><geom type="{shape}" {size} {touch}/></body>
{flexes}</worldbody>{rest}</mujoco>"""
SHEET = """<flexcomp name="sheet" type="grid" count="5 4 1" spacing=".1 .1 .1" dim="2" mass="1" radius=".02"
pos="0 0 {height}"><edge {edge}/><contact {contact}/></flexcomp>"""
LINE = """<flexcomp name="line" type="grid" count="7 1 1" spacing=".09 .1 .1" dim="1" mass=".5" radius=".02"
pos="0 .02 {height}"><edge {edge}/><contact {contact}/></flexcomp>"""
BLOCK = """<flexcomp name="block" type="grid" count="3 4 3" spacing=".12 .1 .1" dim="3" mass="1" radius=".005"
pos=".01 .02 {height}"><edge {edge}/><contact {contact}/></flexcomp>"""
SIZES = {
    "sphere": 'size=".1"',
    "capsule": 'size=".05 .1"',
    "ellipsoid": 'size=".08 .1 .15"',
    "cylinder": 'size=".08 .1"',
    "box": 'size=".08 .1 .12"',
    "mesh": 'mesh="wedge"',
}
EQUALITY = 'equality="true" damping=".1"'
ALONE = 'internal="false" selfcollide="none"'
ANALYTIC = {("sphere", LINE), ("capsule", LINE), ("box", LINE), ("sphere", SHEET)}


def scene(shape: str, flexes: str, option: str = "", geoms: str = "", rest: str = "", **given: str) -> str:
    fields = {"ground": "", "touch": "", **given}
    return SCENE.format(
        shape=shape, size=SIZES[shape], flexes=flexes, option=option, geoms=geoms, rest=rest, **fields
    )


def flex(kind: str, height: str = ".64", edge: str = EQUALITY, contact: str = ALONE) -> str:
    return kind.format(height=height, edge=edge, contact=contact)


class Pair:
    """A model in both engines."""

    def __init__(self, text: str) -> None:
        self.engine: Any = mujoco.MjModel.from_xml_string(text)
        self.theirs = mujoco.MjData(self.engine)
        self.model = loaded(text)
        self.data = pb.Data(self.model)
        self.draw = np.random.default_rng(5)

    def place(self, spread: float) -> None:
        """Move the geom to a random pose among the vertices of the first flex, and perturb all vertices."""
        mujoco.mj_resetData(self.engine, self.theirs)
        mujoco.mj_forward(self.engine, self.theirs)
        place, qpos = self.draw.choice(self.theirs.flexvert_xpos), self.theirs.qpos
        qpos[:3] = place + spread * self.draw.normal(size=3)
        qpos[3:7] = self.draw.normal(size=4)
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        qpos[7:] = 0.01 * self.draw.normal(size=self.engine.nq - 7)
        self.theirs.qvel[:] = 0.3 * self.draw.normal(size=self.engine.nv)

    def go(self, steps: int) -> None:
        for _ in range(steps):
            mujoco.mj_step(self.engine, self.theirs)
        for name in ("qpos", "qvel", "qacc_warmstart"):
            setattr(self.data, name, np.array(getattr(self.theirs, name)))
        mujoco.mj_forward(self.engine, self.theirs)
        pb.forward(self.model, self.data)

    def same_contacts(self, tolerance: float) -> set[tuple[int, ...]]:
        """Compare contacts at MuJoCo's poses; returns the kinds of contacts that occur."""
        theirs = self.theirs.contact
        ours = contacts(self.model, self.theirs.geom_xpos, self.theirs.geom_xmat, self.theirs.flexvert_xpos)
        assert len(ours) == len(theirs.dist)
        for name in ("geom", "flex", "elem", "vert", "dim", "exclude"):
            np.testing.assert_array_equal(ours[name], getattr(theirs, name), name)
        for name in ("dist", "pos", "frame", "friction", "solref", "solimp", "includemargin"):
            expected = np.asarray(getattr(theirs, name))
            np.testing.assert_allclose(ours[name], expected, rtol=0, atol=tolerance, err_msg=name)
        sides = [(ours[name] >= 0).astype(int) for name in ("geom", "elem", "vert")]
        return {tuple(row) for row in np.concatenate(sides, axis=1).tolist()}

    def same_rows(self, tolerance: float = 1e-11) -> None:
        """Compare rows. The tolerance is that of the Jacobian, which iterative contact algorithms perturb."""
        assert self.data.nefc == self.theirs.nefc
        np.testing.assert_array_equal(self.data.efc_type, self.theirs.efc_type)
        np.testing.assert_array_equal(self.data.efc_id, self.theirs.efc_id)
        dense = np.array(self.theirs.efc_J)
        if mujoco.mj_isSparse(self.engine):
            dense, theirs = np.zeros((self.theirs.nefc, self.engine.nv)), self.theirs
            places = (theirs.efc_J_rownnz, theirs.efc_J_rowadr, theirs.efc_J_colind.ravel())
            mujoco.mju_sparse2dense(dense, theirs.efc_J.ravel(), *places)
        dense = dense.reshape(self.theirs.nefc, self.engine.nv)
        np.testing.assert_allclose(self.data.efc_J, dense, rtol=0, atol=tolerance)
        for name in ("efc_pos", "efc_R", "efc_aref", "efc_diagApprox"):
            ours, theirs = getattr(self.data, name), getattr(self.theirs, name)
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * abs(theirs).max(initial=1))

    def same_motion(self, tolerance: float) -> None:
        for name in ("qacc", "qfrc_constraint"):
            ours, theirs = getattr(self.data, name), getattr(self.theirs, name)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * abs(theirs).max(initial=1))


@pytest.mark.parametrize("kind", [LINE, SHEET, BLOCK], ids=["line", "sheet", "block"])
@pytest.mark.parametrize("shape", SIZES)
def test_a_geom_touches_elements(shape: str, kind: str) -> None:
    pair = Pair(scene(shape, flex(kind, ".66"), 'timestep=".004"', touch='margin=".01"'))
    tolerance, kinds = 1e-12 if (shape, kind) in ANALYTIC else 1e-7, set()
    for _ in range(12):
        pair.place(0.08)
        pair.go(0)
        kinds |= pair.same_contacts(tolerance)
    assert (1, 0, 0, 1, 0, 0) in kinds  # of a geom and an element


MANNERS = {
    "pyramid": 'jacobian="dense"',
    "ellipse": 'cone="elliptic" jacobian="dense"',
    "sparse": 'cone="elliptic" jacobian="sparse"',
    "gradients": 'solver="CG"',
    "Gauss-Seidel": 'solver="PGS" cone="elliptic"',
    "four stages": 'integrator="RK4"',
}


@pytest.mark.parametrize("option", MANNERS.values(), ids=list(MANNERS))
def test_rows_and_accelerations(option: str) -> None:
    dim = 6 if "dense" in option else 3  # sparse contacts have uninitialised numbers beyond it
    touch = f'condim="{dim}" friction=".7 .02 .01" priority="1"'
    flexes = flex(SHEET, ".1") + flex(LINE, ".11", contact='solref=".01 .9"')
    pair = Pair(scene("sphere", flexes, f'timestep=".004" {option}', touch=touch))
    for steps in (0, 2, 4, 8, 16):
        pair.place(0.1)
        pair.go(steps)
        pair.same_contacts(1e-9)
        pair.same_rows(1e-9)
        pair.same_motion(1e-7)
    assert pair.theirs.ncon > 3


SELF = {
    "sheet, swept": (SHEET, 'internal="false" selfcollide="sap"', ""),
    "sheet, tree": (SHEET, 'internal="false" selfcollide="bvh"', ""),
    "sheet, every pair": (SHEET, 'selfcollide="narrow" margin=".01" gap=".005"', ""),
    "sheet without midphase": (SHEET, 'selfcollide="auto"', '<flag midphase="disable"/>'),
    "line": (LINE, 'selfcollide="auto"', ""),
    "block": (BLOCK, 'internal="true" selfcollide="auto"', ""),
    "one layer of a block": (BLOCK, 'activelayers="1" internal="false" selfcollide="narrow"', ""),
    "replaced parameters": (SHEET, 'selfcollide="auto"', '<flag override="enable"/>'),
}


@pytest.mark.parametrize("name", SELF)
def test_a_flex_touches_itself(name: str) -> None:
    kind, contact, flag = SELF[name]
    text = scene("box", flex(kind, ".3", 'stiffness="1"' if kind is LINE else "", contact), 'timestep=".002"')
    pair = Pair(text.replace("<asset>", f'<option o_margin=".004">{flag}</option><asset>', 1))
    draw, kinds = np.random.default_rng(1), set()
    for _ in range(3):  # crumpled
        pair.theirs.qpos[7:] = 0.06 * draw.normal(size=pair.engine.nq - 7)
        pair.go(0)
        kinds |= pair.same_contacts(2e-6)
        pair.same_rows()
        pair.go(3)
        pair.same_contacts(2e-6)
    assert (0, 0, 1, 1, 0, 0) in kinds or kind is LINE
    if kind is BLOCK and 'internal="true"' in contact:
        assert (0, 0, 1, 0, 0, 1) in kinds


def test_flexes_touch_each_other_and_hills() -> None:
    hills = '<geom type="hfield" hfield="hills" pos=".2 .1 .3"/>'
    flexes = flex(SHEET, ".5") + flex(BLOCK, ".62") + flex(LINE, ".58")
    pair = Pair(scene("box", flexes, 'timestep=".004"', hills, touch='contype="0" conaffinity="0"'))
    pairs = set()
    for steps in (0, 30, 60):
        pair.go(steps)
        pair.same_contacts(2e-6)
        pairs |= {tuple(row) for row in np.sort(pair.theirs.contact.flex, axis=1).tolist()}
    assert {(0, 1), (0, 2), (1, 2), (-1, 0)} <= pairs


def test_a_limit_of_contacts_and_planes_without_bits() -> None:
    """Planes respect a limit; planes of a body that may touch a flex touch it whatever their own bits are."""
    ground = 'contype="0" conaffinity="0"'
    other = '<geom size=".1" pos="1 1 0"/>'
    for limit in ("", '<size nconmax="7"/>'):
        text = scene("sphere", flex(SHEET, ".01"), geoms=other, ground=ground, rest=limit)
        pair = Pair(text)
        pair.go(0)
        assert pair.same_contacts(1e-12) == {(1, 0, 0, 0, 0, 1)}
        assert pair.data.ncon == (7 if limit else 20)


@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast"])
def test_a_sheet_alone_on_a_plane(integrator: str) -> None:
    """Only the flex can touch; dampers along its edges are implicit if the integrator is."""
    sheet = flex(SHEET, ".021", 'equality="true" damping="3"')
    option = f'<option integrator="{integrator}" timestep=".004"/>'
    ground = '<geom type="plane" size="1 1 1"/>'
    pair = Pair(f"<mujoco>{option}<worldbody>{ground}{sheet}</worldbody></mujoco>")
    for steps in (0, 20, 20):
        pair.go(steps)
        pair.same_contacts(1e-12)
        pair.same_rows()
        pair.same_motion(1e-9)
    assert pair.theirs.ncon > 0
    pb.step(pair.model, pair.data)
    mujoco.mj_step(pair.engine, pair.theirs)
    np.testing.assert_allclose(pair.data.qvel, pair.theirs.qvel, rtol=0, atol=1e-10)


def test_shells_bend() -> None:
    """Also for vertices at the border of the sheet, and together with springs along its edges."""
    plugin = """<plugin plugin="mujoco.elasticity.shell"><config key="poisson" value=".2"/>
    <config key="thickness" value=".02"/><config key="young" value="3e5"/></plugin></flexcomp>"""
    sheet = flex(SHEET, ".5", 'equality="true" damping=".1"').replace("</flexcomp>", plugin)
    extension = '<extension><plugin plugin="mujoco.elasticity.shell"/></extension><asset>'
    pair = Pair(scene("sphere", sheet, 'timestep=".001"').replace("<asset>", extension))
    pair.theirs.qpos[7:] = 0.02 * pair.draw.normal(size=pair.engine.nq - 7)
    for steps in (0, 5):
        pair.go(steps)
        for name in ("qfrc_passive", "qfrc_spring", "qfrc_damper", "qacc"):
            ours, theirs = getattr(pair.data, name), getattr(pair.theirs, name)
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * (1 + abs(theirs).max()))
    assert abs(pair.theirs.qfrc_passive - pair.theirs.qfrc_spring - pair.theirs.qfrc_damper).max() > 0.1


def test_pins_and_a_rigid_flex() -> None:
    pinned = flex(SHEET, ".6").replace("</flexcomp>", '<pin id="0 3"/></flexcomp>')
    rigid = flex(BLOCK, ".85").replace("<flexcomp", '<flexcomp rigid="true"', 1).replace('"block"', '"stiff"')
    body = f'<body name="carrier" pos="0 0 .1"><freejoint/><geom size=".02"/>{rigid}</body>'
    pair = Pair(scene("sphere", pinned + body, 'timestep=".002"'))
    for steps in (0, 60, 60):
        pair.go(steps)
        pair.same_contacts(1e-6)
        pair.same_rows()
        pair.same_motion(1e-7)


def test_sensors_and_forces_of_contacts_with_flexes() -> None:
    rest = '<sensor><touch site="skin"/><force site="skin"/></sensor>'
    text = scene("sphere", flex(SHEET, ".3"), 'timestep=".002" tolerance="1e-12"', rest=rest)
    text = text.replace("<freejoint/>", '<freejoint/><site name="skin" size=".3"/>')
    pair = Pair(text)
    pair.place(0.05)
    pair.go(2)
    ours, theirs = pair.data.sensordata, pair.theirs.sensordata
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
    assert theirs[0] > 0
    for number in range(pair.data.ncon):
        expected = np.zeros(6)
        mujoco.mj_contactForce(pair.engine, pair.theirs, number, expected)
        found = pb.contact_force(pair.model, pair.data, number)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * abs(pair.theirs.efc_force).max())


@pytest.mark.parametrize("kind", [LINE, SHEET, BLOCK], ids=["line", "sheet", "block"])
@pytest.mark.parametrize("scale", [0.0, -1.0, 1e-12])
def test_degenerate_elements_give_numbers(kind: str, scale: float) -> None:
    """Elements that are points, inverted elements, and coincident vertices."""
    model = loaded(scene("box", flex(kind, ".3", contact='selfcollide="bvh"'), 'timestep=".001"'))
    data = pb.Data(model)
    pb.forward(model, data)
    middle = data.flexvert_xpos.mean(axis=0)
    data.qpos[7:] = ((scale - 1) * (data.flexvert_xpos - middle)).ravel()
    pb.forward(model, data)
    assert np.isfinite(data.qacc).all()
    assert data.ncon > 0 or scale == -1.0


def test_a_batch_steps_as_loops_do() -> None:
    model = loaded(scene("sphere", flex(LINE, ".05"), 'timestep=".004"'))
    alone, batch = pb.Data(model), pb.BatchStepper(model, n=3)
    pb.step(model, alone, 60)
    batch.step(60)
    assert alone.ncon > 0
    np.testing.assert_allclose(batch.qpos, np.tile(alone.qpos, (3, 1)), rtol=0, atol=1e-10)


def test_broken_flexes_are_found() -> None:
    model = loaded(scene("box", flex(SHEET)))
    places = np.zeros((model.nflexvert, 3))
    poses = np.zeros((model.ngeom, 3)), np.tile(np.eye(3).ravel(), (model.ngeom, 1))
    for broken in (
        {"flex_elem": model.flex_elem + 1},
        {"flex_evpair": model.flex_evpair - 1},
        {"flex_elemdataadr": model.flex_elemdataadr + 2},
        {"flex_dim": model.flex_dim + 2},
        {"flex_evpairnum": model.flex_evpairnum + 1},
    ):
        with pytest.raises(pb.ModelError, match="flex 0"):
            contacts(model.replace(**broken), *poses, places)
