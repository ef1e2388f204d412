"""Formats that are not XML. Each has its own reader, and is recognised by name or file extension."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from polybody.base import Source, Span
from polybody.document.parser.value_faults import clip

if TYPE_CHECKING:
    from polybody.diagnostics import Findings
    from polybody.document.includes import Files

ReadOther = Callable[[Source], Any]
"""Reads a document of any format that another one refers to, with the same findings."""


class Notation(NamedTuple):
    """A format that is not XML."""

    name: str
    endings: tuple[str, ...]
    """File extensions by which it is recognised."""
    package: str
    """Its modules have ``reader.read(source, findings, files, read_other)``, ``writer.write(document)``,
    ``description.describe()`` and ``description.page()``.
    """

    def read(self, source: Source, findings: Findings, files: Files, read_other: ReadOther) -> Any:
        """The document of a source; None after errors that leave none."""
        return self._module("reader").read(source, findings, files, read_other)

    def write(self, document: Document) -> str:
        """The text of a document."""
        text: str = self._module("writer").write(document)
        return text

    def describe(self) -> dict[str, Any]:
        """A description of the format, as plain data."""
        found: dict[str, Any] = self._module("description").describe()
        return found

    def page(self) -> str:
        """The same as Markdown."""
        text: str = self._module("description").page()
        return text

    def _module(self, name: str) -> Any:
        return import_module(f"{self.package}.{name}")


NOTATIONS = (Notation("directives", (".dmd.yaml", ".dmd.yml"), "polybody.document.directives"),)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_NAMED = {notation.name: notation for notation in NOTATIONS}


def step_to(key: str | int) -> str:
    """The step of a JSONPath to the value of a key, or to an item of a list."""
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if _PLAIN.fullmatch(key) else f"[{json.dumps(clip(key), ensure_ascii=False)}]"


def notation_named(name: str) -> Notation | None:
    """The format with a name, if it is not XML."""
    return _NAMED.get(name)


def notation_of(path: str) -> Notation | None:
    """The format with the extension of a file's name, if it is not XML."""
    shown = path.lower()
    return next((each for each in NOTATIONS if shown.endswith(each.endings)), None)


@dataclass(kw_only=True, slots=True)
class Part:
    """A part of a document that is not XML, with its position in the text, if it was read, and in the
    document.
    """

    KEY: ClassVar[str] = ""
    NAMED_BY: ClassVar[str] = "name"
    """The field with the name of the part."""
    span: Span | None = field(default=None, compare=False, repr=False)
    source: Source | None = field(default=None, compare=False, repr=False)
    path: str = field(default="", compare=False, repr=False)
    """As JSONPath (RFC 9535), such as ``$.directives[0].add_model``."""
    spans: dict[tuple[str, ...], Span] = field(default_factory=dict, compare=False, repr=False)
    """Positions of its values: by key, from the outermost on."""

    def where(self, *keys: str) -> tuple[Span | None, str]:
        """The position and path of a value in it; its own without keys, and for values that are not given."""
        span = self.spans.get(keys)
        return (self.span, self.path) if span is None else (span, self.path + "".join(map(step_to, keys)))

    @property
    def about(self) -> str:
        """Its kind and name, such as ``add_model `arm` ``; "" without a name."""
        name = getattr(self, self.NAMED_BY, None)
        return f"{self.KEY} `{clip(name)}`" if self.KEY and isinstance(name, str) and name else ""

    @property
    def place(self) -> str:
        """``path:line:column``; "" if it was not read."""
        return "" if self.span is None else str(self.span)


@dataclass(kw_only=True, slots=True)
class Document(Part):
    """A document that is not XML."""

    FORMAT: ClassVar[str] = ""
    """The name of its format."""


def written_otherwise(document: Document) -> str:
    """The text of a document that is not XML.

    Raises:
        TypeError: it does not belong to such a format.
    """
    notation = notation_named(document.FORMAT)
    if notation is None:
        raise TypeError(f"a {type(document).__name__} belongs to no format that can be written")
    return notation.write(document)
