"""Jacobians and products with mass matrices of every instance: those of each simulation alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray

from tests.runtime import mjcf

Reals = NDArray[np.float64]
N = 7
FRAMES: tuple[dict[str, Any], ...] = (
    *(
        {"body": "hand"},
        {"body": 0},
        {"body": -1},
        {"com": "hand"},
        {"geom": 0},
        {"geom": -1},
        {"site": "tip"},
    ),
)


def drawn(kernels: str = "specialized", **options: Any) -> Any:
    """A batch with random states and mocap poses, of a model with mocap bodies and joints of all types."""
    batch = pb.BatchStepper(mjcf.model(), N, kernels=kernels, **options)
    random = np.random.default_rng(0)
    batch.qpos += 0.3 * random.normal(size=batch.qpos.shape)
    batch.qvel = random.normal(size=batch.qvel.shape)
    batch.mocap_pos += random.normal(size=batch.mocap_pos.shape)
    batch.mocap_quat += random.normal(size=batch.mocap_quat.shape)
    return batch


def near(found: Reals, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_jacobians_are_those_of_each_instance(kernels: str) -> None:
    batch = drawn(kernels, threads=2)
    before = batch.get_state()
    single = [batch.instance(i) for i in range(N)]
    for where in FRAMES:
        jacp, jacr = batch.jacobian(**where)
        assert jacp.shape == jacr.shape == (N, 3, batch.model.nv)
        for i, data in enumerate(single):
            expected = pb.jacobian(batch.model, data, **where)
            near(jacp[i], expected[0])
            near(jacr[i], expected[1])
    points = np.random.default_rng(1).normal(size=(N, 3))
    for point in (points, points[0]):
        jacp, _ = batch.jacobian("hand", point)
        for i, data in enumerate(single):
            near(jacp[i], pb.jacobian(batch.model, data, "hand", np.broadcast_to(point, (N, 3))[i])[0])
    assert batch.get_state().tobytes() == before.tobytes()
    assert jacp is not batch.jacobian("hand", point)[0]


def test_jacobians_in_single_precision_and_with_parameters() -> None:
    single = drawn(precision="float32")
    jacp, _ = single.jacobian(site="tip")
    assert jacp.dtype == np.float32
    batch = drawn(parameters=("body_ipos", "site_pos"))
    batch.parameters["body_ipos"][...] += np.random.default_rng(2).normal(size=(N, batch.model.nbody, 3))
    batch.parameters["site_pos"][...] += np.random.default_rng(3).normal(size=(N, batch.model.nsite, 3))
    np.testing.assert_allclose(jacp, drawn().jacobian(site="tip")[0], rtol=1e-4, atol=1e-4)
    for where in ({"com": "hand"}, {"site": "tip"}):
        jacp, _ = batch.jacobian(**where)
        for i in range(N):
            data = batch.instance(i)
            near(jacp[i], pb.jacobian(data.model, data, **where)[0])


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_products_with_mass_matrices(kernels: str) -> None:
    batch = drawn(kernels, parameters=("dof_armature", "opt_regularization"))
    random = np.random.default_rng(4)
    batch.parameters["dof_armature"][...] += random.uniform(0.1, 1.0, size=(N, batch.model.nv))
    batch.parameters["opt_regularization"][...] = random.uniform(0.0, 1.0, N)
    nv = batch.model.nv
    for shape in ((nv,), (N, nv), (N, 3, nv), (N, 0, nv)):
        vector = random.normal(size=shape)
        kept = vector.copy()
        product, solution = batch.mul_m(vector), batch.solve_m(vector)
        assert np.array_equal(vector, kept)
        each = np.broadcast_to(vector, (N, nv)) if vector.ndim == 1 else vector
        assert product.shape == solution.shape == each.shape
        for i in range(N):
            data = batch.instance(i)
            near(product[i], pb.mul_m(data.model, data, each[i]))
            np.testing.assert_allclose(
                solution[i], pb.solve_m(data.model, data, each[i]), rtol=1e-9, atol=1e-10
            )


def test_a_singular_matrix_concerns_its_instance_only() -> None:
    text = '<mujoco><worldbody><body><joint type="slide" armature="1"/><joint type="slide" axis="1 0 0"/>'
    model = mjcf.model(text + '<geom size=".1"/></body></worldbody></mujoco>')
    batch = pb.BatchStepper(model, 3, kernels="loop", parameters=("body_mass", "body_inertia"))
    batch.parameters["body_mass"][1] = 0.0
    found = batch.solve_m(np.ones(2))
    assert not np.isfinite(found[1]).all()
    near(found[[0, 2]], [pb.solve_m(model, pb.Data(model), np.ones(2))] * 2)


def test_errors_say_what_was_expected() -> None:
    batch = drawn("loop")
    nv = batch.model.nv
    for vector in (np.ones(nv + 1), np.ones((N - 1, nv)), np.ones((2, N, nv)), 1.0):
        with pytest.raises(ValueError, match=rf"shape \({nv},\), \({N}, {nv}\) or \({N}, k, {nv}\), got"):
            batch.mul_m(vector)
    with pytest.raises(ValueError, match=rf"a point must have the shape \(3,\) or \({N}, 3\), got \(2, 3\)"):
        batch.jacobian("hand", np.ones((2, 3)))
    with pytest.raises(TypeError, match="a point requires a body"):
        batch.jacobian(site="tip", point=np.zeros(3))
    with pytest.raises(TypeError, match="give exactly one of body, com, geom, site, not 0 of them"):
        batch.jacobian()
    with pytest.raises(KeyError, match="did you mean 'tip'"):
        batch.jacobian(site="tips")


@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_accelerations_that_are_computed_are_not_those_of_the_step(kernels: str) -> None:
    batch = drawn(kernels)
    batch.step()
    before = batch.qacc.copy()
    found = batch.compute("acceleration")["qacc"]
    assert np.abs(found - before).max() > 1e-3
    np.testing.assert_array_equal(batch.qacc, before)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("kernels", ["loop", "specialized"])
def test_failed_instances_have_no_results(kernels: str, precision: str) -> None:
    """Neither those that fail in a step, nor those that fail before it because of a number."""
    b = pb.ModelBuilder()
    b.joint(b.body(name="ball", mass=1, inertia=(1, 1, 1)), "slide", name="rail", damping=0.1)
    results = ("xpos", "cvel", "cacc")
    batch = pb.BatchStepper(
        b.build(), 5, kernels=kernels, precision=precision, parameters=("body_mass",), results=results
    )
    batch.step(3)
    batch.qvel[1], batch.parameters["body_mass"][2] = 1e11, -1.0
    for steps in (1, 20):
        out = batch.step(steps, every=1)
        assert list(batch.failed) == [False, True, True, False, False]
        for name in results:
            for rows in (batch.results[name], *out[name]):
                assert np.isnan(rows[[1, 2]]).all(), name
                assert np.isfinite(rows[[0, 3, 4]]).all(), name
        assert np.isfinite(out["qpos"]).all()
    batch.parameters["body_mass"][2], batch.qvel[1] = 1.0, 0.0
    batch.failed[:] = False
    batch.step()
    assert all(np.isfinite(batch.results[name]).all() for name in results)
