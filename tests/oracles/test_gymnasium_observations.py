"""Observations and contact costs of Gymnasium's tasks, from the columns of a batch."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import polybody as pb
import pytest

COLUMNS = ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")
STATES = 8


def visited(env: Any) -> list[tuple[Any, Any, Any, float]]:
    """Random states of a task: the simulation's state, the action, then the observation and contact cost."""
    random, found = np.random.default_rng(0), []
    env.reset(seed=0)
    for step in range(40):
        action = random.uniform(env.action_space.low, env.action_space.high)
        data = env.unwrapped.data
        before = {name: np.array(getattr(data, name)) for name in ("qpos", "qvel", "act", "qacc_warmstart")}
        observation, _, over, _, _ = env.step(action)
        if step % 5 == 4:
            found.append((before, action, observation, float(env.unwrapped.contact_cost)))
        if over:
            env.reset(seed=step)
    return found


def started(model: pb.Model, states: list[tuple[Any, Any, Any, float]]) -> pb.BatchStepper:
    batch, whole = pb.BatchStepper(model, len(states), results=COLUMNS), pb.Data(model)
    rows = []
    for before, *_ in states:
        for name, values in before.items():
            setattr(whole, name, values)
        rows.append(whole.get_state())
    batch.set_state(np.array(rows))
    return batch


@pytest.mark.parametrize("task", ["Humanoid-v5", "Ant-v5"])
def test_observations(task: str) -> None:
    env = gymnasium.make(task)
    states = visited(env)
    model = pb.load(env.unwrapped.fullpath)
    batch = started(model, states)
    batch.step(env.unwrapped.frame_skip, ctrl=np.array([action for _, action, *_ in states]))
    found = {name: batch.results[name] for name in COLUMNS}
    parts = [batch.qpos[:, 2:], batch.qvel]
    if task == "Humanoid-v5":
        parts += [found["cinert"][:, 1:], found["cvel"][:, 1:]]
        parts += [found["qfrc_actuator"][:, 6:], found["cfrc_ext"][:, 1:]]
    else:
        parts += [np.clip(found["cfrc_ext"][:, 1:], -1, 1)]
    ours = np.hstack([part.reshape(len(states), -1) for part in parts])
    expected = np.array([observation for *_, observation, _ in states])
    assert np.abs(ours - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())
    assert np.abs(expected[:, -6 * (model.nbody - 1) :]).max() > 0.1  # something touches
    if task == "Humanoid-v5":
        cost = np.clip(5e-7 * np.square(found["cfrc_ext"]).sum(axis=(1, 2)), -np.inf, 10.0)
    else:
        cost = 5e-4 * np.square(np.clip(found["cfrc_ext"], -1, 1)).sum(axis=(1, 2))
    np.testing.assert_allclose(cost, [cost for *_, cost in states], rtol=0, atol=1e-9)
