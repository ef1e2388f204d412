"""From a file to a typed document, and to everything that is to be said about it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Any

from polybody.base import Format, Node
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.diagnostics.internal import guarded
from polybody.document.registry import format_named
from polybody.document.sources import LIMITS, Limits, SourceError, load, make_source
from polybody.validation.validate import read_source

AUTO = "auto"
Packages = Mapping[str, str | os.PathLike[str]]
NOTHING: Packages = MappingProxyType({})


def read(
    path: str | os.PathLike[str],
    *,
    policy: Policy = "strict",
    format: str | Format = AUTO,
    text: str | bytes | None = None,
    limits: Limits = LIMITS,
    packages: Packages = NOTHING,
    package_path: Iterable[str | os.PathLike[str]] = (),
) -> Any:
    """Read a document and check it.

    Args:
        path: the file; with ``text``, only the name under which findings stand.
        policy: what counts as an error: ``strict``, ``warn`` (what engines tolerate in practice is a
        warning) or
            ``lenient`` (only what makes the meaning unknown is an error).
        format: name of the format, or its tables; ``auto`` looks at the root element.
        text: the document itself, instead of the file's content.
        limits: how large and how deep a document may be.
        packages: folders by the name that ``package://NAME/`` and ``model://NAME/`` call them.
        package_path: folders in which other packages are looked for, two levels deep, as in ROS_PACKAGE_PATH.

    Returns:
        The root element, an instance of the format's generated class. Effective values, which defaults may
        give, come from ``polybody.document.resolver.resolve``.

    Raises:
        ValidationError: an error remains under the policy; it carries all findings.
    """
    findings = Findings(policy)
    with _declare(packages, package_path):
        root = _read(path, format, text, limits, findings)
    findings.raise_errors()
    assert root is not None
    return root


def check(
    path: str | os.PathLike[str],
    policy: Policy = "strict",
    *,
    format: str | Format = AUTO,
    text: str | bytes | None = None,
    limits: Limits = LIMITS,
    packages: Packages = NOTHING,
    package_path: Iterable[str | os.PathLike[str]] = (),
) -> list[Diagnostic]:
    """All findings about a document, by their place; arguments as in `read`."""
    findings = Findings(policy)
    with _declare(packages, package_path):
        _read(path, format, text, limits, findings)
    return findings.sorted()


def _declare(packages: Packages, path: Iterable[str | os.PathLike[str]]) -> AbstractContextManager[None]:
    path = tuple(path)
    if not packages and not path:
        return nullcontext()
    from polybody.document.uris import declare

    return declare(packages, path)


def _read(
    path: str | os.PathLike[str],
    format: str | Format,
    text: str | bytes | None,
    limits: Limits,
    findings: Findings,
) -> Node | None:
    if isinstance(format, Format):
        form: Format | None = format
    else:
        form = None if format == AUTO else format_named(format)
    shown = os.fsdecode(path)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not isinstance(text, str | bytes | None):
        raise TypeError(f"text is str or bytes, not {type(text).__name__}")
    with guarded(findings, shown):
        try:
            source = make_source(shown, load(shown, limits) if data is None else data, limits)
        except SourceError as error:
            findings.add(error.code, error.span, error.message, hint=error.hint)
            return None
        return read_source(source, form, limits, findings)
    return None  # type: ignore[unreachable]  # behind an internal error
