"""What the commands that take a model file have in common: options, loading, and messages about errors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, TypeVar

import click
from polybody.cli.streams import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polybody.cli.outline import Loaded
    from polybody.cli.settings import Settings
    from polybody.diagnostics import Diagnostic
    from polybody.model.model import Model

AUTO = "auto"
USAGE_ERROR = 2
T = TypeVar("T")


class HowToRead(NamedTuple):
    """The options for reading a file, as they were given."""

    policy: Literal["strict", "warn", "lenient"] | None
    package: Sequence[str] = ()
    package_path: Sequence[str] = ()
    root: Sequence[str] = ()
    format_in: str = "auto"
    mapped: Sequence[str] = ()
    confined: bool = False
    stdin_filename: str | None = None
    config: str | None = None
    release: str | None = None

    def words(self) -> dict[str, Any]:
        """The arguments of `polybody.read`, combined with the project's settings. An invalid one ends the
        program.
        """
        check_format(self.format_in)
        project = project_settings(self.config)
        packages = dict(project.get("packages", {}))
        for entry in self.package:
            name, equals, folder = entry.partition("=")
            if not (name and equals and folder):
                usage(f"--package {entry}: expected NAME=DIR")
            packages[name] = folder
        for entry in self.mapped:
            uri, equals, place = entry.rpartition("=")
            if "://" not in uri or not equals:
                usage(f"--map {entry}: expected URI=PATH, or URI= to leave it out")
            if place and not Path(place).exists():
                usage(f"--map {entry}: there is no file or folder {place}")
            packages[uri] = place
        elsewhere = {place for uri, place in packages.items() if "://" in uri}
        path = [folder for entry in self.package_path for folder in entry.split(os.pathsep) if folder]
        places = {
            "packages": packages,
            "package_path": [*path, *project.get("package-path", [])],
            "roots": [*self.root, *project.get("roots", [])],
        }
        for option, folders, own in (
            ("package", packages.values(), project.get("packages", {}).values()),
            ("package-path", places["package_path"], project.get("package-path", [])),
            ("root", places["roots"], project.get("roots", [])),
        ):
            for folder in (each for each in folders if each not in elsewhere):
                if not Path(folder).is_dir():
                    where = f"{project.path}" if folder in own else f"--{option}"
                    usage(f"{where}: the folder {folder} does not exist")
        confined = self.confined or project.get("confined", False)
        release = known_release(self.release, project)
        return {
            "policy": self.policy,
            "format": self.format_in,
            "confined": confined,
            "release": release,
            **places,
        }


def known_release(asked: str | None, project: Settings) -> str:
    """The release of MJCF that the option or the settings ask for. An unknown one ends the program."""
    release: str = project.get("release", AUTO) if asked is None else asked
    if release == AUTO:
        return release
    from polybody.document.registry import format_named
    from polybody.document.releases import as_release

    where = f"{project.path}: release" if asked is None else "--release"
    return attempt(lambda: as_release(format_named("mjcf"), release), ValueError, option=where).version


def released(read: Callable[[dict[str, Any]], T], words: dict[str, Any], demanded: bool) -> T:
    """What a function returns for the arguments of `polybody.read`, without the release where the file is of
    a format without releases. If the release is ``demanded`` of that file, the program ends then.
    """
    from polybody.errors import NoReleaseError

    try:
        return read(words)
    except NoReleaseError as error:
        if demanded:
            usage(error, "--release")
        return read(words | {"release": AUTO})


_TOLD: set[str] = set()
"""Remarks about settings that were printed."""


def project_settings(config: str | None = None) -> Settings:
    """The settings in a file, by default those of the project in the working directory. Remarks about them
    are printed once; invalid ones end the program.
    """
    from polybody.cli.settings import settings, settings_in

    found = attempt(lambda: settings(Path()) if config is None else settings_in(Path(config)), ValueError)
    for remark in found.remarks:
        if remark not in _TOLD:
            _TOLD.add(remark)
            tell(remark)
    return found


def check_format(name: str) -> None:
    """End the program if there is no such format."""
    if name == "auto":
        return
    from polybody.document.notations import NOTATIONS
    from polybody.document.registry import names as formats

    known = sorted([*formats(), *(notation.name for notation in NOTATIONS)])
    if name not in known:
        from polybody.suggest import did_you_mean

        hint = did_you_mean(name, known) or f"expected auto or one of {', '.join(known)}"
        usage(f"--format-in: unknown format {name!r}; {hint}")


class Failed(click.exceptions.Exit):
    """No Model could be made of a file. The findings are already printed.

    ``name`` is the name of the file, and ``text`` the content of standard input.
    """

    def __init__(self, name: str, findings: Sequence[Diagnostic] = (), text: bytes | None = None) -> None:
        super().__init__(1)
        self.name, self.findings, self.text = name, findings, text


def load(
    file: str,
    how: HowToRead,
    seed: int,
    randomize: bool,
    disable: Sequence[str] = (),
    **meant: str | bool | None,
) -> Loaded:
    """The Model of a file and the findings of its lowering. Errors end the program with code 1.

    ``meant`` are further options of the format's lowering; None stands for the default.
    """
    import warnings

    from polybody.cli.outline import Loaded
    from polybody.cli.streams import argument, content
    from polybody.diagnostics import ValidationError
    from polybody.diagnostics.warned import named
    from polybody.errors import ModelError, ModelWarning
    from polybody.loading import load_lowered
    from polybody.model.flags import switched
    from polybody.model.model import Model

    name, text = content(file, how.stdin_filename)
    try:
        if file.endswith(".npz"):
            return Loaded(file, _without(Model.load(file), disable))
        drawn = {"seed": seed, "randomize": randomize}  # not every format has random values
        asked: dict[str, Any] = {key: value for key, value in drawn.items() if value}
        asked |= {key: value for key, value in meant.items() if value is not None}
        attempt(lambda: switched(0, 0, disable, ()), ValueError, option="--disable")
        with warnings.catch_warnings(record=True) as issued, named(argument(file, how.stdin_filename)):
            warnings.simplefilter("always", ModelWarning)
            try:
                result = released(
                    lambda words: load_lowered(name, text=text, disable=disable, **words, **asked),
                    how.words(),
                    demanded=how.release is not None,
                )
            except TypeError as error:
                odd = "".join(f"--{each}: ".replace("_", "-") for each in asked if f"'{each}'" in str(error))
                usage(f"{odd}this option does not apply to the format of {name}" if odd else error)
        for warning in issued:
            tell(warning.message)
        return Loaded(name, result.model, tuple(result.findings), text)
    except ValidationError as error:
        for diagnostic in error.diagnostics:
            tell(diagnostic, lead="")
        if error.accepting is not None:
            tell(error.accepted)
        raise Failed(name, error.diagnostics, text) from None
    except ModelError as error:
        tell(error)
    except OSError as error:
        tell(f"cannot read {error.filename or file}: {error.strerror or error}")
    raise Failed(name, text=text)


def _without(model: Model, disable: Sequence[str]) -> Model:
    """The Model with some parts of the simulation disabled."""
    from polybody.model.flags import switched

    given = int(model.opt_disableflags), int(model.opt_enableflags)
    flags = attempt(lambda: switched(*given, disable, ()), ValueError, option="--disable")
    return model if flags == given else model.replace(opt_disableflags=flags[0], opt_enableflags=flags[1])


def with_options(model: Model, dt: float | None, integrator: str | None) -> Model:
    """The Model with the values of the options in place of those of the file."""
    from polybody.errors import ModelError

    if dt is not None and not 0 < dt < float("inf"):
        usage(f"--dt {dt:g}: expected a positive number")
    for option, column, value in (
        ("--dt", "opt_timestep", dt),
        ("--integrator", "opt_integrator", integrator),
    ):
        if value is not None:
            changes: dict[str, Any] = {column: value}
            before = model
            model = attempt(lambda b=before, c=changes: b.replace(**c), ModelError, option=option)  # type: ignore[misc]
    return model


def attempt(action: Callable[[], T], *errors: type[Exception], option: str = "") -> T:
    """The result of an action. If it raises one of these errors, the program ends with a message about wrong
    usage, of the option if given.
    """
    try:
        return action()
    except errors as error:
        usage(error.args[0] if isinstance(error, KeyError) else error, option)


def usage(message: object, option: str = "") -> NoReturn:
    """End the program with a message, or that of an exception, and the exit code for wrong usage."""
    tell(message, f"polybody: {option}: " if option else "polybody: ")
    raise click.exceptions.Exit(USAGE_ERROR)
