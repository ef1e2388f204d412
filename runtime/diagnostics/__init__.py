"""Findings: what they are, the catalogue of their codes, suggestions, and the ways to print them."""

from polybody.diagnostics.diagnostic import Diagnostic, Findings, Policy, Severity, ValidationError

__all__ = ["Diagnostic", "Findings", "Policy", "Severity", "ValidationError"]
