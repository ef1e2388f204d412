"""Configurations of plugins: each key once, and only valid keys for MuJoCo's plugins."""

from __future__ import annotations

from typing import Any, NamedTuple

from polybody.document.parser.value_faults import clip
from polybody.document.removed import removed
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.plugins import find, names
from polybody.suggest import did_you_mean
from polybody.validation.scene import Scene


class Plugin(NamedTuple):
    """The keys of a plugin: all, and those that take one number."""

    keys: tuple[str, ...]
    numbers: tuple[str, ...] = ()


KNOWN = {
    "mujoco.elasticity.cable": Plugin(("twist", "bend", "flat", "vmax"), ("twist", "bend")),
    "mujoco.elasticity.shell": Plugin(
        ("face", "edge", "young", "poisson", "thickness", "damping"), ("young", "poisson", "thickness")
    ),
    "mujoco.sensor.touch_grid": Plugin(("nchannel", "size", "fov", "gamma")),
    **dict.fromkeys(
        (
            "mujoco.pid",
            *(f"mujoco.sdf.{shape}" for shape in ("bolt", "bowl", "gear", "nut", "sdflib", "torus")),
        )
    ),
}
"""MuJoCo's plugins, with their keys if they are known here."""
OF_ACTUATORS = "mujoco.pid"
"""The plugin whose instances an actuator must use."""
EXTENSION, INSTANCE = "Plugin", "Instance"
USES = tuple(
    key
    for key, row in FORMAT.elements.items()
    if key not in (EXTENSION, INSTANCE) and any(child.tag == "config" for child in row.children)
)
NODES = (EXTENSION, *USES)


def check(scene: Scene) -> None:
    """Report configurations that a plugin does not accept."""
    for plugin in scene.nodes(EXTENSION):
        name = plugin.plugin
        gone = removed("mjcf", f"plugin/@plugin={name}")
        if name is not None and find(name) is None and gone is None and scene.findings.takes("PB083"):
            message = (
                f"MuJoCo does not come with a plugin `{clip(name)}`: it cannot load the model without it"
            )
            scene.report("PB083", plugin, "plugin", message, did_you_mean(name, names()))
        for instance in plugin.instance:
            _configuration(scene, plugin.plugin, instance)
    for key in USES:
        for node in scene.rules.nodes[key]:
            _configuration(scene, node.plugin, node)
    _instances(scene)


def _configuration(scene: Scene, name: str | None, node: Any) -> None:
    seen: dict[str, Any] = {}
    known = KNOWN.get(name or "")
    for config in node.config:
        if config.key is None:
            continue
        first = seen.setdefault(config.key, config)
        if first is not config:
            before = first.attribute_span("key")
            at = "" if before is None else f" at line {before.line}"
            message = f"the key `{clip(config.key)}` is already given{at}"
            scene.report("PB031", config, "key", message, related=before)
        elif known is not None and config.key not in known.keys:
            if scene.findings.takes("PB018"):
                hint = did_you_mean(config.key, known.keys)
                scene.report("PB018", config, "key", f"{name} has no key `{clip(config.key)}`", hint)
        elif known is not None and config.key in known.numbers and not _is_number(config.value):
            scene.report("PB016", config, "value", f"`{config.key}` of {name} must be a number")


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True


def _instances(scene: Scene) -> None:
    """An instance of a plugin of actuators must be used by an actuator."""
    actuators: Any = scene.root.actuator  # type: ignore[attr-defined]
    used = set() if actuators is None else {node.instance for node in actuators.plugin}
    for plugin in scene.nodes(EXTENSION):
        for instance in plugin.instance:
            if plugin.plugin == OF_ACTUATORS and instance.name is not None and instance.name not in used:
                message = f"no actuator uses the instance `{instance.name}` of {OF_ACTUATORS}"
                scene.report("PB023", instance, "name", message)
