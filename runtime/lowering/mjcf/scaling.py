"""`scale` of frames, since 3.16: what is inside, and what refers to it, in other units of length and mass.

Under the policy `similar`, all quantities are those of another unit of length and of mass; under `geometry`,
only lengths, masses and inertias are. Forces therefore have units of their own. An element outside that
refers to several scales takes their geometric mean or, for tendons, that of the innermost frame around all
of it, as in MuJoCo 4.0. Different scales along the axes of a frame: see stretching.py.

The values of all elements are changed before anything is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile
from typing import Any

import numpy as np
from polybody.generated.formats.mjcf import GainType, JointType, MeshInertia
from polybody.lowering.mjcf.elements import TREE_KINDS, Body, Element, Frame, Spec, Values
from polybody.lowering.mjcf.keyframes import shares
from polybody.lowering.mjcf.poses import NoDirectionError
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import SAME_LISTS, Reference
from polybody.lowering.mjcf.scaled_gains import activation_factors, control_factors, scale_gains
from polybody.lowering.mjcf.scales import (
    SAME,
    Coordinate,
    Matrix,
    Scale,
    angular,
    linear,
    mean,
    move,
    multiply,
    series,
    width,
)
from polybody.lowering.mjcf.stretching import (
    along_axis,
    orientation,
    stretch_geom,
    stretch_inertia,
    stretch_joint,
    stretch_site,
    turn,
)
from polybody.rotations.poses import Vector

Change = Callable[[tuple[float, ...]], tuple[float, ...]]
"""Of the values of an element in a keyframe."""
LENGTHS: dict[str, tuple[str, ...]] = {
    "joint": (),
    "geom": ("margin", "gap"),
    "site": (),
    "camera": ("ipd", "focal", "principal", "sensorsize"),
    "light": ("bulbradius", "range"),
    "pair": ("margin", "gap"),
}
"""Attributes that are lengths without a direction, by the kind of the element."""
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2}
"""Number of sizes of a shape, if not three."""
ALONG = ("range", "ref", "springref", "springyield", "margin")
"""Attributes of joints and tendons that are their coordinates, `springlength` excepted."""
POLYNOMIAL = (0.0, 1.0, 0.0, 0.0, 0.0)
"""The default of equalities of joints and tendons."""
WIDTHS = ("solimplimit", "solimpfriction")
COORDINATES = ("joint", "tendon", "actuator", "jointlimit", "tendonlimit")
STRAIGHT = (
    *("accelerometer", "velocimeter", "framepos", "framelinvel", "framelinacc", "subtreecom"),
    *("subtreelinvel", "distance", "fromto", "rangefinder"),
)
"""Sensors of lengths, velocities and accelerations."""
SENSED: dict[str, Callable[[Scale, Coordinate], float]] = {
    **dict.fromkeys(STRAIGHT, lambda scale, along: scale.length),
    **dict.fromkeys(("touch", "force"), lambda scale, along: scale.force),
    **dict.fromkeys(("torque", "subtreeangmom"), lambda scale, along: scale.torque),
    **dict.fromkeys(
        [f"{of}{what}" for of in COORDINATES for what in ("pos", "vel")], lambda scale, along: along.size
    ),
    **dict.fromkeys(
        ("actuatorfrc", "jointactuatorfrc", "tendonactuatorfrc", "jointlimitfrc", "tendonlimitfrc"),
        lambda scale, along: along.force,
    ),
}
"""The factors of what sensors measure, from the scale of what they are about; of others, 1."""
MEAN = ("distance", "fromto")
"""Sensors of two geoms, to which the geometric mean applies."""


def scale_frames(spec: Spec, problems: Problems) -> None:
    """Change the values of all elements in scaled frames, and of those that refer to them."""
    frames = {id(frame): frame for body in spec.world.walk() for frame in _frames(body)}
    if all(frame.scale == SAME for frame in frames.values()):
        return
    _Scaling(spec, problems).all()


def _frames(body: Body) -> Iterable[Frame]:
    """The frames around a body and its parts, with those around them."""
    for part in (body, *(part for parts in body.parts for part in parts)):
        frame = part.frame
        while frame is not None:
            yield frame
            frame = frame.parent


class _Scaling:
    """The change of one document."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self.scales: dict[int, Scale] = {}
        """The scales of elements, by id: of bodies, that of their content."""
        self.frames: dict[int, Scale] = {}
        """The scales inside frames, by id, in their coordinates."""
        self.places: dict[int, Scale] = {}
        """The scales around bodies, by id."""
        self.written: dict[int, Vector] = {}
        """The origins of the frames of bodies of the world, as written, by the id of the body."""
        self.owners: dict[int, Body] = {}
        """The bodies of parts, by the id of the part."""
        self.names: dict[tuple[str, str], Element] = {}
        self.instances: dict[tuple[str, str, tuple[float, ...]], str] = {}
        """The names of meshes and height fields at a scale."""
        self.assets: dict[tuple[str, str], Values] = {}
        """The values of meshes and height fields, as written."""

    def all(self) -> None:
        """Change everything."""
        order = list(self.spec.world.walk())
        for body in self.spec.world.bodies:
            if body.frame is not None:
                self.written[id(body)] = body.frame.place()
        for body in order:
            self._find(body)
        for body in order:
            self._body(body)
        for kind in ("tendon", "equality", "pair", "actuator", "sensor"):
            for element in self.spec.lists[kind]:
                getattr(self, f"_{kind}")(element)
                if element.name:
                    self.names[kind, element.name] = element
        for kind in ("flex", "skin"):
            for element in self.spec.lists[kind]:
                if any(self._at(each) != SAME for each in element.values.get("references", ())):
                    self.problems.add(element.node, f"a {kind} in a scaled frame cannot be compiled yet")
        self._keyframes()

    # --- the tree ---------------------------------------------------------------------------------

    def _find(self, body: Body) -> None:
        """Find the scales of a body and its parts, and where its frames are."""
        outer = SAME if body.parent is None else self.scales[id(body.parent)]
        around = self.places[id(body)] = self._inside(body.frame, outer)
        inner = self.scales[id(body)] = around.turned(turn(orientation(body)))
        for parts in body.parts:
            for part in parts:
                self.owners[id(part)] = body
                self.scales[id(part)] = self._inside(part.frame, inner)
        for element in (body, *(part for parts in body.parts for part in parts)):
            if element.name:
                self.names[element.kind, element.name] = element

    def _inside(self, frame: Frame | None, outer: Scale) -> Scale:
        """The scale inside a frame of a body; the place of the frame is scaled when it is first met."""
        chain = []
        while frame is not None and id(frame) not in self.frames:
            chain.append(frame)
            frame = frame.parent
        scale = outer if frame is None else self.frames[id(frame)]
        for inner in reversed(chain):
            inner.moved(scale.moved(inner.pos))
            scale = scale.turned(turn(inner.orientation())).times(inner.scale)
            self.frames[id(inner)] = scale
        return scale

    def _body(self, body: Body) -> None:
        scale = self.scales[id(body)]
        move(body.values, "pos", self.places[id(body)])
        given = body.values.get("inertial")
        if given is not None:
            given = body.values["inertial"] = dict(given)
            multiply(given, "mass", scale.mass)
            if scale.stretch is not None:
                stretch_inertia(given, body, scale)
            else:
                move(given, "pos", scale)
                for name in ("diaginertia", "fullinertia"):
                    multiply(given, name, scale.mass * scale.length * scale.length)
        if scale != SAME and body.values.get("plugin") is not None:
            self.problems.add(body.node, "a body with a plugin cannot be scaled")
        for kind in TREE_KINDS:
            for part in getattr(body, kind):
                self._part(part, self.scales[id(part)])

    def _part(self, part: Element, scale: Scale) -> None:
        values = part.values
        shape = part.kind in ("geom", "site")
        own = scale if scale.stretch is None or not shape else scale.turned(turn(orientation(part)))
        if shape:
            self._instance(part, own)
        if scale == SAME:
            return
        for name in LENGTHS[part.kind]:
            if part.kind == "light" and values.get(name) is not None:
                values[name] = float(np.float32(values[name]))  # rounded before too
            multiply(values, name, scale.length)
        if scale.stretch is not None:
            self._stretch(part, own)
        elif shape:
            count = SIZES.get(values["type"].value, 3)
            sizes = values["size"]
            values["size"] = (*(size * scale.length for size in sizes[:count]), *sizes[count:])
        for name in ("pos", "fromto"):
            move(values, name, scale)
        if part.kind == "joint":
            self._along(values, self._joint(part))
        elif part.kind == "geom":
            self._geom(part, scale)
        elif part.kind == "light":
            one, first, second = values["attenuation"]
            values["attenuation"] = (one, first / scale.length, second / scale.length**2)

    def _stretch(self, part: Element, scale: Scale) -> None:
        """Change what depends on the axes of a part, given the scale in them; of a joint, in its frame."""
        if part.kind == "geom":
            stretch_geom(part, scale, self.problems)
        elif part.kind == "site":
            stretch_site(part, scale)
        elif part.kind == "joint":
            stretch_joint(part, scale, self.problems)

    def _geom(self, geom: Element, scale: Scale) -> None:
        values = geom.values
        slide, *roll = values["friction"]
        values["friction"] = (slide, *(number * scale.length for number in roll))
        width(values, "solimp", scale.length)
        multiply(values, "mass", scale.mass)
        power = 2 if self._is_shell(values) else 3
        multiply(values, "density", scale.mass / scale.length**power)
        moving = values["surfacevel"]
        if scale.stretch is None:
            values["surfacevel"] = (*scale.moved(moving[:3]), *moving[3:])
        multiply(values, "adhesion", scale.force)
        if values.get("plugin") is not None:
            self.problems.add(geom.node, "a geom with a plugin cannot be scaled")

    def _is_shell(self, values: Values) -> bool:
        """Whether a geom's density is per area."""
        if values["type"].value in ("mesh", "sdf"):
            meshes = [mesh for mesh in self.spec.lists["mesh"] if mesh.name == values["mesh"]]
            return bool(meshes) and meshes[0].values["inertia"] is MeshInertia.SHELL
        return bool(values["shellinertia"])

    def _instance(self, part: Element, scale: Scale) -> None:
        """Let a geom refer to its mesh or height field at its scale: the first scale takes the name."""
        for kind in ("mesh", "hfield"):
            named: str = part.values.get(kind) or ""
            found = [asset for asset in self.spec.lists[kind] if asset.name == named] if named else []
            if not found:
                continue
            key = (kind, named, tuple(scale.map.ravel().tolist()))
            if key not in self.instances:
                count = sum(1 for each in self.instances if each[:2] == key[:2])
                self.instances[key] = f"{named}@{count}" if count else named
                written = self.assets.setdefault(key[:2], found[0].values.copy())
                if count:
                    found[0] = found[0].copied()
                    self.spec.lists[kind].append(found[0])
                values = found[0].values = written | {"name": self.instances[key]}
                if kind == "hfield":
                    x, y, z = np.linalg.norm(scale.map, axis=0).tolist()
                    sizes = zip(written["size"], (x, y, z, z), strict=True)
                    values["size"] = tuple([size * factor for size, factor in sizes])
                elif np.array_equal(scale.map, np.diag(scale.map.diagonal())):
                    factors = scale.map.diagonal().tolist()
                    values["scale"] = tuple([a * b for a, b in zip(written["scale"], factors, strict=True)])
                else:
                    values["stretch"] = scale.stretch
                if scale != SAME and values.get("plugin") is not None:
                    self.problems.add(part.node, "a mesh with a plugin cannot be scaled", "mesh")
            part.values[kind] = self.instances[key]

    # --- coordinates ------------------------------------------------------------------------------

    def _joint(self, joint: Element) -> Coordinate:
        scale, kind = self.scales.get(id(joint), SAME), joint.values["type"]
        if kind is JointType.FREE:  # as in MuJoCo: its coordinates are of both kinds
            return Coordinate(1.0, 1.0, 1.0)
        if kind is not JointType.SLIDE:
            return angular(scale)
        found = linear(scale)
        return found if scale.stretch is None else found._replace(size=along_axis(joint, scale))

    def _along(self, values: Values, along: Coordinate) -> None:
        """Change what joints and tendons have in common."""
        for name in ALONG:
            multiply(values, name, along.size)
        for name in WIDTHS:
            width(values, name, along.size)
        for name in ("actuatorfrcrange", "frictionloss"):
            multiply(values, name, along.force)
        for name in ("stiffness", "damping"):
            series(values, name, along)
        multiply(values, "armature", along.force / along.unit)

    def _element(self, reference: Reference) -> Element | None:
        return self.names.get((SAME_LISTS.get(reference.kind, reference.kind), reference.name))

    def _at(self, reference: Reference) -> Scale:
        """The scale of what a reference is about; that of something that is not known is 1."""
        found = self._element(reference)
        return SAME if found is None else self.scales.get(id(found), SAME)

    def _around(self, elements: list[Element | None]) -> Scale:
        """The scale inside the innermost frame that contains all elements."""
        common: list[Frame] | None = None
        for element in elements:
            chain = [] if element is None else self._chain(element)
            if common is not None:
                same = takewhile(lambda pair: pair[0] is pair[1], zip(common, chain, strict=False))
                chain = [frame for frame, _ in same]
            common = chain
        return self.frames[id(common[-1])] if common else SAME

    def _chain(self, element: Element) -> list[Frame]:
        """The frames around an element, from the outermost one, those around its body and above included."""
        found: list[Frame] = []
        owner = self.owners.get(id(element))
        frame = element.frame
        while frame is not None or owner is not None:
            while frame is not None:
                found.append(frame)
                frame = frame.parent
            if owner is not None:
                frame, owner = owner.frame, owner.parent
        return found[::-1]

    # --- lists ------------------------------------------------------------------------------------

    def _tendon(self, tendon: Element) -> None:
        """A tendon has the scale of the innermost frame around all that it goes along."""
        values = tendon.values
        path = [wrap for wrap in values["path"] if wrap.tag != "pulley"]
        scale = self._around([self._element(Reference(wrap.tag, wrap.name)) for wrap in path])
        joints = [self._element(Reference(wrap.tag, wrap.name)) for wrap in path if wrap.tag == "joint"]
        straight = not joints or any(
            joint is not None and joint.values["type"] is JointType.SLIDE for joint in joints
        )
        along = linear(scale) if straight else angular(scale)
        self.scales[id(tendon)] = scale
        values["along"] = along
        self._along(values, along)
        multiply(values, "width", scale.length)
        values["springlength"] = tuple(
            [length if length < 0 else length * along.size for length in values["springlength"]]
        )
        for place, wrap in enumerate(values["path"]):
            joint = self._element(Reference(wrap.tag, wrap.name)) if wrap.tag == "joint" else None
            if joint is not None:
                factor = along.size / self._joint(joint).size
                values["path"] = [*values["path"]]
                values["path"][place] = wrap._replace(number=wrap.number * factor)

    def _coordinate(self, element: Element | None) -> Coordinate:
        """That of a joint or a tendon."""
        if element is None:
            return angular(SAME)
        found: Coordinate = element.values["along"] if element.kind == "tendon" else self._joint(element)
        return found

    def _equality(self, equality: Element) -> None:
        values = equality.values
        references: list[Reference] = [each for each in values["references"] if each.name]
        if values["type"] in ("joint", "tendon"):
            along = [self._coordinate(self._element(each)) for each in references]
            one, other = [*along, angular(SAME), angular(SAME)][:2]
            written = values.get("polycoef") or ()
            given = (*written, *POLYNOMIAL[len(written) :])
            values["polycoef"] = tuple([k * one.size / other.size**n for n, k in enumerate(given)])
            width(values, "solimp", one.size)
        elif values["type"] in ("connect", "weld"):
            first, second = [*map(self._at, references), SAME, SAME][:2]
            middle = mean((first, second)).length
            bodies = values["objtype"] == "body"
            weld = values["type"] == "weld"
            width(values, "solimp", first.length if bodies and not weld else middle)
            if bodies:
                move(values, "anchor", second if weld else first)
            if weld:
                values["torquescale"] = middle * _or(values.get("torquescale"), 1.0)
                pose = values.get("relpose")
                if pose is not None and any(pose[3:]):
                    values["relpose"] = (*first.moved(pose[:3]), *pose[3:])

    def _pair(self, pair: Element) -> None:
        values, scale = pair.values, mean(map(self._at, pair.values["references"]))
        for name in LENGTHS["pair"]:
            multiply(values, name, scale.length)
        values["friction"] = (*values["friction"][:2], *(x * scale.length for x in values["friction"][2:]))
        width(values, "solimp", scale.length)
        multiply(values, "adhesion", scale.force)

    def _actuator(self, actuator: Element) -> None:
        values = actuator.values
        references = [each for each in values["references"] if each.name]
        by = values["transmission"]
        scale = mean(map(self._at, references)) if by == "cranksite" else SAME
        if references and by != "cranksite":
            scale = self._at(references[0])
        self.scales[id(actuator)] = scale
        along = self._moved(actuator, references, scale)
        values["along"] = along
        if scale == SAME:
            return
        gear = values["gear"]
        if by == "site" and any(gear[:3]):
            values["gear"] = (*gear[:3], *(number * scale.length for number in gear[3:]))
        multiply(values, "cranklength", scale.length)
        multiply(values, "forcerange", along.force)
        multiply(values, "lengthrange", along.size)
        series(values, "damping", along)
        multiply(values, "armature", along.force / along.unit)
        scale_gains(actuator, along, scale, self.problems)

    def _moved(self, actuator: Element, references: list[Reference], scale: Scale) -> Coordinate:
        """The coordinate that an actuator moves."""
        values = actuator.values
        found = self._element(references[0]) if references else None
        if found is not None and found.kind in ("joint", "tendon"):
            return self._coordinate(found)
        turning = values["gaintype"] is GainType.SO3
        straight = values["transmission"] != "site" or (any(values["gear"][:3]) and not turning)
        return linear(scale) if straight else angular(scale)

    def _sensor(self, sensor: Element) -> None:
        values = sensor.values
        measured = SENSED.get(values["tag"])
        references: list[Reference] = values["references"]
        if values["tag"] == "tactile" and any(self._at(each) != SAME for each in references):
            self.problems.add(sensor.node, "a tactile sensor cannot be scaled")
        if measured is None or not references:
            return
        if values["tag"] in MEAN:
            scale = mean(map(self._at, references))
            along = linear(scale)
        else:
            found = self._element(references[0])
            scale = self._at(references[0])
            along = linear(scale)
            if found is not None and found.kind == "actuator":
                along = found.values["along"]
            elif found is not None and found.kind in ("joint", "tendon"):
                along = self._coordinate(found)
        factor = measured(scale, along)
        multiply(values, "cutoff", factor)
        multiply(values, "noise", factor)

    # --- keyframes --------------------------------------------------------------------------------

    def _keyframes(self) -> None:
        """Change the states of joints, mocap bodies and controls in keyframes."""
        changes: dict[str, Callable[[Any], Change]] = {
            "qpos": self._position,
            "qvel": self._velocity,
            "act": lambda actuator: self._control(actuator, activation_factors),
            "ctrl": lambda actuator: self._control(actuator, control_factors),
            "mpos": self._affine,
        }
        owned = shares(self.spec)
        for key in [key for key in self.spec.lists["key"] if key.values.get("plastic") is not None]:
            self.problems.add(key.node, "`plastic` is not simulated with scaled frames", "plastic")
        for field, of in changes.items():
            rows = [(owner, size, of(owner)) for owner, size in owned[field]]
            for key in self.spec.lists["key"]:
                given, at = key.values[field], 0
                if given is None:
                    continue
                made: list[float] = []
                for _, size, change in rows:
                    made += change(tuple(given[at : at + size]))
                    at += size
                key.values[field] = (*made, *given[at:])[: len(given)]
            for owner, _, change in rows:
                for place in [each for each in owner.state or () if each[1] == field]:
                    assert owner.state is not None
                    owner.state[place] = change(owner.state[place])

    def _affine(self, body: Body) -> Change:
        """Where the position in the world of a body of the world goes."""
        if id(body) not in self.written or body.frame is None:
            return lambda given: given
        written, now, stretch = self.written[id(body)], body.frame.place(), self._world(body)

        def change(given: tuple[float, ...]) -> tuple[float, ...]:
            if len(given) < 3:  # an error, later
                return given
            return (*(now + stretch @ np.subtract(given[:3], written)).tolist(), *given[3:])

        return change

    def _world(self, body: Body) -> Matrix:
        """The linear map of positions of a body of the world."""
        scale = self.places[id(body)]
        if scale.stretch is None or body.frame is None:
            return scale.map
        try:
            return scale.turned(turn(body.frame.pose()[1]).T).map
        except NoDirectionError:
            return scale.map

    def _position(self, joint: Element) -> Change:
        if joint.values["type"] is JointType.FREE:
            return self._affine(self.owners[id(joint)])
        size = self._joint(joint).size
        return lambda given: tuple([number * size for number in given]) if len(given) < 4 else given

    def _velocity(self, joint: Element) -> Change:
        if joint.values["type"] is JointType.FREE:
            stretch = self._world(self.owners[id(joint)])
            return lambda given: (*(stretch @ given[:3]).tolist(), *given[3:]) if len(given) > 2 else given
        size = self._joint(joint).size
        return lambda given: (*(number * size for number in given[:3]), *given[3:])

    def _control(self, actuator: Element, of: Callable[[Element, Scale], Iterable[float]]) -> Change:
        factors = of(actuator, self.scales.get(id(actuator), SAME))
        return lambda given: tuple([a * b for a, b in zip(given, factors, strict=False)])


def _or(given: Any, otherwise: float) -> float:
    return otherwise if given is None else float(given)
