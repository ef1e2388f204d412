"""Passes over a model's columns, arrays to arrays, that make what is traced for one model simpler."""
