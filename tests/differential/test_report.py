"""Errors and their summary."""

from __future__ import annotations

import math

import numpy as np

from tests.differential.report import Comparison, relative_error, summary, text


def test_relative_error():
    assert relative_error(np.array([1.0, 2.1]), np.array([1.0, 2.0])) == abs(2.1 - 2.0) / 2
    assert relative_error(np.zeros(0), np.zeros(0)) == 0
    assert relative_error(np.array([1e-9]), np.array([0.0])) == 1e-3  # below the floor of 1e-6
    assert relative_error(np.zeros(2), np.zeros(3)) == math.inf
    assert relative_error(np.array([np.nan]), np.array([1.0])) == math.inf
    assert not relative_error(np.array([1.0]), np.array([np.nan])) <= 1


def test_summary_keeps_the_worst_and_says_what_was_left_out():
    a, b, c, d = (Comparison(name) for name in "abcd")
    a.add("M", np.array([1.0]), np.array([1.0]))
    a.withheld["C"] = "not there"
    b.add("M", np.array([1.0]), np.array([1.0]))
    b.add("M", np.array([1.5]), np.array([1.0]))
    b.add("C", np.array([np.nan]), np.array([1.0]))
    c.skipped, d.failure = "engine: no", "ours: no"
    report = summary([a, b, c, d], {"M": 1e-9, "C": 1e-9}, engine="E", seed=0)
    m, bias = report["quantities"]
    assert (m["files"], m["worst"], m["worst_file"]) == (2, 0.5, "b")
    assert [f["file"] for f in m["failures"]] == ["b", "d"]
    assert [f["file"] for f in bias["not_compared"]] == ["c", "a"]
    assert not report["ok"]
    assert "c: all: engine: no" in text(report)
    assert summary([a, c], {"M": 1e-9}, engine="E", seed=0)["ok"]
