"""All findings about a file or about a document in memory."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from polybody.base import Format, Node
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.diagnostics.internal import Guarded
from polybody.document.access import NOTHING, Folders, declared
from polybody.document.includes import Files
from polybody.document.notations import Document, notation_named, written_otherwise
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.searches import LookedUpOnce
from polybody.document.sources import LIMITS, Limits, make_source
from polybody.errors import NoReleaseError
from polybody.reading import AUTO, Input, Packages, fitting_srdf, opened, read_text, read_with_findings
from polybody.validation.scene import PartScene

if TYPE_CHECKING:
    from polybody.validation.srdf import Srdf


def check(
    path: Input,
    policy: Policy = "strict",
    *,
    format: str | Format = AUTO,
    release: str = AUTO,
    text: str | bytes | None = None,
    limits: Limits = LIMITS,
    packages: Packages = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
    meaning: Literal["drake", "gazebo"] = "drake",
    srdf: Srdf | None = None,
    model: bool = True,
) -> list[Diagnostic]:
    """All findings about a document, sorted by place.

    Args:
        path, policy, format, release, text, limits, packages, package_path, roots, confined: as in `read`.
        meaning: "gazebo" reports what Gazebo refuses in a URDF or an SDFormat document, and what it means
            there unlike Drake, instead of what Drake refuses and ignores.
        srdf: an SRDF of a URDF, a file or a document, whose findings are included.
        model: whether the Model of the document is judged as well: what `load` and the first step would
            refuse or warn of, and what is physically implausible, such as overlaps at the initial pose. Of a
            document with more than ``limits.judged`` elements it is not, which is a finding.

    Raises:
        TypeError: the document is not a URDF and has no SRDF, or has only one meaning.
        OptionError: there is no such release, or the format has none; also a ValueError.
        ValueError: a package or folder does not exist, or there is no such meaning.
    """
    findings = Findings(policy)
    path, text = opened(path, text)
    given = declared(packages, package_path, roots, confined, release)
    options: dict[str, Any] = {} if srdf is None else {"srdf": srdf}
    options |= {} if meaning == "drake" else {"meaning": meaning}
    with LookedUpOnce(), CollectorPaused():  # until the document is gone
        document = read_with_findings(path, format, text, limits, findings, given)
        if options:
            from polybody.validation.gazebo import add_as

            add_as(document, meaning, srdf is not None, findings)
            if srdf is not None and document is not None:
                fitting_srdf(srdf, document, findings)
        if model and document is not None:
            from polybody.plausibility.judging import judge

            with Guarded(findings, os.fsdecode(path)):
                judge(document, findings, limits.judged, **options)
        del document  # it is freed before the collector runs
    return findings.sorted()


def validate(
    document: Node | Document, policy: Policy = "strict", *, release: str | None = None
) -> list[Diagnostic]:
    """Check a document in memory that was read, changed, or made in Python; returns its findings.

    Findings about elements that were read have their places in that text; other places refer to the text that
    `write` produces.

    Args:
        document: its root element.
        policy: what counts as an error; see `read`.
        release: the release of MJCF as which it is checked, or ``auto``; see `read`. By default that of the
            document, ``document.release``.

    Raises:
        OptionError: there is no such release, or the format has none; also a ValueError.
        TypeError: an element has a class that is not allowed in its place.
        ValueError: the document contains something that cannot be written.
    """
    if isinstance(document, Document):
        if release is not None:
            raise NoReleaseError(f"release={release!r:.60} is for mjcf; model directives have no releases")
        return _examine_other(document, policy)
    from polybody.validation.in_memory import examine  # which a text does not need

    return examine(document, policy, read_text, release).findings.sorted()


def _examine_other(document: Document, policy: Policy) -> list[Diagnostic]:
    """The findings about a document that is not XML, at positions in the text that `write` produces, and
    about the documents of the files that it includes.
    """
    from polybody.validation.in_memory import NAME

    found: list[Diagnostic] = []
    waiting: list[Any] = [document]
    met: set[int] = set()
    while waiting:
        each = waiting.pop(0)
        if id(each) in met:
            continue
        met.add(id(each))
        if not isinstance(each, Document):
            found += validate(each, policy)
            continue
        notation = notation_named(each.FORMAT)
        assert notation is not None
        findings = Findings(policy, format=each.FORMAT)
        source = make_source(f"{NAME}{notation.endings[0]}", written_otherwise(each).encode(), LIMITS)
        read = notation.read(source, findings, Files(source, LIMITS, reads=False), lambda other: None)
        if read is not None:
            waiting += read.take_contents(each)
            import_module(f"polybody.validation.rules.{notation.name}").check(read, PartScene(findings))
        found += findings.sorted()
    return found
