"""Declarations of a schema that no row class of runtime/base can represent: they are reported, never
dropped.
"""

from __future__ import annotations

from ..schema import SchemaError
from ..schema.model import Attribute, Element, Place, Rule, Schema, listed

WITH_SEVERITY = ("unitQuaternion", "required")
"""Rules whose rows distinguish warnings from errors."""


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
        for rule in element.rules:
            _check_rule(rule)


def _refuse(place: Place, what: str, instead: str) -> None:
    raise SchemaError(place, f"the tables of a reader cannot say {what} yet; {instead}")


def _check_value(element: Element, attribute: Attribute) -> None:
    if attribute.deprecated and attribute is element.text:
        said = f"pb:deprecated of the text of <{element.tag}>"
        _refuse(attribute.place, said, "say it of the element")


def _check_rule(rule: Rule) -> None:
    if rule.severity != "error" and rule.kind not in WITH_SEVERITY:
        said = f'severity="{rule.severity}" of pb:{rule.kind}'
        _refuse(rule.place, said, "leave it out: what breaks the rule is an error")
    if rule.kind in ("requires", "nonzero") and rule.when is not None:
        _refuse(rule.place, f'"when" of pb:{rule.kind}', "say the rule without it, or not at all")
    if rule.kind == "ignored" and (rule.when is None or rule.unless is not None):
        _refuse(rule.place, 'pb:ignored without "when", or with "unless"', 'write it with a "when"')
