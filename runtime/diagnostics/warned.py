"""One Python warning for each call that accepts a file despite findings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, Token

from polybody.diagnostics.diagnostic import Diagnostic
from polybody.errors import ModelWarning
from polybody.escaping import printable

_INSIDE = ("polybody", "contextlib")
_call: ContextVar[dict[Diagnostic, str] | None] = ContextVar("polybody_findings_of_a_call", default=None)
_sayings: ContextVar[dict[str, None] | None] = ContextVar("polybody_remarks_of_a_call", default=None)
_listed: ContextVar[str] = ContextVar("polybody_command_that_lists", default="")
_argument: ContextVar[str | None] = ContextVar("polybody_argument_of_commands", default=None)
_unread: ContextVar[bool] = ContextVar("polybody_remarks_unread", default=False)


_WITHIN = nullcontext()


def one_warning(path: str) -> AbstractContextManager[None]:
    """Count the findings that are warnings within this context, and issue a ModelWarning at its end.

    Inside another such context, the outer one counts them. No warning is issued if an exception is raised.
    """
    return _Counted(path) if _call.get() is None else _WITHIN


class _Counted(AbstractContextManager[None]):
    """The outermost of these contexts."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.met: dict[Diagnostic, str] = {}
        self.said: dict[str, None] = {}

    def __enter__(self) -> None:
        self.token, self.sayings = _call.set(self.met), _sayings.set(self.said)

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        _call.reset(self.token)
        _sayings.reset(self.sayings)
        for said in self.said if kind is None else ():
            warnings.warn(said, ModelWarning, stacklevel=_level())
        if self.met and kind is None:
            count = f"{len(self.met):,} warning{'s' * (len(self.met) != 1)}"
            where = _where(set(self.met.values()), self.path, "it" if len(self.met) == 1 else "them")
            message = f"{printable(self.path) or 'the document'}: {count}; {where}"
            warnings.warn(message, ModelWarning, stacklevel=_level())


@contextmanager
def lists(command: str) -> Iterator[None]:
    """Within this context, the findings that a command reports are not counted: the caller shows them."""
    token = _listed.set(command)
    try:
        yield
    finally:
        _listed.reset(token)


@contextmanager
def named(argument: str | None) -> Iterator[None]:
    """Within this context, commands take this argument in place of the path of what is read."""
    token = _argument.set(argument)
    try:
        yield
    finally:
        _argument.reset(token)


class RemarksUnread:
    """Within this context, findings of severity info are not used and need not be made."""

    _token: Token[bool]

    def __enter__(self) -> None:
        self._token = _unread.set(True)

    def __exit__(self, *exception: object) -> None:
        _unread.reset(self._token)


def remarks_are_read() -> bool:
    """Whether findings of severity info are used; see :class:`RemarksUnread`."""
    return not _unread.get()


def _where(commands: set[str], path: str, what: str) -> str:
    """How to list the warnings, which these commands report."""
    if len(commands) > 1:
        first, last = sorted(commands)
        return f"`polybody {first}` and `polybody {last}` list them"
    (command,) = commands
    named = _argument.get() or printable(path)
    if named:
        return f"`polybody {command} {named}` lists {what}"
    return f"`polybody.{'validate' if command == 'check' else 'lowering.lowered'}` lists {what}"


def note(findings: Iterable[Diagnostic], command: str = "check") -> None:
    """Record findings that a call accepts, and the command that lists them."""
    met = _call.get()
    if met is not None and command != _listed.get():
        for finding in findings:
            if finding.severity == "warning":
                met.setdefault(finding, command)


def say(finding: Diagnostic) -> None:
    """Issue a ModelWarning with the text of a finding at the end of the call, once."""
    said = _sayings.get()
    if said is not None:
        said[f"{finding.place}: {finding.message}"] = None


def _level() -> int:
    """Number of frames from the calling function up to the code that called polybody."""
    level, frame = 1, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    return level + 1
