"""Every code a finding can have: what it means, how severe it is under each policy, and an example each.

Codes are stable: one that is no longer used is not given to something else.
"""

from __future__ import annotations

from polybody.diagnostics.catalogue import physics, references, schema, support, text
from polybody.diagnostics.catalogue.code import Code

CATALOGUE: dict[str, Code] = {
    row.code: row
    for row in sorted(
        (*text.CODES, *schema.CODES, *references.CODES, *physics.CODES, *support.CODES),
        key=lambda row: row.code,
    )
}

__all__ = ["CATALOGUE", "Code"]
