"""Every field of the generated classes has its unit, its size, its default and its documentation."""

from __future__ import annotations

import ast
import json
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from polybody.base import Attribute, Kind, Text
from polybody.document.registry import BUILT_IN, format_named


def docstrings(name: str) -> dict[str, dict[str, str]]:
    """For each class, the text below each field."""
    package = Path(__file__).parents[2] / "generated" / "formats" / name
    found: dict[str, dict[str, str]] = {}
    for path in [*package.glob("documents/*.py"), *package.glob("documents.py")]:
        for cls in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(cls, ast.ClassDef):
                found[cls.name] = fields = {}
                last = ""
                for node in cls.body:
                    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                        last = node.target.id
                    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and last:
                        fields.setdefault(last, str(node.value.value))
    return found


def _python(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_python, value))}{',' * (len(value) == 1)})"
    return json.dumps(value) if isinstance(value, str) else repr(value).replace("e+", "e")


def facts(attribute: Attribute | Text) -> list[str]:
    """What the docstring of an attribute must contain."""
    form = attribute.forms[0]
    words = [unit for unit in attribute.unit.split("|") if unit not in ("", "1")]
    if form.kind in (Kind.REAL, Kind.INT) and not form.scalar and form.low == form.high:
        words.append(f"{form.low} ")
    default: Any = attribute.default
    if default is not None:
        words.append(_python(default))
    return words


@pytest.mark.parametrize("name", BUILT_IN)
def test_fields_are_documented(name: str) -> None:
    shown = docstrings(name)
    lacking = []
    for row in format_named(name).elements.values():
        for attribute in row.attributes:
            text = " ".join(shown.get(row.cls.__name__, {}).get(attribute.field, "").split())
            if row.key != "*" and (not text or any(fact not in text for fact in facts(attribute))):
                lacking.append((row.key, attribute.name, facts(attribute), text))
    assert lacking == []
