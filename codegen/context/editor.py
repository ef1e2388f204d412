"""From schema model to XSD 1.0, for editors that support only that: the same names, values and documentation.

XSD 1.0 cannot express that children occur in any order and some of them several times, so such children
become a repeated choice, and their numbers are checked only by the reader. Elements and attributes with a
prefix belong to a schema of their namespace, as groups, since one name may have different meanings in
different places.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

from ..render import render
from ..schema.model import Attribute, Child, Element, Enumeration, Schema
from ..schema.types import UNBOUNDED, Form, Kind, Type
from .words import facts

BASES = {Kind.STRING: "xs:string", Kind.REAL: "xs:double", Kind.INT: "xs:integer", Kind.BOOL: "xs:boolean"}
PLAIN = (Form(Kind.STRING),)
"""Any text."""
EMPTY = (
    '<xs:simpleType><xs:restriction base="xs:token"><xs:length value="0"/></xs:restriction></xs:simpleType>'
)
FINITE = "[^NI]*"
"""Excludes NaN and INF from xs:double."""
INFINITE = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
TRUE_OR_FALSE = "[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]"
HEXADECIMAL = "0[xX][0-9a-fA-F]{1,8}"
NOT_BLANK, TRUE_AND_FALSE = r"[\s\S]*\S[\s\S]*", "true|false"
NAMESPACE_PREFIX = "xmlns:"


@dataclass(frozen=True, slots=True)
class TypeContext:
    """A complex type: ``model`` is its content model's lines, ``text`` those of its simple content."""

    name: str
    doc: str
    mixed: bool
    model: tuple[str, ...]
    text: tuple[str, ...]
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupContext:
    """The names of one type in a namespace."""

    name: str
    elements: tuple[str, ...]
    attributes: tuple[str, ...]


def editor_schemas(schema: Schema) -> dict[str, str]:
    """The files: {name: text}, the format's own first."""
    home = f"{schema.format}.xsd"
    spaces = {prefix: f"{schema.format}-{prefix}.xsd" for prefix, _ in schema.prefixes}
    # Untyped elements share one class.
    types = {element.cls: _type(schema, element) for element in schema.elements}
    roots = [_element(schema, element.tag, element.key, "") for element in map(schema.element, schema.roots)]
    enums = [(enum.name, tuple(_keywords(enum))) for enum in schema.enums]
    values = (_editable(value) for element in schema.elements for value in element.values)
    shared = {_name(each): tuple(_forms(each)) for each in values if each.name and each.forms != PLAIN}
    files = {
        home: render(
            "editor.xsd.jinja",
            doc=escape(" ".join(schema.doc.split())),
            prefixes=schema.prefixes,
            spaces=spaces,
            roots=roots,
            types=list(types.values()),
            shared=sorted(shared.items()),
            enums=enums,
        )
    }
    for prefix, uri in schema.prefixes:
        groups = [group for element in schema.elements if (group := _group(schema, element, prefix))]
        files[spaces[prefix]] = render("editor_space.xsd.jinja", uri=uri, home=home, groups=groups)
    return files


def catalog(schemas: Iterable[Schema]) -> str:
    """An XML catalog: `urn:polybody:NAME` is the schema of a format."""
    return render("editor_catalog.xml.jinja", names=[schema.format for schema in schemas])


def _type(schema: Schema, element: Element) -> TypeContext:
    model, text = tuple(_model(schema, element)), element.text
    # In XSD 1.0, text among children is unrestricted.
    words = () if text is None or model else tuple(_text(text))
    said = element.doc
    if words and text is not None:
        said = _said(element, replace(text, doc=element.doc, required=False))
    return TypeContext(
        name=element.cls,
        doc=escape(" ".join(said.split())),
        mixed=not words and (text is not None or element.untyped or element.wild or schema.ignores_text),
        model=model,
        text=words,
        attributes=tuple(_attributes(schema, element)),
    )


# --- children ----------------------------------------------------------------------------------------------


def _model(schema: Schema, element: Element) -> Iterator[str]:
    if element.untyped or (element.wild and not element.foreign and not element.wild_when):
        # A wildcard next to names would be ambiguous, which XSD 1.0 forbids. If it depends on an attribute,
        # the names are kept, because editors can complete them.
        yield '<xs:sequence><xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>'
        return
    leaves = [leaf for leaf in element.attributes if leaf.leaf]
    tags = [*(leaf.name for leaf in leaves), *(child.tag for child in element.children)]
    prefixed = sorted({_prefix(schema, tag) for tag in tags} - {""})
    once = all(child.high == 1 and not child.merge for child in element.children)
    own = [child for child in element.children if not _prefix(schema, child.tag)]
    if not tags and not element.foreign:
        return
    if once and not prefixed and not element.ordered and not element.foreign:
        yield "<xs:all>"
        for leaf in leaves:
            yield from _leaf(element, leaf, leaf.name, f' minOccurs="{int(leaf.required)}"')
        for child in own:
            yield "  " + _element(schema, child.tag, child.element, f' minOccurs="{child.low}"')
        yield "</xs:all>"
        return
    yield '<xs:choice minOccurs="0" maxOccurs="unbounded">'
    for leaf in leaves:
        if not _prefix(schema, leaf.name):
            yield from _leaf(element, leaf, leaf.name, "")
    for child in own:
        yield "  " + _element(schema, child.tag, child.element, "")
    if element.foreign and not prefixed:
        # Next to names of a namespace of the schema it would be ambiguous.
        yield '  <xs:any namespace="##other" processContents="skip"/>'
    for prefix in prefixed:
        yield f'  <xs:group ref="{prefix}:{element.cls}"/>'
    yield "</xs:choice>"


def _leaf(element: Element, leaf: Attribute, name: str, occurs: str) -> Iterator[str]:
    """The declaration of a child that has only text."""
    kind, lines = _simple(leaf)
    yield f'  <xs:element name="{name}"{kind}{occurs}>'
    yield from (f"    {line}" for line in [_documented(element, leaf), *lines])
    yield "  </xs:element>"


def _element(schema: Schema, tag: str, key: str, occurs: str) -> str:
    """The declaration of an element; its type has the documentation."""
    return f'<xs:element name="{tag}" type="{schema.element(key).cls}"{occurs}/>'


def _prefix(schema: Schema, name: str) -> str:
    prefix, colon, _ = name.partition(":")
    return prefix if colon and prefix in dict(schema.prefixes) else ""


def _group(schema: Schema, element: Element, prefix: str) -> GroupContext | None:
    start = f"{prefix}:"
    below_any = element.wild and not element.foreign
    children = [child for child in element.children if child.tag.startswith(start) and not below_any]
    named = [attribute for attribute in element.attributes if attribute.name.startswith(start)]
    leaves = [leaf for leaf in named if leaf.leaf]
    if not children and not named:
        return None
    below: list[str] = []
    for leaf in leaves:
        below += _leaf(element, leaf, leaf.name.removeprefix(start), ' form="qualified"')
    lines: list[str] = []
    for attribute in named:
        if attribute.leaf:
            continue
        name = attribute.name.removeprefix(start)
        lines += _attribute(element, attribute, name, ' form="qualified"')
    return GroupContext(
        name=element.cls,
        elements=(*below, *(_qualified(schema, child, start) for child in children)),
        attributes=tuple(lines),
    )


def _qualified(schema: Schema, child: Child, start: str) -> str:
    cls = schema.element(child.element).cls
    return f'<xs:element name="{child.tag.removeprefix(start)}" form="qualified" type="{cls}"/>'


# --- values ------------------------------------------------------------------------------------------------


def _attributes(schema: Schema, element: Element) -> Iterator[str]:
    attributes = [attribute for attribute in element.attributes if not attribute.leaf]
    prefixes = sorted({_prefix(schema, attribute.name) for attribute in attributes} - {""})
    for attribute in attributes:
        if not _prefix(schema, attribute.name) and not attribute.name.startswith(NAMESPACE_PREFIX):
            for name in (attribute.name, *attribute.aliases):
                yield from _attribute(element, attribute, name)
    for prefix in prefixes:
        yield f'<xs:attributeGroup ref="{prefix}:{element.cls}"/>'
    if element.untyped:
        yield '<xs:anyAttribute processContents="skip"/>'
    elif element.keeps:
        yield '<xs:anyAttribute namespace="##other" processContents="skip"/>'


def _attribute(element: Element, attribute: Attribute, name: str, form: str = "") -> Iterator[str]:
    use = ' use="required"' if attribute.required and not attribute.aliases else ""
    kind, lines = _simple(attribute)
    yield f'<xs:attribute name="{name}"{kind}{use}{form}>'
    yield from (f"  {line}" for line in [_documented(element, attribute), *lines])
    yield "</xs:attribute>"


def _documented(element: Element, value: Attribute) -> str:
    """The documentation of a value."""
    said = escape(" ".join(_said(element, value).split()))
    return f"<xs:annotation><xs:documentation>{said}</xs:documentation></xs:annotation>"


def _said(element: Element, value: Attribute) -> str:
    """The documentation of a value, with its default as spelt in documents."""
    default = " ".join((value.default or "").split())
    return f"{value.doc} {facts(element, value, f'`{default}`' if default else '')}"


def _simple(value: Attribute) -> tuple[str, list[str]]:
    """The simple type of a value: a reference if it has a name, else its lines."""
    kind = _editable(value)
    if kind.forms == PLAIN:
        return f' type="{BASES[Kind.STRING]}"', []
    if kind.name:
        return f' type="{_name(kind)}"', []
    return "", list(_forms(kind))


def _editable(value: Attribute) -> Type:
    """The type of a value: what any release allows."""
    if value.every_form == value.forms:
        return value.type
    return next(
        (change.type for change in value.changes if set(change.type.forms) == set(value.every_form)),
        replace(value.type, name="", forms=value.every_form),
    )


def _text(text: Attribute) -> Iterator[str]:
    """The content of the type of an element's text, which may also be empty if it is not required."""
    kind, lines = _simple(text)
    tag, reference = ("restriction", "base") if text.required else ("union", "memberTypes")
    lines += [] if text.required else [EMPTY]
    base = kind.replace("type", reference, 1)
    yield f"<xs:{tag}{base}>" if lines else f"<xs:{tag}{base}/>"
    yield from (f"  {line}" for line in lines)
    if lines:
        yield f"</xs:{tag}>"


def _name(kind: Type) -> str:
    """The name of a simple type; no complex type has such a name."""
    return f"{kind.name.replace(':', '.')}.value"


def _forms(kind: Type) -> Iterator[str]:
    """The lines of a simple type; a union if it has several forms."""
    if len(kind.forms) == 1:
        yield from _form(kind.forms[0])
        return
    yield "<xs:simpleType><xs:union>"
    for form in kind.forms:
        yield from (f"  {line}" for line in _form(form))
    yield "</xs:union></xs:simpleType>"


def _form(form: Form) -> Iterator[str]:
    if form.scalar:
        yield from _word(form)
        return
    yield "<xs:simpleType><xs:restriction><xs:simpleType><xs:list>"
    yield from (f"  {line}" for line in _word(form))
    yield "</xs:list></xs:simpleType>"
    if form.low == form.high:
        yield f'  <xs:length value="{form.low}"/>'
    else:
        if form.low:
            yield f'  <xs:minLength value="{form.low}"/>'
        if form.high != UNBOUNDED:
            yield f'  <xs:maxLength value="{form.high}"/>'
    yield "</xs:restriction></xs:simpleType>"


def _word(form: Form) -> Iterator[str]:
    base = f"{form.enum}.words" if form.kind is Kind.ENUM else BASES[form.kind]
    facets = list(_facets(form))
    word = f'<xs:simpleType><xs:restriction base="{base}">{"".join(facets)}</xs:restriction></xs:simpleType>'
    spelling = _spelling(form)
    if not spelling:
        yield word
        return
    other = f'<xs:restriction base="xs:token"><xs:pattern value="{spelling}"/></xs:restriction>'
    yield f"<xs:simpleType><xs:union>{word}<xs:simpleType>{other}</xs:simpleType></xs:union></xs:simpleType>"


def _spelling(form: Form) -> str:
    """The pattern of values that are read with a warning: spellings of engines that XML Schema does not
    have.
    """
    if form.kind is Kind.BOOL:
        return "" if form.spelt_out else TRUE_OR_FALSE
    if form.kind is Kind.INT:
        return HEXADECIMAL if form.bits else ""
    if form.kind is not Kind.REAL or form.finite:
        return ""
    signs = {(True, True): "[+\\-]?", (True, False): "-", (False, True): "[+]?", (False, False): None}
    sign = signs[form.minimum is None, form.maximum is None]
    return "" if sign is None else f"{sign}{INFINITE}"


def _facets(form: Form) -> Iterator[str]:
    if form.finite:
        yield f'<xs:pattern value="{FINITE}"/>'
    if form.nonempty or form.spelt_out:
        yield f'<xs:pattern value="{NOT_BLANK if form.nonempty else TRUE_AND_FALSE}"/>'
    if form.pattern:
        yield f'<xs:pattern value="{escape(form.pattern, {chr(34): "&quot;"})}"/>'
    kind = "Exclusive" if form.open else "Inclusive"
    for side, bound in (("min", form.minimum), ("max", form.maximum)):
        if bound is not None:
            yield f'<xs:{side}{kind} value="{_number(form, bound)}"/>'
    for number in form.numbers:
        yield f'<xs:enumeration value="{_number(form, number)}"/>'


def _number(form: Form, number: float) -> str:
    return str(int(number)) if form.kind is Kind.INT else repr(float(number)).upper()


def _keywords(enum: Enumeration) -> Iterable[tuple[str, str]]:
    for member in enum.members:
        yield escape(member.value, {'"': "&quot;"}), escape(" ".join(member.doc.split()))
