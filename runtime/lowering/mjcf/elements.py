"""The parts of a model before numbering: elements with their effective values, in lists and a tree.

An element's values are a dict by the names in the document, with defaults filled in. Compiling an element
modifies its own dict; only tuples are shared between elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from polybody.base import Attribute, Node
from polybody.base import Element as ElementRow
from polybody.lowering.mjcf.poses import NOWHERE, NoDirectionError, Pose, composed, oriented, unit
from polybody.rotations.poses import ORIGIN, UPRIGHT, Quaternion, Vector

Values = dict[str, Any]
WORLD = "world"


def defaults_of(row: ElementRow) -> Values:
    """The schema's defaults of an element of a release, by field. What the release no longer has keeps its
    last default: nothing gives it another value, and whoever uses it need not ask whether it is there.
    """
    gone = [each for each in row.absent if isinstance(each, Attribute) and each.name in row.former]
    last = {each.field: each.changes[-1].default if each.changes else each.default for each in gone}
    return last | {each.field: each.default for each in row.attributes}


@dataclass(slots=True)
class Settings:
    """The `compiler` settings of the document that an element comes from."""

    values: Values
    degrees: bool
    sequence: str
    autolimits: bool
    root: Node
    """The document."""


class Element:
    """One element of the document, or a copy created by a macro.

    Attributes:
        kind: "geom", "tendon"... as for the names of the Model's rows.
        node: the document's element.
        values: effective values by name.
        settings: of the document that contains it.
        frame: the innermost `frame` that contains it.
        id: its row among those of its kind, after numbering.
        state: its values in keyframes, by the name of the keyframe and the field.
    """

    __slots__ = ("frame", "id", "kind", "node", "settings", "state", "values")

    def __init__(
        self, kind: str, node: Any, values: Values, settings: Settings, frame: Frame | None = None
    ) -> None:
        self.kind, self.node, self.values, self.settings, self.frame = kind, node, values, settings, frame
        self.id = -1
        self.state: dict[tuple[str, str], tuple[float, ...]] | None = None

    @property
    def name(self) -> str:
        """Its name, or ""."""
        return self.values.get("name") or ""

    def copied(self) -> Element:
        """A copy with the same values."""
        twin = Element(self.kind, self.node, self.values.copy(), self.settings, self.frame)
        twin.state = None if self.state is None else dict(self.state)
        return twin

    def place(self) -> Pose:
        """The pose of its frame in its body."""
        return NOWHERE if self.frame is None else self.frame.pose()


class Frame:
    """A `frame`, or an instance of `replicate`: a pose for its content."""

    __slots__ = ("_pose", "alternative", "name", "node", "parent", "pos", "quat", "scale", "settings")

    def __init__(
        self,
        node: Node,
        settings: Settings,
        parent: Frame | None,
        name: str = "",
        pos: Vector = ORIGIN,
        quat: Quaternion = UPRIGHT,
        alternative: tuple[str, tuple[float, ...]] | None = None,
        scale: Any = (1.0, 1.0, 1.0, 1.0, None),
    ) -> None:
        self.scale = scale
        self.node, self.settings, self.parent, self.name = node, settings, parent, name
        self.pos, self.quat, self.alternative = pos, quat, alternative
        self._pose: Pose | None = None

    def copied(self, parent: Frame | None, name: str) -> Frame:
        """A copy inside another frame."""
        return Frame(
            self.node, self.settings, parent, name, self.pos, self.quat, self.alternative, self.scale
        )

    def place(self) -> Vector:
        """Its position in the body, as far as its orientation and those around it are sound."""
        try:
            place = self.pose()[0]
        except NoDirectionError:
            place = ORIGIN
        frame: Frame | None = self
        while frame is not None:  # positions may still change
            frame._pose, frame = None, frame.parent
        return place

    def moved(self, pos: Vector) -> None:
        """Give it another position."""
        self.pos, self._pose = pos, None

    def orientation(self) -> Quaternion:
        """Its own orientation in what is around it, as far as it is sound."""
        if self.alternative is None:
            return unit(self.quat)
        try:
            return oriented(self.alternative, self.settings.degrees, self.settings.sequence)
        except NoDirectionError:
            return UPRIGHT

    def pose(self) -> Pose:
        """The pose in the body, including enclosing frames.

        Raises:
            NoDirectionError: its orientation is degenerate.
        """
        if self._pose is None:
            chain: list[Frame] = []
            frame: Frame | None = self
            while frame is not None and frame._pose is None:
                chain.append(frame)
                frame = frame.parent
            around = None if frame is None else frame._pose
            for inner in reversed(chain):
                quat = inner.quat
                if inner.alternative is not None:
                    quat = oriented(inner.alternative, inner.settings.degrees, inner.settings.sequence)
                pose = (inner.pos, quat) if around is None else composed(around, (inner.pos, quat))
                around = inner._pose = (pose[0], unit(pose[1]))
        assert self._pose is not None
        return self._pose


def names_of(elements: Iterable[Element]) -> list[str]:
    """The names of elements, "" for unnamed ones."""
    return [element.values.get("name") or "" for element in elements]


TREE_KINDS = ("joint", "geom", "site", "camera", "light")
"""Elements in bodies, in the order of the lists of a Body."""


class Body(Element):
    """A body: its parts by kind, each kind in the document's order, and its child bodies."""

    __slots__ = (
        *("bodies", "bounded", "camera", "geom", "inertia", "ipos", "iquat", "joint", "light", "mass"),
        *("parent", "pos", "quat", "site"),
    )

    def __init__(
        self,
        node: Any,
        values: Values,
        settings: Settings,
        frame: Frame | None = None,
        parent: Body | None = None,
    ) -> None:
        super().__init__("body", node, values, settings, frame)
        self.parent = parent
        self.bodies: list[Body] = []
        self.joint: list[Element] = []
        self.geom: list[Element] = []
        self.site: list[Element] = []
        self.camera: list[Element] = []
        self.light: list[Element] = []
        self.pos: Vector = ORIGIN
        self.quat: Quaternion = UPRIGHT
        self.ipos: Vector = ORIGIN
        self.iquat: Quaternion = UPRIGHT
        self.mass = 0.0
        self.inertia: Vector = ORIGIN
        self.bounded = False
        """Whether the compiler's bounds have changed its mass or inertia."""

    @property
    def parts(self) -> Iterator[list[Element]]:
        """The lists of parts, in the order of TREE_KINDS."""
        yield self.joint
        yield self.geom
        yield self.site
        yield self.camera
        yield self.light

    def walk(self) -> Iterator[Body]:
        """The body and all its descendants, parents first, in the order of numbering."""
        stack = [self]
        while stack:
            body = stack.pop()
            yield body
            stack.extend(reversed(body.bodies))


LISTS = (
    *("mesh", "skin", "hfield", "texture", "material", "numeric", "text", "flex", "pair", "exclude"),
    *("tendon", "equality", "actuator", "sensor", "tuple", "key", "plugin"),
)
"""Kinds of elements outside the tree."""
ASSETS = ("mesh", "skin", "hfield", "texture", "material")


@dataclass(slots=True)
class Spec:
    """The content of one document with its macros expanded, before numbering."""

    name: str
    settings: Settings
    world: Body
    lists: dict[str, list[Element]] = field(default_factory=lambda: {kind: [] for kind in LISTS})
    models: dict[str, Spec] = field(default_factory=dict)
    """Documents whose bodies `attach` can use, by name."""
    plugins: dict[str, Any] = field(default_factory=dict)
    """The declarations of plugins in the document, by name."""
    pending: list[Any] = field(default_factory=list)
    """Keyframes created by macros."""
    frames: dict[str, tuple[Frame, Body]] = field(default_factory=dict)
    """The frames of the document and their bodies, by name."""
    defaults: Any = None
    """The defaults classes."""
    names: Any = None
    """All objects by name, maintained from the first macro on."""
