"""From documents to Models: one module per format, found by the document's class.

acting           what a document has that acts and cannot be simulated yet, according to its format's schema
contacts         constraints and contacts of formats whose engines treat them as rigid
copies           how many copies of elements macros may make: of each document, and fewer where a Model is
                 made only to judge it
directives       from model directives to Models, as Drake executes them
images           whether images are decoded: where nothing shows a Model, this would be most of the time of
                 making it
mjcf             compilation of MJCF documents: from elements to MuJoCo's fields
native           a format's own coordinates, and their conversion from and to those of the Model, joint by
                 joint
openrave         lowering of OpenRAVE documents to Models
plants           the common part of the formats that Drake reads: URDF, SDFormat, model directives
result           what lowering a document gives
sdf              from SDFormat documents to Models, as Drake reads them
skel             from SKEL documents to Models that move as in DART 6.20
unsimulated      elements of a document that are not simulated, according to its format's schema
urdf             from URDF documents to Models, as Drake 1.51 reads them
x_xy             from x_xy documents to Models
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from polybody.base import Format, Node
from polybody.diagnostics import Diagnostic, Findings, Policy, ValidationError
from polybody.diagnostics.internal import Guarded
from polybody.diagnostics.warned import note, one_warning, remarks_are_read
from polybody.document.left_out import report_left_out
from polybody.document.notations import Document
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.registry import format_of, is_built_in
from polybody.document.searches import LookedUpOnce
from polybody.errors import NoReleaseError, OptionError
from polybody.lowering.copies import TooManyCopies
from polybody.suggest import did_you_mean

if TYPE_CHECKING:  # numpy is imported for documents of which Models are made
    from polybody.model.flags import Words
    from polybody.model.model import Model

ARGUMENTS = (
    *("disable", "enable", "format", "policy", "text"),
    *("packages", "package_path", "roots", "confined"),
)
"""The arguments that `polybody.load` takes for every format."""


def lowered(
    document: Node, *, release: str | None = None, disable: Words = (), enable: Words = (), **options: Any
) -> Any:
    """The Model of a document, together with the findings of the lowering.

    Args:
        document: as read by ``polybody.read``, or made in Python.
        release: the release of MJCF as which it is checked and compiled, or ``auto``; see
            ``polybody.read``. By default that of the document, ``document.release``.
        disable: parts of the simulation to disable, by their names in MJCF's <flag>: "contact", "gravity",
            "actuation"...
        enable: parts to enable.
        options: options of the format's ``lower``, such as ``seed``.

    Returns:
        A ``Lowered``: the Model as ``.model``, findings that are not errors as ``.findings``.

    Raises:
        ValidationError: the document has errors, or no valid Model can be made of it.
        TypeError: the object is not a document that can become a Model, or the format has no such option.
        OptionError: there is no such release, or the format has none; also a ValueError.
        ValueError: ``disable`` or ``enable`` contains an unknown flag.
    """
    if release is not None:
        document, options = _as_release(document, release, options), options | {"checked": True}
    make = _maker(document, disable, enable, options)

    def attempt(policy: Policy) -> Any:
        milder = _maker(document, disable, enable, options | {"policy": policy})
        return _guarded(milder, document, ours=(TypeError, ValueError))

    with LookedUpOnce(), one_warning("" if document.source is None else document.source.path):
        try:
            return _guarded(make, document, ours=(TypeError, ValueError))
        except ValidationError as error:
            raise error.verified(attempt) from error.__cause__


def _as_release(document: Any, release: str, options: dict[str, Any]) -> Node:
    """A document, checked as a release of its format under the policy of the lowering."""
    from polybody.reading import valid

    if not isinstance(document, Node):
        what = type(document).__name__
        raise NoReleaseError(f"release={release!r:.60} is for mjcf; {what} has no releases")
    return valid(document, options.get("policy", "warn"), release)


def lowered_as_read(document: Node, *, disable: Words = (), enable: Words = (), **options: Any) -> Any:
    """The same for a document that was just read and therefore needs no validation.

    Arguments, result and errors as in :func:`lowered`.
    """
    return _guarded(_maker(document, disable, enable, options), document, ours=(OptionError, TooManyCopies))


def _guarded(make: Callable[[], Any], document: Node, ours: tuple[type[Exception], ...]) -> Any:
    """The result of a function that makes a Model; an unexpected exception becomes a ValidationError that
    asks for a report.
    """
    findings = Findings()
    with Guarded(findings, "" if document.source is None else document.source.path, ours):
        return make()
    raise ValidationError(findings.items) from findings.cause


def _maker(document: Any, disable: Words, enable: Words, options: dict[str, Any]) -> Callable[[], Any]:
    """A function that makes a Model of the document, after its arguments are checked."""
    lower = _lower_of(document)
    if not options.keys() <= _options(lower):
        raise TypeError(_no_option(next(name for name in options if name not in _options(lower)), lower))
    if disable or enable:
        from polybody.model.flags import switched

        disable, enable = (
            (words,) if isinstance(words, str) else tuple(words) for words in (disable, enable)
        )
        switched(0, 0, disable, enable)
    return partial(_run, lower, document, disable, enable, options)


def _lower_of(document: Any) -> Callable[..., Any]:
    """The function of the document's format that makes a Model of it."""
    if isinstance(document, Document):
        found: Callable[..., Any] = import_module(f"polybody.lowering.{document.FORMAT}").lower
        return found
    form = format_of(document)
    module = f"polybody.lowering.{form.name}"
    if not is_built_in(form):
        kind, package = type(document).__name__, type(document).__module__.rpartition(".")[0]
        raise TypeError(f"a {kind} of {package} cannot be compiled into a Model")
    lower = _function(module)
    if lower is None:
        raise _not_simulated(document, form)
    return lower


@cache
def _options(lower: Callable[..., Any]) -> frozenset[str]:
    """The names of the options of a format's lowering."""
    parameters = signature(lower).parameters.values()
    return frozenset(each.name for each in parameters if each.kind is Parameter.KEYWORD_ONLY)


def _no_option(name: str, lower: Callable[..., Any]) -> str:
    """The message for an argument that neither all formats nor this one has."""
    if name in ARGUMENTS:
        return f"{name!r} is an argument of polybody.read and polybody.load"
    known = sorted(_options(lower) - {"checked"})
    form = lower.__module__.split(".")[2]
    hint = did_you_mean(name, [*known, *ARGUMENTS])
    from polybody.model.model import Model

    if hasattr(Model, f"opt_{name}"):
        hint = f"load(path).replace(opt_{name}=...) makes a Model with another one"
    hint = hint or f"its options are {', '.join(known)}"
    return f"{form} has no option {name!r}; {hint}"


def has_models(form: Format) -> bool:
    """Whether Models are made of the documents of a format that polybody has."""
    return _function(f"polybody.lowering.{form.name}") is not None


def report_not_simulated(document: Node, findings: Findings, **how: Any) -> None:
    """Add findings about parts of a document that act and are not simulated yet, if its format has releases;
    other arguments as of `acting.report_acting`.
    """
    form = format_of(document)
    if form.releases:
        import_module(f"polybody.lowering.{form.name}").report_not_simulated(document, findings, **how)


@cache
def _function(module: str) -> Callable[..., Any] | None:
    """The function of a format's module that makes Models; None if there is none."""
    return None if find_spec(module) is None else getattr(import_module(module), "lower", None)


def _run(
    lower: Callable[..., Any], document: Node, disable: Words, enable: Words, options: dict[str, Any]
) -> Any:
    with CollectorPaused():
        try:
            result = lower(document, **options)
        except ValidationError as error:
            error.diagnostics = list(_located(document, error.diagnostics))
            raise
        result = _with_left_out(document, result)
        if remarks_are_read() or not all(each.severity == "info" for each in result.findings):
            result = result._replace(findings=_located(document, result.findings))
    note(result.findings, "info")
    if not (disable or enable):
        return result
    from polybody.model.flags import switched

    model = result.model
    given = int(model.opt_disableflags), int(model.opt_enableflags)
    flags = switched(*given, disable, enable)
    if flags == given:
        return result
    return result._replace(model=model.replace(opt_disableflags=flags[0], opt_enableflags=flags[1]))


def _with_left_out(document: object, result: Any) -> Any:
    """The result with findings about URIs that the caller leaves out."""
    if not isinstance(document, Node | Document) or not remarks_are_read():
        return result
    findings = Findings()
    report_left_out(document, findings)
    return result._replace(findings=(*result.findings, *findings.items)) if findings.items else result


def _located(document: object, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings with positions in the document."""
    found = tuple(findings)
    if not isinstance(document, Node) or all(finding.xpath for finding in found):
        return found
    from polybody.validation.xpaths import located

    return located(document, found)


def _not_simulated(document: Node, form: Format) -> ValidationError:
    """The error of a document whose format has no lowering."""
    findings = Findings()
    reason = form.reason or f"{form.name} is read and validated, but not simulated"
    findings.add("PB064", document.span, reason, source=document.source)
    return ValidationError(findings.items)


def lower(document: Node, **options: Any) -> Model:
    """Make a Model of a document; arguments and errors as in :func:`lowered`."""
    model: Model = lowered(document, **options).model
    return model
