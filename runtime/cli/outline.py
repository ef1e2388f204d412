"""How `polybody info` shows a Model: as facts for JSON and as a tree for people."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from polybody.cli.streams import console
from polybody.diagnostics import Diagnostic
from polybody.escaping import printable
from polybody.generated.model import Cone, FrictionMixing, JointType, TransmissionType
from polybody.model.model import Model
from rich.text import Text

SIZES = ("nbody", "njnt", "ngeom", "nq", "nv", "nu", "na", "nM", "nsensordata", "nkey")
DEEPEST = 24
"""Below this depth the tree is only counted: lines would no longer fit a screen."""
MOST = 40
"""Maximum number of actuators, sensors or keys that are listed; the rest is only counted."""
ACTED_ON = {TransmissionType.jointinparent: "joint", TransmissionType.slidercrank: "site"}
"""The kind of element that an actuator acts on, where it differs from the name of the transmission."""
FRICTION = {
    "greatest": "the greater coefficient",
    "harmonic": "2 a b / (a + b) of both coefficients",
    "least": "the smaller coefficient",
}


class Loaded(NamedTuple):
    """A file's Model, and the findings of the lowering, such as what is not simulated."""

    file: str
    model: Model
    findings: tuple[Diagnostic, ...] = ()
    text: bytes | None = None
    """The content of standard input."""


# --- facts -------------------------------------------------------------------------------------------


def facts(loaded: Loaded) -> dict[str, Any]:
    """What `info --json` prints."""
    model = loaded.model
    return {
        "file": loaded.file,
        "name": model.name,
        "sizes": {name: getattr(model, name) for name in SIZES},
        "options": {
            "timestep": model.opt.timestep,
            "gravity": model.opt.gravity.tolist(),
            "integrator": model.opt.integrator.name,
            "regularization": model.opt.regularization,
            "implicit_damping": model.opt.implicit_damping,
        },
        "total_mass": float(model.body_subtreemass[0]),
        "bodies": [_body(model, row) for row in range(model.nbody)],
        "actuators": [_actuator(model, row) for row in range(model.nactuator)],
        "sensors": [_sensor(model, row) for row in range(model.nsensor)],
        "keys": list(model.names["key"]),
        "contacts": contact_facts(model),
        "findings": [finding.as_json() for finding in loaded.findings],
    }


def _body(model: Model, row: int) -> dict[str, Any]:
    body = model.body(row)
    return {
        "id": row,
        "name": body.name,
        "parent": body.parentid if row else None,
        "mass": body.mass,
        "joints": [_joint(model, joint) for joint in _joints(model, row)],
    }


def _joint(model: Model, row: int) -> dict[str, Any]:
    joint = model.joint(row)
    return {
        "id": row,
        "name": joint.name,
        "type": joint.type.name,
        "axis": joint.axis.tolist() if len(joint.armature) == 1 else None,
        "damping": joint.damping.tolist(),
        "stiffness": model.dof_stiffness[joint.dofs].tolist(),
        "armature": joint.armature.tolist(),
    }


def _actuator(model: Model, row: int) -> dict[str, Any]:
    actuator = model.actuator(row)
    return {
        "id": row,
        "name": actuator.name,
        "acts_on": _targets(model, row),
        "dynamics": actuator.dyntype.name,
        "gain": actuator.gaintype.name,
        "bias": actuator.biastype.name,
        "gear": actuator.gear.tolist(),
        "ctrlrange": actuator.ctrlrange.tolist() if actuator.ctrllimited else None,
    }


def _targets(model: Model, row: int) -> str:
    """What an actuator acts on: "joint 'hip'", "slidercrank 'crank', 'rail'"."""
    kind = TransmissionType(model.actuator_trntype[row])
    of = ("site" if model.actuator_trnid[row, 1] >= 0 else "joint") if kind is TransmissionType.so3 else None
    names = model.names[of or ACTED_ON.get(kind, kind.name)]
    targets = [target for target in model.actuator_trnid[row].tolist() if target >= 0]
    said = [repr(printable(names[target])) if names[target] else str(target) for target in targets]
    return f"{kind.name} {', '.join(said)}"


def _sensor(model: Model, row: int) -> dict[str, Any]:
    sensor = model.sensor(row)
    return {"id": row, "name": sensor.name, "type": sensor.type.name, "numbers": int(sensor.dim)}


def _joints(model: Model, body: int) -> range:
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body])) if first >= 0 else range(0)


# --- for people --------------------------------------------------------------------------------------


def show(loaded: Loaded) -> None:
    """Print sizes, tree, masses and findings, such as what is not simulated and why."""
    model, out = loaded.model, console(highlight=False, soft_wrap=True)
    gravity = " ".join(f"{number:g}" for number in model.opt.gravity)
    out.print(
        Text(printable(model.name) or "a model without a name", style="bold"),
        Text(printable(loaded.file), "dim"),
    )
    out.print(f"  {_sizes(model)}")
    out.print(
        f"  time step {model.opt.timestep:g} s, {model.opt.integrator.name}, gravity {gravity} m/s^2, "
        f"total mass {model.body_subtreemass[0]:g} kg"
    )
    for said in _contacts(model):
        out.print(f"  {said}")
    out.print()
    for line in drawn(model):
        out.print(line)
    for kind, lines in (
        ("actuators", [_driven(model, row) for row in range(model.nactuator)]),
        ("sensors", [_measured(model, row) for row in range(model.nsensor)]),
        ("keys", [printable(name) or f"key {row}" for row, name in enumerate(model.names["key"])]),
    ):
        if lines:
            out.print(Text(f"\n{kind}", style="bold"))
        for text in lines[:MOST]:
            out.print(Text(f"    {text}"))
        if len(lines) > MOST:
            out.print(Text(f"    ... {len(lines) - MOST} more", "dim"))
    if loaded.findings:
        out.print()
    for finding in loaded.findings:
        out.print(Text(str(finding)))


def _sizes(model: Model) -> str:
    """The numbers of bodies, joints and geoms, if there are any, and of coordinates, if anything moves."""
    counts = (many(model.njnt, "joint"), model.njnt), (many(model.ngeom, "geom"), model.ngeom)
    said = ", ".join([many(model.nbody - 1, "body", "bodies"), *(text for text, count in counts if count)])
    moves = f"; nq {model.nq}, nv {model.nv}, {model.nM:,} entries in the mass matrix"
    return said + (moves if model.nv else "")


def _contacts(model: Model) -> list[str]:
    """The contact parameters, if any geom can touch another."""
    touching = (model.geom_contype | model.geom_conaffinity) != 0
    if not touching.any():
        return []
    facts = contact_facts(model)
    lines = [
        f"contacts of {many(facts['geoms'], 'geom')}: {facts['cone']} cones, friction of a pair: "
        f"{FRICTION[facts['friction_mixing']]}"
    ]
    if facts["stiffness"] is not None:
        low, high = facts["stiffness"]
        what = f"{low:g} N/m" if low == high else f"{low:g} to {high:g} N/m"
        lines.append(f"contact stiffness {what}; docs/contacts.md describes how engines differ")
    return lines


def contact_facts(model: Model) -> dict[str, Any]:
    """Contact parameters: the number of geoms that can touch, type of friction cone, rule for the friction
    of a pair, and range of stiffness in N/m.
    """
    touching = (model.geom_contype | model.geom_conaffinity) != 0
    stiffness = model.geom_stiffness[touching & (model.geom_stiffness > 0)]
    return {
        "geoms": int(touching.sum()),
        "cone": Cone(int(model.opt_cone)).name,
        "friction_mixing": FrictionMixing(int(model.opt_friction_mixing)).name,
        "stiffness": [float(stiffness.min()), float(stiffness.max())] if len(stiffness) else None,
    }


def _driven(model: Model, row: int) -> str:
    """A line for an actuator: name, what it acts on, how its force is computed."""
    facts = _actuator(model, row)
    ways = [f"gain {facts['gain']}"] if facts["gain"] != "fixed" else []
    ways += [f"bias {facts['bias']}"] if facts["bias"] != "none" else []
    ways += [f"dynamics {facts['dynamics']}"] if facts["dynamics"] != "none" else []
    ways += ["control {:g} to {:g}".format(*facts["ctrlrange"])] if facts["ctrlrange"] else []
    name = printable(facts["name"]) or f"actuator {row}"
    return "  ".join([name, facts["acts_on"], ", ".join(ways)]).rstrip()


def _measured(model: Model, row: int) -> str:
    """A line for a sensor: name, what it measures, number of values."""
    facts = _sensor(model, row)
    return (
        f"{printable(facts['name']) or f'sensor {row}'}  {facts['type']}, {many(facts['numbers'], 'number')}"
    )


def drawn(model: Model) -> list[Text]:
    """The tree, a line for each body: name, joints, mass."""
    children: list[list[int]] = [[] for _ in range(model.nbody)]
    below = np.ones(model.nbody, dtype=int)
    for body in range(1, model.nbody):
        children[model.body_parentid[body]].append(body)
    for body in range(model.nbody - 1, 0, -1):
        below[model.body_parentid[body]] += below[body]
    lines = [Text(printable(model.names["body"][0]) or "world", style="bold")]
    stack = [(body, "", number == 0, 1) for number, body in enumerate(reversed(children[0]))]
    while stack:
        body, lead, last, depth = stack.pop()
        inner = lead + ("    " if last else "│   ")
        line = Text(lead + ("└── " if last else "├── "), style="dim")
        lines.append(line.append_text(_described(model, body)))
        if depth < DEEPEST:
            stack += [(b, inner, n == 0, depth + 1) for n, b in enumerate(reversed(children[body]))]
        elif below[body] > 1:
            lines.append(
                Text(f"{inner}└── ... {many(int(below[body]) - 1, 'more body', 'more bodies')}", "dim")
            )
    return lines


def _described(model: Model, body: int) -> Text:
    text = Text(printable(model.names["body"][body]) or f"body {body}", style="bold")
    moves = [_moves(model, joint) for joint in _joints(model, body)]
    text.append("  " + (", ".join(moves) if moves else "welded"), style="cyan" if moves else "dim")
    return text.append(f"  {model.body_mass[body]:g} kg", style="not bold")


def _moves(model: Model, row: int) -> str:
    joint = model.joint(row)
    if joint.type in (JointType.free, JointType.ball):
        return joint.type.name
    axis = joint.axis.round(6) + 0.0
    main = int(np.argmax(np.abs(axis)))
    plainly = np.abs(axis).sum() == abs(axis[main]) == 1
    shown = ("-" if axis[main] < 0 else "") + "xyz"[main] if plainly else " ".join(f"{x:.3g}" for x in axis)
    return f"{joint.type.name} {shown}" if plainly else f"{joint.type.name} ({shown})"


def many(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
