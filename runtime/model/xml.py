"""A Model as readable XML that validates against model.xsd, and back. Numbers are preserved exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, Protocol
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.generated.model import SCHEMA_VERSION, TABLES, Column, Table
from polybody.model.checks import check_version

WRITTEN: tuple[Table, ...] = tuple(table for table in TABLES if any(c.role == "model" for c in table.columns))
BY_TAG: dict[str, Table] = {table.tag: table for table in WRITTEN}
ESCAPES = {c: f"&#{ord(c)};" for c in "\t\n\r"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}


class _Columns(Protocol):
    def _column(self, name: str) -> NDArray[Any]: ...


def to_xml(model: _Columns, names: Mapping[str, Sequence[str]], name: str) -> str:
    """The text, with a line for each row, and given and derived columns alike."""
    root = f"<model name={_quoted(name)} version={_quoted(SCHEMA_VERSION)}>"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', root]
    for table in WRITTEN:
        lines.extend(_rows(table, model, names))
    lines.append("</model>\n")
    return "\n".join(lines)


def _rows(table: Table, model: _Columns, names: Mapping[str, Sequence[str]]) -> Iterator[str]:
    texts = [
        (column.attribute, _texts(column, model._column(column.name), single=not table.size))
        for column in table.columns
        if column.role != "computed" and model._column(column.name).size
    ]
    called = [_quoted(name) for name in names[table.names]] if table.names else []
    for row in range(len(texts[0][1]) if texts else 0):
        own = f' id="{row}"' if table.size else ""
        own += f" name={called[row]}" if called else ""
        own += "".join(f' {attribute}="{values[row]}"' for attribute, values in texts)
        yield f"  <{table.tag}{own}/>"


def _texts(column: Column, array: NDArray[Any], *, single: bool) -> list[str]:
    rows = array.reshape(1, -1) if single else array.reshape(len(array), array.size // max(1, len(array)))
    if column.codes is not None:
        return [column.codes(row[0]).name for row in rows.tolist()]
    if column.flag:
        return ["true" if row[0] else "false" for row in rows.tolist()]
    return [" ".join(map(_number, row)) for row in rows.tolist()]


def _number(value: float | int) -> str:
    """The shortest text that is read back as the same number; whole numbers without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return "-0" if value == 0 and str(value)[0] == "-" else str(int(value))
    return repr(value)


def _quoted(text: str) -> str:
    return '"' + "".join(ESCAPES.get(character, character) for character in text) + '"'


# --- reading --------------------------------------------------------------------------------------


def from_xml(text: str | bytes) -> tuple[dict[str, Any], dict[str, list[str]], str]:
    """Given columns, names and the Model's name. Derived attributes are ignored.

    Raises:
        ModelError: not well-formed, a document type, an element, attribute or value that model.xsd does not
            define, or another version of it.
    """
    reading = _Reading("utf-8" if isinstance(text, str) else None)
    try:
        reading.parser.Parse(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, True)
    except expat.ExpatError as error:
        raise ModelError([f"line {error.lineno}: {expat.ErrorString(error.code)}"]) from None
    except ModelError:
        raise
    except (LookupError, ValueError) as error:  # errors of expat about encodings that it cannot read
        raise ModelError([str(error)]) from None
    return reading.result()


class _Reading:
    """The state of one parse."""

    def __init__(self, encoding: str | None) -> None:
        self.parser = expat.ParserCreate(encoding)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.depth = 0
        self.name = ""
        self.names: dict[str, list[str]] = {table.names: [] for table in WRITTEN if table.names}
        self.values: dict[str, list[Any]] = {
            column.name: [] for table in WRITTEN for column in table.columns if column.role == "model"
        }
        self.rows: dict[str, int] = dict.fromkeys(BY_TAG, 0)

    def fail(self, problem: str) -> ModelError:
        return ModelError([f"line {self.parser.CurrentLineNumber}: {problem}"])

    def doctype(self, *_: object) -> None:
        raise self.fail("a document type is not allowed in a Model")

    def characters(self, text: str) -> None:
        if text.strip():
            raise self.fail(f"stray text {text.strip()[:40]!r}")

    def end(self, tag: str) -> None:
        self.depth -= 1

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth == 1 and tag == "model":
            self.name = attributes.pop("name", "")
            check_version(
                f"line {self.parser.CurrentLineNumber}: the XML", attributes.pop("version", SCHEMA_VERSION)
            )
            if attributes:
                raise self.fail(f"<model> has no attribute {next(iter(attributes))!r}")
        elif self.depth == 2 and tag in BY_TAG:
            self.row(BY_TAG[tag], attributes)
        else:
            raise self.fail(f"<{tag}> is not allowed here")

    def row(self, table: Table, attributes: dict[str, str]) -> None:
        number = self.rows[table.tag]
        self.rows[table.tag] += 1
        if table.size and attributes.pop("id", str(number)) != str(number):
            raise self.fail(f'the id of this <{table.tag}> must be "{number}": rows must be in order')
        if table.names:
            self.names[table.names].append(attributes.pop("name", ""))
        for column in table.columns:
            text = attributes.pop(column.attribute, None)
            if column.role == "model":
                if text is None and column.default is not None and not self.values[column.name]:
                    continue  # no row gives it: the Model's default is used
                if text is None:
                    raise self.fail(f"<{table.tag}> needs the attribute {column.attribute!r}")
                self.values[column.name].append(self.value(column, text))
        if attributes:
            raise self.fail(f"<{table.tag}> has no attribute {next(iter(attributes))!r}")

    def value(self, column: Column, text: str) -> Any:
        words = text.split()
        size = prod(part for part in column.shape if isinstance(part, int))
        if size != len(words) and all(isinstance(part, int) for part in column.shape):
            raise self.fail(f"{column.attribute!r} has {len(words)} values, not {size}")
        try:
            if column.codes is not None:
                return int(column.codes[words[0]])
            if column.flag:
                return {"true": 1, "false": 0, "1": 1, "0": 0}[words[0]]
            if "_" in text:
                raise ValueError("digit groups are not allowed in XML")
            number = float if column.dtype.startswith("float") else int
            values = np.array([number(word) for word in words], column.dtype)
        except (KeyError, ValueError, OverflowError):
            raise self.fail(f"{column.attribute!r} cannot be {text[:40]!r}") from None
        return values.tolist() if column.shape else values.tolist()[0]

    def result(self) -> tuple[dict[str, Any], dict[str, list[str]], str]:
        if self.rows["option"] != 1:
            raise ModelError([f"a Model must have one <option>, not {self.rows['option']}"])
        columns: dict[str, Any] = {}
        for table in WRITTEN:
            for column in table.columns:
                values = self.values.get(column.name)
                if not values:
                    continue  # columns that no row gives have their defaults
                if len(values) != self.rows[table.tag]:
                    raise ModelError([f"{column.attribute!r} must be given on all <{table.tag}> or on none"])
                if len({len(row) if isinstance(row, list) else 1 for row in values}) > 1:
                    raise ModelError(
                        [f"{column.attribute!r} must have the same number of values on all <{table.tag}>"]
                    )
                shape = tuple(part if isinstance(part, int) else -1 for part in column.shape)
                array = np.array(values, dtype=column.dtype)
                columns[column.name] = array.reshape((len(values), *shape) if table.size else shape)
        return columns, self.names, self.name
