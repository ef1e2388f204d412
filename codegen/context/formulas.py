"""The files of generated/kernels/formulas: the formulas of rows and contacts as inline functions of C."""

from __future__ import annotations

from ..physics.rows import FORMULAS, IN_BLOCKS
from ..render import header, render
from ..staging.inline import BLOCKS, KINDS, SINGLE, Kind, Trace, Writer, struct, structs, traced
from ..staging.render import wrapped

COMMAND = "python -m codegen"
INCLUDED = {"single": ("vec.h",), "lanes": ("simd.h", "formulas/single.h"), "blocks": ("registers.h",)}
"""What the headers include."""
ABOUT = {
    "single": "for one state",
    "lanes": "for several states, one in each lane",
    "blocks": "for several rows of one state at a time",
}
SOURCES = ["codegen/templates/kernels/formulas.h.jinja", "codegen/physics/rows", "codegen/staging/inline.py"]


def formula_files() -> dict[str, str]:
    """The headers: {path below generated/: text}."""
    return {
        f"kernels/formulas/{kind.name}.h": _file(kind, list(written(kind).values()))
        for kind in KINDS.values()
    }


def written(kind: Kind) -> dict[str, Trace]:
    """The formulas that are written for a kind, by name. Those whose arguments are the same for all states
    need one kind only.
    """
    listed = IN_BLOCKS if kind is BLOCKS else FORMULAS
    traces = [traced(formula) for formula in listed]
    return {t.name: t for t in traces if kind is SINGLE or not all(p.same for p in t.parameters)}


def _file(kind: Kind, traces: list[Trace]) -> str:
    functions = []
    for trace in traces:
        lines = [part for line in Writer(kind, trace).function() for part in wrapped(line)]
        functions.append((" ".join(trace.doc.split()), lines))
    text = render(
        "kernels/formulas.h.jinja",
        name=kind.name,
        about=ABOUT[kind.name],
        included=INCLUDED[kind.name],
        structs=[
            (" ".join((value.__doc__ or "").split()), struct(kind, value)) for value in structs(kind, traces)
        ],
        functions=functions,
    )
    return header(SOURCES, COMMAND, "//") + text
