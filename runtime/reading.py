"""Read a file into a typed document, with findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TextIO, cast

from polybody.base import Format, Node
from polybody.diagnostics import Diagnostic, Findings, Policy, ValidationError
from polybody.diagnostics.diagnostic import MissingFileError
from polybody.diagnostics.internal import Guarded
from polybody.diagnostics.warned import note, one_warning
from polybody.document.access import NOTHING, UNDECLARED, Access, Declared, Folder, Folders, declared
from polybody.document.notations import Notation, notation_named
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.registry import format_named
from polybody.document.searches import LookedUpOnce
from polybody.document.sources import LIMITS, Limits, SourceError, load, make_source
from polybody.validation.validate import read_source

if TYPE_CHECKING:
    from polybody.generated.formats import mjcf, openrave, sdf, skel, urdf, x_xy
    from polybody.validation.srdf import Srdf

AUTO = "auto"
STANDARD_INPUT = "-"
Input = Folder | TextIO | BinaryIO
Packages = Mapping[str, Folder | None]


def read(
    path: Input,
    *,
    policy: Policy = "warn",
    format: str | Format = AUTO,
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
        ValueError: a package or folder does not exist.

    Warns:
        ModelWarning: there are warnings; the message gives their number.
    """
    findings = Findings(policy)
    path, text = opened(path, text)
    with LookedUpOnce(), one_warning(os.fsdecode(path)):
        given = declared(packages, package_path, roots, confined)
        root = _read(path, format, text, limits, findings, given)
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
    _read(path, format, text, limits, findings, given)
    findings.raise_errors()


def opened(path: Input, text: str | bytes | None) -> tuple[Folder, str | bytes | None]:
    """The name and content of standard input or an open file; other paths and texts unchanged."""
    if path == STANDARD_INPUT and text is None:
        return "<stdin>", sys.stdin.buffer.read()
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


def check(
    path: Input,
    policy: Policy = "strict",
    *,
    format: str | Format = AUTO,
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
        path, policy, format, text, limits, packages, package_path, roots, confined: as in `read`.
        meaning: "gazebo" reports what Gazebo refuses in a URDF or an SDFormat document, and what it means
            there unlike Drake, instead of what Drake refuses and ignores.
        srdf: an SRDF of a URDF, a file or a document, whose findings are included.
        model: whether the Model of the document is judged as well: what `load` and the first step would
            refuse or warn of, and what is physically implausible, such as overlaps at the initial pose. Of a
            document with more than ``limits.judged`` elements it is not, which is a finding.

    Raises:
        TypeError: the document is not a URDF and has no SRDF, or has only one meaning.
        ValueError: a package or folder does not exist, or there is no such meaning.
    """
    findings = Findings(policy)
    path, text = opened(path, text)
    given = declared(packages, package_path, roots, confined)
    options: dict[str, Any] = {} if srdf is None else {"srdf": srdf}
    options |= {} if meaning == "drake" else {"meaning": meaning}
    with LookedUpOnce(), CollectorPaused():  # until the document is gone
        document = _read(path, format, text, limits, findings, given)
        if options:
            from polybody.validation.gazebo import add_as

            add_as(document, meaning, srdf, findings)
        if model and document is not None:
            from polybody.plausibility.judging import judge

            with Guarded(findings, os.fsdecode(path)):
                judge(document, findings, limits.judged, **options)
        del document  # it is freed before the collector runs
    return findings.sorted()


def as_written(
    path: Folder,
    policy: Policy = "warn",
    *,
    format: str | Format = AUTO,
    text: str | bytes | None = None,
    packages: Packages = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
) -> Node | None:
    """A document, whatever the findings about it; None if nothing of it could be read, or if it is not XML.

    Arguments as in `read`.
    """
    findings = Findings(policy)
    given = declared(packages, package_path, roots, confined)
    document = _read(path, format, text, LIMITS, findings, given)
    return document if isinstance(document, Node) else None


def _read(
    path: str | os.PathLike[str],
    format: str | Format,
    text: str | bytes | None,
    limits: Limits,
    findings: Findings,
    given: Declared = UNDECLARED,
) -> Any | None:
    if isinstance(format, Format):
        form: Format | Notation | None = format
    else:
        form = None if format == AUTO else notation_named(format) or format_named(format)
    shown = os.fsdecode(path)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not isinstance(text, str | bytes | None):
        raise TypeError(f"text must be str or bytes, not {type(text).__name__}")
    with Guarded(findings, shown):
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
