"""Documents made Models: one module per format, found by the document's class."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
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
        TypeError: there is no way from such a document to a Model, or the format takes no such option.
    """
    from polybody.formats.registry import format_of, is_built_in

    form = format_of(document)
    module = f"polybody.lower.{form.name}"
    if not is_built_in(form) or find_spec(module) is None:
        kind, package = type(document).__name__, type(document).__module__.rpartition(".")[0]
        raise TypeError(f"a {kind} of {package} is made a Model by nothing here")
    return import_module(module).lower(document, **options)


def lower(document: Node, **options: Any) -> Model:
    """The Model that a document means; arguments and errors as of :func:`lowered`."""
    model: Model = lowered(document, **options).model
    return model
