"""Elements of a document by XPath, and edits that leave no reference without its element."""

from __future__ import annotations

from typing import Any

from polybody.base import Node
from polybody.document.registry import format_of
from polybody.document.selecting import select
from polybody.editing.attaching import attach as attach
from polybody.editing.deleting import delete as delete
from polybody.editing.extracting import chain as chain
from polybody.editing.extracting import subtree as subtree
from polybody.editing.renaming import rename as rename


def xpath(document: Node, path: str) -> Any:
    """Evaluate an XPath 1.0 expression on a document.

        pb.xpath(document, "//geom[@type='box']/..")
        pb.xpath(document, "count(//joint)")

    Attributes have the values of the document, in canonical spelling.

    Returns:
        A list of elements and texts, or a number, string or boolean.

    Raises:
        ValueError: it is not a valid XPath expression.
        TypeError: ``document`` is not a document.
    """
    return select(document, format_of(document), path)
