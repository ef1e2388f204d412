"""From an x_xy document to a Model, body by body."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody import rotations
from polybody.base import Node
from polybody.diagnostics import Diagnostic, Findings, Policy, ValidationError
from polybody.document.resolver import resolve
from polybody.errors import ModelError, OptionError
from polybody.generated.formats.x_xy import Body, Geom, GeomType, Joint, Options, XXy
from polybody.generated.model import JointType
from polybody.lowering.mass_properties import Part, compose
from polybody.lowering.unsimulated import report_unsimulated
from polybody.lowering.x_xy.geom_colours import Rgba, rgba
from polybody.lowering.x_xy.joints import DRAWN, FREE, PIECES, Native, checked_axes, cut, native_order
from polybody.model.builder import ModelBuilder
from polybody.model.model import Model
from polybody.validation.validate import validate

Reals = NDArray[np.float64]

REGULARIZATION = 1e-6
"""What imt-ring adds to the mass matrix's diagonal wherever it solves for accelerations."""

WORLD = "world"
_ALONG_X = rotations.about((0.0, 1.0, 0.0), np.pi / 2)
_PER_VELOCITY = (("armature", "armature"), ("damping", "damping"), ("stiffness", "spring_stiff"))


class Lowered(NamedTuple):
    """What an x_xy document becomes."""

    model: Model
    native: Native
    """The way back to the document's coordinates."""
    axes: Mapping[str, Reals]
    """The axes (n, 3), drawn or given, of each rr, rr_imp and rsaddle, by the body's name."""
    findings: tuple[Diagnostic, ...]
    """What the Model does not have, and what it will not do as one might think; no errors."""


def lower(
    document: XXy,
    *,
    seed: int = 0,
    axes: Mapping[str, ArrayLike] | None = None,
    randomize: bool = False,
    regularization: float = REGULARIZATION,
    policy: Policy = "strict",
) -> Lowered:
    """The Model that an x_xy document means.

    Args:
        document: as read, or made in Python.
        seed: of whatever is drawn: axes of rr, rr_imp and rsaddle, and positions. The axes are the same with
            and without ``randomize``, and whether others are given or not.
        axes: directions to use instead of drawn ones, by the body's name: (3,) for rr, (2, 3) for the others.
        randomize: draw the position of each body that has bounds, uniformly between pos_min and pos_max.
        regularization: added to the mass matrix's diagonal wherever accelerations are solved for.
        policy: what counts as an error in the document, as in ``read``.

    Raises:
        ValidationError: the document has errors, or makes no Model that can be.
        ValueError: ``axes`` names a body that draws none, or holds none that its joint can have.
    """
    checked = validate(document, policy)
    if any(finding.severity == "error" for finding in checked):
        raise ValidationError(checked)
    return _Lowering(document, seed, axes or {}, randomize, regularization, policy).run()


class _Lowering:
    def __init__(
        self,
        document: XXy,
        seed: int,
        axes: Mapping[str, ArrayLike],
        randomize: bool,
        regularization: float,
        policy: Policy,
    ) -> None:
        self.document = document
        self.resolved = resolve(document)
        self.findings = Findings(policy)
        self.given = dict(axes)
        self.axes: dict[str, Reals] = {}
        self.randomize = randomize
        self.regularization = regularization
        # A stream of its own for each, so that drawing positions leaves the axes as they were.
        if seed < 0:
            raise OptionError(f"the seed {seed} is less than 0")
        streams = np.random.SeedSequence(seed).spawn(2)
        self.axis_rng, self.pos_rng = (np.random.default_rng(stream) for stream in streams)
        options = document.options or Options()
        self.builder = ModelBuilder(
            document.model or "",
            timestep=self.value(options, "dt"),
            gravity=0.0 - np.array(self.value(options, "gravity")),  # of the base, not of what falls
            regularization=regularization,
        )

    def run(self) -> Lowered:
        report_unsimulated(self.document, self.findings)
        world = self.document.worldbody
        assert world is not None  # the document is valid
        self.add_geoms(self.solids(world.geom), 0)
        todo = [(body, 0) for body in reversed(world.body)]
        while todo:
            body, parent = todo.pop()
            try:
                row = self.add_body(body, parent)
            except ModelError as error:
                self.refuse(body, error)
            todo += [(child, row) for child in reversed(body.body)]
        if self.given:
            raise OptionError(f"axes are given for {sorted(self.given)}, which draw none")
        try:
            model = self.builder.build()
        except ModelError as error:
            self.refuse(self.document, error)
        return Lowered(model, Native(model), MappingProxyType(self.axes), tuple(self.findings.sorted()))

    def refuse(self, node: Node, error: ModelError) -> NoReturn:
        for problem in error.problems:
            self.findings.add("PB063", node.span, problem, source=node.source)
        raise ValidationError(self.findings.sorted()) from error

    def value(self, node: Node, name: str) -> Any:
        """The effective value of an attribute: written, from defaults, or the schema's."""
        return self.resolved.value(node, name).value

    def is_given(self, node: Node, name: str) -> bool:
        """Whether an attribute is written, or filled from defaults."""
        return self.resolved.value(node, name).origin != "schema"

    # --- bodies ------------------------------------------------------------------------------------------

    def add_body(self, node: Body, parent: int) -> int:
        name = self.value(node, "name")
        if name == WORLD:
            raise ModelError([f"a Model's body 0 is called `{WORLD}`; no other can be"])
        pos, quat = self.position(node), self.orientation(node)
        solids = self.solids(node.geom)
        mass, centre, inertia = compose(part for part, _ in solids)
        if not math.isfinite(mass * math.hypot(*centre) * math.hypot(*centre)):
            raise ModelError([f"body {name!r}: its geoms' masses and places are beyond numbers"])
        row = self.builder.body(
            parent, name=name, pos=pos, quat=quat, mass=mass, ipos=centre, inertia=inertia
        )
        self.add_geoms(solids, row)
        offset = bool(pos.any() or quat[1:].any())
        self.add_joint(node, row, name, offset)
        return row

    def position(self, node: Body) -> Reals:
        if self.is_given(node, "pos_min") and self.randomize:
            low, high = self.value(node, "pos_min"), self.value(node, "pos_max")
            return np.array(self.pos_rng.uniform(low, high))
        return np.array(self.value(node, "pos"))

    def orientation(self, node: Body | Geom) -> Reals:
        """Of a body or geom in the frame around it, as an active unit quaternion."""
        if self.is_given(node, "quat"):
            return rotations.conjugate(rotations.unit(self.value(node, "quat")))
        x, y, z = np.deg2rad(self.value(node, "euler"))
        return rotations.euler((z, y, x), "zyx")

    # --- geoms -------------------------------------------------------------------------------------------

    def solids(self, geoms: Sequence[Geom]) -> list[tuple[Part, Rgba]]:
        """Those that are shapes, with their colours; an xyz only draws its body's axes."""
        return [
            (self.part(geom), rgba(self.value(geom, "color")))
            for geom in geoms
            if self.value(geom, "type") is not GeomType.XYZ
        ]

    def part(self, node: Geom) -> Part:
        """A geom in the Model's terms: half lengths, axes of revolution along z."""
        kind, dim = self.value(node, "type"), np.array(self.value(node, "dim"))
        pos, quat = np.array(self.value(node, "pos")), self.orientation(node)
        if kind in (GeomType.CYLINDER, GeomType.CAPSULE):
            quat, size = rotations.product(quat, _ALONG_X), dim * (1.0, 0.5)
        else:
            size = dim / 2 if kind is GeomType.BOX else dim
        return Part(kind.value, size.tolist(), self.value(node, "mass"), pos, quat)

    def add_geoms(self, solids: Sequence[tuple[Part, Rgba]], row: int) -> None:
        for (shape, size, mass, pos, quat), colour in solids:
            self.builder.geom(row, shape, size=size, pos=pos, quat=quat, mass=mass, rgba=colour)

    # --- joints ------------------------------------------------------------------------------------------

    def add_joint(self, node: Body, row: int, name: str, offset: bool) -> None:
        joint = self.value(node, "joint")
        pieces, order = PIECES[joint], native_order(joint)
        per_velocity = {
            word: cut(self.value(node, attribute), [p.nv for p in pieces], order)
            for word, attribute in _PER_VELOCITY
        }
        zeros = cut(self.value(node, "spring_zero"), [p.nq for p in pieces], order)
        drawn = iter(self.draw_axes(joint, name))
        arguments: list[dict[str, Any]] = []
        for k, piece in enumerate(pieces):
            argument: dict[str, Any] = {word: values[k] for word, values in per_velocity.items()}
            argument["type"] = piece.type
            if piece.type is JointType.ball:
                argument["spring"] = rotations.conjugate(zeros[k])
            else:
                argument |= {"spring": zeros[k], "axis": next(drawn) if piece.axis is None else piece.axis}
            arguments.append(argument)
        if pieces[: len(FREE)] == FREE and not offset and _alike(arguments[: len(FREE)]):
            arguments[: len(FREE)] = [_joined(arguments[: len(FREE)])]
        for k, argument in enumerate(arguments):
            kind = joint.value if len(arguments) == 1 else f"{joint.value}.{k}"
            self.builder.joint(row, argument.pop("type"), name=f"{name}:{kind}", **argument)
        if joint is Joint.COR:
            self.check_accelerations(node, per_velocity["armature"])

    def draw_axes(self, joint: Joint, name: str) -> Reals:
        if joint not in DRAWN:
            return np.zeros((0, 3))
        axes = DRAWN[joint](self.axis_rng)  # also where others are given, which leaves the rest as they were
        if name in self.given:
            axes = checked_axes(self.given.pop(name), joint, name)
        self.axes[name] = axes
        return axes

    def check_accelerations(self, node: Body, armature: Sequence[Reals]) -> None:
        """A centre of rotation can shift against the free motion without moving any mass."""
        stiffened = any(np.all(np.concatenate(three) > 0) for three in (armature[:3], armature[4:]))
        if self.regularization == 0 and not stiffened:
            self.findings.add(
                "PB062",
                node.span,
                "the mass matrix of joint `cor` has rank 6 for 9 velocities: accelerations are undetermined",
                hint="give it armature along its three last translations, or keep the regularization",
                source=node.source,
            )


def _alike(arguments: Sequence[Mapping[str, Any]]) -> bool:
    """Whether armature, damping and stiffness are each one number for all axes, as a free joint has them."""
    return all(len({float(x) for a in arguments for x in a[word]}) == 1 for word, _ in _PER_VELOCITY)


def _joined(arguments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Three slides and a ball as the free joint that moves like them."""
    words = arguments[0].keys() - {"type", "axis"}
    return {"type": JointType.free} | {word: np.concatenate([a[word] for a in arguments]) for word in words}
