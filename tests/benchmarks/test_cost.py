"""The benchmark of the cost of checking: a row of it, and the page that is written."""

from __future__ import annotations

from benchmarks import cost


def test_a_row_and_its_page() -> None:
    (row,) = cost.costs(1, "flat comments", 400)
    assert (row.group, row.shape, row.pieces) == ("flat", "comments", 400)
    assert row.size > 400 * 7
    assert row.ratio > 0
    page = cost.markdown([row])
    assert f"| flat | comments | 400 | {row.size / 1000:,.0f} |" in page
    assert '"comments"' in page
