"""Bad states and parameters with every kind of kernel: no NaN, or an error that names the cause."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polybody as pb
import pytest
from polybody.model.model import Model

from tests.constraints.scenes import loaded

KINDS = ("loop", "specialized", "loop batch", "specialized batch")
INSTANCES, HURT, STEPS = 5, 3, 5
SCENE = """<mujoco><option timestep="0.004" cone="elliptic"/><worldbody>
<geom name="floor" type="plane" size="5 5 1"/>
<body name="ball" pos="0 0 .09"><freejoint name="rolls"/><geom name="skin" size=".1"/></body>
<body name="stick" pos=".5 0 .04"><freejoint name="lies"/>
  <geom name="bark" type="capsule" size=".05 .2" euler="0 90 0"/></body>
<body name="box" pos="0 .5 .09"><freejoint/><geom name="side" type="box" size=".1 .1 .1"/></body>
</worldbody><equality>
<connect name="here" body1="ball" anchor="0 0 0" active="false"/>
<connect name="there" body1="ball" anchor="1000 0 0" active="false"/>
<weld name="both" body1="ball" body2="stick" relpose="3 0 0 1 0 0 0" active="false"/>
</equality></mujoco>"""
BALL, STICK, BOX = 0, 7, 14
"""Index of the first position of each body in qpos."""


def scene() -> Model:
    return loaded(SCENE)


class Run:
    """The same step by one kind of kernel: one simulation, or an instance of a batch."""

    def __init__(self, model: Model, kind: str) -> None:
        kernels, *several = kind.split()
        any_size = np.inf  # as far as numbers are finite
        self.batch = pb.BatchStepper(model, INSTANCES, kernels=kernels, limit=any_size) if several else None
        self.single = None if several else pb.Stepper(model, kernels, limit=any_size)

    def steps(self, change: Callable[[pb.Data], object], count: int = STEPS, fine: bool = True) -> pb.Data:
        """Take steps from a modified initial state; other instances of the batch start from the original
        state and must be `fine`.

        Raises:
            SimulationError: of that instance.
        """
        if self.batch is None:
            assert self.single is not None
            change(self.single.data)
            self.single.step(count)
            return self.single.data
        start = pb.Data(self.batch.model)
        change(start)
        self.batch.qpos[HURT], self.batch.qvel[HURT] = start.qpos, start.qvel
        self.batch.eq_active[HURT] = start.eq_active
        self.batch.step(count)
        others = np.arange(INSTANCES) != HURT
        assert not (fine and self.batch.failed[others].any())
        assert np.isfinite(self.batch.qpos[others]).all()
        assert (self.batch.qpos[others] == self.batch.qpos[0]).all()
        if self.batch.failed[HURT]:
            error = self.batch.failure(HURT)
            assert isinstance(error, pb.SimulationError)
            assert error.instance == HURT
            raise error
        return self.batch.instance(HURT)


def deep(data: pb.Data) -> None:
    data.qpos[[BALL + 2, STICK + 2, BOX + 2]] = -5000.0


def coincident(data: pb.Data) -> None:
    data.qpos[STICK : STICK + 7] = data.qpos[BOX : BOX + 7] = data.qpos[BALL : BALL + 7]


def far(data: pb.Data) -> None:
    data.qpos[[BALL, STICK + 1]] = 1e9, -1e200


def contradicting(data: pb.Data) -> None:
    data.eq_active[:] = 1


FINITE = {"deep": deep, "coincident": coincident, "far": far, "contradicting": contradicting}


@pytest.mark.parametrize("kind", KINDS)
def test_extreme_states_give_finite_numbers(kind: str) -> None:
    model = scene()
    for name, change in FINITE.items():
        data = Run(model, kind).steps(change)
        for column in ("qpos", "qvel", "qacc", "qacc_warmstart"):
            assert np.isfinite(getattr(data, column)).all(), (name, column)


@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_that_may_not_iterate_ends(kind: str) -> None:
    for changes in ({"opt_iterations": 0}, {"opt_ls_iterations": 0}, {"opt_tolerance": 0.0}):
        model = scene().replace(**changes)
        data = Run(model, kind).steps(coincident, 2)
        assert np.isfinite(data.qvel).all()
        if data.solver_niter.any():
            assert int(data.solver_niter[0]) <= model.opt_iterations


NOT_FINITE = {
    "nan place": (BALL + 2, np.nan, "ball", "qpos was NaN or infinite before the step"),
    "infinite place": (BOX, np.inf, "box", "qpos was NaN or infinite before the step"),
    "nan turn": (STICK + 4, np.nan, "stick", "qpos was NaN or infinite before the step"),
    "no turn": (STICK + 3, 0.0, "stick", "its quaternion has a length of 0"),
    "endless turn": (BALL + 5, 1e200, "ball", "whose square is infinite"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_poses_that_are_none_are_named(kind: str) -> None:
    model = scene()
    for place, value, body, reason in NOT_FINITE.values():

        def change(data: pb.Data, place: int = place, value: float = value) -> None:
            data.qpos[place] = value

        with pytest.raises(pb.SimulationError, match=reason) as caught:
            Run(model, kind).steps(change)
        assert (caught.value.quantity, caught.value.body) == ("qpos", body)


@pytest.mark.parametrize("kind", KINDS)
def test_infinite_stiffness_names_the_geoms_and_the_row(kind: str) -> None:
    """A sphere that is 1 km deep, with stiffnesses up to the largest finite number."""
    model = scene()
    stiff = model.geom_solref.copy()
    skin, solmix = model.row("geom", "skin"), model.geom_solmix.copy()
    solmix[skin] = 1e9

    def sunk(data: pb.Data) -> None:
        data.qpos[BALL + 2] = -1000.0

    for number in (-1e9, -1e100, -1e200):
        stiff[skin] = number
        run = Run(model.replace(geom_solref=stiff, geom_solmix=solmix), kind)
        try:
            data = run.steps(sunk, fine=False)
        except pb.SimulationError as error:
            failed = error.body
        else:
            failed = ""
            assert np.isfinite(data.qpos).all()
            assert np.isfinite(data.qvel).all()
        assert failed in ("", "ball")
        assert not (failed and number == -1e9)
    stiff[skin] = -1e307
    with pytest.raises(pb.SimulationError) as caught:
        Run(model.replace(geom_solref=stiff, geom_solmix=solmix), kind).steps(sunk, fine=False)
    error = caught.value
    assert (error.quantity, error.efc_id) == ("efc_aref", 0)
    assert (error.geoms, error.geom_ids) == (("floor", "skin"), (0, skin))
    assert "constraint row 0, geom 0 'floor', geom 1 'skin', body 1 'ball'" in str(error)


STUDDED = """<mujoco><worldbody><geom type="plane" size="9 9 1"/>
<body pos="0 0 {}"><freejoint/>{}</body></worldbody></mujoco>"""


def studded(side: int) -> Model:
    """A plate with many small spheres above the floor."""
    places = 0.1 * (np.stack(np.meshgrid(*[np.arange(side)] * 2), axis=-1).reshape(-1, 2) - side / 2)
    balls = "".join(f'<geom size=".04" pos="{x} {y} 0" mass=".01"/>' for x, y in places.tolist())
    return loaded(STUDDED.format(0.05, balls))


@pytest.mark.parametrize("kind", KINDS)
def test_memory_grows_while_steps_are_taken(kind: str) -> None:
    """No sphere touches at first, then all do within one call; the initial capacity is 32 contacts."""
    model = studded(6)
    data = Run(model, kind).steps(lambda data: None, 60)
    other = pb.Data(model)
    for _ in range(60):
        pb.step(model, other)
    assert other.ncon == 36
    np.testing.assert_allclose(data.qpos, other.qpos, atol=1e-9)
    assert 0.03 < data.qpos[2] < 0.04


@pytest.mark.parametrize("kind", ["loop", "loop batch"])
def test_thousands_of_contacts(kind: str) -> None:
    model = studded(50)
    data = Run(model, kind).steps(lambda data: data.qpos.__setitem__(2, 0.039), 3)
    pb.forward(model, data)
    assert (data.ncon, data.nefc) == (2500, 10000)
    assert np.isfinite(data.qacc).all()
    weight = np.sum(model.body_mass) * 9.81
    assert np.isfinite(data.qfrc_constraint).all()
    assert data.qfrc_constraint[2] > 0.1 * weight
