"""The properties that every case must have. A verdict is "" or a signature of the failure."""

from __future__ import annotations

import os
import tempfile
import traceback
from pathlib import Path
from typing import Any
from xml.parsers import expat

import polybody as pb
from polybody.diagnostics.internal import CODE

from .cases import Case

MALFORMED = {"PB003", "PB005", "PB006", "PB091"}
REFUSED = {"PB001", "PB002", "PB004", "PB009", CODE}
"""Findings after which disagreement with expat is irrelevant: rejected input is not examined further."""
FULL = "PB009"
"""In whatever file it is: nothing more is reported after it."""
OTHER_ENCODINGS = (18, 19)
"""Expat's errors about encodings that it does not support or that contradict the declaration."""


def verdict(case: Case) -> str:
    """Examine a case in every way; an internal error or an inconsistency gives a signature."""
    with tempfile.TemporaryDirectory(prefix="polybody-fuzz-") as folder:
        root = Path(folder) / "m"
        for name, data in case.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        try:
            return _look(root / case.document, case)
        except MemoryError:
            return "memory"
        except RecursionError as error:
            return f"recursion {_place(error)}"
        except Exception as error:
            return f"{type(error).__name__} {_place(error)}"


def _look(path: Path, case: Case) -> str:
    found = pb.check(path, case.policy)  # type: ignore[arg-type]
    said = _said(found, path)
    if said:
        return said
    here = {finding.code for finding in found if finding.path == str(path) or finding.code == FULL}
    differs = _differs(case.files[case.document], here)
    if differs:
        return differs
    try:
        document = pb.read(path, policy="lenient")
    except pb.ValidationError as error:
        return _said(error.diagnostics, path)
    # What was not understood may be missing from the output.
    sound = not any(finding.severity == "error" for finding in pb.check(path))
    return _written(document, path, sound) or _loaded(path)


def _said(found: list[Any], path: Path) -> str:
    """What is wrong with the findings themselves."""
    for finding in found:
        if finding.code == CODE:
            cause = finding.message.partition(": ")[2]
            return f"internal {cause[:80]}"
        lines = _lines(finding.path, path)
        if not (1 <= finding.line <= lines and finding.column >= 1 and finding.end_column >= 1):
            return f"place of {finding.code}"
        if not finding.message.isprintable() or len(str(finding)) > 4_000 + len(finding.path):
            return f"message of {finding.code}"
    return ""


def _lines(name: str, path: Path) -> float:
    """The number of lines of a file; lines of a file in another encoding are not counted."""
    if name != str(path) or not os.path.isfile(name):  # noqa: PTH113
        return float("inf")
    data = Path(name).read_bytes()
    return float("inf") if b"\0" in data else data.count(b"\n") + data.count(b"\r") + 2


def _differs(data: bytes, codes: set[str]) -> str:
    """Whether we and expat disagree on whether a text is well-formed XML."""
    if codes & REFUSED or b"\0\0\0" in data[:8]:  # UTF-32, which expat does not support
        return ""
    try:
        expat.ParserCreate().Parse(data, True)
    except expat.ExpatError as error:
        if error.code in OTHER_ENCODINGS or codes & MALFORMED:
            return ""
        return f"accepted, and expat says {expat.ErrorString(error.code)}"
    except (ValueError, LookupError):  # encodings that Python does not support
        return ""
    return "refused, and expat takes it" if codes & MALFORMED - {"PB003"} else ""


def _written(document: Any, path: Path, sound: bool) -> str:
    """A document is written such that it reads back equal if it had no errors."""
    beside = path.with_name("written" + path.suffix)
    try:
        pb.write(document, beside)
    except ValueError:
        if sound:
            raise
        return ""
    try:
        again = pb.read(beside, policy="lenient", format=_format(document))
    except pb.ValidationError as error:
        if not sound:
            return _said(error.diagnostics, beside)
        first = next((finding.code for finding in error.diagnostics if finding.severity == "error"), "")
        return f"written and not read: {first}"
    finally:
        beside.unlink()
    return "" if again == document or not sound else f"written and read differently: <{document.TAG}>"


def _format(document: Any) -> str:
    from polybody.document.registry import format_of

    return format_of(document).name


def _loaded(path: Path) -> str:
    """Whether a Model can be built, and if not, whether the error has the right form."""
    try:
        model = pb.load(path, policy="lenient")
        pb.Data(model)
    except (pb.ValidationError, pb.ModelError) as error:
        return _said(getattr(error, "diagnostics", []), path)
    return ""


def _place(error: BaseException) -> str:
    """Where an exception was raised: the innermost frames in our code."""
    steps = [
        step
        for step in traceback.extract_tb(error.__traceback__)
        if "polybody" in step.filename or "runtime" in step.filename
    ]
    return " < ".join(f"{Path(step.filename).name}:{step.name}" for step in reversed(steps[-2:]))
