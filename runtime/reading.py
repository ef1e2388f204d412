"""From a text to a typed document: its format, the parser, the files that it includes, and the rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from polybody.base import Format, Node, Released, Source
from polybody.diagnostics import Findings, Policy, ValidationError
from polybody.diagnostics.diagnostic import MissingFileError
from polybody.diagnostics.internal import Guarded
from polybody.diagnostics.warned import note, one_warning
from polybody.document.access import NOTHING, UNDECLARED, Access, Declared, Folder, Folders, declared
from polybody.document.includes import Files, Includes, takes_files
from polybody.document.left_out import report_left_out
from polybody.document.notations import Notation, notation_named, notation_of
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.parser.lacking import Lacked
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import table_of
from polybody.document.registry import detect, format_named, home_of, root_tags
from polybody.document.releases import (
    as_release,
    newest_that_has,
    report_apart,
    report_release,
    require_releases,
)
from polybody.document.searches import LookedUpOnce
from polybody.document.sources import (
    LIMITS,
    Limits,
    SourceError,
    first_tags,
    load,
    make_source,
    root_tag,
)
from polybody.errors import OptionError
from polybody.validation.dropped import note_dropped
from polybody.validation.rule_check import check_rules
from polybody.validation.scene import PartScene

if TYPE_CHECKING:
    from polybody.generated.formats import mjcf, openrave, sdf, skel, urdf, x_xy
    from polybody.generated.formats.srdf import Robot as Semantics
    from polybody.validation.srdf import Srdf

AUTO = "auto"
STANDARD_INPUT = "-"
Input = Folder | TextIO | BinaryIO
Packages = Mapping[str, Folder | None]
FOREIGN = {
    "COLLADA": "COLLADA files can be meshes of a model; robots in COLLADA are not read",
    "package": "this is the manifest of a package, not a model",
    "launch": "this is a launch file of ROS, not a model",
}
"""Advice about files of other kinds, by their root elements."""


def read(
    path: Input,
    *,
    policy: Policy = "warn",
    format: str | Format = AUTO,
    release: str = AUTO,
    text: str | bytes | None = None,
    limits: Limits = LIMITS,
    packages: Packages = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
) -> Any:
    """Read a document and check it.

    Files that it refers to may be in its project: the nearest folder at or above its own that has a `.git`,
    `package.xml`, `model.config`, `CMakeLists.txt`, `pyproject.toml` or `polybody.toml`, otherwise the parent
    of its folder. The document remembers these arguments: ``lower`` finds the same files.

    Args:
        path: the file, "-" for standard input, or a file object open for reading; with ``text``, only the
            name that findings show, in whose folder the text counts as lying. A text without a folder counts
            as lying in the working directory.
        policy: what counts as an error: ``warn`` (what the format's home engine refuses or cannot interpret;
            other problems are warnings), ``strict`` (every problem) or ``lenient`` (only what leaves the
            meaning of the document open).
        format: name of the format, or its tables; ``auto`` looks at the root element.
        release: the release of MJCF as which the document is read, such as "3.2.7" or "4.0". ``auto`` is
            3.2.7 if the document has no name, keyword or type that it lacks, otherwise the newest release
            that has all of them.
        text: the document itself, instead of the file's content.
        limits: limits on the size and depth of a document.
        packages: folders by their names in ``package://NAME/`` and ``model://NAME/``. A name that is itself a
            URI, such as ``https://example.org/models``, stands for the URIs that begin with it: they lead to
            that file or folder, or, if it is None, what they name is left out.
        package_path: folders that are packages or that are searched for packages, two levels deep; a list, or
            a string such as the value of ROS_PACKAGE_PATH.
        roots: further folders in which files may be opened; likewise.
        confined: whether only files in the document's own folder and packages and in the given folders may be
            opened: for documents that nobody vouches for.

    Returns:
        The root element, an instance of the format's generated class. Effective values, including defaults,
        come from ``polybody.document.resolver.resolve``.

    Raises:
        ValidationError: an error remains under the policy; it carries all findings.
        FileNotFoundError: there is no such file; also a ValidationError.
        OptionError: there is no such release, or the format has none; also a ValueError.
        ValueError: a package or folder does not exist.

    Warns:
        ModelWarning: there are warnings; the message gives their number.
    """
    findings = Findings(policy)
    path, text = opened(path, text)
    with LookedUpOnce(), one_warning(os.fsdecode(path)):
        given = declared(packages, package_path, roots, confined, release)
        root = read_with_findings(path, format, text, limits, findings, given)
        if root is None and text is None and not Path(path).exists():
            raise MissingFileError(findings.items)
        try:
            findings.raise_errors()
        except ValidationError as error:
            again = partial(_accepted, path, format, text, limits, given)
            raise error.verified(again) from error.__cause__
        note(findings.items)
    assert root is not None
    return root


def _accepted(
    path: Folder,
    format: str | Format,
    text: str | bytes | None,
    limits: Limits,
    given: Declared,
    policy: Policy,
) -> None:
    """Raise ValidationError unless the policy accepts the document."""
    findings = Findings(policy)
    read_with_findings(path, format, text, limits, findings, given)
    findings.raise_errors()


def standard_input() -> bytes:
    """All of standard input; nothing if the process was started without one."""
    return sys.stdin.buffer.read() if sys.stdin is not None else b""


def opened(path: Input, text: str | bytes | None) -> tuple[Folder, str | bytes | None]:
    """The name and content of standard input or an open file; other paths and texts unchanged."""
    if path == STANDARD_INPUT and text is None:
        return "<stdin>", standard_input()
    if hasattr(path, "read"):
        name = getattr(path, "name", None)
        return name if isinstance(name, str) else "<stream>", path.read() if text is None else text
    if isinstance(path, Node):
        raise TypeError(
            "expected the path of a file, not a document; polybody.lower makes a Model of a document"
        )
    if text is None and isinstance(path, str) and path.lstrip().startswith("<") and ">" in path:
        raise ValueError("expected the path of a file, not its content: read('name.xml', text=...)")
    return path, text


def read_mjcf(path: Input, **how: Any) -> mjcf.Mujoco:
    """`read` an MJCF document; for type checkers. Same arguments, except ``format``."""
    return cast("mjcf.Mujoco", read(path, format="mjcf", **how))


def read_openrave(path: Input, **how: Any) -> openrave.Environment | openrave.Robot | openrave.KinBody:
    """`read` an OpenRAVE document of a scene, a robot or a body; for type checkers. Same arguments, except
    ``format``.
    """
    return cast("openrave.Robot", read(path, format="openrave", **how))


def read_urdf(path: Input, **how: Any) -> urdf.Robot:
    """`read` a URDF document; for type checkers. Same arguments, except ``format``."""
    return cast("urdf.Robot", read(path, format="urdf", **how))


def read_sdf(path: Input, **how: Any) -> sdf.Sdf:
    """`read` an SDFormat document; for type checkers. Same arguments, except ``format``."""
    return cast("sdf.Sdf", read(path, format="sdf", **how))


def read_skel(path: Input, **how: Any) -> skel.Skel:
    """`read` a SKEL document; for type checkers. Same arguments, except ``format``."""
    return cast("skel.Skel", read(path, format="skel", **how))


def read_x_xy(path: Input, **how: Any) -> x_xy.XXy:
    """`read` an x_xy document; for type checkers. Same arguments, except ``format``."""
    return cast("x_xy.XXy", read(path, format="x_xy", **how))


def as_written(
    path: Folder,
    policy: Policy = "warn",
    *,
    format: str | Format = AUTO,
    text: str | bytes | None = None,
    release: str = AUTO,
    packages: Packages = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
) -> Node | None:
    """A document, whatever the findings about it; None if nothing of it could be read, or if it is not XML.

    Arguments as in `read`.
    """
    findings = Findings(policy)
    given = declared(packages, package_path, roots, confined, release)
    document = read_with_findings(path, format, text, LIMITS, findings, given)
    return document if isinstance(document, Node) else None


def read_with_findings(
    path: str | os.PathLike[str],
    format: str | Format,
    text: str | bytes | None,
    limits: Limits,
    findings: Findings,
    given: Declared = UNDECLARED,
) -> Any | None:
    """The document of a file or a text, or None if there is none; arguments as in `read`, from `opened` and
    `declared`.
    """
    if isinstance(format, Format):
        form: Format | Notation | None = format
    else:
        form = None if format == AUTO else notation_named(format) or format_named(format)
    shown = os.fsdecode(path)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not isinstance(text, str | bytes | None):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    with Guarded(findings, shown, ours=(OptionError,)):
        try:
            content = load(shown, limits) if data is None else data
            access = Access(shown, given, is_text=data is not None)
            source = make_source(shown, content, limits, decoded=isinstance(text, str), access=access)
        except SourceError as error:
            findings.add(error.code, error.span, error.message, hint=error.hint)
            return None
        try:
            return read_source(source, form, limits, findings)
        finally:
            findings.shared.clear()  # otherwise the findings would keep the document alive
    return None  # behind an internal error


def valid(document: Node, policy: Policy, release: str | None = None) -> Node:
    """A document as its text would be read, which is usually the document itself; as a release of its format
    if one is given.

    Raises:
        ValidationError: it has errors under the policy.
        OptionError: the format has no such release.
        TypeError, ValueError: as in `validate`.
    """
    from polybody.validation.in_memory import examine

    examined = examine(document, policy, read_text, release)
    examined.findings.raise_errors()
    note(examined.findings.items)
    return examined.document


def fitting_srdf(given: Srdf, robot: Any, findings: Findings) -> Semantics | None:
    """The document of an SRDF, with findings about it and about names that a robot does not have. None after
    errors that leave none, and if it is for another robot.

    Args:
        given: the SRDF.
        robot: the document of the URDF.
        findings: receives findings.

    Raises:
        OptionError: it is neither a path nor an SRDF.
    """
    from polybody.generated.formats.srdf import Robot as Semantics
    from polybody.validation.srdf import fits

    with findings.about("srdf"):
        found = given if isinstance(given, Semantics) else _read_srdf(given, findings)
        return found if isinstance(found, Semantics) and fits(found, robot, findings) else None


def _read_srdf(given: object, findings: Findings) -> Node | None:
    if not isinstance(given, str | os.PathLike):
        raise OptionError(f"srdf must be a path or a document of SRDF, not {given!r:.60}")
    path = os.fsdecode(given)
    try:
        source = make_source(path, load(path, LIMITS), LIMITS)
    except SourceError as error:
        findings.add(error.code, error.span, error.message, hint=error.hint)
        return None
    return read_text(source, format_named("srdf"), findings)


def read_text(source: Source, form: Format, findings: Findings) -> Node | None:
    """The document of a source whose format is known."""
    return read_source(source, form, LIMITS, findings)


def read_source(
    source: Source, form: Format | Notation | None, limits: Limits, findings: Findings
) -> Any | None:
    """The document of a source, or None if there is none. Findings are added to ``findings``.

    form: how the text is to be read; None: detected from the file name, then from the root element.
    """
    notation = notation_of(source.path) if form is None else form
    files = Files(source, limits)
    with CollectorPaused():
        if isinstance(notation, Notation):
            require_releases(notation, files.access.declared.release)
            root = notation.read(source, findings, files, lambda o: _read_paused(o, None, findings, files))
            if root is not None and not findings.full:
                import_module(f"polybody.validation.rules.{notation.name}").check(root, PartScene(findings))
            if root is not None:
                with findings.about(notation.name):
                    report_left_out(root, findings)
            return root
        root = _read_paused(source, notation, findings, files)
        if root is not None:
            report_left_out(root, findings)
        return root


def _read_paused(
    source: Source, form: Format | None, findings: Findings, files: Files, includes: Includes | None = None
) -> Node | None:
    if form is None:
        tag = root_tag(source)
        form = None if tag is None else detect(tag, first_tags(source), source.path.rpartition(".")[2])
    asked = files.access.declared.release
    if asked != AUTO and form is not None and not files.opened[1:]:  # of the document, not of one in it
        require_releases(form, asked)
    with findings.about(home_of(form)):
        return _read_form(source, form, findings, files, includes)


def _read_form(
    source: Source, form: Format | None, findings: Findings, files: Files, includes: Includes | None
) -> Node | None:
    if form is not None and form.releases:
        return _released(source, form, findings, files, includes)
    parse = _parse(source, form, findings, files, includes)
    if form is None and not findings.items:
        place = source.between(0, 0)
        known = ", ".join(f"<{tag}>" for tag in root_tags())
        tag = root_tag(source)
        message = f"<{tag}> is not the root of any known format; expected one of {known}"
        findings.add("PB007", place, message, hint=FOREIGN.get(tag or ""), source=source)
    return None if form is None else _ruled(parse, form, findings)


def _parse(
    source: Source, form: Format | None, findings: Findings, files: Files, includes: Includes | None
) -> Parse:
    """Read the text of a document, and those that it includes."""
    if form is None or not takes_files(form):
        includes = None
    elif includes is None or includes.form is not form:
        includes = _includes(form, source, findings, files)
    table = None if form is None else table_of(form)
    parse = Parse(table, source, findings, files.limits, includes, None, files)
    parse.run()
    return parse


def _ruled(parse: Parse, form: Format, findings: Findings) -> Node | None:
    """The document that was parsed, after its rules are checked."""
    if parse.root is None:
        return None
    if not findings.full:
        check_rules(parse.root, form, findings, parse.poisoned, parse.lost, parse.included)
    if parse.poisoned:
        note_dropped(parse.root, form, parse.poisoned, findings)
    root: Node = parse.root
    return root


def _released(
    source: Source, form: Format, findings: Findings, files: Files, includes: Includes | None
) -> Node | None:
    """A document of a format with releases, as the one that is asked for. What it includes is of the same."""
    asked, outer = files.access.declared.release, None if includes is None else includes.form
    if outer is not None and outer.whole is form.whole:
        return _ruled_as(outer, _parse(source, outer, findings, files, includes), findings)
    if asked != AUTO:
        form = as_release(form, asked)
    mark, continued = findings.mark(), len(source.continued)
    before = files.anew() if files.elements else Files(source, files.limits)
    missing: list[Lacked] = []
    findings.lacked = missing
    try:
        parse = _parse(source, form, findings, files, includes)
    finally:
        findings.lacked = None
    if not missing:
        return _ruled_as(form, parse, findings)

    def lacks(other: Format) -> list[Lacked]:
        scratch = Findings("lenient", format=findings.format)
        found: list[Lacked] = []
        scratch.lacked = found
        again = Source(source.path, source.data, source.include_stack, source.encoding, access=source.access)
        _parse(again, other, scratch, before.anew(), None)
        return found

    chosen = newest_that_has(form, missing, lacks)
    if asked == AUTO and chosen.form is not None:
        findings.back(mark)
        files.become(before)
        del source.continued[continued:]
        source.refilled.clear()
        parse, form = _parse(source, chosen.form, findings, files, includes), chosen.form
        if parse.root is not None:
            report_release(parse.root, chosen, findings, source)
    elif chosen.apart is not None:
        report_apart(chosen.apart, form, findings, source)
    return _ruled_as(form, parse, findings)


def _ruled_as(form: Format, parse: Parse, findings: Findings) -> Node | None:
    """As `_ruled`, of a format with releases."""
    if isinstance(parse.root, Released):
        parse.root.release = form.version
        if parse.root.source is not None:
            parse.root.source.release = form.version
    return _ruled(parse, form, findings)


def _includes(form: Format, source: Source, findings: Findings, files: Files) -> Includes:
    def read_other(other: Source, includes: Includes) -> Node | None:
        return _read_paused(other, None, findings, files, includes)

    return Includes(form, source, findings, files, read_other)
