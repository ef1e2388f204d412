"""Named columns: values that a batch's kernels derive from them alone are computed by a separate kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from polybody.codegen import specialised
from polybody.codegen.specialised import Request
from polybody.generated.kernels import layout

from .machines import Specialised, specialise
from .test_machines import close, columns_of
from .trees import chain, columns, random_state

NAMED = ("body_spatial", "body_pos", "dof_damping", "opt_timestep")
APART = ("prepare_step", "step")
AT_START = ("start_load",)  # from which, with the state then, qacc is computed on request


def test_each_reads_its_own() -> None:
    c = columns_of(0)
    whole = specialise(c, Request(("step",), lanes=4, named=NAMED)).kernels[0]
    prepare, step = specialise(c, Request(APART, lanes=4, named=NAMED)).kernels
    assert {*prepare.columns} == {*NAMED, "prepared"}
    assert {*step.columns} == {"qpos", "qvel", "qfrc_applied", "qacc", *AT_START, "prepared"}
    sizes = [dict(zip(k.columns, k.sizes, strict=True)) for k in (prepare, step)]
    assert sizes[0]["prepared"] == sizes[1]["prepared"] > 0
    assert step.operations < whole.operations


def test_together_they_do_what_one_does(tmp_path: Path) -> None:
    c, lanes = columns_of(1), 4
    (tmp_path / "whole").mkdir()
    whole = Specialised(c, Request(("step",), lanes=lanes, named=NAMED), tmp_path / "whole")
    parts = Specialised(c, Request(APART, lanes=lanes, named=NAMED), tmp_path)
    random = np.random.default_rng(2)
    block = {
        name: np.repeat(np.reshape(c[name], (-1, 1)), lanes, 1) * random.uniform(0.9, 1.1, lanes)
        for name in NAMED
    }
    for name in ("qpos", "qvel", "qfrc_applied", "qacc", *AT_START):
        state = random_state(c, random)
        alike = state["qvel"]
        block[name] = np.repeat(state.get(name, alike)[:, None], lanes, 1)
    kernel, _ = parts.kernels["step"]
    size = dict(zip(kernel.columns, kernel.sizes, strict=True))["prepared"]
    again = {name: x.copy() for name, x in block.items()} | {"prepared": np.zeros((size, lanes))}
    for _ in range(3):
        whole.call("step", block)
    parts.call("prepare_step", again)
    for name in NAMED:
        again[name][...] = np.nan  # not read any more
    for _ in range(3):
        parts.call("step", again)
    for name in ("qpos", "qvel", "qacc", "start_load"):
        assert np.isfinite(again[name]).all()
        assert close(again[name], block[name], 1e-13), name


def test_where_nothing_follows_from_what_is_named() -> None:
    c = columns(chain(3), 0)
    prepare, step = specialise(c, Request(APART, lanes=2, named=("jnt_pitch",))).kernels
    assert (prepare.columns, prepare.operations) == (("prepared",), 0)
    assert "prepared" not in step.columns


def test_inertias_need_all_their_sources() -> None:
    c = columns_of(0)
    sizes = layout.KernelModel(c).sizes
    del c["body_inertia"]
    with pytest.raises(ValueError, match=r"body_mass .* body_inertia"):
        specialised.specialise(c, sizes, layout.VALUES, Request(("step",), named=("body_mass",)))


@pytest.mark.parametrize(
    "request_",
    [
        Request(APART, named=NAMED),
        Request(("prepare_step",), lanes=2),
        Request(("prepare_energy", "step"), lanes=2),
    ],
)
def test_asked_for_wrongly(request_: Request) -> None:
    with pytest.raises(ValueError, match=r"prepare_.* goes before the kernel .* of a batch"):
        specialise(columns_of(0), request_)
