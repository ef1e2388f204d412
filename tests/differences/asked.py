"""Asks MuJoCo 4.0 for the facts: `python asked.py`, in this folder, with mujoco==4.0.1; writes facts.npz."""

from __future__ import annotations

import mujoco
import numpy as np
from documents import DOCUMENTS, Case

SOLVED = {"tolerance": 0.0, "iterations": 200, "ls_tolerance": 1e-10}


def numbers(model: mujoco.MjModel, case: Case) -> dict[str, np.ndarray]:
    """The columns that a row is about, in the state after its steps."""
    if case.solved:
        for name, value in SOLVED.items():
            setattr(model.opt, name, value)
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    for field, count in (("qvel", model.nv), ("ctrl", model.nu), ("act", model.na)):
        getattr(data, field)[:] = rng.normal(size=count)
    for _ in range(case.steps):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return {field: np.ravel(_column(model, data, field)).astype(float) for field in case.fields}


def _column(model: mujoco.MjModel, data: mujoco.MjData, field: str) -> object:
    first, _, rest = field.partition("_")
    if field == "contact.dist":
        return sorted(contact.dist for contact in data.contact[: data.ncon])
    if first in ("stat", "opt"):
        return getattr(getattr(model, first), rest)
    return getattr(model, field) if hasattr(model, field) else getattr(data, field)


def main() -> None:
    """Writes the facts."""
    facts = {}
    for (since, of), case in DOCUMENTS.items():
        if case.reason or case.apart:
            continue
        found = numbers(mujoco.MjModel.from_xml_string(case.concerned), case)
        facts |= {f"{since} {of} {field}": column for field, column in found.items()}
    np.savez_compressed("facts.npz", **facts)


if __name__ == "__main__":
    main()
