"""Contact pairs, exclusions and equalities: their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, Columns, numbers
from polybody.lowering.mjcf.codes import EQUALITIES, OBJECTS, UNKNOWN
from polybody.lowering.mjcf.columns import Field, gather, given
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.joints import SCALAR
from polybody.lowering.mjcf.numbering import Numbered, of_lists

PAIR: tuple[Field, ...] = (
    ("pair_dim", "condim", 0, INTEGER),
    ("pair_geom1", "first", 0, INTEGER),
    ("pair_geom2", "second", 0, INTEGER),
    ("pair_signature", "signature", 0, INTEGER),
    ("pair_solref", "solref", 2, DOUBLE),
    ("pair_solreffriction", "solreffriction", 2, DOUBLE),
    ("pair_solimp", "solimp", 5, DOUBLE),
    ("pair_margin", "margin", 0, DOUBLE),
    ("pair_gap", "gap", 0, DOUBLE),
    ("pair_friction", "friction", 5, DOUBLE),
)
PULLING: tuple[Field, ...] = (("pair_adhesion", "adhesion", 0, DOUBLE),)
"""Columns of attributes that not all releases have."""
EQUALITY: tuple[Field, ...] = (
    ("eq_active0", "active", 0, BYTE),
    ("eq_solref", "solref", 2, DOUBLE),
    ("eq_solimp", "solimp", 5, DOUBLE),
)
NEXT = 1 << 16
"""Factor of the lower body in a signature."""
DATA = 11
TORQUESCALE = 10


def sort_contacts(numbered: Numbered) -> None:
    """Sort pairs and exclusions by their bodies, lower body first."""
    owners = {id(part): body.id for body in numbered.bodies for part in body.geom}
    for kind in ("pair", "exclude"):
        for element in numbered.spec.lists[kind]:
            values = element.values
            found = [numbered.resolve(element, reference) for reference in values["references"]]
            values["first"] = values["second"] = values["signature"] = 0
            if len(found) < 2:
                numbered.problems.add(
                    element.node, f"a {kind} names two {'geoms' if kind == 'pair' else 'bodies'}"
                )
                continue
            if found[0] is None or found[1] is None:
                continue
            bodies = [owners[id(part)] if kind == "pair" else part.id for part in found if part is not None]
            if bodies[0] > bodies[1]:
                found.reverse()
                bodies.reverse()
            values["pair"] = found
            values["signature"] = bodies[0] * NEXT + bodies[1]
            if kind == "pair":
                numbered.problems.listed(element.node, values, "condim")
        numbered.spec.lists[kind].sort(key=lambda element: int(element.values["signature"]))
        for number, element in enumerate(numbered.spec.lists[kind]):
            element.id = number


@of_lists("pair", "exclude", "equality")
def constraint_columns(numbered: Numbered) -> Columns:
    """The columns of pairs, exclusions and equalities."""
    pairs, excludes = numbered.spec.lists["pair"], numbered.spec.lists["exclude"]
    for pair in pairs:
        found = pair.values.get("pair")
        if found is not None:
            pair.values["first"], pair.values["second"] = found[0].id, found[1].id
    columns = gather(pairs, PAIR) | given(pairs, PULLING)
    columns["exclude_signature"] = np.array([e.values["signature"] for e in excludes], dtype=INTEGER)
    return columns | _equalities(numbered)


def _equalities(numbered: Numbered) -> Columns:
    equalities = numbered.spec.lists["equality"]
    columns = gather(equalities, EQUALITY)
    rows: dict[str, list[Any]] = {"type": [], "obj1id": [], "obj2id": [], "objtype": []}
    for equality in equalities:
        values = equality.values
        first, second = _objects(numbered, equality)
        if values["type"] not in EQUALITIES:
            numbered.problems.add(equality.node, f"MuJoCo no longer has the equality <{values['type']}>")
        rows["type"].append(EQUALITIES.get(values["type"], UNKNOWN))
        rows["obj1id"].append(first)
        rows["obj2id"].append(second)
        rows["objtype"].append(OBJECTS[values["objtype"]] if "objtype" in values else UNKNOWN)
    columns |= {f"eq_{name}": np.array(row, dtype=INTEGER) for name, row in rows.items()}
    columns["eq_data"] = numbers([_data(equality.values) for equality in equalities], DATA, DOUBLE)
    return columns


def _objects(numbered: Numbered, equality: Element) -> tuple[int, int]:
    """The indices of the objects that an equality couples. A missing second body is the world; otherwise
    -1.
    """
    values = equality.values
    if values["references"][0].kind == "nothing":
        numbered.problems.add(equality.node, f"<{values['type']}> has no target")
        return 0, -1
    found = [numbered.resolve(equality, reference) for reference in values["references"]]
    kinds = [part.values["type"] for part in found if part is not None and part.kind == "joint"]
    if any(kind not in SCALAR for kind in kinds):
        numbered.problems.add(equality.node, "an equality of joints allows only hinges and slides")
    ids = [-1 if part is None else part.id for part in found]
    if len(ids) == 1:
        ids.append(0 if values["references"][0].kind == "body" else -1)
    if ids[0] == ids[1]:
        numbered.problems.add(equality.node, f"<{values['type']}> couples something to itself")
    return ids[0], ids[1]


def _data(values: Values) -> list[float]:
    """The numbers of an equality as given; anchors that depend on poses are added later."""
    data = [0.0] * DATA
    if values["type"] == "connect" and values["objtype"] == "site":
        return data  # none of it is used
    data[1], data[TORQUESCALE] = 1.0, 1.0
    kind = values["type"]
    if kind in ("joint", "tendon"):
        given = values.get("polycoef") or ()
        data[: len(given)] = given
    elif kind in ("connect", "weld"):
        if values.get("anchor") is not None:
            data[:3] = values["anchor"]
        elif kind == "weld" and values["objtype"] == "body":
            data[:3] = [0.0] * 3
        if kind == "weld":
            if values.get("relpose") is not None:
                data[3:10] = values["relpose"]
            if values.get("torquescale") is not None:
                data[TORQUESCALE] = values["torquescale"]
    return data
