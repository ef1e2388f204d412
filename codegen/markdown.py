"""Plain text in Markdown."""

from __future__ import annotations

_MARKUP = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "\\|", "*": "\\*", "_": "\\_", "[": "\\["}
)


def text(plain: str) -> str:
    """Plain text in Markdown: only code between backticks is markup."""
    parts = " ".join(plain.split()).split("`")
    return "`".join(part if number % 2 else part.translate(_MARKUP) for number, part in enumerate(parts))


def code(plain: str) -> str:
    """A name or value as code; bars are escaped for tables."""
    return f"`{' '.join(plain.replace('`', ' ').split())}`".replace("|", "\\|") if plain else ""
