"""Errors and their summary."""

from __future__ import annotations

import math

import numpy as np

from tests.differential.report import Comparison, allowed, condition, relative_error, summary, text


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


def test_what_is_allowed_of_a_solution_grows_with_the_condition_number():
    assert condition(np.diag([2.0, 1e-6])) == 2e6
    assert condition(np.zeros((0, 0))) == 1.0
    assert allowed(1e-9, 1.0) == allowed(1e-9, 1e6) == 1e-9
    assert allowed(1e-9, 1e8) == 1e8 * np.finfo(float).eps
    ill, well = Comparison("ill"), Comparison("well")
    for comparison, number in ((ill, 1e8), (well, 1e4)):
        comparison.add("acceleration", np.array([1.0 + 1e-8]), np.array([1.0]), number)
    report = summary([ill, well], {"acceleration": 1e-9}, engine="E", seed=0)
    (row,) = report["quantities"]
    assert row["condition"] == 1e8
    assert row["failures"] == [
        {"file": "well", "reason": "relative error 1e-08, 1.0e-09 is allowed at condition number 1.0e+04"}
    ]
    assert "     1e+08 " in text(report)
    assert "2.2e-16 times its own is allowed of a solution" in text(report)


def test_each_state_is_judged_by_its_own_condition_number():
    comparison = Comparison("a")
    comparison.add("acceleration", np.array([1.0]), np.array([1.0]), 1e8)
    comparison.add("acceleration", np.array([1.0 + 1e-8]), np.array([1.0]))
    assert not summary([comparison], {"acceleration": 1e-9})["ok"]


def test_where_rounding_decides_nothing_is_compared():
    comparison = Comparison("a")
    comparison.add("acceleration", np.array([2.0]), np.array([1.0]), 1e14)
    (row,) = summary([comparison], {"acceleration": 1e-9})["quantities"]
    assert row["files"] == 0
    assert "condition number 1.0e+14" in row["not_compared"][0]["reason"]
