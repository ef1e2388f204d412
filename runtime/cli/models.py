"""What the commands that take a model file have in common: options, loading, and messages about errors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NoReturn, TypeVar

import typer
from polybody.cli.streams import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polybody.cli.outline import Loaded
    from polybody.cli.settings import Settings
    from polybody.diagnostics import Diagnostic
    from polybody.model.model import Model

USAGE_ERROR = 2
T = TypeVar("T")
POLICIES = (
    "What counts as an error. strict: every violation; warn: what the format's engine refuses; "
    "lenient: what leaves the meaning of the document open."
)

File = Annotated[
    str,
    typer.Argument(
        help="A model file, - for standard input, or a Model saved as .npz.",
        show_default=False,
        metavar="FILE",
    ),
]
FormatIn = Annotated[
    str,
    typer.Option(
        help="Format of the input: mjcf, urdf, srdf, sdf, skel, openrave, x_xy or directives; auto detects "
        "it from the root element.",
        metavar="FORMAT",
    ),
]
Policy = Annotated[Literal["strict", "warn", "lenient"], typer.Option(help=POLICIES)]
Package = Annotated[
    list[str] | None,
    typer.Option(
        help="Folder of a package or model that the files refer to by name; may be given several times.",
        metavar="NAME=DIR",
    ),
]
PackagePath = Annotated[
    list[str] | None,
    typer.Option(
        help="Folders of packages, or folders in which packages are searched for, separated by "
        f"{os.pathsep!r}.",
        metavar=f"DIR[{os.pathsep}DIR...]",
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="File or folder for which URIs that begin with this one stand, such as "
        "https://example.org/models=models; without a path, what they name is left out. May be given several "
        "times.",
        metavar="URI=PATH",
    ),
]
Root = Annotated[
    list[str] | None,
    typer.Option(
        help="Additional folder in which files may be opened; may be given several times.", metavar="DIR"
    ),
]
Confined = Annotated[
    bool,
    typer.Option(
        "--confined",
        help="Open only files in the document's own folder and packages and in the given folders, not in its "
        "whole project: for files that nobody vouches for.",
    ),
]
StdinFilename = Annotated[
    str | None,
    typer.Option(
        help="Path of the file that standard input is the content of, for messages and for files that it "
        "refers to; by default it counts as lying in the working directory.",
        metavar="FILE",
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        help="File with settings, in place of polybody.toml or pyproject.toml of the project.", metavar="FILE"
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0,
        help="Seed for random values of the format, such as joint axes.",
        metavar="INTEGER",
    ),
]
Randomize = Annotated[
    bool, typer.Option("--randomize", help="Also randomize positions that the file declares as random.")
]
Step = Annotated[
    float | None, typer.Option(help="Time step in s; overrides that of the file.", metavar="SECONDS")
]
Base = Annotated[
    Literal["free", "fixed"] | None,
    typer.Option(
        help="Whether a base that no joint connects to the world floats or is fixed to it "
        "(URDF, SDFormat, directives, OpenRAVE).",
        show_default=False,
    ),
]
Meaning = Annotated[
    Literal["drake", "gazebo"] | None,
    typer.Option(
        help="Engine whose interpretation of URDF and SDFormat is used; Drake by default.",
        show_default=False,
    ),
]
Actuators = Annotated[
    Literal["as-is", "motor", "position", "none"] | None,
    typer.Option(
        help="Actuators of joints: those of the file, a motor or a position servo for each joint, or none "
        "(URDF, SDFormat, directives).",
        show_default=False,
    ),
]
SelfCollide = Annotated[
    bool | None,
    typer.Option(
        "--self-collide/--no-self-collide",
        help="Whether links of one robot touch each other (URDF, SDFormat, directives); by default as the "
        "file says.",
        show_default=False,
    ),
]
Srdf = Annotated[
    str | None,
    typer.Option(
        help="SRDF of the URDF: its pairs of links do not collide, its named states are keyframes.",
        metavar="FILE",
    ),
]
Disable = Annotated[
    list[str] | None,
    typer.Option(
        help="Disable a part of the simulation by its name in MJCF's <flag>, such as contact or gravity; "
        "may be given several times.",
        metavar="FLAG",
    ),
]
Integrator = Annotated[
    Literal["Euler", "RK4", "implicit", "implicitfast"] | None,
    typer.Option(help="Integrator; overrides that of the file."),
]


class HowToRead(NamedTuple):
    """The options for reading a file, as they were given."""

    policy: Literal["strict", "warn", "lenient"]
    package: list[str] | None = None
    package_path: list[str] | None = None
    root: list[str] | None = None
    format_in: str = "auto"
    mapped: list[str] | None = None
    confined: bool = False
    stdin_filename: str | None = None
    config: str | None = None

    def words(self) -> dict[str, Any]:
        """The arguments of `polybody.read`, combined with the project's settings. An invalid one ends the
        program.
        """
        check_format(self.format_in)
        project = project_settings(self.config)
        packages = dict(project.get("packages", {}))
        for entry in self.package or []:
            name, equals, folder = entry.partition("=")
            if not (name and equals and folder):
                usage(f"--package {entry}: expected NAME=DIR")
            packages[name] = folder
        for entry in self.mapped or []:
            uri, equals, place = entry.rpartition("=")
            if "://" not in uri or not equals:
                usage(f"--map {entry}: expected URI=PATH, or URI= to leave it out")
            if place and not Path(place).exists():
                usage(f"--map {entry}: there is no file or folder {place}")
            packages[uri] = place
        elsewhere = {place for uri, place in packages.items() if "://" in uri}
        path = [folder for entry in self.package_path or [] for folder in entry.split(os.pathsep) if folder]
        places = {
            "packages": packages,
            "package_path": [*path, *project.get("package-path", [])],
            "roots": [*(self.root or []), *project.get("roots", [])],
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
        return {"policy": self.policy, "format": self.format_in, "confined": confined, **places}


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


class Failed(typer.Exit):
    """No Model could be made of a file. The findings are already printed.

    ``name`` is the name of the file, and ``text`` the content of standard input.
    """

    def __init__(self, name: str, findings: Sequence[Diagnostic] = (), text: bytes | None = None) -> None:
        super().__init__(1)
        self.name, self.findings, self.text = name, findings, text


def meanings(
    base: Base, meaning: Meaning, actuators: Actuators, self_collide: SelfCollide, srdf: Srdf
) -> dict[str, Any]:
    """The options that only some formats have, by the names of the arguments of `polybody.load`."""
    return {
        "base": base,
        "meaning": meaning,
        "actuators": actuators,
        "self_collide": self_collide,
        "srdf": srdf,
    }


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
                result = load_lowered(name, text=text, **how.words(), disable=disable, **asked)
            except TypeError as error:
                odd = "".join(f"--{each}: ".replace("_", "-") for each in asked if f"'{each}'" in str(error))
                usage(f"{odd}this option does not apply to the format of {name}" if odd else error)
        for warning in issued:
            tell(warning.message)
        return Loaded(name, result.model, tuple(result.findings))
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
    raise typer.Exit(USAGE_ERROR)
