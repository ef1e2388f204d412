"""Keywords and plugins that MuJoCo had and no longer has."""

from __future__ import annotations

from typing import Any

from polybody.document.removed import REMOVED, was_removed
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
NODES = tuple(
    key
    for key, row in FORMAT.elements.items()
    if any(
        tag == row.tag and name == each.name and not each.leaf
        for tag, name, _ in KEYWORDS
        for each in row.attributes
    )
)
"""The elements with these attributes."""


def check(scene: Scene) -> None:
    """Report them with the release that removed them, and what took their place.

    Without a keyword the rest of the element means something else, under any policy. Without a plugin the
    rest of the document has its meaning.
    """
    for key in NODES:
        row = FORMAT.elements[key]
        named = {(name, value): gone for (tag, name, value), gone in KEYWORDS.items() if tag == row.tag}
        fields = {each.name: each.field for each in row.attributes}
        for node in scene.nodes(key):
            for (name, value), gone in named.items():
                if name in fields and _word(getattr(node, fields[name])) == value:
                    what = f"`{name}` `{value}` of <{row.tag}>"
                    what = f"the plugin `{value}`" if name == "plugin" else what
                    message = was_removed("mjcf", what, gone)
                    code = "PB083" if name == "plugin" else "PB018"
                    scene.report(code, node, name, message, gone.instead)


def _word(value: Any) -> Any:
    return getattr(value, "value", value)
