"""From a document to its text, in one call."""

from __future__ import annotations

import re

from polybody.base import Node
from polybody.diagnostics.internal import ASKING, element_of, note, summary
from polybody.document.notations import Document, written_otherwise
from polybody.document.registry import detect, format_of
from polybody.document.writer import write as written
from polybody.errors import InternalError

_ROOT = re.compile(r"<([^\s/>]+)")


def write(document: Node | Document) -> str:
    """The document as XML, with its children in their order; attributes as they are set, no defaults.

    Model directives are YAML. Numbers are written with as few digits as give the same double again. The text
    is read as a document of the same format without its being named.

    Raises:
        ValueError: a string has a character that XML cannot hold, or a field a value of another type.
        TypeError: it is no document.
        InternalError: a defect of polybody.
    """
    try:
        if isinstance(document, Document):
            return written_otherwise(document)
        return _recognised(written(document), document)
    except (TypeError, ValueError, MemoryError):
        raise
    except Exception as error:
        note(error)
        node = element_of(error)
        where = "" if node is None else f" at <{node.TAG}>"
        raise InternalError(f"internal error{where}: {summary(error)}; {ASKING}") from error


def _recognised(text: str, document: Node) -> str:
    """A text whose root is spelt so that it is one of the document's format.

    Where case does not count, and another format has a root of the same tag, it begins with a capital.
    """
    form = format_of(document)
    root = _ROOT.match(text)
    if root is None or not form.folds_case or detect(root[1]) is form:
        return text
    tag = root[1].capitalize()
    if detect(tag) is not form:
        return text
    end = text.rfind(f"</{root[1]}>")
    text = text if end < 0 else f"{text[:end]}</{tag}>{text[end + len(tag) + 3 :]}"
    return f"<{tag}{text[root.end() :]}"
