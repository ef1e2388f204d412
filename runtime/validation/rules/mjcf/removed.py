"""Keywords and plugins that MuJoCo had and no longer has."""

from __future__ import annotations

from typing import Any

from polybody.base import Attribute
from polybody.base.releases import is_in
from polybody.document.removed import REMOVED, Removed, was_removed
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.validation.scene import Scene

KEYWORDS = {
    (tag, name, value): gone
    for place, gone in REMOVED["mjcf"].items()
    if "=" in place
    for tag, _, rest in [place.partition("/@")]
    for name, _, value in [rest.partition("=")]
}
"""What was removed, by tag, attribute and value."""


def _of(tag: str, attributes: tuple[Attribute, ...]) -> tuple[tuple[str, str, str, Removed], ...]:
    """Names, fields and values of a kind of elements that were removed."""
    fields = {each.name: each.field for each in attributes if not each.leaf}
    return tuple(
        (name, fields[name], value, gone)
        for (of, name, value), gone in KEYWORDS.items()
        if of == tag and name in fields
    )


BY_KIND = {key: found for key, row in FORMAT.elements.items() if (found := _of(row.tag, row.attributes))}
NODES = tuple(BY_KIND)
"""The elements with these attributes."""


def check(scene: Scene) -> None:
    """Report them with the release that removed them, and what took their place.

    Without a keyword the rest of the element means something else, under any policy. Without a plugin the
    rest of the document has its meaning.
    """
    for key, removed in BY_KIND.items():
        for node in scene.rules.nodes[key]:
            for name, field, value, gone in removed:
                if not is_in(scene.format.version, gone.release, None):
                    continue
                if _word(getattr(node, field)) == value:
                    what = f"`{name}` `{value}` of <{node.TAG}>"
                    what = f"the plugin `{value}`" if name == "plugin" else what
                    message = was_removed("mjcf", what, gone)
                    code = "PB083" if name == "plugin" else "PB018"
                    scene.report(code, node, name, message, gone.instead)


def _word(value: Any) -> Any:
    return getattr(value, "value", value)
