"""The whole generation, pure: schemas in, texts out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .render import comment, header
from .schema import SCHEMAS

COMMAND = "python -m codegen"
PACKAGES = {
    "": "What codegen wrote from schemas/: never edited, always checked in.",
    "formats": "One package per format: document classes and reader tables.",
}


def generate(schemas: Path = SCHEMAS) -> dict[str, str]:
    """Every generated file: {path below generated/: text}.

    Raises:
        SchemaError: a schema must be repaired.
    """
    files = packages(PACKAGES)
    return with_manifest(files, COMMAND)


def packages(docs: dict[str, str]) -> dict[str, str]:
    """An ``__init__.py`` of each package that holds nothing but its docstring."""
    head = header(["codegen/generate.py"], COMMAND)
    return {f"{path}/__init__.py".lstrip("/"): f'{head}"""{doc}"""\n' for path, doc in docs.items()}


def with_manifest(files: dict[str, str], command: str) -> dict[str, str]:
    """The files in order of path, and MANIFEST, which lists them."""
    return dict(sorted({**files, "MANIFEST": manifest(files, command)}.items()))


def manifest(paths: Iterable[str], command: str) -> str:
    """What a regeneration owns: one path a line."""
    lines = [comment(f"Every file that `{command}` owns here; others it leaves alone.", "#"), *sorted(paths)]
    return "\n".join(lines) + "\n"
