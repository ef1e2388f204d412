"""Parts of tendons' paths that are alike: of the same kind, with the same branches in physics/tendons.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .alike_subtrees import shared


def paths(model: Mapping[str, Any], widths: Sequence[int]) -> list[tuple[int, ...]]:
    """Parts that can be visited together, no two of one tendon.

    Args:
        model: the columns of wraps, and of links.
        widths: how many at a time, preferred ones first.
    """
    if "wrap_type" not in model:
        return []
    alike: dict[Any, list[list[int]]] = {}
    for p in range(len(model["wrap_type"])):
        rows = alike.setdefault(form(model, p), [])
        tendon = model["wrap_tendon"][p]
        free = (row for row in rows if all(model["wrap_tendon"][other] != tendon for other in row))
        row = next(free, None)
        if row is None:
            rows.append([p])
        else:
            row.append(p)
    found = [group for rows in alike.values() for row in rows for group in shared(row, widths)]
    return [group for group in found if len(group) > 1]


def form(model: Mapping[str, Any], p: int) -> tuple[Any, ...]:
    """What decides which branches are taken for a part."""
    kind, after, over = (int(model[f"wrap_{name}"][p]) for name in ("type", "next", "over"))
    ends = [part for part in (p, over, after) if part >= 0]
    links = [int(model["body_linkid"][model["wrap_body"][part]]) for part in ends]
    same = tuple(a == b for a in links for b in links)
    shape = (
        int(model["wrap_type"][over]),
        int(model["wrap_side"][over]) >= 0,
        int(model["wrap_inside"][over]),
    )
    return (kind, after >= 0, over >= 0, *same, *(shape if over >= 0 else ()))
