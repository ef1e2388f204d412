"""`scale` of frames, since 3.16: what is inside, and what refers to it, in other units of length and mass.

Under the policy `similar`, all quantities are those of another unit of length and of mass; under `geometry`,
only lengths, masses and inertias are. Forces therefore have units of their own. An element outside that
refers to several scales takes their geometric mean or, for tendons, that of the innermost frame around all
of it, as in MuJoCo 4.0.

The values of all elements are changed before anything is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile
from math import sqrt
from typing import Any, NamedTuple

from polybody.generated.formats.mjcf import BiasType, FrameScaling, GainType, JointType, MeshInertia
from polybody.lowering.mjcf.elements import TREE_KINDS, Body, Element, Frame, Spec, Values
from polybody.lowering.mjcf.keyframes import shares
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import SAME_LISTS, Reference
from polybody.rotations.poses import Vector


class Scale(NamedTuple):
    """Factors of lengths and masses, and of the units of length and mass in which forces are given."""

    length: float = 1.0
    mass: float = 1.0
    unit_length: float = 1.0
    unit_mass: float = 1.0

    @property
    def force(self) -> float:
        """The factor of forces."""
        return self.unit_mass * self.unit_length

    @property
    def torque(self) -> float:
        """The factor of torques."""
        return self.unit_mass * self.unit_length * self.unit_length


class Coordinate(NamedTuple):
    """Factors of a length or an angle, of it as the unit of stiffness, and of the force along it."""

    size: float
    unit: float
    force: float


SAME = Scale()
Change = Callable[[tuple[float, ...]], tuple[float, ...]]
"""Of the values of an element in a keyframe."""
LENGTHS: dict[str, tuple[str, ...]] = {
    "joint": ("pos",),
    "geom": ("pos", "fromto", "margin", "gap"),
    "site": ("pos", "fromto"),
    "camera": ("pos", "ipd", "focal", "principal", "sensorsize"),
    "light": ("pos", "bulbradius", "range"),
    "pair": ("margin", "gap"),
}
"""Attributes that are lengths, by the kind of the element."""
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


def scale_of(values: Values, node: Any, problems: Problems) -> Scale:
    """The factors of a frame's attributes."""
    given, mass = values.get("scale", 1.0), values.get("massscale", 0.0)
    factors = given if isinstance(given, tuple) else (given,)
    if any(not 0 < factor < float("inf") for factor in factors) or not 0 <= mass < float("inf"):
        problems.add(node, "the factors of a frame must be finite and positive", "scale")
        return SAME
    if len(set(factors)) > 1:
        problems.add(node, "a frame with different scales along its axes cannot be compiled yet", "scale")
        return SAME
    length = factors[0]
    mass = mass or length * length * length
    similar = values.get("scaling", FrameScaling.SIMILAR) is FrameScaling.SIMILAR
    return Scale(length, mass, length, mass) if similar else Scale(length, mass)


def _frames(body: Body) -> Iterable[Frame]:
    """The frames around a body and its parts, with those around them."""
    for part in (body, *(part for parts in body.parts for part in parts)):
        frame = part.frame
        while frame is not None:
            yield frame
            frame = frame.parent


def _times(one: Scale, other: Scale) -> Scale:
    return Scale(*(a * b for a, b in zip(one, other, strict=True)))


def _mean(scales: Iterable[Scale]) -> Scale:
    """The geometric mean of two scales, or the only one."""
    one, other = (*scales, None)[:2]
    if other is None or one == other:
        return one or SAME
    return Scale(*(sqrt(a * b) for a, b in zip(one or SAME, other, strict=True)))


def _multiply(values: Values, name: str, factor: float) -> None:
    """Multiply a number, or each of several, if there is one."""
    given = values.get(name)
    if isinstance(given, tuple):
        values[name] = tuple([number * factor for number in given])
    elif given is not None:
        values[name] = given * factor


def _width(values: Values, name: str, factor: float) -> None:
    """Multiply the width of the region of an impedance."""
    given = values[name]
    values[name] = (*given[:2], given[2] * factor, *given[3:])


def _series(values: Values, name: str, along: Coordinate) -> None:
    """A stiffness or a damping, which may be followed by coefficients of higher powers of the coordinate."""
    given = values.get(name)
    if isinstance(given, tuple):
        values[name] = tuple([k * along.force / along.unit ** (n + 1) for n, k in enumerate(given)])
    elif given is not None:
        values[name] = given * along.force / along.unit


class _Scaling:
    """The change of one document."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self.scales: dict[int, Scale] = {}
        """The scales of elements, by id: of bodies, that of their content."""
        self.frames: dict[int, Scale] = {}
        """The scales inside frames, by id."""
        self.written: dict[int, Vector] = {}
        """The origins of the frames of bodies of the world, as written, by the id of the body."""
        self.owners: dict[int, Body] = {}
        """The bodies of parts, by the id of the part."""
        self.names: dict[tuple[str, str], Element] = {}
        self.instances: dict[tuple[str, str, float], str] = {}
        """The names of meshes and height fields at a scale."""

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
        inner = self._inside(body.frame, outer)
        self.scales[id(body)] = inner
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
            inner.moved(scale.length)
            scale = self.frames[id(inner)] = _times(scale, inner.scale)
        return scale

    def _body(self, body: Body) -> None:
        scale = self.scales[id(body)]
        _multiply(body.values, "pos", scale.length)
        given = body.values.get("inertial")
        if given is not None:
            given = body.values["inertial"] = dict(given)
            _multiply(given, "pos", scale.length)
            _multiply(given, "mass", scale.mass)
            for name in ("diaginertia", "fullinertia"):
                _multiply(given, name, scale.mass * scale.length * scale.length)
        if scale != SAME and body.values.get("plugin") is not None:
            self.problems.add(body.node, "a body with a plugin cannot be scaled")
        for kind in TREE_KINDS:
            for part in getattr(body, kind):
                self._part(part, self.scales[id(part)])

    def _part(self, part: Element, scale: Scale) -> None:
        values = part.values
        if part.kind in ("geom", "site"):
            self._instance(part, scale)
        if scale == SAME:
            return
        for name in LENGTHS[part.kind]:
            _multiply(values, name, scale.length)
        if part.kind in ("geom", "site"):
            count = SIZES.get(values["type"].value, 3)
            sizes = values["size"]
            values["size"] = (*(size * scale.length for size in sizes[:count]), *sizes[count:])
        if part.kind == "joint":
            self._along(values, self._joint(part))
        elif part.kind == "geom":
            self._geom(part, scale)
        elif part.kind == "light":
            one, linear, square = values["attenuation"]
            values["attenuation"] = (one, linear / scale.length, square / scale.length**2)
        elif part.kind == "camera" and values["projection"].value == "orthographic":
            _multiply(values, "fovy", scale.length)

    def _geom(self, geom: Element, scale: Scale) -> None:
        values = geom.values
        slide, *roll = values["friction"]
        values["friction"] = (slide, *(number * scale.length for number in roll))
        _width(values, "solimp", scale.length)
        _multiply(values, "mass", scale.mass)
        power = 2 if self._is_shell(values) else 3
        _multiply(values, "density", scale.mass / scale.length**power)
        moving = values["surfacevel"]
        values["surfacevel"] = (*(v * scale.length for v in moving[:3]), *moving[3:])
        _multiply(values, "adhesion", scale.force)
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
        for kind, name in (("mesh", "scale"), ("hfield", "size")):
            named: str = part.values.get(kind) or ""
            assets = self.spec.lists[kind]
            found = [asset for asset in assets if asset.name == named] if named else []
            if not found:
                continue
            key = (kind, named, scale.length)
            if key not in self.instances:
                count = sum(1 for each in self.instances if each[:2] == key[:2])
                self.instances[key] = f"{named}@{count}" if count else named
                if count:
                    twin = found[0].copied()
                    first = next(each[2] for each in self.instances if each[:2] == key[:2])
                    twin.values["name"] = self.instances[key]
                    _multiply(twin.values, name, scale.length / first)
                    assets.append(twin)
                else:
                    _multiply(found[0].values, name, scale.length)
                if scale != SAME and found[0].values.get("plugin") is not None:
                    self.problems.add(part.node, "a mesh with a plugin cannot be scaled", "mesh")
            part.values[kind] = self.instances[key]

    # --- coordinates ------------------------------------------------------------------------------

    def _joint(self, joint: Element) -> Coordinate:
        scale, kind = self.scales.get(id(joint), SAME), joint.values["type"]
        if kind is JointType.FREE:  # as in MuJoCo: its coordinates are of both kinds
            return Coordinate(1.0, 1.0, 1.0)
        return _linear(scale) if kind is JointType.SLIDE else _angular(scale)

    def _along(self, values: Values, along: Coordinate) -> None:
        """Change what joints and tendons have in common."""
        for name in ALONG:
            _multiply(values, name, along.size)
        for name in WIDTHS:
            _width(values, name, along.size)
        for name in ("actuatorfrcrange", "frictionloss"):
            _multiply(values, name, along.force)
        for name in ("stiffness", "damping"):
            _series(values, name, along)
        _multiply(values, "armature", along.force / along.unit)

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
        along = _linear(scale) if straight else _angular(scale)
        self.scales[id(tendon)] = scale
        values["along"] = along
        self._along(values, along)
        _multiply(values, "width", scale.length)
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
            return _angular(SAME)
        found: Coordinate = element.values["along"] if element.kind == "tendon" else self._joint(element)
        return found

    def _equality(self, equality: Element) -> None:
        values = equality.values
        references: list[Reference] = [each for each in values["references"] if each.name]
        if values["type"] in ("joint", "tendon"):
            along = [self._coordinate(self._element(each)) for each in references]
            one, other = [*along, _angular(SAME), _angular(SAME)][:2]
            written = values.get("polycoef") or ()
            given = (*written, *POLYNOMIAL[len(written) :])
            values["polycoef"] = tuple([k * one.size / other.size**n for n, k in enumerate(given)])
            _width(values, "solimp", one.size)
        elif values["type"] in ("connect", "weld"):
            first, second = [*map(self._at, references), SAME, SAME][:2]
            mean = _mean((first, second)).length
            bodies = values["objtype"] == "body"
            weld = values["type"] == "weld"
            _width(values, "solimp", first.length if bodies and not weld else mean)
            if bodies:
                _multiply(values, "anchor", second.length if weld else first.length)
            if weld:
                values["torquescale"] = mean * _or(values.get("torquescale"), 1.0)
                pose = values.get("relpose")
                if pose is not None and any(pose[3:]):
                    values["relpose"] = (*(x * first.length for x in pose[:3]), *pose[3:])

    def _pair(self, pair: Element) -> None:
        values, scale = pair.values, _mean(map(self._at, pair.values["references"]))
        for name in LENGTHS["pair"]:
            _multiply(values, name, scale.length)
        values["friction"] = (*values["friction"][:2], *(x * scale.length for x in values["friction"][2:]))
        _width(values, "solimp", scale.length)
        _multiply(values, "adhesion", scale.force)

    def _actuator(self, actuator: Element) -> None:
        values = actuator.values
        references = [each for each in values["references"] if each.name]
        by = values["transmission"]
        scale = _mean(map(self._at, references)) if by == "cranksite" else SAME
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
        _multiply(values, "cranklength", scale.length)
        _multiply(values, "forcerange", along.force)
        _multiply(values, "lengthrange", along.size)
        _series(values, "damping", along)
        _multiply(values, "armature", along.force / along.unit)
        self._gains(actuator, along, scale)

    def _moved(self, actuator: Element, references: list[Reference], scale: Scale) -> Coordinate:
        """The coordinate that an actuator moves."""
        values = actuator.values
        found = self._element(references[0]) if references else None
        if found is not None and found.kind in ("joint", "tendon"):
            return self._coordinate(found)
        straight = values["transmission"] != "site" or any(values["gear"][:3])
        return _linear(scale) if straight else _angular(scale)

    def _gains(self, actuator: Element, along: Coordinate, scale: Scale) -> None:
        """Change gains and biases by what the control is: a coordinate, a velocity, a pressure, a number."""
        values, tag = actuator.values, actuator.node.TAG
        if tag not in CONTROLLED:
            self.problems.add(actuator.node, f"a <{tag}> of something scaled cannot be compiled yet")
            return
        size, unit = CONTROLLED[tag](along, scale)
        _multiply(values, "ctrlrange", size)
        if tag == "intvelocity":
            _multiply(values, "actrange", along.size)
        first, second = along.force, along.force / along.unit
        gain, bias = values["gainprm"], values["biasprm"]
        if values["gaintype"] is GainType.MUSCLE:
            if gain[2] < 0:
                message = "a muscle of something scaled that has no `force` cannot be compiled yet"
                self.problems.add(actuator.node, message)
            values["gainprm"] = (*gain[:2], gain[2] * first, *gain[3:])
        elif values["gaintype"] is GainType.AFFINE:
            values["gainprm"] = (gain[0] * first, gain[1] * second, gain[2] * second, *gain[3:])
        elif values["gaintype"] is GainType.FIXED:
            values["gainprm"] = (gain[0] * first / unit, *gain[1:])
        if values["biastype"] is BiasType.MUSCLE:
            values["biasprm"] = (*bias[:2], bias[2] * first, *bias[3:])
        elif values["biastype"] is BiasType.AFFINE:
            rate = bias[2] if bias[2] > 0 else bias[2] * second  # a positive number is a ratio
            values["biasprm"] = (bias[0] * first, bias[1] * second, rate, *bias[3:])

    def _sensor(self, sensor: Element) -> None:
        values = sensor.values
        measured = SENSED.get(values["tag"])
        references: list[Reference] = values["references"]
        if values["tag"] == "tactile" and any(self._at(each) != SAME for each in references):
            self.problems.add(sensor.node, "a tactile sensor cannot be scaled")
        if measured is None or not references:
            return
        if values["tag"] in MEAN:
            scale = _mean(map(self._at, references))
            along = _linear(scale)
        else:
            found = self._element(references[0])
            scale = self._at(references[0])
            along = _linear(scale)
            if found is not None and found.kind == "actuator":
                along = found.values["along"]
            elif found is not None and found.kind in ("joint", "tendon"):
                along = self._coordinate(found)
        factor = measured(scale, along)
        _multiply(values, "cutoff", factor)
        _multiply(values, "noise", factor)

    # --- keyframes --------------------------------------------------------------------------------

    def _keyframes(self) -> None:
        """Change the states of joints, mocap bodies and controls in keyframes."""
        changes: dict[str, Callable[[Any], Change]] = {
            "qpos": self._position,
            "qvel": self._velocity,
            "ctrl": self._control,
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
        scale = self.scales[id(body)].length
        if id(body) not in self.written or body.frame is None:
            return lambda given: given
        written, now = self.written[id(body)], body.frame.place()

        def change(given: tuple[float, ...]) -> tuple[float, ...]:
            moved = [o + scale * (x - w) for x, w, o in zip(given, written, now, strict=False)]
            return (*moved, *given[3:])

        return change

    def _position(self, joint: Element) -> Change:
        if joint.values["type"] is JointType.FREE:
            return self._affine(self.owners[id(joint)])
        size = self._joint(joint).size
        return lambda given: tuple([number * size for number in given]) if len(given) < 4 else given

    def _velocity(self, joint: Element) -> Change:
        size = self._joint(joint).size
        if joint.values["type"] is JointType.FREE:
            size = self.scales[id(joint)].length
        return lambda given: (*(number * size for number in given[:3]), *given[3:])

    def _control(self, actuator: Element) -> Change:
        scale, tag = self.scales.get(id(actuator), SAME), actuator.node.TAG
        size = CONTROLLED[tag](actuator.values["along"], scale)[0] if tag in CONTROLLED else 1.0
        return lambda given: tuple([number * size for number in given])


def _linear(scale: Scale) -> Coordinate:
    return Coordinate(scale.length, scale.unit_length, scale.force)


def _angular(scale: Scale) -> Coordinate:
    return Coordinate(1.0, 1.0, scale.torque)


def _or(given: Any, otherwise: float) -> float:
    return otherwise if given is None else float(given)


def _number(along: Coordinate, scale: Scale) -> tuple[float, float]:
    return 1.0, 1.0


def _of_coordinate(along: Coordinate, scale: Scale) -> tuple[float, float]:
    return along.size, along.unit


def _pressure(along: Coordinate, scale: Scale) -> tuple[float, float]:
    pressure = along.force / scale.unit_length**2
    return pressure, pressure


CONTROLLED: dict[str, Callable[[Coordinate, Scale], tuple[float, float]]] = {
    **dict.fromkeys(("general", "motor", "damper", "muscle", "adhesion"), _number),
    **dict.fromkeys(("position", "velocity", "intvelocity"), _of_coordinate),
    "cylinder": _pressure,
}
"""The factors of controls, as values and as units of gains, by the tag of the actuator."""
