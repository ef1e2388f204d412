"""That elements use plugins."""

from __future__ import annotations

from typing import Any

from polybody.lowering.mjcf.elements import Element


class Use:
    """That something uses a plugin.

    Attributes:
        node: where it says so.
        plugin: the name of the plugin, or "".
        instance: the name of the instance, or the instance itself where it is made for this use.
    """

    __slots__ = ("instance", "node", "plugin")

    def __init__(self, node: Any, plugin: str, instance: str | Element) -> None:
        self.node, self.plugin, self.instance = node, plugin, instance
