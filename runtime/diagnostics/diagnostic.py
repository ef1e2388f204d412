"""One finding, the collection that a check fills, and the exception that carries them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from polybody.base import Source, Span
from polybody.escaping import printable

Severity = Literal["error", "warning", "info"]
Policy = Literal["strict", "warn", "lenient"]
POLICIES: tuple[str, ...] = get_args(Policy)
_MILDER: dict[Policy, tuple[Policy, ...]] = {
    "strict": ("warn", "lenient"),
    "warn": ("lenient",),
    "lenient": (),
}
DEFAULT_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding about a document. Lines and columns count characters from 1; the end is exclusive.

    ``about`` is the innermost named element that the finding is about, or that encloses its place, such as
    "link `base`".

    ``include_stack`` and ``related`` are places: of the includes that led to the file, and of other elements
    concerned, such as the first of two equal names. These and the path are unchanged; other texts are escaped
    for display.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    severity: Severity
    message: str
    xpath: str = ""
    suggestion: str | None = None
    include_stack: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    about: str = ""

    def __post_init__(self) -> None:
        for name in ("message", "xpath", "suggestion", "about"):
            text = getattr(self, name)
            if text and not text.isprintable():
                object.__setattr__(self, name, printable(text))

    def __str__(self) -> str:
        hint = f" ({self.suggestion})" if self.suggestion else ""
        return f"{self.place}: {self.code} {self.severity}: {self.message}{hint}"

    @property
    def place(self) -> str:
        """``path:line:column``, with control characters of the path escaped."""
        return f"{printable(self.path)}:{self.line}:{self.column}"

    def as_json(self) -> dict[str, Any]:
        """The keys of ``check --output-format json``."""
        return asdict(self) | {"include_stack": list(self.include_stack), "related": list(self.related)}


class ValidationError(ValueError):
    """Raised if a document has errors. ``diagnostics`` lists all findings, including warnings and infos."""

    def __init__(self, diagnostics: Iterable[Diagnostic], accepting: Policy | None = None) -> None:
        """``accepting``: a milder policy that accepts the document."""
        self.diagnostics, self.accepting = list(diagnostics), accepting
        errors = [d for d in self.diagnostics if d.severity == "error"]
        shown = [str(d) for d in errors[:10]]
        if len(errors) > len(shown):
            shown.append(f"... and {len(errors) - len(shown)} more errors")
        if accepting is not None:
            shown.append(self.accepted)
        self.lines = tuple(shown)
        super().__init__("\n".join(shown))

    @property
    def accepted(self) -> str:
        """A sentence about the policy that accepts the document."""
        return f'with policy="{self.accepting}" (--policy {self.accepting}), the document is accepted'

    def verified(self, attempt: Callable[[Policy], object]) -> ValidationError:
        """This error, without the policy that accepts the document if an attempt under that policy fails.

        The attempt does what failed, for example makes a Model: that no finding is an error does not mean
        that what comes next succeeds.
        """
        if self.accepting is None:
            return self
        try:
            attempt(self.accepting)
        except Exception:
            return type(self)(self.diagnostics)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return ValidationError, (self.diagnostics, self.accepting)


class MissingFileError(ValidationError, FileNotFoundError):
    """Raised if the file to read does not exist."""

    def __reduce__(self) -> tuple[Any, ...]:
        return MissingFileError, (self.diagnostics,)


class Findings:
    """Collects diagnostics under a policy, up to a limit for each severity.

    ``format`` is the name of the document's format, if it is known. Its reference engine determines what is
    an error under `warn`.
    """

    def __init__(self, policy: Policy = "strict", limit: int = DEFAULT_LIMIT, format: str = "") -> None:
        if policy not in POLICIES:
            raise ValueError(f"unknown policy {policy!r}: expected one of {', '.join(POLICIES)}")
        self.policy = policy
        self.limit = limit
        self.format = format
        self.judged = format  # that of the document itself; included documents may have another format
        self.items: list[Diagnostic] = []
        self._counts: dict[Severity, int] = defaultdict(int)
        self._severities: dict[tuple[str, str], Severity] = {}  # by format and code, for any place
        self._seen: set[tuple[str, int, int, str, str]] = set()
        self.cause: Exception | None = None  # of an internal error
        self.lacked: list[Any] | None = None
        """What the release that is read lacks, of a format with releases; None: it is not recorded."""
        self.shared: dict[str, Any] = {}
        """Data that the rules of a format share between documents that are read together."""

    def about(self, format: str) -> AbstractContextManager[None]:
        """Within this context, findings are about a document of that format."""
        return _About(self, format)

    @property
    def full(self) -> bool:
        """Whether the limit on errors is reached, so that the check can stop."""
        return self._counts["error"] >= self.limit

    def takes(self, code: str) -> bool:
        """Whether a finding with this code would be kept, rather than dropped because of the limit.

        A caller can ask first, and so avoid computing the place and message of a finding that is dropped.
        """
        return self._counts[self._severity(code)] < self.limit

    def unseen(self, code: str, xpath: str) -> bool:
        """Whether a finding at a place is not an error and would be dropped because of the limit."""
        severity = self._severity(code, xpath)
        return severity != "error" and self._counts[severity] >= self.limit

    def accepts(self, code: str, xpath: str) -> bool:
        """Whether a finding at a place is not an error under the policy."""
        return self._severity(code, xpath) != "error"

    def _severity(self, code: str, xpath: str = "") -> Severity:
        if xpath and self.format and self.policy != "strict":
            from polybody.diagnostics.catalogue import severity

            return severity(code, self.policy, self.format, xpath)
        known = self._severities.get((self.format, code))
        if known is None:
            from polybody.diagnostics.catalogue import severity

            known = self._severities[self.format, code] = severity(code, self.policy, self.format, xpath)
        return known

    def add(
        self, code: str, span: Span | None, message: str, *, xpath: str = "", hint: str | None = None,
        source: Source | None = None, related: Span | None = None, about: str = "",
    ) -> bool:  # fmt: skip
        """Report a finding at a place, with the severity that its code has under the policy.

        Returns:
            Whether the finding is not an error, so that the caller continues and ignores what it is about.
        """
        from polybody.diagnostics.catalogue import CATALOGUE

        severity = self._severity(code, xpath)
        passes = severity != "error"
        if self._counts[severity] >= self.limit:
            return passes
        where = span or Span("" if source is None else source.path, 1, 1, 1, 1)
        key = (where.path, where.line, where.column, code, message)
        if key in self._seen:
            return passes
        self._seen.add(key)
        self._counts[severity] += 1
        stack = () if source is None else tuple(f"{s.path}:{s.line}" for s in source.include_stack)
        self._put(where, code, severity, message, xpath, hint, stack, related, about)
        if self._counts[severity] == self.limit:
            # It has the severity of the findings it replaces: many infos do not make a document invalid.
            shown = f"only the first {self.limit:,} of this severity are shown"
            self._put(where, "PB009", severity, f"{CATALOGUE['PB009'].title}: {shown}", xpath)
        return passes

    def take(self, finding: Diagnostic) -> None:
        """Add a finding of another collection, unless it is here already; its severity follows this policy.
        """
        severity = self._severity(finding.code, finding.xpath)
        key = (finding.path, finding.line, finding.column, finding.code, finding.message)
        if key not in self._seen and self._counts[severity] < self.limit:
            self._seen.add(key)
            self._counts[severity] += 1
            self.items.append(replace(finding, severity=severity))

    def place(self, index: int, xpath: str, about: str = "") -> None:
        """Add the XPath of a finding for which only line and column were known. Its severity may change.

        about: the name of the element that it is about.
        """
        found = self.items[index]
        severity = found.severity if found.code == "PB009" else self._severity(found.code, xpath)
        self._counts[found.severity] -= 1
        self._counts[severity] += 1
        about = found.about or about
        self.items[index] = replace(found, xpath=xpath, severity=severity, about=about)

    def add_internal(self, code: str, where: Span, message: str, hint: str, cause: Exception) -> None:
        """Report an internal error, even beyond the limit."""
        self._put(where, code, "error", message, hint=hint)
        self.cause = cause

    def _put(
        self, where: Span, code: str, severity: Severity, message: str, xpath: str = "",
        hint: str | None = None, stack: tuple[str, ...] = (), related: Span | None = None, about: str = "",
    ) -> None:  # fmt: skip
        also = () if related is None else (f"{related.path}:{related.line}:{related.column}",)
        self.items.append(
            Diagnostic(
                where.path, where.line, where.column, where.end_line, where.end_column,
                code, severity, message, xpath, hint, stack, also, about,
            )
        )  # fmt: skip

    def mark(self) -> tuple[Any, ...]:
        """The state to which `back` returns."""
        return len(self.items), dict(self._counts), set(self._seen), dict(self.shared)

    def back(self, mark: tuple[Any, ...]) -> None:
        """Drop the findings after a mark."""
        count, counts, self._seen, self.shared = mark
        del self.items[count:]
        self._counts = Counter(counts)

    def keep_before(self, path: str, line: int, column: int) -> None:
        """Drop the findings in a file at or after a place; they may be found again."""

        def dropped(path_: str, *place: int) -> bool:
            return path_ == path and place >= (line, column)

        self.items = [d for d in self.items if not dropped(d.path, d.line, d.column)]
        self._seen = {key for key in self._seen if not dropped(*key[:3])}
        self._counts = Counter(d.severity for d in self.items)

    def sorted(self) -> list[Diagnostic]:
        """All findings, sorted by path and place."""
        return sorted(self.items, key=lambda d: (d.path, d.line, d.column))

    @property
    def failed(self) -> bool:
        """Whether any finding is an error under the policy."""
        return bool(self.items) and any(d.severity == "error" for d in self.items)

    def raise_errors(self) -> None:
        """Raise ValidationError with all findings if one of them is an error.

        It names a milder policy under which none of them would be. Callers with an own policy try it
        (`ValidationError.verified`).
        """
        if self.failed:
            raise ValidationError(self.sorted(), self.accepting()) from self.cause

    def accepting(self) -> Policy | None:
        """The strictest milder policy under which none of the errors is an error; None if there is none."""
        from polybody.diagnostics.catalogue import severity

        errors = [(d.code, d.xpath) for d in self.items if d.severity == "error"]
        for milder in _MILDER[self.policy]:
            if not any(severity(code, milder, self.judged, xpath) == "error" for code, xpath in errors):
                return milder
        return None


class _About(AbstractContextManager[None]):
    """Findings that are about a document of a format for a while."""

    def __init__(self, findings: Findings, format: str) -> None:
        self.findings, self.format = findings, format

    def __enter__(self) -> None:
        findings = self.findings
        self.before, findings.format = findings.format, self.format
        findings.judged = findings.judged or self.format

    def __exit__(self, *exception: object) -> None:
        self.findings.format = self.before
