"""The command line: one module per group of commands, each with a typer ``app`` of its own.

Modules that are slow to import (numpy, the reader, the kernels) are imported inside the commands, so that
``--help`` and messages about wrong usage appear at once.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import NoReturn

import typer
from polybody.cli import check, editor, kernels, mend, schema, simulate
from polybody.cli.streams import escape_standard_streams, tell
from polybody.cli.usage import Commands
from polybody.errors import ModelError

app = typer.Typer(
    cls=Commands,
    help="Check, edit, inspect and simulate models in MJCF, URDF, SDFormat, SKEL, OpenRAVE XML and x_xy.",
    epilog="Exit codes: 0 success, 1 the model has errors, 2 wrong usage, 70 internal error. "
    "`polybody COMMAND --help` lists the options of a command.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
GROUPS: tuple[typer.Typer, ...] = (check.app, mend.app, simulate.app, kernels.app, schema.app, editor.app)
for group in GROUPS:
    app.add_typer(group)


INVALID_MODEL = 1
USAGE_ERROR = 2
INTERRUPTED = 130
INTERNAL_ERROR = 70
"""The exit code for an internal error, as in sysexits.h."""


def run() -> None:
    """Run the command line. Standard output and standard error may be closed."""
    escape_standard_streams()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        try:
            app(prog_name="polybody")
        except SystemExit as ended:
            if ended.code == INTERRUPTED:
                _leave()
            raise
        finally:
            sys.stdout.flush()
    except OSError as error:  # typer handles pipes that close
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        # Standard output and error have no file name; a file that a command opens has.
        what = "cannot write" if error.filename is None else f"cannot use {error.filename}"
        tell(f"{what}: {error.strerror or error}")
        sys.exit(USAGE_ERROR)
    except MemoryError as error:
        tell(f"not enough memory{f': {error}' if str(error) else ''}")
        sys.exit(USAGE_ERROR)
    except ModelError as error:  # a state for which the Model is too large; commands handle those of Models
        tell(error)
        sys.exit(INVALID_MODEL)
    except Exception as error:
        from polybody.diagnostics.internal import ASKING, note, summary

        note(error)
        _trace(error)
        tell(f"internal error: {summary(error)}; {ASKING}")
        sys.exit(INTERNAL_ERROR)


def _interrupt(*_: object) -> NoReturn:
    """End the command, as the usual handler of Ctrl-C does, and do not collect what is left."""
    module = sys.modules.get("polybody.document.parser.gc_pause")
    if module is not None:
        module.CollectorPaused.remain()
    raise KeyboardInterrupt


def _leave() -> NoReturn:
    """End the process after Ctrl-C, without freeing a large document object by object."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(INTERRUPTED)


def _trace(error: BaseException | None) -> None:
    """Print the traceback of an exception and of those before it. Messages may quote files."""
    if error is not None:
        _trace(error.__cause__ or (None if error.__suppress_context__ else error.__context__))
        tell("Traceback (most recent call last):", lead="")
        for line in "".join(traceback.format_tb(error.__traceback__)).splitlines():
            tell(line, lead="")
        tell(f"{type(error).__name__}: {error}", lead="")


def _print_version(wanted: bool) -> None:
    if wanted:
        from polybody import __version__

        typer.echo(f"polybody {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(
        False, "-V", "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Options that precede a command."""
