"""``python -m polybody``: the command line."""

from polybody.cli import app

app(prog_name="polybody")
