"""The limits stated in docs/security.md are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([\d,]+) \| `([^`]+)` `(\w+)` \|$", PAGE, re.MULTILINE)


def test_the_table_is_read_whole() -> None:
    limits = PAGE.partition("## Limits")[2].partition("\n## ")[0]
    assert len(ROWS) == sum(line.startswith("| ") for line in limits.splitlines()) - 1


@pytest.mark.parametrize(("value", "path", "name"), [row[1:] for row in ROWS])
def test_a_limit_is_what_the_page_says(value: str, path: str, name: str) -> None:
    written = re.findall(
        rf"^\s*(?:\w+ )*{name}(?:: \w+)? = ([\d_ *<]+)", (ROOT / path).read_text(), re.MULTILINE
    )
    assert len(written) == 1, written
    assert eval(written[0]) == int(value.replace(",", ""))  # digits and operators only
