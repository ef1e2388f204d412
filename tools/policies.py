"""The tables of docs/policies.md, from the catalogue of findings and the engines' rows.

python tools/policies.py        writes them into the page, behind its own text
"""

from __future__ import annotations

from pathlib import Path

from polybody.diagnostics.catalogue import CATALOGUE, HOMES

PAGE = Path(__file__).resolve().parents[1] / "docs" / "policies.md"
MARK = "<!-- from here on written by tools/policies.py -->\n"


def tables() -> str:
    """A table for each format: findings, where they occur, severity under `warn`, reason."""
    out = [MARK]
    for form, home in HOMES.items():
        out.append(
            f"\n## {form}: {home.engine}\n\n| findings | where | under `warn` | why |\n|---|---|---|---|\n"
        )
        for row in home.verdicts:
            codes = ", ".join(row.codes) or "any"
            where = ", ".join(f"`{piece}`" for piece in row.at) or "anywhere"
            out.append(f"| {codes} | {where} | {row.severity} | {row.why} |\n")
        if home.forgiven:
            out.append("\n| findings | where | under `lenient` | why |\n|---|---|---|---|\n")
        for row in home.forgiven:
            where = ", ".join(f"`{piece}`" for piece in row.at) or "anywhere"
            out.append(f"| {', '.join(row.codes)} | {where} | {row.severity} | {row.why} |\n")
        if home.demanded:
            out.append(f"\nUnder `strict`, {', '.join(home.demanded)} is an error in this format.\n")
    out.append(
        "\n## All other findings\n\n| code | what it is | strict | warn | lenient |\n|---|---|---|---|---|\n"
    )
    out += [f"| {row.code} | {row.title} | {' | '.join(row.severities)} |\n" for row in CATALOGUE.values()]
    return "".join(out)


def page() -> str:
    """The page with these tables."""
    return PAGE.read_text(encoding="utf-8").partition(MARK)[0] + tables()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
