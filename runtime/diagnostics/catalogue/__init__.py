"""The codes of findings: meaning, severity under each policy, and an example for each.

Codes are stable. A code that is no longer used is not assigned to anything else.

documents       short documents around the content of an example
engines         what the reference engine of each format accepts: how the policy `warn` differs between
                formats
examples        examples of findings in widely used formats, for codes whose first example is in another one
models          what a Model shows: moments, units, twins, ranges, overlaps, contacts
physics         physics: rotations, bounds, masses, joints
references      names, references and files
robots          files that belong to a robot's URDF, and extensions of it for other programs
schema          what the schema says: elements, attributes, values
support         what is supported and simulated, versions of formats, and differences between readers
text            files, encodings and XML
"""

from __future__ import annotations

from polybody.diagnostics.catalogue import models, physics, references, robots, schema, support, text
from polybody.diagnostics.catalogue.code import Code
from polybody.diagnostics.catalogue.engines import HOMES, Verdict, forgiven, verdict
from polybody.diagnostics.diagnostic import Policy, Severity

CATALOGUE: dict[str, Code] = {
    row.code: row
    for row in sorted(
        (
            *(*text.CODES, *schema.CODES, *references.CODES, *physics.CODES, *support.CODES),
            *(*models.CODES, *robots.CODES),
        ),
        key=lambda row: row.code,
    )
}

RANKS: tuple[Severity, ...] = ("info", "warning", "error")


def severity(code: str, policy: Policy, form: str = "", xpath: str = "") -> Severity:
    """How severe a finding is: by its code and, under `warn` and `lenient`, by the engine of the format."""
    row = CATALOGUE[code]
    if policy == "strict" and form in HOMES and code in HOMES[form].demanded:
        return "error"
    if policy == "lenient" and any(each.takes(code, xpath) for each in forgiven(form)):
        return "warning"
    said = None if policy == "strict" else verdict(code, form, xpath)
    if said is None:
        return row.severity(policy)
    milder = policy == "lenient" or not said.codes
    return min(said.severity, row.severity(policy), key=RANKS.index) if milder else said.severity


def verdicts(code: str) -> list[tuple[str, Verdict]]:
    """The rows of engines that name a code, each with its format: its severity under `warn`."""
    return [(form, row) for form, home in HOMES.items() for row in home.verdicts if code in row.codes]


__all__ = ["CATALOGUE", "HOMES", "Code", "severity", "verdicts"]
