"""Plugins of MJCF by name: what MuJoCo brings, and what others register.

A package registers plugins of its own as entry points of the group ``polybody.plugins``, each an instance of
:class:`Plugin` or a class of it without arguments; a program registers them by :func:`register`. See
docs/plugins.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import Any, ClassVar, Literal

Config = Mapping[str, str]
"""What a document says of an instance, by key; of keys that it leaves out, ""."""
Capability = Literal["actuator", "sensor", "passive", "sdf"]
GROUP = "polybody.plugins"
MOST_STATES = 1_000_000
"""Numbers that an instance may keep, or that a sensor may have."""


class Plugin:
    """A plugin: what its instances may be configured with, and what they compute.

    Attributes:
        name: as in `plugin` of MJCF.
        keys: of a configuration, in the order of plugin_attr.
        capability: what its instances are of: actuators, sensors, bodies ("passive") or geoms ("sdf").
        stage: of a sensor, what has to be computed before: "pos", "vel" or "acc".
        built_in: whether the kernels have what it computes.
    """

    name: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    capability: ClassVar[Capability] = "passive"
    stage: ClassVar[Literal["pos", "vel", "acc"]] = "acc"
    built_in: ClassVar[bool] = False

    def problems(self, config: Config) -> Iterator[str]:
        """What is wrong with a configuration; nothing where it can be."""
        yield from ()

    def states(self, config: Config) -> int:
        """How many numbers of plugin_state an instance has."""
        return 0

    def dim(self, config: Config) -> int:
        """How many numbers a sensor has."""
        return 1

    def compute(self, model: Any, data: Any, instance: int) -> None:
        """Compute what the instance is there for, each time that forces are.

        One with the capability "passive" adds to ``data.qfrc_passive``, (nv,), an "actuator" one sets
        ``data.actuator_force`` of its actuators, a "sensor" one sets its part of ``data.sensordata``. The
        rest of the data is to be read: positions and velocities, and of an actuator its length and velocity.
        """

    def advance(self, model: Any, data: Any, instance: int) -> None:
        """Change the instance's part of ``data.plugin_state`` after a step."""


def number(config: Config, key: str, otherwise: float = 0.0) -> float:
    """The number that a configuration says, as C reads it: what follows it does not count.

    Raises:
        ValueError: it says something that begins with no number, or with one that is not finite.
    """
    text = config.get(key, "").strip()
    if not text:
        return otherwise
    for end in range(len(text), 0, -1):
        try:
            found = float(text[:end])
        except ValueError:
            continue
        if not math.isfinite(found):
            break
        return found
    raise ValueError(f"`{key}` is {text[:40]!r}, which is not a number")


def numbers(config: Config, key: str) -> list[float]:
    """The numbers that a configuration says; raises like :func:`number`."""
    return [number({key: word}, key) for word in config.get(key, "").split()]


class _Numbered(Plugin):
    """A plugin whose keys are numbers."""

    numeric: ClassVar[tuple[str, ...]] = ()

    def problems(self, config: Config) -> Iterator[str]:
        for key in self.numeric:
            text = "".join(config.get(key, "").split())
            try:
                float(text or 0)
            except ValueError:
                yield f"`{key}` is {text[:40]!r}, which is not a number"


class Pid(Plugin):
    """A controller of an actuator: proportional, integral and derivative gains."""

    name = "mujoco.pid"
    keys = ("kp", "ki", "kd", "imax", "slewmax")
    capability = "actuator"

    def problems(self, config: Config) -> Iterator[str]:
        for key in self.keys:
            try:
                number(config, key)
            except ValueError as error:
                yield str(error)
                return
        if number(config, "ki") and number(config, "imax") / number(config, "ki") < 0:
            yield "`imax` by `ki` is negative"
        if number(config, "slewmax") < 0:
            yield "`slewmax` is negative"

    def activations(self, config: Config) -> int:
        """How many activations an actuator has for the controller, before its own dynamics'."""
        return int(number(config, "ki") != 0) + int(bool(config.get("slewmax", "").strip()))


class Cable(_Numbered):
    """Twist and bend of a chain of bodies."""

    name = "mujoco.elasticity.cable"
    keys = ("twist", "bend", "flat", "vmax")
    numeric = ("twist", "bend")


class Shell(_Numbered):
    """Bending of a surface of triangles."""

    name = "mujoco.elasticity.shell"
    keys = ("face", "edge", "young", "poisson", "thickness", "damping")
    numeric = ("young", "poisson", "thickness")


class TouchGrid(Plugin):
    """Contact forces over a grid of directions."""

    name = "mujoco.sensor.touch_grid"
    keys = ("nchannel", "size", "fov", "gamma")
    capability = "sensor"

    def problems(self, config: Config) -> Iterator[str]:
        try:
            channels, gamma = int(number(config, "nchannel")), number(config, "gamma")
            size, view = numbers(config, "size"), numbers(config, "fov")
        except ValueError as error:
            yield str(error)
            return
        if not 0 <= channels <= 6:
            yield f"`nchannel` is {channels}; it must be 1 to 6"
        if len(size) != 2 or min(size) < 1:
            yield "`size` is two positive whole numbers"
        elif max(size) ** 2 > MOST_STATES:
            yield f"`size` is more than {math.isqrt(MOST_STATES)}"
        if len(view) != 2 or not (0 < view[0] <= 180 and 0 < view[1] <= 90):
            yield "`fov` is two angles, up to 180 and up to 90 degrees"
        if not 0 <= gamma <= 1:
            yield f"`gamma` is {gamma:g}; it must be 0 to 1"

    def dim(self, config: Config) -> int:
        horizontal, vertical = map(int, numbers(config, "size"))
        return (int(number(config, "nchannel")) or 1) * horizontal * vertical


class Shape(_Numbered):
    """A geom by its signed distance.

    One of your own has ``distance`` and ``box``; those of MuJoCo's plugins are built in.

    Attributes:
        otherwise: the number of each key where a configuration leaves it out.
    """

    capability = "sdf"
    otherwise: ClassVar[tuple[float, ...]] = ()

    def sizes(self, config: Config) -> list[float]:
        """The numbers of the keys."""
        return [number(config, key, value) for key, value in zip(self.keys, self.otherwise, strict=True)]

    def distance(self, points: Any, sizes: Sequence[float]) -> Any:
        """The signed distances of points (n, 3) from the surface, (n,), m: negative inside. The surface is
        where they are 0; elsewhere they may be inexact, but change no faster than the distance.

        Args:
            points: x, y and z in the frame of the shape, m.
            sizes: as configured.
        """
        raise NotImplementedError

    def box(self, sizes: Sequence[float]) -> tuple[float, float, float]:
        """The half sizes of a box about the origin that the shape is within, m."""
        raise NotImplementedError


class Bolt(Shape):
    """A screw with a head."""

    name, keys, numeric, otherwise = "mujoco.sdf.bolt", ("radius",), ("radius",), (0.26,)


class Bowl(Shape):
    """A part of a sphere's shell."""

    name, keys = "mujoco.sdf.bowl", ("height", "radius", "thickness")
    numeric, otherwise = ("height", "radius", "thickness"), (0.4, 1.0, 0.02)


class Gear(Shape):
    """A gear wheel with involute teeth."""

    name, keys = "mujoco.sdf.gear", ("alpha", "diameter", "teeth", "thickness", "innerdiameter")
    numeric, otherwise = ("alpha", "diameter", "teeth", "innerdiameter"), (0.0, 2.8, 25.0, 0.2, -1.0)


class Nut(Shape):
    """What a bolt is screwed into."""

    name, keys, numeric, otherwise = "mujoco.sdf.nut", ("radius",), ("radius",), (0.26,)


class Torus(Shape):
    """A ring."""

    name, keys = "mujoco.sdf.torus", ("radius1", "radius2")
    numeric, otherwise = ("radius1", "radius2"), (0.35, 0.15)


class OfMesh(Shape):
    """The signed distance to a mesh."""

    name, keys = "mujoco.sdf.sdflib", ("aabb",)


FIRST_PARTY: tuple[Plugin, ...] = (
    *(Bolt(), Bowl(), Gear(), Nut(), Torus(), OfMesh(), Pid(), Cable(), Shell(), TouchGrid()),
)
"""What MuJoCo brings, in the order of the numbers that its Python package gives them."""
_registered: dict[str, Plugin] = {}


@cache
def _known() -> dict[str, Plugin]:
    found = {plugin.name: plugin for plugin in FIRST_PARTY}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        made = point.load()
        plugin = made() if isinstance(made, type) else made
        found.setdefault(plugin.name, plugin)
    return found


def register(plugin: Plugin) -> None:
    """Make a plugin known in this process, from now on.

    Raises:
        ValueError: it has no name, or that of another one.
    """
    if not plugin.name:
        raise ValueError("a plugin needs a name")
    if find(plugin.name) not in (None, plugin):
        raise ValueError(f"the plugin {plugin.name!r} already exists")
    _registered[plugin.name] = plugin


def find(name: str) -> Plugin | None:
    """The plugin of a name, or None."""
    return _known().get(name) or _registered.get(name)


def names() -> list[str]:
    """The names of all plugins; their order is that of the numbers in the column `plugin` of a Model."""
    return [*_known(), *(name for name in _registered if name not in _known())]


def configuration(model: Any, instance: int) -> dict[str, str]:
    """What an instance of a Model is configured with, by the plugin's keys.

    Raises:
        KeyError: no plugin of its name is known here.
    """
    plugin = find(_text(model.plugin_type, int(model.plugin_typeadr[instance]), 1)[0])
    if plugin is None:
        raise KeyError(f"instance {instance} belongs to an unknown plugin")
    values = _text(model.plugin_attr, int(model.plugin_attradr[instance]), len(plugin.keys))
    return dict(zip(plugin.keys, values, strict=True))


def _text(column: Any, first: int, count: int) -> list[str]:
    """So many texts, each closed by zero."""
    parts = column[first:].tobytes().split(b"\0", count)[:count]
    return [part.decode("utf-8", "replace") for part in parts]
