"""The commands of the program. The module of a command is imported when it is called or listed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click
from polybody.escaping import printable

MODULES = {
    "check": "check:check",
    "explain": "check:explain",
    "fmt": "mend:fmt",
    "fix": "mend:fix",
    "info": "simulate:info",
    "sim": "simulate:sim",
    "compile": "kernels:compile_",
    "cache": "kernels:cache_",
    "schema": "schema:schema",
    "generate": "schema:generate",
    "editor": "editor:editor",
}
"""Where each command is, in the order in which they are listed."""
INSTEAD = {
    "validate": "check",
    "lint": "check",
    "format": "fmt",
    "run": "sim",
    "show": "info",
    "version": "--version",
}
"""What other tools call our commands."""
INTERRUPTED = 130


class Commands(click.Group):
    """The commands of polybody. What messages about usage quote is escaped."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        module, _, name = MODULES[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"polybody.cli.{module}"), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in MODULES:
            ctx.fail(f"No such command '{name}'; {_instead(name)}")
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _escaped():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _escaped():
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt as error:  # whose user needs no message
                raise click.exceptions.Exit(INTERRUPTED) from error


@contextmanager
def _escaped() -> Iterator[None]:
    """Escape what a message about usage quotes, line breaks included."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:  # its message is the whole help
        raise
    except click.UsageError as error:
        error.message = printable(error.message)  # type: ignore[misc]
        raise


def _instead(name: str) -> str:
    from polybody.suggest import closest

    found = INSTEAD.get(name) or closest(name, MODULES)
    return f"did you mean `polybody {found}`?" if found else f"commands are {', '.join(MODULES)}"
