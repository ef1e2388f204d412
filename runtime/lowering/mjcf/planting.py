"""An MJCF model as a part of a Plant, for model directives and SDFormat's includes.

Links, joints, springs, dampers and shapes are MuJoCo's. Names are those of Drake 1.51: a body without a name
is ``body`` and a number, its only joint ``PARENT-BODY``; a body with several joints is preceded by massless
links ``BODY0``, ``BODY1``... Drake puts all joints of such a body except the last at the frame of its parent;
here they are where MJCF has them.
"""

from __future__ import annotations

from typing import Any

from polybody.assembly.parts import COLLISION, VISUAL, Geom
from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.generated.model import BiasType, GainType, JointType, ShapeType, TransmissionType
from polybody.lowering.mjcf.lower import lower
from polybody.lowering.plants.plant import WORLD, Actuator, Joint, JointKind, Link, Plant
from polybody.lowering.plants.planted import Meaning
from polybody.model.model import Model
from polybody.rotations.poses import IDENTITY, Pose, rotated_tensor

KINDS = {
    JointType.hinge: JointKind.revolute,
    JointType.slide: JointKind.prismatic,
    JointType.ball: JointKind.ball,
}
LOST = (
    ("neq", "an equality constraint"),
    ("ntendon", "a tendon"),
    ("nsensor", "a sensor"),
    ("nexclude", "an exclusion of contacts"),
    ("npair", "a pair of geoms"),
)
"""Tables of a Model that a Plant cannot represent."""


def fill(
    document: Any, plant: Plant, findings: Findings, *, name: str | None = None, meaning: Meaning = "drake"
) -> int:
    """Add the bodies of an MJCF document to a Plant; returns the row of their model instance.

    Args:
        document: <mujoco>.
        plant: receives the bodies.
        findings: receives remarks about what is dropped.
        name: the full name of the model, instead of its own name.
        meaning: has no effect.
    """
    model: Model = lower(document, policy=findings.policy, checked=True).model
    filling = _Filling(document, plant, findings, model, name or model.name or "model")
    filling.run()
    return filling.instance


class _Filling:
    def __init__(self, document: Node, plant: Plant, findings: Findings, model: Model, name: str) -> None:
        self.document, self.plant, self.findings, self.model = document, plant, findings, model
        self.instance = plant.add_instance(name)
        self.rows = [0]  # of links, by body
        self.joints: dict[int, int] = {}  # rows in the Plant, by joint

    def lost(self, what: str) -> None:
        message = f"{what} is dropped, because an MJCF model is combined with others here"
        self.findings.add("PB061", self.document.span, message, source=self.document.source)

    def run(self) -> None:
        model = self.model
        for body in range(1, model.nbody):
            self.body(body)
        for geom in range(model.ngeom):
            self.geom(geom)
        for actuator in range(model.nactuator):
            self.actuator(actuator)
        for size, what in LOST:
            if getattr(model, size):
                self.lost(what)

    def body(self, body: int) -> None:
        """A body with the joints that move it; those before the last move massless links."""
        model, plant = self.model, self.plant
        name = model.names["body"][body] or f"body{len(plant.links)}"
        parent = self.rows[int(model.body_parentid[body])]
        rest = _pose(model.body_pos[body], model.body_quat[body])
        rows = [row for row in range(model.njnt) if model.jnt_bodyid[row] == body]
        link = self.link(body, name)
        self.rows.append(link)
        if rows and model.jnt_type[rows[0]] == JointType.free:
            start = model.qpos0[model.jnt_qposadr[rows[0]] :][:7].tolist()
            plant.links[link].pose = _pose(start[:3], start[3:])
            return
        inner, at = parent, rest
        for number, row in enumerate(rows):
            last = row == rows[-1]
            outer = (
                link if last else plant.add_link(Link(f"{name}{number}", self.instance, node=self.document))
            )
            self.joint(row, name, inner, outer, at)
            inner, at = outer, IDENTITY
        if not rows:
            welded = f"{plant.links[parent].name}_welds_to_{name}" if parent else f"{WORLD}_welds_to_{name}"
            self.add(Joint(welded, self.instance, JointKind.weld, parent, link, rest, node=self.document))

    def link(self, body: int, name: str) -> int:
        model = self.model
        xx, yy, zz = model.body_inertia[body].tolist()
        turn = tuple(model.body_iquat[body].tolist())
        tensor = rotated_tensor(turn, (xx, yy, zz, 0.0, 0.0, 0.0))
        x, y, z = model.body_ipos[body].tolist()
        mass = float(model.body_mass[body])
        return self.plant.add_link(Link(name, self.instance, mass, (x, y, z), tensor, node=self.document))

    def add(self, joint: Joint) -> int:
        return self.plant.add_joint(joint)

    def joint(self, row: int, body: str, parent: int, child: int, at: Pose) -> None:
        """A hinge, slide or ball between links; ``at``: the child in the parent."""
        model, plant = self.model, self.plant
        dof = int(model.jnt_dofadr[row])
        kind = KINDS[JointType(int(model.jnt_type[row]))]
        x, y, z = model.jnt_pos[row].tolist()
        name = model.names["joint"][row] or f"{plant.links[parent].name}-{body}"
        made = Joint(name, self.instance, kind, parent, child, node=self.document)
        made.in_child = Pose((x, y, z))
        made.in_parent = at @ made.in_child
        made.damping = (float(model.dof_damping[dof]),) * len(kind.velocities)
        made.armature = float(model.dof_armature[dof])
        if kind is not JointKind.ball:
            a, b, c = model.jnt_axis[row].tolist()
            first = int(model.jnt_qposadr[row])
            made.axis = (a, b, c)
            made.stiffness = float(model.dof_stiffness[dof])
            at_rest = float(model.qpos_ref[first])  # which is zero in a Plant
            made.reference = float(model.qpos_spring[first]) - at_rest
            made.start = (float(model.qpos0[first]) - at_rest,)
            if model.jnt_limited[row]:
                made.lower, made.upper = (model.jnt_range[row] - at_rest).tolist()
        self.joints[row] = self.add(made)

    def geom(self, row: int) -> None:
        """A primitive shape; meshes and height fields are dropped."""
        model = self.model
        kind = ShapeType(int(model.geom_type[row]))
        if kind in (ShapeType.mesh, ShapeType.hfield, ShapeType.sdf):
            self.lost(f"a geom of type {kind.name}")
            return
        touching = bool(model.geom_contype[row] or model.geom_conaffinity[row])
        made = Geom(model.names["geom"][row], kind, tuple(model.geom_size[row].tolist()))
        made.pos, made.quat = model.geom_pos[row].tolist(), model.geom_quat[row].tolist()
        made.rgba, made.friction = model.geom_rgba[row].tolist(), model.geom_friction[row].tolist()
        made.group = COLLISION if touching else VISUAL
        made.contype = made.conaffinity = int(touching)
        made.node = self.document
        self.plant.links[self.rows[int(model.geom_bodyid[row])]].geoms.append(made)

    def actuator(self, row: int) -> None:
        """A motor that acts on a joint with gear 1; others are dropped."""
        model = self.model
        name = model.names["actuator"][row]
        joint = self.joints.get(int(model.actuator_trnid[row, 0]))
        plain = (
            model.actuator_trntype[row] == TransmissionType.joint
            and model.actuator_gaintype[row] == GainType.fixed
            and model.actuator_biastype[row] == BiasType.none
            and model.actuator_gear[row, 0] * model.actuator_gainprm[row, 0] == 1
            and not (model.actuator_history[row, 0] and model.actuator_delay[row])
        )
        if joint is None or not plain:
            self.lost(f"the actuator `{name}`")
            return
        made = Actuator(name, joint, node=self.document)
        bounds = [
            float(getattr(model, f"actuator_{which}range")[row, 1])
            for which in ("ctrl", "force")
            if getattr(model, f"actuator_{which}limited")[row]
        ]
        if bounds:
            made.effort = min(bounds)
        self.plant.actuators.append(made)


def _pose(pos: Any, quat: Any) -> Pose:
    x, y, z = (float(value) for value in pos)
    w, a, b, c = (float(value) for value in quat)
    return Pose((x, y, z), (w, a, b, c))
