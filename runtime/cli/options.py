"""The options and arguments that several commands share, and the numbers that options take."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click
from polybody.cli.models import HowToRead

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class Number(click.ParamType[float]):
    """Numbers of a kind, of at least a minimum if there is one."""

    name = "number"

    def __init__(self, kind: type[int] | type[float], least: int | None = None) -> None:
        self.kind, self.least = kind, least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = self.kind(value)
        except ValueError:
            self.fail(f"expected {'an integer' if self.kind is int else 'a number'}", param, ctx)
        if self.least is not None and not number >= self.least:
            self.fail(f"must be at least {self.least}", param, ctx)
        return number


def at_least(
    least: int,
    option: str,
    kind: type[int] | type[float],
    *,
    help: str,
    metavar: str,
    default: int | None = None,
) -> Decorator[Any]:
    """An option that takes numbers of at least a minimum."""
    shown = f"{help}  [x>={least}]"
    return click.option(option, type=Number(kind, least), default=default, help=shown, metavar=metavar)


def together(
    name: str, make: Callable[..., Any], fields: Sequence[str], *options: Decorator[Any]
) -> Decorator[Any]:
    """Options whose values a command receives as one argument: what ``make`` returns for them by name."""

    def added(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def gathered(**given: Any) -> Any:
            values = {field: given.pop(field) for field in fields}
            return command(**given, **{name: make(**values)})

        for option in reversed(options):
            option(gathered)
        return gathered

    return added


def keyword(option: str, *words: str, help: str, default: str | None = None) -> Decorator[Any]:
    """An option that takes one of some keywords."""
    return click.option(option, type=click.Choice(words), default=default, help=help)


POLICIES = (
    "What counts as an error. strict: every violation; warn: what the format's engine refuses; "
    "lenient: what leaves the meaning of the document open."
)
POLICY = keyword("--policy", "strict", "warn", "lenient", help=POLICIES, default="warn")

file = click.argument(
    "file", metavar="FILE", help="A model file, - for standard input, or a Model saved as .npz."
)
files = click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    help="Files, folders or patterns; - is standard input.",
)
exclude = click.option(
    "--exclude",
    multiple=True,
    help="Files to leave out, also if they are named; a pattern without / applies in every folder. "
    "May be given several times.",
    metavar="PATTERN",
)
only_models = click.option(
    "--only-models",
    is_flag=True,
    help="Leave out named files that are no models by their root element, as in folders.",
)
config = click.option(
    "--config",
    help="File with settings, in place of polybody.toml or pyproject.toml of the project.",
    metavar="FILE",
)
release = click.option(
    "--release",
    help="Release as which MJCF files are read, such as 3.2.7 or 4.0; by default 3.2.7 if it has every "
    "name in a file, else the newest release that has.",
    metavar="RELEASE",
)
meaning = keyword(
    *("--meaning", "drake", "gazebo"),
    help="Engine whose interpretation of URDF and SDFormat is used; Drake by default.",
)
srdf = click.option(
    "--srdf",
    help="SRDF of the URDF: its pairs of links do not collide, its named states are keyframes.",
    metavar="FILE",
)
seed = at_least(
    *(0, "--seed", int),
    default=0,
    help="Seed for random values of the format, such as joint axes.",
    metavar="INTEGER",
)
randomize = click.option(
    "--randomize", is_flag=True, help="Also randomize positions that the file declares as random."
)
dt = click.option(
    "--dt", type=Number(float), help="Time step in s; overrides that of the file.", metavar="SECONDS"
)
integrator = keyword(
    *("--integrator", "Euler", "RK4", "implicit", "implicitfast"),
    help="Integrator; overrides that of the file.",
)
disable = click.option(
    "--disable",
    multiple=True,
    help="Disable a part of the simulation by its name in MJCF's <flag>, such as contact or gravity; "
    "may be given several times.",
    metavar="FLAG",
)


def how(policy: Decorator[Any] = POLICY) -> Decorator[Any]:
    """The options for reading a file, which a command receives as ``how``."""
    return together(
        "how",
        HowToRead,
        HowToRead._fields,
        click.option(
            "--format-in",
            default="auto",
            help="Format of the input: mjcf, urdf, srdf, sdf, skel, openrave, x_xy or directives; auto "
            "detects it from the root element.",
            metavar="FORMAT",
        ),
        release,
        policy,
        click.option(
            "--package",
            multiple=True,
            help="Folder of a package or model that the files refer to by name; may be given several times.",
            metavar="NAME=DIR",
        ),
        click.option(
            "--package-path",
            multiple=True,
            help="Folders of packages, or folders in which packages are searched for, separated by "
            f"{os.pathsep!r}.",
            metavar=f"DIR[{os.pathsep}DIR...]",
        ),
        click.option(
            "--root",
            multiple=True,
            help="Additional folder in which files may be opened; may be given several times.",
            metavar="DIR",
        ),
        click.option(
            *("--map", "mapped"),
            multiple=True,
            help="File or folder for which URIs that begin with this one stand, such as "
            "https://example.org/models=models; without a path, what they name is left out. May be given "
            "several times.",
            metavar="URI=PATH",
        ),
        click.option(
            "--confined",
            is_flag=True,
            help="Open only files in the document's own folder and packages and in the given folders, not in "
            "its whole project: for files that nobody vouches for.",
        ),
        click.option(
            "--stdin-filename",
            help="Path of the file that standard input is the content of, for messages and for files that "
            "it refers to; by default it counts as lying in the working directory.",
            metavar="FILE",
        ),
        config,
    )


meant = together(
    "meant",
    dict,
    ("base", "meaning", "actuators", "self_collide", "srdf"),
    keyword(
        *("--base", "free", "fixed"),
        help="Whether a base that no joint connects to the world floats or is fixed to it "
        "(URDF, SDFormat, directives, OpenRAVE).",
    ),
    meaning,
    keyword(
        *("--actuators", "as-is", "motor", "position", "none"),
        help="Actuators of joints: those of the file, a motor or a position servo for each joint, or none "
        "(URDF, SDFormat, directives).",
    ),
    click.option(
        "--self-collide/--no-self-collide",
        default=None,
        help="Whether links of one robot touch each other (URDF, SDFormat, directives); by default as the "
        "file says.",
    ),
    srdf,
)
"""The options that only some formats have, which a command receives as ``meant``, by the names of the
arguments of `polybody.load`.
"""
