"""The command line: one module per group of commands, each with a typer ``app`` of its own.

Heavy things (numpy, the reader, the kernels) are imported inside the commands, so that ``--help`` and wrong
usage answer at once.
"""

from __future__ import annotations

import typer
from polybody.cli import check, schema, simulate

app = typer.Typer(
    help="Check, inspect, simulate and generate bindings for physics-model files.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
GROUPS: tuple[typer.Typer, ...] = (check.app, simulate.app, schema.app)
for group in GROUPS:
    app.add_typer(group)


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
