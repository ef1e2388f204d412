"""The messages of the parser: one function for each kind of finding. They are called only for findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from polybody.base import (
    COLUMN_BITS,
    COLUMN_MASK,
    Attribute,
    Child,
    Element,
    Format,
    Node,
    Source,
    Span,
    children_of,
)
from polybody.base.releases import is_in
from polybody.diagnostics import Findings
from polybody.document import sources
from polybody.document.content import TooComplex, misplaced
from polybody.document.parser import lacking
from polybody.document.parser.lacking import Lacked
from polybody.document.parser.value_faults import Problem, clip, examine
from polybody.document.registry import PARTS
from polybody.document.removed import removed, was_removed
from polybody.generated.formats import ROOTS
from polybody.suggest import closest, did_you_mean

ALWAYS_LEGAL = ("xsi:noNamespaceSchemaLocation", "xsi:schemaLocation", "xsi:nil", "xsi:type")
DEEPEST_XPATH = 200
ANY_CHILD = "*"
"""A pseudo field for a child that was not understood, which may explain a missing one."""


def step(tag: str, index: int | None) -> str:
    """One step of an XPath; the index counts siblings of the same tag from 1, None if there is only one."""
    return clip(tag) if index is None else f"{clip(tag)}[{index}]"


def is_shown(index: int, count: int) -> bool:
    """Whether an XPath of this many steps includes a step: of very long ones only both ends are included."""
    return count <= DEEPEST_XPATH or not DEEPEST_XPATH // 2 <= index < count - DEEPEST_XPATH // 2


def shown(count: int) -> list[int]:
    """The steps that an XPath of this many steps includes."""
    half = DEEPEST_XPATH // 2
    return list(range(count)) if count <= DEEPEST_XPATH else [*range(half), *range(count - half, count)]


def xpath(steps: list[str], count: int) -> str:
    """An XPath from the root of ``count`` steps, of which ``steps`` are those that are included."""
    if count > DEEPEST_XPATH:
        half = DEEPEST_XPATH // 2
        return "/" + "/".join(steps[:half]) + "//" + "/".join(steps[half:])
    return "/" + "/".join(steps)


def limit(findings: Findings, span: Span | None, source: Source | None, what: str) -> None:
    findings.add("PB002", span, f"{what}, which exceeds the limit of this reader", source=source)


def document_type(findings: Findings, source: Source, position: int) -> None:
    """The parser found a document type, which is not allowed."""
    offset = source.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
    error = sources.document_type(source, max(0, source.data.rfind(b"<!", 0, offset + 1)))
    findings.add(error.code, error.span, error.message, hint=error.hint, source=source)


def skipped_document_type(findings: Findings, source: Source, begin: int, end: int) -> None:
    message = "the document type (DOCTYPE) has no effect: it is not read, and what it refers to is not opened"
    findings.add("PB027", source.between(begin, end), message, source=source)


def wrong_root(findings: Findings, source: Source, position: int, form: Format, tag: str) -> str | None:
    """The root has another tag; returns the key of the root of which it seems to be a misspelling, if any."""
    keys = {form.elements[key].tag: key for key in (form.root, *form.roots)}
    near = closest(tag, keys)
    takes = " or ".join(f"<{known}>" for known in keys)
    if form.namespace:
        takes += f" of the namespace `{form.namespace}`"
    if tag.startswith("{") and named(tag)[1] in keys:
        return _elsewhere(findings, source, position, form, keys, *named(tag))
    findings.add(
        "PB008", source.tag_span(position), f"the root is <{clip(tag)}>; this format's is {takes}",
        xpath=f"/{clip(tag)}", hint=PARTS.get(tag) or did_you_mean(tag, keys) or _other_format(tag),
        source=source,
    )  # fmt: skip
    return None if near is None else keys[near]


def named(tag: str) -> tuple[str, str]:
    """The namespace and the local part of "{namespace}tag"."""
    uri, _, local = tag.removeprefix("{").partition("}")
    return uri, local


def _other_format(tag: str) -> str | None:
    """Which format this seems to be, of those whose roots have this tag."""
    found = [name for name, tags in ROOTS.items() if tag in tags]
    return f"the file seems to be {' or '.join(found)}" if found else None


def space(uri: str) -> str:
    """A namespace in a message."""
    return f"the namespace `{clip(uri)}`" if uri else "no namespace"


def _elsewhere(
    findings: Findings, source: Source, position: int, form: Format, keys: dict[str, str], uri: str, tag: str
) -> str:
    """The root has a known tag in another namespace; returns its key."""
    message = f"the root <{tag}> is in {space(uri)}; this format's is in {space(form.namespace)}"
    hint = f'write <{tag} xmlns="{form.namespace}" ...>' if form.namespace else "remove its namespace"
    findings.add(
        "PB008", source.tag_span(position), message, xpath=f"/{tag}", hint=hint, source=source
    )  # fmt: skip
    return keys[tag]


def _spelling(form: Format, name: str, known: Iterable[str]) -> str:
    """The spelling of a name in the format's tables, if letter case does not matter."""
    if not form.folds_case:
        return name
    return next((other for other in known if other.lower() == name.lower()), name)


def _tags(row: Element) -> list[str]:
    """The tags that can occur in an element, including those of leaves."""
    return [*(leaf.name for leaf in row.attributes if leaf.leaf), *(child.tag for child in row.children)]


def unknown_element(
    findings: Findings, span: Span | None, source: Source | None, where: str, form: Format, parent: Element,
    tag: str,
) -> bool:  # fmt: skip
    """An element that is not allowed in its place; returns whether the policy accepts it."""
    if findings.lacked is not None:
        findings.lacked.append(lacking.named(parent, tag, f"<{clip(tag)}> in <{parent.tag}>", span))
    if not (parent.newer or parent.former) and findings.unseen("PB011", where):
        return True
    legal = [tag for tag in _tags(parent) if tag != "*"]
    if tag.startswith("{"):
        return _other_namespace(findings, span, source, where, form, parent, *named(tag))
    tag = _spelling(form, tag, (known for row in form.elements.values() for known in _tags(row)))
    if tag in parent.newer:
        what, dates = f"<{tag}> in <{parent.tag}>", (parent.newer[tag], _until(parent, tag))
        return newer(findings, span, source, where, form, what, *dates)
    if findings.unseen("PB011", where):
        return True
    if tag in parent.former:
        message, hint = former(form, parent, f"<{tag}> in <{parent.tag}>", tag)
        return findings.add("PB011", span, message, xpath=where, hint=hint, source=source)
    gone = removed(form.name, f"{parent.tag}/{tag}")
    if gone is not None:
        message = was_removed(form.name, f"<{tag}> in <{parent.tag}>", gone)
        return findings.add("PB011", span, message, xpath=where, hint=gone.instead, source=source)
    homes = _homes(form, tag, parent)
    meant = next((field.name for field in parent.attributes if field.leaf and tag in field.mistaken), None)
    hint = did_you_mean(tag, legal) if meant is None else f"did you mean `{meant}`?"
    if homes:
        message = f"<{tag}> is not allowed in <{parent.tag}>"
        hint = f"it is allowed in {' or '.join(homes)}"
    else:
        message = f"unknown element <{clip(tag)}> in <{parent.tag}>"
        if hint is None:
            takes = ", ".join(f"<{name}>" for name in legal)
            message += f", which allows {takes}" if legal else ", which allows no elements"
    return findings.add("PB011", span, message, xpath=where, hint=hint, source=source)


def _homes(form: Format, tag: str, parent: Element) -> list[str]:
    """The elements in which a tag is allowed; those with the tag of ``parent`` are named with theirs."""
    found = set()
    for row in form.elements.values():
        if tag not in _tags(row) or row.key == parent.key:
            continue
        if row.tag != parent.tag:
            found.add(f"<{row.tag}>")
            continue
        rows = form.elements.values()
        around = [each.tag for each in rows if any(child.element == row.key for child in each.children)]
        found |= {f"<{row.tag}> of <{outer}>" for outer in around} or {f"another <{row.tag}>"}
    return sorted(found)


def _other_namespace(
    findings: Findings, span: Span | None, source: Source | None, where: str, form: Format, parent: Element,
    uri: str, tag: str,
) -> bool:  # fmt: skip
    """An element with a known tag in another namespace."""
    row = next((child for child in parent.children if child.tag == tag), None)
    message = f"<{clip(tag)}> in <{parent.tag}> is in {space(uri)}"
    hint = None
    if row is not None:
        expected = form.namespace if row.qualified else ""
        message += f", but this element is in {space(expected)}"
        hint = f'declare it with xmlns="{expected}", or a prefix' if expected else 'write xmlns="" on it'
    where = where.replace(f"{{{uri}}}", "")
    return findings.add("PB011", span, message, xpath=where, hint=hint, source=source)


def content(findings: Findings, node: Node, where: str, row: Element) -> None:
    """Check the order of an element's children against its content model."""
    children = children_of(node)
    try:
        assert row.content is not None
        found = misplaced(row.content, children)
    except TooComplex:
        limit(findings, node.span, node.source, f"the content model of <{row.tag}> is too ambiguous")
        return
    if found is None:
        return
    tags = [f"<{tag}>" if tag != "*" else "an element of another type" for tag in found.expected]
    expected = " or ".join((", ".join(tags[:-1]), tags[-1]) if len(tags) > 1 else tags)
    if found.place == len(children):
        message = f"<{row.tag}> needs {expected}"
        message += f" after <{clip(children[-1].TAG)}>" if children else ""
        findings.add("PB015", node.span, message, xpath=where, source=node.source)
        return
    child = children[found.place]
    ends = f"the end of <{row.tag}>"
    expected = (f"{expected} or {ends}" if tags else ends) if found.complete else expected
    message = f"<{clip(child.TAG)}> is out of place in <{row.tag}>; expected {expected}"
    count = sum(other.TAG == child.TAG for other in children[: found.place + 1])
    many = next((each.high for each in row.children if each.tag == child.TAG), 2) != 1
    where = f"{where}/{step(child.TAG, count if many else None)}"
    findings.add("PB011", child.span, message, xpath=where, source=child.source)


def unsupported(
    findings: Findings, node: Node, where: str, row: Element, attribute: Attribute | None
) -> None:
    """An element or attribute that the schema declares as refused."""
    if not findings.takes("PB054"):
        return
    if attribute is None:
        findings.add("PB054", node.span, f"<{row.tag}>: {row.reason}", xpath=where, source=node.source)
        return
    span = node.attribute_span(attribute.name)
    message = f"`{attribute.name}` of <{row.tag}>: {attribute.reason}"
    findings.add("PB054", span, message, xpath=f"{where}/@{attribute.name}", source=node.source)


def undeclared(
    findings: Findings, span: Span | None, source: Source | None, where: str, name: str, prefix: str,
    form: Format,
) -> None:  # fmt: skip
    message = f"the prefix of `{name}` is not declared; readers that know namespaces refuse it"
    root = form.elements[form.root].tag
    hint = f'write <{root} xmlns:{prefix}="{form.prefixes.get(prefix, "...")}" ...>'
    findings.add("PB071", span, message, xpath=where, hint=hint, source=source)


def unbound(
    findings: Findings, span: Span | None, source: Source | None, where: str, name: str, prefix: str
) -> None:
    """A prefix that is not declared, in a format whose names are qualified."""
    message = f"the prefix of `{clip(name)}` is not declared"
    hint = f'declare it on this element or one around it: xmlns:{prefix}="..."'
    findings.add("PB001", span, message, xpath=where, hint=hint, source=source)


def template(
    findings: Findings, span: Span | None, source: Source | None, where: str, tag: str, advice: str
) -> None:
    message = f"<{clip(tag)}> belongs to a template, not to a document"
    findings.add("PB072", span, message, xpath=where, hint=advice, source=source)


def too_many(
    findings: Findings, span: Span | None, source: Source | None, where: str, parent: Element, child: Child,
    first: Node | None,
) -> bool:  # fmt: skip
    """One element too many; returns whether the policy accepts it."""
    if findings.unseen("PB014", where):
        return True
    most = "one" if child.high == 1 else f"{child.high:,}"
    message = f"<{parent.tag}> allows at most {most} <{child.tag}>"
    if first is not None and first.span is not None:
        message += f"; the first is at line {first.span.line}"
    if child.last and findings.accepts("PB014", where):
        message += ", and the last one is used"
    return findings.add("PB014", span, message, xpath=where, source=source)


def twice_included(parent: Element, first: Node, second: Node) -> str:
    """The message if an included file adds a second element where one is allowed."""
    message = f"<{parent.tag}> allows only one <{second.TAG}>"
    if first.span is not None:
        message += f"; the first is at {first.span.path}:{first.span.line}"
    return message


def too_few(findings: Findings, node: Node, where: str, parent: Element, child: Child, count: int) -> None:
    least = "a" if child.low == 1 else f"at least {child.low}"
    held = "" if count == 0 else f"; it has {count}"
    message = f"<{parent.tag}> needs {least} <{child.tag}>{held}"
    findings.add("PB015", node.span, message, xpath=where, source=node.source)


def newer(
    findings: Findings, span: Span | None, source: Source | None, where: str, form: Format, what: str,
    since: str, until: str = "",
) -> bool:  # fmt: skip
    """An element or attribute of a later version of the format, perhaps not of its newest ones; returns as
    `unknown_element`.
    """
    message = f"{what} is new in {form.name} {since}; this is {form.version}"
    hint = _reading_as(form, since, until)
    return findings.add("PB029", span, message, xpath=where, hint=hint, source=source)


def _reading_as(form: Format, since: str, until: str = "") -> str | None:
    """How a document is read as a release that has something; None if the format has no releases."""
    if not form.releases:
        return None
    release = until or (form.releases[-1] if since in form.releases else since)
    return f'with release="{release}" (--release {release}), it is known'


def former(form: Format, row: Element, what: str, name: str) -> tuple[str, str | None]:
    """The message and the hint about an element or attribute that only earlier releases have."""
    until = row.former[name]
    instead = next((each.deprecated for each in row.absent if name in (_name(each), _tag(each))), "")
    message = f"{what} exists until {form.name} {until}; this is {form.version}"
    return message, instead or _reading_as(form, "", until)


def _until(row: Element, name: str) -> str:
    """The last release that has what this one lacks, "" if there is none."""
    return next((each.until or "" for each in row.absent if name in (_name(each), _tag(each))), "")


def _name(row: Attribute | Child) -> str | None:
    return getattr(row, "name", None)


def _tag(row: Attribute | Child) -> str | None:
    return getattr(row, "tag", None)


def other_type(
    findings: Findings, span: Span | None, source: Source | None, where: str, form: Format, what: str,
    other: Lacked, problem: Problem,
) -> bool:  # fmt: skip
    """A value that an attribute has in other releases only; returns whether the policy accepts it."""
    if other.since and not is_in(form.version, other.since, None):
        return newer(findings, span, source, where, form, what, other.since, other.until)
    message = f"{what} exists until {form.name} {other.until}; this is {form.version}"
    hint = problem.hint or _reading_as(form, "", other.until)
    return findings.add(problem.code, span, message, xpath=where, hint=hint, source=source)


def unknown_attribute(
    findings: Findings, node: Node, where: str, form: Format, row: Element, name: str
) -> str | None:
    """An unknown attribute; returns the field for which it seems to be meant, if any.

    None is returned if the policy accepts the attribute, which then has no effect.
    """
    if (
        name in ALWAYS_LEGAL
        or name.startswith("xmlns:")
        or (name == "xmlns" and (form.ignores_namespace or form.qualified))
    ):
        return None
    span = None
    if findings.lacked is not None:
        span = node.attribute_span(name)
        findings.lacked.append(lacking.named(row, name, f"`{clip(name)}` of <{row.tag}>", span))
    if not (row.newer or row.former) and findings.unseen("PB012", f"{where}/@{name}"):
        return None
    span = span or node.attribute_span(name)
    name = _spelling(form, name, row.newer)
    if name in row.newer:
        what = f"`{name}` of <{row.tag}>"
        dates = row.newer[name], _until(row, name)
        newer(findings, span, node.source, f"{where}/@{name}", form, what, *dates)
        return None
    if name in row.former:
        message, hint = former(form, row, f"`{name}` of <{row.tag}>", name)
        findings.add("PB012", span, message, xpath=f"{where}/@{name}", hint=hint, source=node.source)
        return None
    known = [a for a in row.attributes if not a.leaf]
    gone = removed(form.name, f"{row.tag}/@{name}")
    if gone is not None:
        message, where = was_removed(form.name, f"`{name}` of <{row.tag}>", gone), f"{where}/@{name}"
        passes = findings.add("PB012", span, message, xpath=where, hint=gone.instead, source=node.source)
        return next((a.field for a in known if a.name == gone.now and not passes), None)
    meant = next((a for a in known if name in a.mistaken), None)
    if meant is None:
        near = closest(name, [a.name for a in known])
        meant = next((a for a in known if a.name == near), None)
    hint = None if meant is None else f"did you mean `{meant.name}`?"
    leaf = next((a for a in row.attributes if a.leaf and a.name == name), None)
    if leaf is not None:
        meant, hint = leaf, f"it is an element: <{leaf.name}>...</{leaf.name}>"
    message = f"unknown attribute `{clip(name)}` on <{row.tag}>"
    if name.startswith("{"):
        uri, name = named(name)
        message = f"attribute `{clip(name)}` of {space(uri)} is not allowed on <{row.tag}>"
        hint = "write it without a prefix" if uri else "write it with a prefix of its namespace"
    if hint is None:
        takes = ", ".join(f"`{a.name}`" for a in known)
        message += f", which allows {takes}" if takes else ", which allows none"
    where = f"{where}/@{clip(name)}"
    passes = findings.add("PB012", span, message, xpath=where, hint=hint, source=node.source)
    return None if passes or meant is None else meant.field


def twice(findings: Findings, node: Node, where: str, attribute: Attribute) -> None:
    if not findings.takes("PB025"):
        return
    names = " and ".join(f"`{name}`" for name in (attribute.name, *attribute.aliases))
    message = f"{names} are two names of one attribute; give only one of them"
    if not attribute.aliases:  # two spellings of one name, if letter case does not matter
        message = f"{names} is given twice; letter case is ignored"
    span = node.attribute_span(*attribute.aliases, attribute.name)
    findings.add("PB025", span, message, xpath=f"{where}/@{attribute.name}", source=node.source)


def bad_value(
    findings: Findings, node: Node, where: str, form: Format, row: Element, attribute: Attribute, name: str,
    text: str,
) -> Any:  # fmt: skip
    """An invalid value; returns the value nevertheless if only a bound is violated."""
    problem = examine(attribute.forms, text)
    assert problem is not None, f"the compiled reader refuses {text!r} for {attribute}"
    where = f"{where}/@{clip(name)}"
    if form.releases and problem.value is None:  # not of a bound, which is about a value
        what = f"`{clip(text.strip())}` for `{name}` of <{row.tag}>"
        other = lacking.valued(attribute, text, what, node.attribute_span(name))
        if other is not None and findings.lacked is not None:
            findings.lacked.append(other)
        if other is not None and other.known:
            other_type(findings, other.span, node.source, where, form, what, other, problem)
            return None
    if not findings.takes(problem.code) or findings.unseen(problem.code, where):
        return problem.value
    message = f"`{name}` of <{row.tag}> {problem.text}"
    span = node.attribute_span(name)
    findings.add(problem.code, span, message, xpath=where, hint=problem.hint, source=node.source)
    return problem.value


def bad_text(findings: Findings, node: Node, where: str, row: Element, text: str) -> Any:
    """An invalid text of an element; returns the value if only a bound is violated."""
    assert row.text is not None
    problem = examine(row.text.forms, text)
    assert problem is not None, f"the compiled reader refuses {text!r} for the text of {row.key}"
    fitted = problem.fitted if findings.accepts(problem.code, where) else None
    if findings.takes(problem.code) and not findings.unseen(problem.code, where):
        findings.add(
            problem.code, node.span, f"the text of <{row.tag}> {problem.text}",
            xpath=where, hint=problem.hint if fitted is None else used(fitted), source=node.source,
        )  # fmt: skip
    return problem.value if fitted is None else fitted


def used(fitted: Any) -> str:
    """What a reader uses of a list with too many or too few values."""
    words = fitted if isinstance(fitted, tuple) else (fitted,)
    shown = [clip(word) if isinstance(word, str) else f"{word:g}" for word in words]
    return f"it counts as `{' '.join(shown)}`"


# --- leaves: children that contain only text ----------------------------------------------------------------


def inside_leaf(
    findings: Findings, source: Source, position: int, where: str, leaf: Attribute, tag: str
) -> None:
    where = f"{where}/{clip(tag)}"
    if findings.unseen("PB011", where):
        return
    message = f"<{clip(tag)}> is not allowed in <{leaf.name}>, which contains only text"
    findings.add("PB011", source.tag_span(position), message, xpath=where, source=source)


def leaf_twice(
    findings: Findings, source: Source, position: int, where: str, parent: Element, leaf: Attribute,
    first: Span | None,
) -> None:  # fmt: skip
    message = f"<{parent.tag}> allows only one <{leaf.name}>"
    message += "" if first is None else f"; the first is at line {first.line}"
    findings.add("PB014", source.tag_span(position), message, xpath=where, source=source)


def unsupported_leaf(
    findings: Findings, span: Span | None, source: Source | None, where: str, leaf: Attribute
) -> None:
    if not findings.takes("PB054"):
        return
    message = f"<{leaf.name}>: {leaf.reason}"
    findings.add("PB054", span, message, xpath=where, source=source)


def attribute_of_leaf(
    findings: Findings, source: Source, position: int, where: str, leaf: Attribute, name: str, foreign: bool
) -> None:
    if name in ALWAYS_LEGAL:
        return
    message, code = f"unknown attribute `{clip(name)}` on <{leaf.name}>, which allows none", "PB012"
    if foreign:
        message, code = f"`{clip(name)}` of another namespace is not allowed on <{leaf.name}>", "PB027"
    where = f"{where}/@{clip(name)}"
    if not findings.takes(code) or findings.unseen(code, where):
        return
    span = source.attribute_span(position, (name,))
    findings.add(code, span, message, xpath=where, source=source)


def bad_leaf(
    findings: Findings, span: Span | None, source: Source | None, where: str, leaf: Attribute, text: str
) -> Any:
    """An invalid text of a leaf; returns the value if only a bound is violated."""
    problem = examine(leaf.forms, text)
    assert problem is not None, f"the compiled reader refuses {text!r} for {leaf}"
    if not findings.takes(problem.code) or findings.unseen(problem.code, where):
        return problem.value
    message = f"<{leaf.name}> {problem.text}"
    findings.add(problem.code, span, message, xpath=where, hint=problem.hint, source=source)
    return problem.value


# --- versions -----------------------------------------------------------------------------------------------


def version(findings: Findings, root: Node, form: Format, row: Attribute, text: str) -> None:
    """The document declares an unknown version. Of a newer one this is said once, whatever is included."""
    from polybody.document.parser.tables import version_number  # which needs this module

    newer = version_number(text) > version_number(form.version)
    if newer and findings.shared.setdefault(f"version {text}", root) is not root:
        return
    stated = clip(text) if text.split() == [text] else f"`{clip(text)}`"  # blanks would not be seen
    message = f"{form.name} {stated} is not supported, only {form.oldest or form.version}"
    message += f" to {form.version}" if form.oldest else ""
    if newer:
        message = (
            f"{form.name} {clip(text)} is newer than {form.version}; the document is read, and elements that "
            "are unknown here are reported"
        )
    span = root.value_span(row)
    findings.add("PB073", span, message, xpath=f"/{root.TAG}/@{row.name}", source=root.source)


def dated(
    findings: Findings, span: Span | None, source: Source | None, where: str, form: Format,
    row: Attribute | Child, what: str, early: bool,
) -> None:  # fmt: skip
    """An element or attribute that the document's version does not have yet, or no longer has."""
    if not findings.takes("PB081" if early else "PB082"):
        return
    if early:
        message = f"{what} was introduced in {form.name} {row.since}, and the document is of an older version"
        findings.add("PB081", span, message, xpath=where, source=source)
    else:
        message = f"{what} exists up to {form.name} {row.until}, and the document is of a newer version"
        findings.add("PB082", span, message, xpath=where, hint=row.deprecated or None, source=source)


def stray_text(
    findings: Findings, source: Source, position: int, where: str, form: Format, parent: Element, text: str
) -> None:
    code = "PB030" if form.ignores_text else "PB013"
    if not findings.takes(code):
        return
    tag = source.tag_span(position)
    shown = text.strip()
    span = Span(tag.path, tag.line, tag.column, tag.line, tag.column + len(shown))
    message = f"text `{clip(shown, 30)}` in <{parent.tag}>, which allows none"
    findings.add(code, span, message, xpath=f"{where}/text()", source=source)
