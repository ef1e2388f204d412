"""Uses of plugins by elements."""

from __future__ import annotations

from typing import Any

from polybody.lowering.mjcf.elements import Element


class Use:
    """The use of a plugin by an element.

    Attributes:
        node: the element with the attributes `plugin` or `instance`.
        plugin: the name of the plugin, or "".
        instance: the name of the instance, or the instance itself if it was created for this use.
    """

    __slots__ = ("instance", "node", "plugin")

    def __init__(self, node: Any, plugin: str, instance: str | Element) -> None:
        self.node, self.plugin, self.instance = node, plugin, instance
