"""Typed readers, strict validation and compiled dynamics for physics-model formats."""

__version__ = "0.1.0"
