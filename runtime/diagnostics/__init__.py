"""Findings, the catalogue of their codes, and their output.

baseline        baselines: files that list known findings, so that only others are reported
chosen          selection of findings: by code, by severity, and by comments in the files
diagnostic      one finding, the collection that a check fills, and the exception that carries them
identity        what identifies a finding independently of positions: lines, columns and indices of elements
internal        internal errors: an unexpected exception becomes a finding that asks the user for a report
junit           findings as a report of tests in JUnit's XML, as Jenkins and GitLab read it
suppressions    comments that suppress findings: ``<!-- polybody: ignore PB012, PB031 the reason -->``
warned          one Python warning for each call that accepts a file despite findings
"""

from polybody.diagnostics.diagnostic import Diagnostic, Findings, Policy, Severity, ValidationError

__all__ = ["Diagnostic", "Findings", "Policy", "Severity", "ValidationError"]
