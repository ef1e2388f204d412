"""Islands, and the rows that tendons contribute to, as MuJoCo labels them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polybody as pb
import pytest

mujoco = pytest.importorskip("mujoco")

ISLANDS = ("dof_island", "island_dofnum", "island_dofadr", "island_dofind", "dof_islandind")
ROWS = ("efc_island", "island_efcnum", "island_efcadr", "island_efcind")
BALL = '<body pos="{x} 0 .09"><freejoint/><geom size=".1"/></body>'
PENDULUM = """
<body name="p{k}" pos="{x} 2 1"><joint name="j{k}" axis="0 1 0" {more}/>
<geom type="capsule" size=".05" fromto="0 0 0 0 0 -.3"/>
<site name="s{k}" pos="0 0 -.3"/></body>"""


def scene(seed: int, option: str = "", count: int = 6) -> str:
    """Spheres in a row, some of which touch, and pendulums connected by tendons and equalities."""
    rng = np.random.default_rng(seed)
    places = np.cumsum(rng.choice([0.19, 0.3], count))
    balls = "".join(BALL.format(x=x) for x in places)
    words = ("", 'frictionloss="1"', 'limited="true" range="10 20"')
    pendulums = "".join(PENDULUM.format(k=k, x=k, more=words[rng.integers(3)]) for k in range(8))
    pairs = rng.permutation(8)
    return f"""<mujoco><option {option}><flag island="enable"/></option><worldbody>
        <geom type="plane" size="9 9 1" pos="0 0 {rng.choice([0, -1])}"/>{balls}{pendulums}</worldbody>
        <tendon><spatial name="t0" limited="true" range="0 .1">
        <site site="s{pairs[0]}"/><site site="s{pairs[1]}"/></spatial>
        <fixed name="t1" frictionloss="1"><joint joint="j{pairs[2]}" coef="1"/>
        <joint joint="j{pairs[3]}" coef="2"/></fixed>
        <fixed name="t2"><joint joint="j{pairs[0]}" coef="1"/></fixed></tendon>
        <equality><joint joint1="j{pairs[4]}" joint2="j{pairs[5]}"/>
        <tendon tendon1="t2" tendon2="t1"/>
        <connect body1="p{pairs[6]}" anchor="0 0 0" active="{rng.choice(["true", "false"])}"/></equality>
        </mujoco>"""


@pytest.mark.parametrize("seed", range(12))
def test_labels_are_mujocos(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "scene.xml"
    path.write_text(scene(seed))
    model, theirs = pb.load(path), mujoco.MjModel.from_xml_path(str(path))
    data, reference = pb.Data(model), mujoco.MjData(theirs)
    reference.qvel[:] = data.qvel[...] = np.random.default_rng(seed).normal(0, 0.1, model.nv)
    pb.forward(model, data)
    mujoco.mj_forward(theirs, reference)
    assert data.nisland == reference.nisland > 1
    for name in (*ISLANDS, *ROWS, "tendon_efcadr"):
        own = getattr(data, name)
        assert own.dtype == np.int32
        np.testing.assert_array_equal(own, getattr(reference, name), err_msg=name)
    np.testing.assert_allclose(data.efc_b, reference.efc_b, atol=1e-9 * np.abs(reference.efc_b).max())


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize(("jacobian", "count"), [("dense", 6), ("sparse", 6), ("sparse", 14)])
def test_conjugate_gradients_solve_islands_by_themselves(
    jacobian: str, count: int, cone: str, tmp_path: Path
) -> None:
    counts = []
    for seed in range(12):
        path = tmp_path / f"scene{seed}.xml"
        path.write_text(scene(seed, f'solver="CG" cone="{cone}" jacobian="{jacobian}"', count))
        model, theirs = pb.load(path), mujoco.MjModel.from_xml_path(str(path))
        data, reference = pb.Data(model), mujoco.MjData(theirs)
        draw = np.random.default_rng(seed)
        for _ in range(3):
            reference.qvel[:] = data.qvel = draw.normal(0, 0.3, model.nv)
            pb.forward(model, data)
            mujoco.mj_forward(theirs, reference)
            assert data.nisland == len(data.solver_niter) == reference.solver_nisland
            counts += list(zip(data.solver_niter.tolist(), reference.solver_niter.tolist(), strict=False))
            if counts[-data.nisland :] != [(own, own) for own in data.solver_niter.tolist()]:
                continue  # occasionally rounding decides the number of contacts
            scale = np.abs(reference.qacc).max()
            inside = data.dof_island >= 0
            np.testing.assert_allclose(data.qacc[inside], reference.qacc[inside], atol=1e-9 * scale)
            np.testing.assert_allclose(data.efc_force, reference.efc_force, atol=1e-8 * scale)
            assert data.efc_state.tolist() == reference.efc_state.tolist()
    equal = sum(own == other for own, other in counts)
    assert equal >= 0.97 * len(counts)
    assert all(abs(own - other) <= 3 for own, other in counts)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("seed", range(4))
def test_islands_have_the_accelerations_of_the_whole(seed: int, cone: str) -> None:
    text = scene(seed, f'solver="CG" tolerance="1e-14" iterations="500" cone="{cone}"')
    model = pb.lower(pb.read("scene.xml", text=text))
    whole = model.replace(opt_enableflags=0, opt_solver=2)
    data, together = pb.Data(model), pb.Data(whole)
    draw = np.random.default_rng(seed)
    for _ in range(3):
        data.qvel = together.qvel = draw.normal(0, 0.3, model.nv)
        pb.forward(model, data)
        pb.forward(whole, together)
        np.testing.assert_allclose(data.qacc, together.qacc, atol=1e-6 * np.abs(together.qacc).max())
        free = data.dof_island < 0  # whatever the accelerations of the last step were
        np.testing.assert_array_equal(data.qacc[free], data.qacc_smooth[free])


def test_programs_and_batches_solve_islands_like_the_loops() -> None:
    model = pb.lower(pb.read("scene.xml", text=scene(3, 'solver="CG"')))
    loop, compiled = pb.Stepper(model, "loop"), pb.Stepper(model, "specialized")
    batch = pb.BatchStepper(model, 2)
    assert compiled.kernels == "specialized"
    loop.data.qvel = compiled.data.qvel = np.random.default_rng(3).normal(0, 0.3, model.nv)
    batch.qvel = np.array([loop.data.qvel, np.zeros(model.nv)])
    for sim in (loop, compiled, batch):
        sim.step(5)
    assert len(compiled.data.solver_niter) > 1
    assert compiled.data.solver_niter.tolist() == loop.data.solver_niter.tolist()
    np.testing.assert_allclose(compiled.data.qpos, loop.data.qpos, atol=1e-10)
    np.testing.assert_allclose(batch.qpos[0], loop.data.qpos, atol=1e-10)


def test_without_the_flag_there_are_none() -> None:
    model = pb.load("examples/humanoid.xml")
    data = pb.Data(model)
    pb.forward(model, data)
    assert data.nefc > 0
    assert data.nisland == 0
    assert data.dof_island.tolist() == [-1] * model.nv
    assert data.efc_island.tolist() == [-1] * data.nefc
    assert len(data.island_dofnum) == len(data.island_efcadr) == 0
