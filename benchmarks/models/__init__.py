"""The models with which everything is timed and compared: real robots and chains, as canonical Models.

``load(name)`` returns one. Robots come from packages of the ``test`` extra: the URDFs of example-robot-data
as Pinocchio reads them, the MJCF of mujoco-mjx and gymnasium as MuJoCo reads it. The iiwa and the chains are
defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from polybody import Model

from benchmarks.models import robots, written
from benchmarks.models.mujoco_models import from_mujoco
from benchmarks.models.pinocchio_models import from_pinocchio

CHAINS = (10, 100, 400, 1000)


def _urdf(name: str) -> Model:
    return from_pinocchio(robots.pinocchio_model(name), name)


def _mjcf(name: str) -> Model:
    return from_mujoco(robots.mujoco_model(name), name)


MODELS: dict[str, Callable[[], Model]] = {
    "iiwa": written.iiwa,
    **{name: partial(_urdf, name) for name in robots.URDF},
    **{name: partial(_mjcf, name) for name in robots.MJCF},
    **{f"chain of {count}": partial(written.chain, count) for count in CHAINS},
}


@cache
def load(name: str) -> Model:
    """The Model called ``name``, a key of MODELS."""
    return MODELS[name]()
