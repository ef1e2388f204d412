"""Declarations of a schema that no row class of runtime/base can represent: they are reported, never
dropped.
"""

from __future__ import annotations

from ..schema import SchemaError
from ..schema.model import Attribute, Element, Enumeration, Place, Rule, Schema, listed

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
        _check_element(element)
        for attribute in element.values:
            _check_value(element, attribute)
        for rule in element.rules:
            _check_rule(rule)
    for enum in schema.enums:
        _check_keywords(enum)


def _refuse(place: Place, what: str, instead: str) -> None:
    raise SchemaError(place, f"the tables of a reader cannot say {what} yet; {instead}")


def _check_element(element: Element) -> None:
    if element.include not in ("", "splice", "load"):
        _refuse(element.place, f'pb:include="{element.include}"', 'they know "splice" and "load"')
    for name in ("since", "until"):
        if getattr(element, name):
            said = f"pb:{name} of the type of <{element.tag}>"
            _refuse(element.place, said, "say it of the xs:element itself")
    for child in element.children:
        if child.aliases:
            _refuse(
                child.place,
                f"pb:alias of <{child.tag}>",
                "declare an xs:element of each tag, of the same type",
            )


def _check_value(element: Element, attribute: Attribute) -> None:
    if attribute.meaning.scope:
        instead = "leave it out: names of a kind are then unique in the whole document"
        _refuse(attribute.place, f'pb:scope of "{attribute.name}"', instead)
    if attribute.deprecated and attribute is element.text:
        said = f"pb:deprecated of the text of <{element.tag}>"
        _refuse(attribute.place, said, "say it of the element")


def _check_rule(rule: Rule) -> None:
    if rule.severity != "error" and rule.kind not in WITH_SEVERITY:
        said = f'severity="{rule.severity}" of pb:{rule.kind}'
        _refuse(rule.place, said, "leave it out: what breaks the rule is an error")
    if rule.strict:
        _refuse(rule.place, 'strict="true"', "leave it out: equal values are then right")
    if rule.kind in ("requires", "nonzero") and rule.when is not None:
        _refuse(rule.place, f'"when" of pb:{rule.kind}', "say the rule without it, or not at all")
    if rule.kind == "ignored" and (rule.when is None or rule.unless is not None):
        _refuse(rule.place, 'pb:ignored without "when", or with "unless"', 'write it with a "when"')


def _check_keywords(enum: Enumeration) -> None:
    for member in enum.members:
        for name in ("since", "until"):
            if getattr(member, name):
                _refuse(member.place, f'pb:{name} of "{member.value}"', "leave it out, or the keyword")
        if member.status is not None and member.status.level != "simulated":
            _refuse(member.place, f'pb:status of "{member.value}"', "say it of the attribute")
