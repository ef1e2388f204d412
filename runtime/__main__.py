"""``python -m polybody``: the command line."""

from polybody.cli import run

run()
