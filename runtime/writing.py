"""From a document to its text, in one call."""

from __future__ import annotations

import os
from typing import Literal

from polybody.base import Format, Node
from polybody.base.releases import number
from polybody.base.source import UTF_8, Source
from polybody.checking import validate
from polybody.diagnostics import Diagnostic, Findings, ValidationError
from polybody.diagnostics.internal import ASKING, element_of, note, summary
from polybody.diagnostics.warned import one_warning, say
from polybody.document.lossless import rewrite
from polybody.document.notations import Document, written_otherwise
from polybody.document.registry import detect, format_of, home_of
from polybody.document.releases import as_release, require_releases
from polybody.document.sources import encoded, first_tags, root_place, root_tag
from polybody.document.writer import write as written
from polybody.errors import InternalError, NoReleaseError
from polybody.files import replacing

Folder = str | os.PathLike[str]
LayoutName = Literal["kept", "canonical"]


def write(
    document: Node | Document,
    path: Folder | None = None,
    *,
    layout: LayoutName = "kept",
    release: str | None = None,
) -> str:
    """Write a document as XML, with children in their order and attributes as they are set, without defaults.

    A document that was read keeps its text wherever it was not edited: comments, blank lines, the order of
    attributes, the spelling of numbers. New elements take the indentation around them. The text is recognised
    as the same format without naming it. The content of included files is not written. Model directives are
    written as new YAML.

    Args:
        document: its root element.
        path: a file to write the text to as well, in the encoding of the file that the document was read
            from. The file is replaced atomically.
        layout: "kept", or "canonical": every element on its own line, indented by two spaces per level,
            without comments, attributes in the order of the schema, numbers with the fewest digits that give
            the same double.
        release: the release of MJCF for which the document is written, by default ``document.release``. What
            that release says otherwise is said so: a camera's `projection` by `orthographic`. Attributes that
            it lacks and that have no effect are left out. Defaults that are others there are written out. A
            ModelWarning names what it computes otherwise.

    Raises:
        ValidationError: the release lacks something that the document has, finds an error in it, or needs
            another text of a file that it includes; a finding for each place.
        OptionError: there is no such release, or the format has none; also a ValueError.
        ValueError: a string has a character that XML cannot represent, a field has a value of the wrong type,
            or the layout is unknown.
        TypeError: it is not a document.
        OSError: the file cannot be written.
        InternalError: a defect of polybody.
    """
    if layout not in ("kept", "canonical"):
        raise ValueError(f"layout must be 'kept' or 'canonical', not {layout!r}")
    try:
        document = document if release is None else _for_release(document, release)
        text = written_otherwise(document) if isinstance(document, Document) else _xml(document, layout)
        if path is not None:
            encoding = UTF_8 if document.source is None else document.source.encoding
            with replacing(path) as file:
                file.write(encoded(text.encode(), encoding))
        return text
    except (TypeError, ValueError, MemoryError, OSError):
        raise
    except Exception as error:
        note(error)
        node = element_of(error)
        where = "" if node is None else f" at <{node.TAG}>"
        raise InternalError(f"internal error{where}: {summary(error)}; {ASKING}") from error


def _for_release(document: Node | Document, release: str) -> Node:
    """A copy of a document as a release says the same.

    Raises:
        ValidationError: the release lacks something that the document has.
    """
    from polybody.document.translation import included_changes, lacking_in, translated

    if not isinstance(document, Node):
        raise NoReleaseError(f"release={release!r:.60} is for mjcf; model directives have no releases")
    old = format_of(document)
    require_releases(old, release)
    new = as_release(old, release)
    twin = document if new is old else translated(document, old, new)
    findings = Findings(format=home_of(old))
    for each in lacking_in(twin, old, new):
        some = " to ".join(filter(None, (each.since or old.releases[0], each.until)))
        when = f"{some} has it" if each.until else f"it is new in {some}"
        message = f"{each.what} is not in {old.name} {new.version}: {when}"
        findings.add("PB029", each.span, message, source=document.source)
    for node, attribute in included_changes(document, old, new) if new is not old else ():
        message = f"`{attribute.name}` of <{node.TAG}>, in a file that is included, means something else in"
        message += f" {old.name} {new.version}"
        hint = "write that file for the release, too"
        findings.add("PB029", node.span, message, hint=hint, source=node.source)
    if not findings.items and new is not old:
        findings.items += _errors_of(twin, document)
    if findings.items:
        raise ValidationError(findings.sorted())
    if new is not old:
        _say_changes(twin, old, new)
    return twin


def _errors_of(twin: Node, document: Node) -> list[Diagnostic]:
    """The errors that a document has as another release alone."""
    had = {_which(each) for each in validate(document) if each.severity == "error"}
    found = [each for each in validate(twin) if each.severity == "error"]
    return [each for each in found if _which(each) not in had]


def _which(finding: Diagnostic) -> tuple[str, int, int]:
    return finding.code, finding.line, finding.column


def _say_changes(twin: Node, old: Format, new: Format) -> None:
    """Warn of what means something else in the release and cannot be said otherwise."""
    from polybody.document.differences import unsayable

    older, newer = sorted((old.version, new.version), key=number)
    changed = unsayable(twin, new, older, newer)
    if changed:
        findings = Findings(format=home_of(new))
        message = f"written for {new.name} {new.version}, not {old.version}; from {older} to {newer} this "
        message += f"changed: {', '.join(map(str, changed))}"
        findings.add("PB094", changed[0].span, message, source=twin.source)
        with one_warning(""):
            say(findings.items[-1])


def _xml(document: Node, layout: LayoutName) -> str:
    text = rewrite(document, format_of(document)) if layout == "kept" else None
    return _recognised(written(document) if text is None else text, document)


def _recognised(text: str, document: Node) -> str:
    """A text with its root spelt such that it is recognised as the document's format.

    If letter case does not matter, and another format has a root with the same tag, it begins with a capital.
    """
    form = format_of(document)
    if not form.folds_case:
        return text
    data = text.encode()
    source = Source("", data)
    tag = root_tag(source)
    if tag is None or detect(tag, first_tags(source)) is form:
        return text
    if detect(tag.capitalize()) is not form:
        return text
    begin, end = root_place(source) + 1, data.rfind(b"</" + tag.encode() + b">") + 2
    for place in (end, begin) if end > 1 else (begin,):
        data = data[:place] + data[place : place + 1].upper() + data[place + 1 :]
    return data.decode()
