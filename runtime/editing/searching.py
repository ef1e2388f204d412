"""Elements of a document by XPath."""

from __future__ import annotations

from typing import Any

from polybody.base import Node
from polybody.document.registry import format_of
from polybody.document.selecting import select


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
