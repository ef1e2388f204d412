"""The command line.

A command's module is imported when it is called, and modules that are slow to import (numpy, the reader, the
kernels) are imported inside the commands, so that ``--help`` and messages about wrong usage appear at once.

baselines       options of `polybody check` for baselines
bodies          the bodies of a document, for `polybody info` of a file from which no Model can be made
check           `polybody check` and `polybody explain`: the findings about model files, and what their
                codes mean
differences     unified diffs of texts
editor          ``polybody editor``: completion and checks of the formats in VS Code, and what other editors
                need
mend            ``polybody fmt`` and ``polybody fix``: rewrite files in canonical layout, and correct
                misspelt words
models          what the commands that take a model file have in common: options, loading, and messages
                about errors
options         the options and arguments that several commands share, and the numbers that options take
outline         how `polybody info` shows a Model: as facts for JSON and as a tree for people
patterns        patterns of paths, for files that are excluded and for settings of some files
releases        what `polybody info` says about the releases of a document's format
report          what `polybody check` prints
schema          ``polybody schema`` and ``polybody generate``: the elements of a format, and code from
                schemas
settings        settings of a project for all commands: polybody.toml, or [tool.polybody] in pyproject.toml
simulate        `polybody info` and `polybody sim`: show what a model contains, and simulate it
streams         standard input, output and error of the program
targets         the files that the arguments of a command name: files, folders and patterns, without those
                excluded
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

import click
from polybody.cli.commands import INTERRUPTED, Commands
from polybody.cli.streams import escape_standard_streams, tell
from polybody.errors import ModelError

INVALID_MODEL = 1
USAGE_ERROR = 2
INTERNAL_ERROR = 70
"""The exit code for an internal error, as in sysexits.h."""


def run() -> None:
    """Run the command line. Standard output and standard error may be closed."""
    escape_standard_streams()
    gc.set_threshold(50_000, 20, 100)  # what imports create is not garbage
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's import would start threads that nothing uses
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
    except OSError as error:  # click handles pipes that close
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
        import traceback

        tell("Traceback (most recent call last):", lead="")
        for line in "".join(traceback.format_tb(error.__traceback__)).splitlines():
            tell(line, lead="")
        tell(f"{type(error).__name__}: {error}", lead="")


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from polybody import __version__

        click.echo(f"polybody {__version__}")
        ctx.exit()


@click.command(
    cls=Commands,
    help="Check, edit, inspect and simulate models in MJCF, URDF, SDFormat, SKEL, OpenRAVE XML and x_xy.",
    epilog="Exit codes: 0 success, 1 the model has errors, 2 wrong usage, 70 internal error. "
    "`polybody COMMAND --help` lists the options of a command.",
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.option(
    *("-V", "--version"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def app() -> None:
    """Options that precede a command."""
