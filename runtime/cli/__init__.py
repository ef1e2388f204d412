"""The command line: one module per group of commands, each with a typer ``app`` of its own.

Heavy things (numpy, the reader, the kernels) are imported inside the commands, so that ``--help`` and wrong
usage answer at once.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import typer
from polybody.cli import check, editor, kernels, schema, simulate

app = typer.Typer(
    help="Check, inspect, simulate and generate bindings for physics-model files.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
GROUPS: tuple[typer.Typer, ...] = (check.app, simulate.app, kernels.app, schema.app, editor.app)
for group in GROUPS:
    app.add_typer(group)


USAGE_ERROR = 2


def run() -> None:
    """The program: the commands, on whatever standard output and standard error there are."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the program
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        try:
            app(prog_name="polybody")
        finally:
            sys.stdout.flush()
    except OSError as error:  # typer has dealt with pipes that close
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        # Standard output and error have no file name; a file that a command opens has.
        what = "cannot write" if error.filename is None else f"cannot use {error.filename}"
        typer.echo(f"polybody: {what}: {error.strerror or error}", err=True)
        sys.exit(USAGE_ERROR)


def _print_version(wanted: bool) -> None:
    if wanted:
        from polybody import __version__

        typer.echo(f"polybody {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Options that stand before any command."""
