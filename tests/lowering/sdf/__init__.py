"""Lowering from SDFormat to a Model."""
