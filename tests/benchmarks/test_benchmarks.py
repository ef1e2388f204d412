"""The benchmarks measure what they say: valid documents, the same dynamics in all engines, honest ratios."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from benchmarks import ours, peers
from benchmarks.documents import x_xy
from benchmarks.kernels import check
from benchmarks.rows import compare, page, save
from benchmarks.trees import TREES


@pytest.mark.parametrize("elements", [5, 10, 11, 12, 100, 1000])
def test_documents_have_the_size_asked_for_and_no_finding(elements: int, tmp_path: Path) -> None:
    import polybody

    path = tmp_path / "model.xml"
    path.write_text(x_xy(elements), encoding="utf-8")
    assert sum(1 for _ in etree.parse(path).iter()) == elements
    assert polybody.check(path) == []


def test_a_row_is_made_of_paired_rounds(tmp_path: Path) -> None:
    row = compare("step", "loop", "arm", "peer", [1.0, 2.0, 4.0], [3.0, 4.0, 20.0])
    assert (row.ours_us, row.peer_us, row.ratio) == (2.0, 4.0, 3.0)
    assert row.spread == pytest.approx((5.0 - 2.0) / 3.0)
    save([row], tmp_path / "rows.json")
    assert json.loads((tmp_path / "rows.json").read_text())[0]["ratio"] == 3.0
    assert "| step | loop | arm | peer | 2 | 4 | 3.00 | 100% |" in page([row], "title")


@pytest.mark.parametrize("name", [name for name in TREES if not name.endswith("1000")])
def test_our_loop_and_mujoco_compute_the_same(name: str, tmp_path: Path) -> None:
    model = TREES[name]()
    states = peers.states(model)
    (tmp_path / "model").write_bytes(pickle.dumps(model))
    peers.write_states(tmp_path / "states", *states)
    peers.write_mujoco(model, tmp_path / "mujoco")
    files = (tmp_path / "model", tmp_path / "states", tmp_path / "ours")
    times = ours.run(ours.shipped(), ours.build_loop(), *files, copies=tmp_path)
    peer_times = peers.run(
        peers.build_mujoco(), tmp_path / "mujoco", tmp_path / "states", tmp_path / "theirs", copies=tmp_path
    )
    assert times.keys() == peer_times.keys() == {"acceleration", "step"}
    qacc = [np.fromfile(tmp_path / who).reshape(peers.STATES, model.nv) for who in ("ours", "theirs")]
    check(name, *qacc)
    with pytest.raises(AssertionError, match="differ"):
        check(name, qacc[0], 1.001 * qacc[1])
