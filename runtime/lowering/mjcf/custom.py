"""Custom numeric, text and tuple elements: their columns."""

from __future__ import annotations

import numpy as np
from polybody.assembly.columns import DOUBLE, INTEGER, Columns
from polybody.lowering.mjcf.codes import OBJECTS
from polybody.lowering.mjcf.elements import Element
from polybody.lowering.mjcf.numbering import Numbered, of_lists

MOST = 500
"""Maximum number of elements of a numeric field."""


@of_lists("numeric", "text", "tuple")
def custom_columns(numbered: Numbered) -> Columns:
    """The columns of numeric, text and tuple."""
    rows = [_numbers(numbered, element) for element in numbered.spec.lists["numeric"]]
    columns = _packed("numeric", [len(row) for row in rows])
    columns["numeric_data"] = np.array([number for row in rows for number in row], dtype=DOUBLE)
    found = [element.values["data"] for element in numbered.spec.lists["text"]]
    texts = [(text or "").encode() + b"\0" for text in found]
    columns |= _packed("text", [len(text) for text in texts])
    columns["text_data"] = np.frombuffer(b"".join(texts), dtype=np.uint8).copy()
    return columns | _tuples(numbered)


def _packed(kind: str, lengths: list[int]) -> Columns:
    """The start and the length of each row's part of a packed array."""
    sizes = np.array(lengths, dtype=np.int64)
    return {
        f"{kind}_adr": (np.cumsum(sizes) - sizes).astype(INTEGER),
        f"{kind}_size": sizes.astype(INTEGER),
    }


def _numbers(numbered: Numbered, element: Element) -> list[float]:
    """The numbers of a field, padded with zeros to its size."""
    node = element.node
    given = list(node.data or ())
    size = len(given) if node.size is None else node.size
    if not 1 <= size <= MOST or len(given) > size:
        message = (
            f"a custom field must have 1 to {MOST} numbers; this one has {len(given)}, "
            f"and `size` is {node.size}"
        )
        numbered.problems.add(node, message, "size")
        return given
    return given + [0.0] * (size - len(given))


def _tuples(numbered: Numbered) -> Columns:
    kinds, ids, counts = [], [], []
    numbers: list[float] = []
    for element in numbered.spec.lists["tuple"]:
        references = element.values["references"]
        if references[0].kind == "nothing":
            numbered.problems.add(element.node, "the tuple is empty")
            references = []
        for reference in references:
            found = numbered.resolve(element, reference)
            kinds.append(OBJECTS[reference.kind])
            ids.append(-1 if found is None else found.id)
        numbers += element.values["numbers"][: len(references)]
        counts.append(len(references))
    columns = _packed("tuple", counts)
    columns["tuple_objtype"] = np.array(kinds, dtype=INTEGER)
    columns["tuple_objid"] = np.array(ids, dtype=INTEGER)
    columns["tuple_objprm"] = np.array(numbers, dtype=DOUBLE)
    return columns
