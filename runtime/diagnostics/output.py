"""Findings as text, as JSON, as SARIF 2.1.0 and as GitHub's workflow commands.

Fingerprints identify findings independently of positions: `polybody.diagnostics.identity`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from polybody.diagnostics.catalogue import CATALOGUE, HOMES, Code, verdicts
from polybody.diagnostics.catalogue.examples import EXAMPLES
from polybody.diagnostics.diagnostic import Diagnostic
from polybody.escaping import printable

COLOURS = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}
SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
GITHUB_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SHOWN = 100  # characters of a source line

Lines = Callable[[Diagnostic], "str | None"]


def concise(diagnostics: Iterable[Diagnostic]) -> str:
    """One line each: ``path:line:col: PB012 error: message (hint)``."""
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics)


def as_json(diagnostics: Iterable[Diagnostic], fingerprints: Iterable[str]) -> str:
    """A list of objects with the fields of Diagnostic and the fingerprint."""
    rows = [d.as_json() | {"fingerprint": f} for d, f in zip(diagnostics, fingerprints, strict=True)]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def github(diagnostics: Iterable[Diagnostic]) -> str:
    """Workflow commands, which GitHub shows as annotations of the changed files."""
    out = []
    for d in diagnostics:
        command = GITHUB_COMMANDS[d.severity]
        fields = {
            "file": d.path, "line": d.line, "endLine": d.end_line, "col": d.column, "endColumn": d.end_column,
            "title": d.code,
        }  # fmt: skip
        if d.end_line != d.line:  # GitHub accepts columns only within one line
            del fields["col"], fields["endColumn"]
        shown = ",".join(f"{key}={_github_property(str(value))}" for key, value in fields.items())
        hint = f" ({d.suggestion})" if d.suggestion else ""
        out.append(f"::{command} {shown}::{_github_data(d.message + hint)}\n")
    return "".join(out)


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


# --- SARIF -------------------------------------------------------------------------------------------------


FINGERPRINT = "polybodyFinding/v2"
"""The key of our fingerprints. GitHub's own, ``primaryLocationLineHash``, is a hash of lines, which the
action that uploads a log computes; it warns about every other value there.
"""


def sarif(diagnostics: Sequence[Diagnostic], fingerprints: Sequence[str]) -> str:
    """A SARIF 2.1.0 log of one run."""
    from polybody import __version__

    codes = sorted({d.code for d in diagnostics})
    driver = {
        "name": "polybody",
        "version": __version__,
        "rules": [_sarif_rule(CATALOGUE[code]) for code in codes],
    }
    results = [
        _sarif_result(d, codes.index(d.code)) | {"partialFingerprints": {FINGERPRINT: fingerprint}}
        for d, fingerprint in zip(diagnostics, fingerprints, strict=True)
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _sarif_rule(code: Code) -> dict[str, Any]:
    return {
        "id": code.code,
        "name": "".join(word.capitalize() for word in code.title.replace("-", " ").split()),
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.explanation},
        "defaultConfiguration": {"level": SARIF_LEVELS[code.severities.strict]},
    }


def _sarif_result(d: Diagnostic, index: int) -> dict[str, Any]:
    hint = f" ({d.suggestion})" if d.suggestion else ""
    location: dict[str, Any] = {"physicalLocation": _sarif_place(d.path, _sarif_region(d))}
    if d.xpath:
        location["logicalLocations"] = [{"fullyQualifiedName": d.xpath, "kind": "element"}]
    result: dict[str, Any] = {
        "ruleId": d.code,
        "ruleIndex": index,
        "level": SARIF_LEVELS[d.severity],
        "message": {"text": d.message + hint},
        "locations": [location],
    }
    places = [
        {
            "physicalLocation": _sarif_place(path, {"startLine": int(line)}),
            "message": {"text": "included from here"},
        }
        for path, _, line in (place.rpartition(":") for place in d.include_stack)
    ]
    for path, line, column in (place.rsplit(":", 2) for place in d.related):
        region = {"startLine": int(line), "startColumn": int(column)}
        places.append({"physicalLocation": _sarif_place(path, region), "message": {"text": "see also"}})
    if places:
        result["relatedLocations"] = places
    return result


def _sarif_place(path: str, region: dict[str, int]) -> dict[str, Any]:
    pure = PurePath(path)
    uri = pure.as_uri() if pure.is_absolute() else _uri_reference(pure.as_posix())
    return {"artifactLocation": {"uri": uri}, "region": region}


def _uri_reference(path: str) -> str:
    from urllib.parse import quote

    return quote(os.fsencode(path), safe="/._-~")


def _sarif_region(d: Diagnostic) -> dict[str, int]:
    return {
        "startLine": d.line, "startColumn": d.column, "endLine": d.end_line, "endColumn": d.end_column,
    }  # fmt: skip


# --- for people --------------------------------------------------------------------------------------------


def full(diagnostics: Sequence[Diagnostic], lines: Lines, colour: bool) -> str:
    """Each finding with its source line and a caret, optionally in colours."""
    paint = _painter(colour)
    out = []
    for d in diagnostics:
        out.append(
            f"{d.place}: {paint(f'{d.code} {d.severity}', COLOURS[d.severity])}: {paint(d.message, 'bold')}\n"
        )
        text = lines(d)
        if text:
            out.append(_excerpt(d, text, paint))
        out.extend(f"   = included from {printable(place)}\n" for place in reversed(d.include_stack))
        if d.about and d.about not in d.message:
            out.append(f"   = in {d.about}\n")
        out.extend(f"   = see also {printable(place)}\n" for place in d.related)
        if d.suggestion:
            out.append(f"   = {paint('help', 'bold')}: {d.suggestion}\n")
    return "".join(out)


def _excerpt(d: Diagnostic, text: str, paint: Callable[[str, str], str]) -> str:
    begin = max(0, min(d.column - 1 - SHOWN // 3, len(text) - SHOWN))
    shown = "".join(c if c.isprintable() else " " for c in text[begin : begin + SHOWN])
    end = d.end_column if d.end_line == d.line else len(text) + 1
    length = max(1, min(end - d.column, SHOWN - (d.column - 1 - begin)))
    margin = " " * len(str(d.line))
    caret = " " * (d.column - 1 - begin) + "^" * length
    return f" {margin} |\n {d.line} | {shown}\n {margin} | {paint(caret, COLOURS[d.severity])}\n"


def _painter(colour: bool) -> Callable[[str, str], str]:
    if not colour:
        return lambda text, style: text
    from rich.color import ColorSystem
    from rich.style import Style

    return lambda text, style: Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


def summary(diagnostics: Iterable[Diagnostic], files: int, known: int) -> str:
    """The number of files that were checked, of findings of each severity, and of those in a baseline."""
    counts = dict.fromkeys(COLOURS, 0)
    for d in diagnostics:
        counts[d.severity] += 1
    parts = [f"{n} {kind}{'s' * (n != 1 and kind != 'info')}" for kind, n in counts.items() if n]
    more = f"; {known} more in the baseline" if known else ""
    return f"{files} file{'s' * (files != 1)} checked: {', '.join(parts) or 'no findings'}{more}\n"


def example(code: Code, form: str = "") -> tuple[str | bytes | None, str | None]:
    """The example of a code and its correction; in one format, if there is an example in it."""
    examples = EXAMPLES.get(code.code, {})
    return (
        examples.get(form) or (None if form else next(iter(examples.values()), None)) or (code.bad, code.good)
    )


def explain(code: Code, form: str = "", note: str = "") -> str:
    """What a code means, with its examples; in one format, if there is an example in it.

    note: what is said about the example, such as that it is in another format.
    """
    strict, warn, lenient = code.severities
    out = [f"{code.code}: {code.title}\n", f"strict: {strict}, warn: {warn}, lenient: {lenient}\n"]
    out += [f"{policy}, {said}\n" for policy, said in of_engines(code.code, form)]
    out.append("\n")
    out.append(f"{code.explanation}\n")
    files = [(f"In the same folder, {name}:", text) for name, text in code.beside.items()]
    bad, good = example(code, form)
    for title, shown_text in ((f"For example{note}:", bad), *files, ("Repaired:", good)):
        if shown_text is not None:
            text = shown_text.decode("utf-8", "replace") if isinstance(shown_text, bytes) else shown_text
            shown = text if len(text) < 1000 else f"{text[:200]}...\n"
            out.append(f"\n{title}\n\n" + "".join(f"    {line}\n" for line in shown.splitlines()))
    return "".join(out)


def of_engines(code: str, only: str = "") -> list[tuple[str, str]]:
    """Severities of a code that differ in a format, because of its engine: policy, and the rest in words.

    only: a format; the others are left out.
    """
    homes = {form: home for form, home in HOMES.items() if only in ("", form)}
    rows = [("warn", form, row) for form, row in verdicts(code) if form in homes]
    rows += [
        ("lenient", form, row) for form, home in homes.items() for row in home.forgiven if code in row.codes
    ]
    lines = [("strict", f"in {form}: error") for form, home in homes.items() if code in home.demanded]
    for policy, form, row in rows:
        where = f" at {', '.join(f'`{piece}`' for piece in row.at)}" if row.at else ""
        lines.append((policy, f"in {form}{where}: {row.severity} ({row.why})"))
    return lines
