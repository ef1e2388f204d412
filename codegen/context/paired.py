"""Kernels that compute two cases at the same time, as C texts: see staging/pairs.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..staging.columns import AXES, Column
from ..staging.emit import Emit, Helper, Library, Region
from ..staging.pairs import (
    PREFIX,
    Paired,
    PairRenderer,
    first,
    pair_helpers,
    pair_struct,
    pair_type,
    spread,
    within,
)
from ..staging.scalars import below

RECORDS = ("link", "dof")
"""Axes whose pairs are in one struct per row."""
Address = Callable[[str, str], str]


class PairedKernel:
    """The C texts of a function of pairs, of the memory that it needs, and of the functions that it calls."""

    def __init__(
        self, paired: Paired, function: Callable[..., None], columns: Sequence[Column], address: Address
    ) -> None:
        self.paired, self.columns, self.address = paired, {c.name: c for c in columns}, address
        machine = Emit(columns, Library())
        machine.trace(function)
        stored = {item for item in _stored(machine.top) if item in self.columns}
        self.pairs = [name for name in self.columns if name in stored | paired.inputs.keys()]
        taken = {*self.columns, *(axis.size for axis in AXES.values()), *(f"pair_{r}" for r in RECORDS)}
        renderer = PairRenderer(self.place, frozenset(taken), frozenset(self.pairs))
        body = renderer.function(machine.top)
        sizes = {AXES[axis].size for axis in RECORDS}
        self.used = frozenset(renderer.used - set(self.pairs)) | self._outside() | sizes
        memory = [f"    {name} *restrict pair_{axis} = d->pair_{axis};" for axis, name, _ in self.records()]
        self.body = [*memory, *self._before(), *body, *self._after()]
        self.helpers, types = pair_helpers(renderer.helpers)
        held = {self.columns[name].type: None for name in self.pairs}
        called: Mapping[Any, None] = {t: None for h in _closure(renderer.helpers) for t in _types(h)}
        values = [pair_struct(c) for c in within(held | dict(called) | types | renderer.types)]
        self.structs = [struct for struct, *_ in values]
        self.functions = [function for _, *functions in values for function in functions]

    def place(self, name: str, row: str) -> str:
        """The expression for a row of a column."""
        if name not in self.pairs:
            return self.address(name, row)
        return f"pair_{self.columns[name].axis}[{row}].{_part(name)}"

    def records(self) -> list[tuple[str, str, list[tuple[str, str]]]]:
        """The axes with pairs, the name of a row in C, and the types and names of its members."""
        return [
            (axis, f"{axis.capitalize()}Pair", [
                (pair_type(self.columns[name].type), _part(name))
                for name in self.pairs if self.columns[name].axis == axis
            ])
            for axis in RECORDS
        ]  # fmt: skip

    def _outside(self) -> set[str]:
        """The columns without pairs that are read before and written after."""
        both = {*self.paired.inputs.items(), *self.paired.outputs.items()}
        return {name for pair in both for name in pair if name} | set(self.paired.shared)

    def _before(self) -> list[str]:
        lines = {axis: list[str]() for axis in RECORDS}
        for name, other in self.paired.inputs.items():
            axis = self.columns[name].axis
            row = AXES[axis].letter
            two = f"{self.address(name, row)}, {self.address(other, row)}"
            lines[axis].append(f"{self.place(name, row)} = ({PREFIX}){{{two}}};")
        for name in self.paired.shared:
            column = self.columns[name]
            row = AXES[column.axis].letter
            lines[column.axis].append(
                f"{self.place(name, row)} = {spread(column.type)}({self.address(name, row)});"
            )
        return _loops(lines)

    def _after(self) -> list[str]:
        lines = {axis: list[str]() for axis in RECORDS}
        for name, other in self.paired.outputs.items():
            column = self.columns[name]
            row = AXES[column.axis].letter
            pair = self.place(name, row)
            lines[column.axis].append(f"{self.address(name, row)} = {first(column.type)}({pair});")
            if other:
                lines[column.axis].append(f"{self.address(other, row)} = {pair}[1];")
        return _loops(lines)


def _part(name: str) -> str:
    return name.partition("_")[2] or name


def _loops(lines: Mapping[str, list[str]]) -> list[str]:
    found = []
    for axis, statements in lines.items():
        if statements:
            row, size = AXES[axis].letter, AXES[axis].size
            found.append(f"    for (int {row} = 0; {row} < {size}; {row}++) {{")
            found += [f"        {line}" for line in statements]
            found.append("    }")
    return found


def _stored(region: Region) -> Iterator[str]:
    for item in region.items:
        if item.op == "store":
            yield item.fields["table"].column.name
        for inner in item.regions:
            yield from _stored(inner)


def _closure(needed: Mapping[str, Helper]) -> list[Helper]:
    """Helpers, and those that they call."""
    found: dict[str, Helper] = {}
    todo = list(needed.values())
    while todo:
        helper = todo.pop()
        if helper.name not in found:
            found[helper.name] = helper
            todo += [node.args[0] for node in _nodes(helper) if node.op == "call"]
    return list(found.values())


def _nodes(helper: Helper) -> list[Any]:
    return below([node for item in helper.body.items for node in item.operands])


def _types(helper: Helper) -> list[Any]:
    return [*(p.type for p in helper.params), *(node.type for node in _nodes(helper))]
