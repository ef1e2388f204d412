"""Plugins of MJCF by name: those of MuJoCo, and those that others register.

A package registers its plugins as entry points of the group ``polybody.plugins``, each an instance of
:class:`Plugin` or a subclass without arguments. A program registers them by :func:`register`. See
docs/plugins.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal

Config = Mapping[str, str]
"""The configuration of an instance, by key; "" for keys that the document omits."""
Capability = Literal["actuator", "sensor", "passive", "sdf"]
GROUP = "polybody.plugins"
MAX_STATES = 1_000_000
"""Maximum number of states of an instance, and of values of a sensor."""


class Plugin:
    """A plugin: how its instances are configured, and what they compute.

    Attributes:
        name: as in the attribute `plugin` of MJCF.
        keys: of a configuration, in the order of plugin_attr.
        capability: what the instances are attached to: actuators, sensors, bodies ("passive") or geoms
            ("sdf").
        stage: of a sensor, which quantities must be computed before: "pos", "vel" or "acc".
        built_in: whether the kernels compute it.
    """

    name: ClassVar[str] = ""
    keys: ClassVar[tuple[str, ...]] = ()
    capability: ClassVar[Capability] = "passive"
    stage: ClassVar[Literal["pos", "vel", "acc"]] = "acc"
    built_in: ClassVar[bool] = False

    def problems(self, config: Config) -> Iterator[str]:
        """The problems of a configuration; empty if it is valid."""
        yield from ()

    def states(self, config: Config) -> int:
        """Number of entries of plugin_state that an instance has."""
        return 0

    def dim(self, config: Config) -> int:
        """Number of values of a sensor."""
        return 1

    def compute(self, model: Any, data: Any, instance: int) -> None:
        """Compute the outputs of an instance. It is called whenever forces are computed.

        A plugin with the capability "passive" adds to ``data.qfrc_passive``, (nv,). An "actuator" plugin sets
        ``data.actuator_force`` of its actuators. A "sensor" plugin sets its part of ``data.sensordata``. All
        other data must only be read: positions and velocities, and length and velocity of an actuator.
        """

    def advance(self, model: Any, data: Any, instance: int) -> None:
        """Update the instance's part of ``data.plugin_state`` after a step."""


def number(config: Config, key: str, otherwise: float = 0.0) -> float:
    """The number in a configuration, parsed as in C: text after the number is ignored.

    Raises:
        ValueError: the text does not begin with a number, or the number is not finite.
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
    """The numbers in a configuration; raises the same errors as :func:`number`."""
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
            yield "the quotient of `imax` and `ki` is negative"
        if number(config, "slewmax") < 0:
            yield "`slewmax` is negative"

    def activations(self, config: Config) -> int:
        """Number of activations of an actuator that belong to the controller; they precede those of its
        dynamics.
        """
        return int(number(config, "ki") != 0) + int(bool(config.get("slewmax", "").strip()))


class Cable(_Numbered):
    """Torsion and bending of a chain of bodies."""

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
            yield "`size` must be two positive whole numbers"
        elif max(size) ** 2 > MAX_STATES:
            yield f"`size` must be at most {math.isqrt(MAX_STATES)}"
        if len(view) != 2 or not (0 < view[0] <= 180 and 0 < view[1] <= 90):
            yield "`fov` must be two angles, up to 180 and up to 90 degrees"
        if not 0 <= gamma <= 1:
            yield f"`gamma` is {gamma:g}; it must be 0 to 1"

    def dim(self, config: Config) -> int:
        horizontal, vertical = map(int, numbers(config, "size"))
        return (int(number(config, "nchannel")) or 1) * horizontal * vertical


class Shape(_Numbered):
    """A geom defined by its signed distance.

    Your own shapes implement ``distance`` and ``box``. Those of MuJoCo's plugins are built in.

    Attributes:
        otherwise: the default for each key that a configuration omits.
    """

    capability = "sdf"
    otherwise: ClassVar[tuple[float, ...]] = ()

    def sizes(self, config: Config) -> list[float]:
        """The numbers of the keys."""
        return [number(config, key, value) for key, value in zip(self.keys, self.otherwise, strict=True)]

    def distance(self, points: Any, sizes: Sequence[float]) -> Any:
        """The signed distances of points (n, 3) from the surface, (n,), m; negative inside.

        The surface is where they are 0. Elsewhere they may be inexact, but must not change faster than the
        distance.

        Args:
            points: x, y and z in the frame of the shape, m.
            sizes: as configured.
        """
        raise NotImplementedError

    def box(self, sizes: Sequence[float]) -> tuple[float, float, float]:
        """Half sizes of a box about the origin that contains the shape, m."""
        raise NotImplementedError


class Bolt(Shape):
    """A screw with a head."""

    name, keys, numeric, otherwise = "mujoco.sdf.bolt", ("radius",), ("radius",), (0.26,)


class Bowl(Shape):
    """A part of a spherical shell."""

    name, keys = "mujoco.sdf.bowl", ("height", "radius", "thickness")
    numeric, otherwise = ("height", "radius", "thickness"), (0.4, 1.0, 0.02)


class Gear(Shape):
    """A gear wheel with involute teeth."""

    name, keys = "mujoco.sdf.gear", ("alpha", "diameter", "teeth", "thickness", "innerdiameter")
    numeric, otherwise = ("alpha", "diameter", "teeth", "innerdiameter"), (0.0, 2.8, 25.0, 0.2, -1.0)


class Nut(Shape):
    """The counterpart of a bolt."""

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
"""MuJoCo's plugins, in the order of their numbers in its Python package."""
_registered: dict[str, Plugin] = {}


@cache
def _known() -> dict[str, Plugin]:
    from importlib.metadata import entry_points  # slow, and few documents have plugins

    found = {plugin.name: plugin for plugin in FIRST_PARTY}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        made = point.load()
        plugin = made() if isinstance(made, type) else made
        found.setdefault(plugin.name, plugin)
    return found


def register(plugin: Plugin) -> None:
    """Register a plugin in this process.

    Raises:
        ValueError: it has no name, or another plugin has the name.
    """
    if not plugin.name:
        raise ValueError("a plugin needs a name")
    if find(plugin.name) not in (None, plugin):
        raise ValueError(f"the plugin {plugin.name!r} already exists")
    _registered[plugin.name] = plugin


def find(name: str) -> Plugin | None:
    """The plugin with a name, or None."""
    return _known().get(name) or _registered.get(name)


def names() -> list[str]:
    """The names of all plugins. Their order is that of the numbers in the column `plugin` of a Model."""
    return [*_known(), *(name for name in _registered if name not in _known())]


def configuration(model: Any, instance: int) -> dict[str, str]:
    """The configuration of an instance of a Model, by the plugin's keys.

    Raises:
        KeyError: there is no plugin with its name.
    """
    plugin = find(_text(model.plugin_type, int(model.plugin_typeadr[instance]), 1)[0])
    if plugin is None:
        raise KeyError(f"instance {instance} belongs to an unknown plugin")
    values = _text(model.plugin_attr, int(model.plugin_attradr[instance]), len(plugin.keys))
    return dict(zip(plugin.keys, values, strict=True))


def _text(column: Any, first: int, count: int) -> list[str]:
    """A number of consecutive texts, each terminated by zero."""
    parts = column[first:].tobytes().split(b"\0", count)[:count]
    return [part.decode("utf-8", "replace") for part in parts]
