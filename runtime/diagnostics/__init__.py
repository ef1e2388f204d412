"""Findings, the catalogue of their codes, and their output."""

from polybody.diagnostics.diagnostic import Diagnostic, Findings, Policy, Severity, ValidationError

__all__ = ["Diagnostic", "Findings", "Policy", "Severity", "ValidationError"]
