"""Values of a graph of scalars for given inputs, node by node and by a compiled kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from polybody.codegen.specialised import Kernel, Program, Request
from polybody.codegen.specialised.program import units
from polybody.codegen.staging.operations import OPERATIONS
from polybody.codegen.staging.scalars import Expr, below
from polybody.codegen.staging.straight import straight

from .machines import Compiled
from .trees import Array


def values(scalars: Iterable[Any], given: Mapping[str, Array]) -> list[float]:
    """Values of scalars of width 1, in order; `given` has the inputs' columns."""
    scalars = list(scalars)
    found: dict[int, Any] = {}
    for n in below(x for x in scalars if isinstance(x, Expr)):
        found[n.id] = value(n, [found[a.id] for a in n.operands], given)
    return [float(found[x.id]) if isinstance(x, Expr) else float(x) for x in scalars]


def value(n: Expr, operands: list[Any], given: Mapping[str, Array]) -> Any:
    """The value of one node: a number, or an array if the node is a vector."""
    match n.op:
        case "const":
            return np.array(n.value) if n.width > 1 else n.value
        case "input":
            return float(given[n.args[0]][n.args[1]])
        case "join":
            return np.array(operands)
        case "lane":
            return operands[0][n.args[1]].item()
        case "pick":
            return operands[0][list(n.args[1])]
        case "total":
            return operands[0].sum().item()
    evaluate = OPERATIONS[n.op].evaluate
    if n.width == 1:
        return evaluate(*operands)
    rows = zip(*[np.broadcast_to(x, n.width).tolist() for x in operands], strict=True)
    return np.array([evaluate(*row) for row in rows])


def compiled(
    outputs: Mapping[str, list[Any]], sizes: Mapping[str, int], request: Request, folder: Path
) -> Compiled:
    """A kernel `f` that stores the scalars in columns; `sizes` are those of the inputs' columns."""
    places = {column: dict(enumerate(scalars)) for column, scalars in outputs.items()}
    lines = straight("f", places, request.precision, request.lanes)
    widths = tuple(len(places[c]) if c in places else sizes[c] for c in lines.columns)
    kernel = Kernel("f", lines.columns, widths, lines.operations)
    return Compiled(Program(units([(kernel, lines)], request), (kernel,)), folder)
