"""Folders of files against their format's engine: `python -m tests.differential FORMAT DIR [--json OUT]`."""
