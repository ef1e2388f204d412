"""Documents made Models: one module per format, found by the document's class."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from polybody.base import Node
from polybody.model import Model


def lowered(document: Node, **options: Any) -> Any:
    """The Model that a document means, with what else its format has to say of it.

    Args:
        document: as read by ``polybody.read``, or made in Python.
        options: what the format's own ``lower`` takes, such as ``seed``.

    Returns:
        The format's ``Lowered``: the Model as ``.model``, findings that are no errors as ``.findings``.

    Raises:
        ValidationError: the document has errors, or makes no Model that can be.
        TypeError: the format takes no such option.
    """
    from polybody.formats import format_of

    return import_module(f"polybody.lower.{format_of(document).name}").lower(document, **options)


def lower(document: Node, **options: Any) -> Model:
    """The Model that a document means; arguments and errors as of :func:`lowered`."""
    model: Model = lowered(document, **options).model
    return model
