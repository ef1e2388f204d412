"""Reading of bodies and robots as in OpenRAVE: in document order, a file before the element that names it.

Poses of links are in the frame of the element being read. A joint keeps the relative pose that its links
have at its end tag. An element's own transform is applied at the element's end tag, to the links added in
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from polybody.base import Node, children_of
from polybody.generated.formats.openrave import (
    Adjacent,
    AttachedSensor,
    Body,
    BodyType,
    Controller,
    DefaultMass,
    Geom,
    Joint,
    JointValues,
    KinBody,
    Manipulator,
    ModelsDir,
    Robot,
    RobotJointValues,
    Transparency,
)
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.lowering.openrave import joints, robots
from polybody.lowering.openrave.geoms import shape_of
from polybody.lowering.openrave.masses import DEFAULT, Rule, default_rule, given_mass, mass_by
from polybody.lowering.openrave.notes import DECIDED, UNREAD, UNUSED, WITHOUT, Notes
from polybody.lowering.openrave.parts import JointPart, Kin, Link, ManipulatorPart, SensorPart
from polybody.lowering.openrave.poses import TRANSFORMS, own_pose
from polybody.suggest import did_you_mean

BODIES = (KinBody, Robot)
NOTHING = ("sendcommand",)


class Around:
    """Settings of an element that apply to the elements in it."""

    def __init__(self, outer: Around | None, node: Any, in_file: bool, notes: Notes) -> None:
        skip = None if outer is None else outer.skip
        self.skip: bool | None = skip if skip is not None else node.skipgeometry
        """Set by the outermost element that has it."""
        self.scale: float = (1.0 if outer is None else outer.scale) * uniform_scale(node, notes)
        self.depth: int = 0 if outer is None else outer.depth + 1
        self.in_file: bool = in_file or (outer is not None and outer.in_file)
        self.mass: Rule = DEFAULT
        self.folders: tuple[str, ...] = ()


def uniform_scale(node: Any, notes: Notes) -> float:
    """The factor of all lengths in an element."""
    given = node.scalegeometry
    factors = (given,) if isinstance(given, float) else tuple(given or (1.0,))
    if len(set(factors)) > 1 or factors[0] <= 0:
        notes.refuse(
            node,
            "`scalegeometry` with unequal or non-positive factors is not defined for all shapes",
        )
        return 1.0
    return float(factors[0])


class Reader:
    """Reads one body or robot of a scene."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.kin = Kin(None)
        self.links: dict[str, Link] = {}
        self.folded: dict[str, Link] = {}
        self.joints: dict[str, JointPart] = {}
        self.manipulators: dict[str, ManipulatorPart] = {}
        self.sensors: dict[str, SensorPart] = {}
        self.outermost_values = False
        self.unbound: list[JointPart] = []
        """Joints whose formulas are not yet bound to the joints that they name."""

    def read(self, node: Any) -> Kin:
        """Read the body or robot of an element of an environment, or of a root."""
        self.kin.node = node
        # # Elements may be nested thousands deep.
        open_elements = [self._element(node, None)]
        while open_elements:
            inner = next(open_elements[-1], None)
            if inner is None:
                open_elements.pop()
            else:
                open_elements.append(inner)
        self._bind()
        robots.settle(self)
        self._about_files()
        return self.kin

    def _element(self, node: Any, outer: Around | None, in_file: bool = False) -> Iterator[Iterator[Any]]:
        """One body or robot; yields nested ones, which must be read before it continues."""
        around = Around(outer, node, in_file, self.notes)
        notes, kin = self.notes, self.kin
        begun, own = self._marks(), self._marks()
        if node.file is not None:
            if isinstance(node.content, BODIES) and (
                type(node.content) is type(node) or isinstance(node, Robot)
            ):
                yield self._element(node.content, around, True)
                self._prefix(node, begun)
                own = self._marks()
                if node.type is not None:
                    notes.differs(
                        node, "`type` beside `file`: OpenRAVE drops the content of the file; here it is kept"
                    )
            else:
                self._without(node)
        for child in children_of(node):
            if type(child) in BODIES:
                yield self._element(child, around)
            elif type(child) is Body:
                yield self._body(child, around, None)
            else:
                LOOKS.get(type(child), _others)(self, child, around)
        if isinstance(node, KinBody) and node.makejoinedlinksadjacent is not None:
            kin.joined_adjacent = repr(node.makejoinedlinksadjacent) == "1"  # # a word is read as 0
        pose = own_pose(children_of(node), around.scale)
        for link in kin.links[begun[0] :]:
            link.pose = pose @ link.pose
        self._prefix(node, own)
        if node.file is not None:
            robots.put_before(kin.manipulators, begun[2], own[2])
            robots.put_before(kin.sensors, begun[3], own[3])
        if node.name is not None:
            kin.name = node.name

    def _without(self, node: Any) -> None:
        """Report a file without usable content."""
        self.kin.partial = True
        kind = FORMAT.foreign.get(node.file.strip().rpartition(".")[2].lower())
        if node.content is not None:
            self.notes.refuse(
                node, f"`{node.file}` contains a <{node.content.TAG}>; a <{node.TAG}> cannot use it"
            )
        elif kind is not None:
            self.notes.refuse(
                node, f"`{node.file}` is {kind}, which is not read: a part would be missing", code=UNREAD
            )
        else:
            self.kin.lost.append((node, node.file))

    def _about_files(self) -> None:
        """Report the missing files, once for each element, and how much refers to what was in them."""
        left_out = self.kin.left_out
        what = "a reference" if left_out == 1 else f"{left_out} references"
        more = f", and so {'is' if left_out == 1 else 'are'} {what} to it" if left_out else ""
        for node, file in self.kin.lost:
            message = (
                f"`{file}` does not exist or is outside the folder of the document: its content is missing "
                f"from the Model{more}"
            )
            self.notes.add(WITHOUT, node, message)

    def _bind(self) -> None:
        """Bind formulas to the joints that they name; those that name a lost joint are left out."""
        joints.bind(self.unbound, self.joints, self.notes, self.kin)

    # --- names ----------------------------------------------------------------------------------------------

    def _marks(self) -> tuple[int, int, int, int, int]:
        kin = self.kin
        return (
            len(kin.links),
            len(kin.joints),
            len(kin.manipulators),
            len(kin.sensors),
            len(self.unbound),
        )

    def _prefix(self, node: Any, begun: tuple[int, int, int, int, int]) -> None:
        """Add an element's prefix to the names of what it added; references to these are updated."""
        if not node.prefix:
            return
        self._bind()
        kin = self.kin
        self._rename(kin.links[begun[0] :], node.prefix, self.links)
        self._rename(kin.joints[begun[1] :], node.prefix, self.joints)
        self.folded = {}
        for link in kin.links:
            self.folded.setdefault(link.name.lower(), link)
        if isinstance(node, Robot):
            self._rename(kin.manipulators[begun[2] :], node.prefix, self.manipulators)
            self._rename(kin.sensors[begun[3] :], node.prefix, self.sensors)

    def _rename(self, rows: Sequence[Any], prefix: str, table: dict[str, Any]) -> None:
        for row in rows:
            name = row.name
            if table.get(name) is row:
                del table[name]
        for row in rows:
            row.name = prefix + row.name
            known = table.setdefault(row.name, row) if getattr(row, "named", True) else row
            if known is not row and (getattr(row, "indexed", True) or getattr(known, "indexed", True)):
                self.notes.refuse(row.node, f"with its prefix, the name `{row.name}` is already used")

    def find(self, node: Any, fold: bool = False) -> Link | None:
        """The link that an element names; None after an error, or if it may be in a missing file. ``fold``:
        ignore case.
        """
        name = node.text[0] if isinstance(node.text, tuple) else node.text
        if not name:
            return None
        found = self.links.get(name) or (self.folded.get(name.lower()) if fold else None)
        if found is None and self.kin.partial:
            self.kin.left_out += 1
        elif found is None:
            hint = did_you_mean(name, self.links)
            self.notes.refuse(node, f"<{node.TAG}>: there is no body `{name}` so far", hint)
        return found

    # --- links ----------------------------------------------------------------------------------------------

    def _body(self, node: Any, around: Around, outer: Link | None) -> Iterator[Iterator[Any]]:
        """One body; a nested one adds its shapes to it."""
        link, opened_again = (outer, False) if outer is not None else self._opened(node)
        notes = self.notes
        scale = around.scale * uniform_scale(node, notes)
        skip = around.skip if around.skip is not None else node.skipgeometry
        if node.file is not None:
            self.kin.partial = True
            notes.refuse(node, "a body's `file` is not read: its links would be missing")
        for child in children_of(node):
            if isinstance(child, Geom):
                link.shapes.append(shape_of(child, scale, not skip, around.folders, notes))
            elif isinstance(child, Body):
                yield self._body(child, around, link)
        if outer is not None:
            self._close_inner(node, link, scale)
        else:
            self._place(node, link, scale, opened_again)
        if node.mass is not None:
            link.mass = given_mass(node.mass, around.mass, link.shapes, scale, notes)
        elif outer is None and link.mass is None:
            link.mass = mass_by(around.mass, link.shapes, scale, node, notes)
            if around.mass == DEFAULT:
                message = "a link without <mass> weighs 1 kg, with an inertia of 0.4 kg m^2, as in OpenRAVE"
                notes.counted(DECIDED, node, message)
        elif opened_again and link.mass is not None:
            default = mass_by(around.mass, link.shapes, scale, node, Notes(self.notes.findings.policy))
            if default.mass != link.mass.mass or not np.array_equal(default.inertia, link.mass.inertia):
                notes.differs(
                    node,
                    f"the body already exists and keeps its mass of {link.mass.mass:g} kg;"
                    f" OpenRAVE gives it {default.mass:g} kg, as to a body without <mass>",
                )

    def _opened(self, node: Any) -> tuple[Link, bool]:
        known = self.links.get(node.name) if node.name is not None else None
        if known is not None:
            if known.node is node:
                message = f"the file is read a second time, and `{node.name}` merged into what it was"
                self.notes.differs(node, message, "give the first copy a `prefix`, too")
            return known, True
        link = Link(node, node.name or f"link{len(self.kin.links)}", node.name is not None)
        self.kin.links.append(link)
        if node.name is not None:
            self.links[link.name] = link
            self.folded.setdefault(link.name.lower(), link)
        return link, False

    def _close_inner(self, node: Any, link: Link, scale: float) -> None:
        """Apply the pose of a nested body to all shapes so far."""
        pose = own_pose(children_of(node), scale)
        for shape in link.shapes:
            shape.pose = pose @ shape.pose
        if node.offsetfrom is not None:
            self.notes.counted(UNUSED, node.offsetfrom, "<offsetfrom> of a body inside another")

    def _place(self, node: Any, link: Link, scale: float, opened_again: bool) -> None:
        moves = node.offsetfrom is not None or any(isinstance(c, TRANSFORMS) for c in children_of(node))
        link.pose = own_pose(children_of(node), scale, link.pose)
        if node.offsetfrom is not None:
            frame = self.find(node.offsetfrom)
            if frame is link:
                self.notes.refuse(node.offsetfrom, f"<offsetfrom>: `{link.name}` is placed on its own")
            elif frame is not None:
                link.pose = frame.pose @ link.pose
        if node.type is not None:
            link.static = node.type is BodyType.STATIC
        link.collides = node.enable is not False
        if opened_again and moves:
            self.notes.differs(
                node,
                f"the body `{link.name}` already exists and is moved from its current pose, as in OpenRAVE",
            )

    # --- the rest -------------------------------------------------------------------------------------------

    def values(self, node: Any, around: Around) -> None:
        """Joint values apply on the outermost element, else on a body directly in it, not in a file."""
        if around.in_file or around.depth > 1:
            self.notes.differs(node, "values of joints have an effect only on the outermost body or robot")
        elif around.depth == 0 or not self.outermost_values:
            self.kin.values, self.outermost_values = node, around.depth == 0

    def adjacent(self, node: Any, around: Around) -> None:
        ends = [self.links.get(name) for name in node.text or ()]
        if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
            self.kin.adjacent.append((ends[0], ends[1]))
        elif self.kin.partial:
            self.kin.left_out += 1
        else:
            self.notes.differs(node, "<adjacent>: without two bodies that exist so far, it has no effect")

    def default_mass(self, node: Any, around: Around) -> None:
        around.mass = default_rule(node, self.notes)

    def folder(self, node: Any, around: Around) -> None:
        around.folders = (node.text.strip(),) if node.text else ()

    def transparency(self, node: Any, around: Around) -> None:
        for link in self.kin.links:
            for shape in link.shapes:
                shape.alpha = 1.0 - (node.text or 0.0)

    def joint(self, node: Any, around: Around) -> None:
        joints.read(self, node, around.scale * uniform_scale(node, self.notes))

    def manipulator(self, node: Any, around: Around) -> None:
        robots.read_manipulator(self, node, around.scale)

    def sensor(self, node: Any, around: Around) -> None:
        robots.read_sensor(self, node, around.scale)


def _others(reader: Reader, node: Any, around: Around) -> None:
    if isinstance(node, TRANSFORMS) or node.TAG in NOTHING:
        return
    if isinstance(node, Controller):
        reader.notes.counted(UNUSED, node, "a controller has no effect on its own")
    elif node.TAG == "offsetfrom":
        reader.notes.differs(node, "<offsetfrom> of a kinbody has no effect: no reader implements it")
    else:
        reader.notes.counted(UNUSED, node, f"<{node.TAG}>, which no built-in reader of OpenRAVE reads here")


LOOKS: Mapping[type[Node], Any] = {
    Adjacent: Reader.adjacent,
    AttachedSensor: Reader.sensor,
    DefaultMass: Reader.default_mass,
    Joint: Reader.joint,
    JointValues: Reader.values,
    Manipulator: Reader.manipulator,
    ModelsDir: Reader.folder,
    RobotJointValues: Reader.values,
    Transparency: Reader.transparency,
}
"""The functions that read children of a body or robot, by class."""
