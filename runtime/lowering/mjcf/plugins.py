"""Instances of plugins, the elements that use them, and their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from polybody import plugins
from polybody.assembly.columns import BYTE, INTEGER, Columns, starts
from polybody.lowering.mjcf.elements import Body, Element, Settings, Spec, Values
from polybody.lowering.mjcf.flexes import Made
from polybody.lowering.mjcf.nodes import flat
from polybody.lowering.mjcf.numbering import Numbered
from polybody.lowering.mjcf.plugin_use import Use
from polybody.plugins import Plugin
from polybody.suggest import did_you_mean

FEATURES = {
    "actuator": "actuators",
    "sensor": "sensors",
    "passive": "bodies",
    "sdf": "geoms",
}
"""The elements that plugins of each capability apply to."""


def declared(spec: Spec, sections: list[Any], settings: Settings) -> None:
    """Add the instances in the extension sections, and store the plugins that they declare."""
    for section in sections:
        for plugin in flat(section):
            name = plugin.plugin or ""
            spec.plugins.setdefault(name, plugin)
            for instance in flat(plugin):
                _instance(spec, instance, name, instance.name, settings)


def _instance(spec: Spec, node: Any, plugin: str, name: str | None, settings: Settings) -> Element:
    config = {child.key or "": child.value or "" for child in flat(node)}
    values: Values = {"name": name, "plugin": plugin, "config": config}
    element = Element("plugin", node, values, settings)
    spec.lists["plugin"].append(element)
    return element


def use(spec: Spec, node: Any, settings: Settings, name: str | None = None) -> Use:
    """The use of a plugin by an element with the attributes `plugin` and `instance`.

    Args:
        spec: receives the instance that is created if none is given by name.
        node: the element.
        settings: of the document.
        name: the name of the instance that is created.
    """
    plugin = node.plugin or ""
    return Use(node, plugin, node.instance or _instance(spec, node, plugin, name, settings))


# --- what is used -----------------------------------------------------------------------------------------


def resolve(numbered: Numbered, found: Use, capability: str) -> tuple[Element, Plugin] | None:
    """The instance and the plugin of a use; None after a finding."""
    instance: Element | None
    if isinstance(found.instance, Element):
        instance = found.instance
    else:
        instance = numbered.find("plugin", found.instance)
        if instance is None:
            every = [element.name for element in numbered.elements("plugin")]
            hint = did_you_mean(found.instance, every)
            message = f"there is no instance `{found.instance}` of a plugin"
            numbered.problems.add(found.node, message, "instance", hint)
            return None
        if found.plugin and found.plugin != instance.values["plugin"]:
            message = f"`{found.instance}` is an instance of {instance.values['plugin']}"
            numbered.problems.add(found.node, message, "plugin")
            return None
    plugin = plugins.find(instance.values["plugin"])
    if plugin is None:
        return None  # reported for the instance
    if plugin.capability != capability:
        message = f"{plugin.name} is a plugin of {FEATURES[plugin.capability]}, not of {FEATURES[capability]}"
        numbered.problems.add(found.node, message)
        return None
    return instance, plugin


def compile_plugins(numbered: Numbered, spec: Spec) -> None:
    """Check all instances, and add the data of flexes to the instances of their bodies."""
    for flex in spec.lists["flex"]:
        _shells(numbered, flex)
    for instance in spec.lists["plugin"]:
        values, node = instance.values, instance.node
        name = values["plugin"]
        plugin = plugins.find(name)
        if plugin is None or name not in spec.plugins:
            message = (
                f"there is no plugin `{name}`: it is not registered"
                if plugin is None
                else f"the plugin `{name}` is not declared in <extension>"
            )
            hint = did_you_mean(name, plugins.names()) if plugin is None else None
            numbered.problems.add(node, message, None, hint)
            continue
        unknown = [key for key in values["config"] if key not in plugin.keys]
        for key in unknown:
            message = f"{name} has no key `{key}`"
            numbered.problems.add(node, message, None, did_you_mean(key, plugin.keys))
        for problem in plugin.problems(values["config"]):
            numbered.problems.add(node, f"{name}: {problem}")


def _shells(numbered: Numbered, flex: Element) -> None:
    """Write the elements of a flex into the configurations of its bodies' instances, as MuJoCo does."""
    made: Made | None = flex.values["made"]
    if made is None:
        return
    seen: set[int] = set()
    for body in made.bodies:
        found: Use | None = body.values.get("plugin")
        if found is None or id(found.instance) in seen:
            continue
        seen.add(id(found.instance))
        instance = found.instance
        if not isinstance(instance, Element):
            named = numbered.find("plugin", instance)
            if named is None:
                continue
            instance = named
        config = instance.values["config"]
        if flex.values["damping"] > 0:
            config["damping"] = f"{flex.values['damping']:f}"
        config["face"] = _joined(made.elements)
        config["edge"] = _joined(made.topology.element_edges)


def _joined(numbers: Any) -> str:
    return " ".join(map(str, numbers.reshape(-1).tolist()))


def _numbers(numbered: Numbered, elements: list[Any], capability: str) -> Any:
    """The indices of the instances that elements use; -1 for none."""
    uses = [element.values.get("plugin") for element in elements]
    if not any(uses):
        return np.full(len(uses), -1, dtype=INTEGER)
    found = []
    for used in uses:
        pair = resolve(numbered, used, capability) if isinstance(used, Use) else None
        found.append(-1 if pair is None else pair[0].id)
    return np.array(found, dtype=INTEGER)


def plugin_columns(numbered: Numbered) -> Columns:
    """The columns of instances, and those of the elements that use them."""
    lists = numbered.spec.lists
    instances = lists["plugin"]
    bodies: list[Body] = numbered.bodies
    columns = {
        "body_plugin": _numbers(numbered, bodies, "passive"),
        "geom_plugin": _numbers(numbered, numbered.parts["geom"], "sdf"),
        "actuator_plugin": _numbers(numbered, lists["actuator"], "actuator"),
        "sensor_plugin": _numbers(numbered, lists["sensor"], "sensor"),
    }
    order = plugins.names() if instances else []
    slots, states, types, attributes = [], [], [], []
    for instance in instances:
        values = instance.values
        plugin = plugins.find(values["plugin"])
        if plugin is None:
            continue  # reported
        slots.append(order.index(plugin.name))
        states.append(0 if numbered.problems.failed else plugin.states(values["config"]))
        types.append(plugin.name.encode() + b"\0")
        attributes.append(b"".join(values["config"].get(key, "").encode() + b"\0" for key in plugin.keys))
    columns["plugin"] = np.array(slots, dtype=INTEGER)
    columns["plugin_statenum"] = np.array(states, dtype=INTEGER)
    columns["plugin_stateadr"] = starts(states)
    columns["plugin_typeadr"] = starts([len(text) for text in types])
    columns["plugin_type"] = np.frombuffer(b"".join(types), dtype=BYTE)
    columns["plugin_attradr"] = starts([len(text) for text in attributes])
    columns["plugin_attr"] = np.frombuffer(b"".join(attributes), dtype=BYTE)
    return columns
