"""From an x_xy document to a Model: the content body by body, then its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.assembly.parts import Assembly
from polybody.diagnostics import Findings, Policy, ValidationError
from polybody.document.resolver import resolve
from polybody.errors import ModelError, OptionError
from polybody.generated.formats.x_xy import Body, Geom, GeomType, Joint, Options, XXy
from polybody.generated.model import Integrator
from polybody.lowering.result import Lowered
from polybody.lowering.unsimulated import report_unsimulated
from polybody.lowering.x_xy.geom_colours import rgba
from polybody.lowering.x_xy.joints import BLOCKS, DRAWN, Native, checked_axes
from polybody.lowering.x_xy.parts import BodyRow, GeomRow, Placed, add_geoms, made_bodies, set_masses
from polybody.reading import valid

Reals = NDArray[np.float64]

REGULARIZATION = 1e-6
"""imt-ring's regularization: added to the diagonal of the mass matrix whenever accelerations are solved for.
"""

WORLD = "world"
_OF_BODY = ("name", "pos", "euler", "joint", "armature", "damping", "spring_stiff", "spring_zero")
_OF_GEOM = ("type", "mass", "dim", "pos", "euler", "color")
_NO_AXES = np.zeros((0, 3))


def lower(
    document: XXy,
    *,
    seed: int = 0,
    axes: Mapping[str, ArrayLike] | None = None,
    randomize: bool = False,
    regularization: float = REGULARIZATION,
    policy: Policy = "warn",
    checked: bool = False,
) -> Lowered[Native]:
    """The Model of an x_xy document.

    Args:
        document: as read, or made in Python.
        seed: of all random values: axes of rr, rr_imp and rsaddle, and positions. The axes are the same with
            and without ``randomize``, and whether others are given or not.
        axes: directions to use instead of random ones, by the body's name: (3,) for rr, (2, 3) for the
            others.
        randomize: whether the position of each body with bounds is drawn uniformly between pos_min and
            pos_max.
        regularization: added to the diagonal of the mass matrix whenever accelerations are solved for.
        policy: what counts as an error in the document, as in ``read``.
        checked: whether it was just read under the same policy, so that validation can be skipped.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
        ValueError: ``axes`` names a body without random axes, or has axes that its joint cannot have.
    """
    if not checked:
        document = cast(XXy, valid(document, policy))
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
        # A separate random stream for each, so that drawing positions does not change the axes.
        if seed < 0:
            raise OptionError(f"the seed is {seed}; it must not be negative")
        streams = np.random.SeedSequence(seed).spawn(2)
        self.axis_rng, self.pos_rng = (np.random.default_rng(stream) for stream in streams)
        self.bodies: list[BodyRow] = []
        self.geoms: list[GeomRow] = []

    def run(self) -> Lowered[Native]:
        report_unsimulated(self.document, self.findings)
        world = self.document.worldbody
        assert world is not None  # the document is valid
        self.add_geoms(world.geom, 0)
        todo = [(body, 0) for body in reversed(world.body)]
        while todo:
            body, parent = todo.pop()
            row = self.add_body(body, parent)
            todo += [(child, row) for child in reversed(body.body)]
        if self.given:
            raise OptionError(f"axes are given for {sorted(self.given)}, which have no random axes")
        model = self.assembly().build(self.findings)
        return Lowered(model, Native(model), tuple(self.findings.sorted()), MappingProxyType(self.axes))

    def assembly(self) -> Assembly:
        options = self.document.options or Options()
        columns = {
            "opt_timestep": self.resolved.get(options, "dt"),
            # The document gives the acceleration of the base, the Model that of a falling body.
            "opt_gravity": 0.0 - np.array(self.resolved.get(options, "gravity")),
            "opt_integrator": int(Integrator.Euler),
            "opt_regularization": self.regularization,
        }
        assembly = Assembly(self.document.model or "", columns, root=self.document)
        bodies = made_bodies(self.bodies, assembly.world)
        assembly.bodies = bodies[1:]
        heavy = add_geoms(self.geoms, bodies)
        try:
            set_masses(heavy, bodies)
        except ModelError as error:
            for problem in error.problems:
                node = bodies[problem.row].node or self.document
                self.findings.add("PB063", node.span, problem.in_document(), source=node.source)
            raise ValidationError(self.findings.sorted()) from error
        return assembly

    # --- bodies ------------------------------------------------------------------------------------------

    def add_body(self, node: Body, parent: int) -> int:
        """Record a body and its geoms; returns its index."""
        name, pos, euler, joint, armature, damping, stiffness, spring = self.resolved.values(node, _OF_BODY)
        if name == WORLD:
            text = f"a Model's body 0 is called `{WORLD}`; no other can be"
            self.findings.add("PB063", node.span, text, source=node.source)
            raise ValidationError(self.findings.sorted())
        if self.randomize and self.resolved.given(node, "pos_min") is not None:
            low, high = self.resolved.values(node, ("pos_min", "pos_max"))
            pos = self.pos_rng.uniform(low, high)
        place = Placed(pos, self.resolved.given(node, "quat"), euler)
        axes = self.draw_axes(joint, name)
        row = BodyRow(node, name, parent, place, joint, armature, damping, stiffness, spring, axes)
        self.bodies.append(row)
        if joint is Joint.COR:
            self.check_accelerations(node, armature)
        self.add_geoms(node.geom, len(self.bodies))
        return len(self.bodies)

    def add_geoms(self, nodes: Sequence[Geom], body: int) -> None:
        """Record geoms of a body that are shapes; an xyz only draws its body's axes."""
        for node in nodes:
            kind, mass, dim, pos, euler, color = self.resolved.values(node, _OF_GEOM)
            if kind is not GeomType.XYZ:
                place = Placed(pos, self.resolved.given(node, "quat"), euler)
                self.geoms.append(GeomRow(node, body, kind, mass, dim, place, rgba(color)))

    def draw_axes(self, joint: Joint, name: str) -> Reals:
        if joint not in DRAWN:
            return _NO_AXES
        axes = DRAWN[joint](self.axis_rng)  # also if others are given, so that the rest is unchanged
        if name in self.given:
            axes = checked_axes(self.given.pop(name), joint, name)
        self.axes[name] = axes
        return axes

    def check_accelerations(self, node: Body, armature: Sequence[float]) -> None:
        """The centre of rotation can shift against the free motion without moving any mass."""
        values = np.empty(len(armature))
        values[BLOCKS[Joint.COR].qd] = armature
        stiffened = (values[:3] > 0).all() or (values[6:] > 0).all()
        if self.regularization == 0 and not stiffened:
            self.findings.add(
                "PB062",
                node.span,
                "the mass matrix of joint `cor` has rank 6 for 9 velocities: accelerations are undetermined",
                hint="give it armature along its three last translations, or keep the regularization",
                source=node.source,
            )
