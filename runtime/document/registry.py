"""The known formats. Their tables are imported when the first document needs them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from polybody.base import Format, Node, Released, at_release
from polybody.generated import formats
from polybody.suggest import closest, did_you_mean

PARTS = {"mujocoinclude": "<include> inserts it into a document; check that document"}
"""Roots of files that are not documents, and what to do with them."""
CLEAR = 10
"""By how many more of the first elements a format must match to be preferred to others."""
ENTRY_POINTS = "polybody.formats"
"""The group of entry points by which others add formats: NAME = "package" generated from their schema."""

BUILT_IN = {name: (f"{formats.__name__}.{name}", tags) for name, tags in formats.ROOTS.items()}
"""By name: the package with the generated tables, and the tags of roots, the usual one first."""


@cache
def _packages() -> dict[str, str]:
    """All formats by name, with the package of their tables."""
    from importlib.metadata import entry_points

    found = {name: package for name, (package, _) in BUILT_IN.items()}
    for point in entry_points(group=ENTRY_POINTS):
        found.setdefault(point.name, point.value)
    return found


_built_in_classes: dict[type[Node], Format] = {}
"""The formats of classes of ours that were asked for."""


def names() -> list[str]:
    """The names of all formats, including those of other packages."""
    return sorted(_packages())


@cache
def format_named(name: str) -> Format:
    """The tables of a format.

    Raises:
        ValueError: there is no such format.
    """
    package = BUILT_IN[name][0] if name in BUILT_IN else _packages().get(name)
    if package is None:
        from polybody.document.notations import NOTATIONS

        known = ("auto", *names(), *(notation.name for notation in NOTATIONS))
        hint = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
        raise ValueError(f"unknown format {name!r}; {hint}")
    return _tables(package)


def is_built_in(form: Format) -> bool:
    """Whether these are our tables, and not those of another schema for a format of that name."""
    return form.name in BUILT_IN and (form.whole or form) is _whole(format_named(form.name))


def _whole(form: Format) -> Format:
    """The tables of all releases of a format, or its only ones."""
    return form.whole or form


def home_of(form: Format | None) -> str:
    """The name of a built-in format, whose reference engine affects severities; "" for any other."""
    return form.name if form is not None and is_built_in(form) else ""


def package_of(form: Format) -> str:
    """The package that was generated for a format, with its classes, tables and reference page."""
    return _package(form.elements[form.root].cls)


def _package(cls: type[Node]) -> str:
    return cls.__module__.partition(".documents")[0]  # one module, or a package of several


def _tables(package: str) -> Format:
    tables: Any = import_module(f"{package}.tables")
    form = tables.FORMAT
    if not isinstance(form, Format):
        raise TypeError(f"{package}.tables.FORMAT is not a format")
    return form


def format_of(document: Node) -> Format:
    """The format of a document, by the package in which its class was generated; of a format with releases
    the tables of the document's.

    Raises:
        TypeError: it is not a document.
    """
    if not isinstance(document, Node):
        raise TypeError(f"expected a document, as returned by polybody.read, not {document!r:.60}")
    form = _format_of(document)
    return at_release(form, document.release) if isinstance(document, Released) else form


def _format_of(document: Node) -> Format:
    """The tables of a document's format, of whichever release."""
    known = _built_in_classes.get(type(document))
    if known is not None:
        return known
    package = _package(type(document))
    for name, (built_in, _) in BUILT_IN.items():
        if built_in == package:
            _built_in_classes[type(document)] = format_named(name)
            return _built_in_classes[type(document)]
    tables = sys.modules.get(f"{package}.tables")
    form = getattr(tables, "FORMAT", None)
    return form if isinstance(form, Format) else _tables(package)


def detect(tag: str, glances: Iterable[Mapping[str, int]] = (), ending: str = "") -> Format | None:
    """The format whose root has this tag or, if there is none, one of which it seems to be a misspelling.

    glances: numbers of occurrences of other tags in increasingly long parts of the document. If several
    formats have a root with that tag, the result is the one that matches most of them, or whose name is the
    ending of the file's name, or whose usual root it is.
    """
    found = list(_rooted(tag))
    if len(found) > 1:
        known = dict.fromkeys(found, 0)
        for met in glances:
            known = {name: _known(met, name) for name in found}
            best, second, *_ = sorted(known.values(), reverse=True)
            if best - second >= CLEAR:
                break
        found.sort(key=lambda name: (-known[name], name != ending))
    if found:
        return format_named(found[0])
    others = {name: format_named(name) for name in _packages() if name not in BUILT_IN}
    roots = {
        form.elements[key].tag: name for name, form in others.items() for key in (form.root, *form.roots)
    }
    roots |= {root: name for name, (_, tags) in BUILT_IN.items() for root in tags[::-1]}
    near = closest(tag.rpartition(":")[2], roots)
    return None if near is None else format_named(roots[near])


def is_model(tag: str, met: Mapping[str, int], ending: str = "") -> bool:
    """Whether a document with this root is a model, also with a misspelt root: then the file's name must end
    like the name of a format, or most of its first elements must be known to the format.

    met: numbers of occurrences of tags in the beginning of the document. Parts that are only included are no
    models of their own.
    """
    if tag in PARTS:
        return False
    form = detect(tag)
    if form is None or _rooted(tag) or not is_built_in(form):
        return form is not None
    return ending in BUILT_IN or 2 * _known(met, form.name) > sum(met.values())


@lru_cache(maxsize=64)
def _rooted(tag: str) -> tuple[str, ...]:
    """The formats of ours with a root of a tag, first those whose usual root it is."""
    found = [name for name, roots in _ROOTS.items() if _spelt(tag, name) in roots]
    return tuple(sorted(found, key=lambda name: tag != BUILT_IN[name][1][0]))


def _known(met: Mapping[str, int], name: str) -> int:
    """Number of elements, by their tags, that a format knows."""
    known = _tags(name)
    return sum([count for tag, count in met.items() if _spelt(tag, name) in known])


def _spelt(tag: str, name: str) -> str:
    """A tag as it is compared in a format: in lower case if letter case does not matter."""
    return tag.lower() if name in formats.FOLDS_CASE else tag


_ROOTS = {name: frozenset(_spelt(root, name) for root in roots) for name, (_, roots) in BUILT_IN.items()}
"""By format: the tags of its roots, in the form in which they are compared."""


@cache
def _tags(name: str) -> frozenset[str]:
    """The tags of a format's elements other than roots, in the form in which they are compared."""
    return frozenset(formats.TAGS[name])


def root_tags() -> list[str]:
    """The tags with which documents of the built-in formats usually begin."""
    return list(dict.fromkeys(tags[0] for _, tags in BUILT_IN.values()))
