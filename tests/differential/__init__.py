"""Folders of files compared with their format's engine: `python -m tests.differential FORMAT DIR [--json
OUT]`.
"""
