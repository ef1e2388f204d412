"""Options of `polybody check` for baselines."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from polybody.cli.models import attempt, usage
from polybody.cli.streams import say, tell

if TYPE_CHECKING:
    from polybody.diagnostics.baseline import Baseline, Checked, Found
    from polybody.diagnostics.chosen import Chosen
    from polybody.diagnostics.identity import Identity, Text

LARGEST = 1 << 26
"""Maximum size of the file in bytes."""
LISTED = 10
"""Maximum number of entries that are listed because they do not occur."""


def identified(file: str, checked: Checked, text: Text) -> list[Found]:
    """The findings with their identities for a file, to whose folder their paths are relative."""
    from polybody.diagnostics.baseline import identified
    from polybody.diagnostics.identity import Identities
    from polybody.files import Relative

    relative = Relative(Path(file).parent)
    reported = [(relative(document), finding) for document, found in checked for finding in found]
    return identified(Identities(text, relative), reported)


def without_known(file: str, checked: Checked, text: Text) -> Checked:
    """The findings that a file does not list. Entries that do not occur are named on standard error. If the
    file is invalid, the program ends.
    """
    from polybody.files import Relative

    baseline = _read(file)
    found = identified(file, checked, text)
    relative = Relative(Path(file).parent)
    _name_absent(file, baseline.absent(found, {relative(document) for document, _ in checked}))
    fresh = {id(each.finding) for each in baseline.new(found)}
    return [(document, [each for each in own if id(each) in fresh]) for document, own in checked]


def write(file: str, checked: Checked, text: Text, chosen: Chosen) -> None:
    """Write the selected findings to a file."""
    from polybody.diagnostics.baseline import Baseline
    from polybody.files import replacing

    found = [each for each in identified(file, checked, text) if chosen.takes(each.finding)]
    baseline = Baseline.of(found)
    with replacing(file) as target:
        target.write(baseline.text().encode())
    count = baseline.counts.total()
    say(f"wrote {file}: {count} finding{'s' * (count != 1)}")


def _read(file: str) -> Baseline:
    from polybody.diagnostics.baseline import Baseline
    from polybody.files import contents

    try:
        data = contents(file, LARGEST)
    except OSError as error:
        usage(f"--baseline {file}: cannot be read: {error.strerror or error}")
    if len(data) > LARGEST:
        usage(f"--baseline {file}: it has more than {LARGEST:,} bytes")
    return attempt(partial(Baseline.read, data), ValueError, option=f"--baseline {file}")


def _name_absent(file: str, absent: Counter[Identity]) -> None:
    """Say which entries no longer occur."""
    count = absent.total()
    if not count:
        return
    lines = [f"{each.path}: {each.code} at {each.element or 'the file'}" for each in sorted(absent)]
    lines = [f"  {line}" for line in lines[:LISTED]] + ["  ..."] * (len(lines) > LISTED)
    what = "1 finding that no longer occurs" if count == 1 else f"{count} findings that no longer occur"
    tell(f"{file} lists {what}; write it anew with --write-baseline:")
    for line in lines:
        tell(line, lead="")
