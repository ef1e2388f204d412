"""What commands that take a model file have in common: options, loading, and how they end with a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polybody.cli.outline import Loaded
    from polybody.model.model import Model

USAGE_ERROR = 2
T = TypeVar("T")

File = Annotated[str, typer.Argument(help="A model file, or a Model saved as .npz.", show_default=False)]
Policy = Annotated[Literal["strict", "warn", "lenient"], typer.Option(help="What is an error in the file.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of what a format draws at random, such as joint axes.")]
Randomize = Annotated[bool, typer.Option("--randomize", help="Draw also what the file says may be drawn.")]
Step = Annotated[float | None, typer.Option(help="Time step, s, instead of the file's.")]
Disable = Annotated[
    list[str] | None, typer.Option(help="Switch a part off, by a word of MJCF's <flag>: contact, gravity...")
]
Integrator = Annotated[Literal["Euler", "RK4"] | None, typer.Option(help="Instead of the file's.")]


def load(
    file: str,
    policy: Literal["strict", "warn", "lenient"],
    seed: int,
    randomize: bool,
    disable: Sequence[str] = (),
) -> Loaded:
    """The Model of a file, and what its document says besides; errors end the program with code 1."""
    from polybody.cli.outline import Loaded
    from polybody.diagnostics import ValidationError
    from polybody.errors import ModelError
    from polybody.lowering import lowered_as_read
    from polybody.model.flags import switched
    from polybody.model.model import Model
    from polybody.reading import read

    try:
        if file.endswith(".npz"):
            return Loaded(file, _without(Model.load(file), disable))
        drawn = {"seed": seed, "randomize": randomize}  # not every format draws anything
        asked: dict[str, Any] = {name: value for name, value in drawn.items() if value}
        attempt(lambda: switched(0, 0, disable, ()), ValueError)
        document = read(file, policy=policy)
        asked |= {"policy": policy, "checked": policy != "lenient", "disable": disable}
        result = attempt(lambda: lowered_as_read(document, **asked), TypeError)
        return Loaded(file, result.model, tuple(result.findings))
    except ValidationError as error:
        for diagnostic in error.diagnostics:
            typer.echo(str(diagnostic), err=True)
    except (ModelError, OSError) as error:
        typer.echo(f"polybody: {error}", err=True)
    raise typer.Exit(1)


def _without(model: Model, disable: Sequence[str]) -> Model:
    """The Model with parts switched off."""
    from polybody.model.flags import switched

    given = int(model.opt_disableflags), int(model.opt_enableflags)
    flags = attempt(lambda: switched(*given, disable, ()), ValueError)
    return model if flags == given else model.replace(opt_disableflags=flags[0], opt_enableflags=flags[1])


def with_options(model: Model, dt: float | None, integrator: str | None) -> Model:
    """The Model with what the options say instead of the file."""
    from polybody.errors import ModelError

    given = {"opt_timestep": dt, "opt_integrator": integrator}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return attempt(lambda: model.replace(**changes) if changes else model, ModelError)


def attempt(action: Callable[[], T], *errors: type[Exception]) -> T:
    """What the action gives; such an error in it is one of usage."""
    try:
        return action()
    except errors as error:
        usage(str(error.args[0] if isinstance(error, KeyError) else error))


def usage(message: str) -> NoReturn:
    """End the program with a sentence and the code of wrong usage."""
    typer.echo(f"polybody: {message}", err=True)
    raise typer.Exit(USAGE_ERROR)
