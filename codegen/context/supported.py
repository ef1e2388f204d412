"""Declarations of a schema that no row class of runtime/base can represent: they are reported, never
dropped.
"""

from __future__ import annotations

from ..schema import SchemaError
from ..schema.model import Attribute, Element, Place, Schema, listed


def check_carried(schema: Schema) -> None:
    """Reject declarations that the tables cannot represent.

    Raises:
        SchemaError: at the first such declaration, with its position.
    """
    if len(schema.roots) != 1 and not schema.marked_roots:
        tags = listed([schema.element(key).tag for key in schema.roots])
        raise SchemaError(schema.place, f"several elements could be the root: {tags}; choose with --root")
    for root in map(schema.element, schema.roots):
        if root.untyped:
            what = f"anything may occur in the root <{root.tag}>, so that nothing would be checked"
            raise SchemaError(root.place, f"{what}; choose another with --root")
    for element in schema.elements:
        for attribute in element.values:
            _check_value(element, attribute)


def _refuse(place: Place, what: str, instead: str) -> None:
    raise SchemaError(place, f"the tables of a reader cannot say {what} yet; {instead}")


def _check_value(element: Element, attribute: Attribute) -> None:
    if attribute.deprecated and attribute is element.text:
        said = f"pb:deprecated of the text of <{element.tag}>"
        _refuse(attribute.place, said, "say it of the element")
