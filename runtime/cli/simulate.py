"""`polybody info` and `polybody sim`: what a model is, and how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeVar

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from polybody.cli.tree import Loaded
    from polybody.data import Data
    from polybody.model import Model
    from polybody.recording import Trajectory
    from polybody.stepper import Stepper

app = typer.Typer()
USAGE_ERROR = 2
KEPT = 2000
"""About how many instants are kept unless --every says otherwise."""
T = TypeVar("T")

File = Annotated[str, typer.Argument(help="A model file, or a Model saved as .npz.", show_default=False)]
Policy = Annotated[Literal["strict", "warn", "lenient"], typer.Option(help="What is an error in the file.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of what a format draws at random, such as joint axes.")]
Randomize = Annotated[bool, typer.Option("--randomize", help="Draw also what the file says may be drawn.")]


@app.command()
def info(
    file: File,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    xml: Annotated[bool, typer.Option("--xml", help="Print the compiled Model as XML.")] = False,
    policy: Policy = "strict",
    seed: Seed = 0,
) -> None:
    """Show a model's sizes, its tree, its masses, and what of the file is not simulated."""
    from polybody.cli import tree

    loaded = _load(file, policy, seed, randomize=False)
    if xml:
        typer.echo(loaded.model.to_xml(), nl=False)
    elif json:
        import json as text

        typer.echo(text.dumps(tree.facts(loaded), indent=2))
    else:
        tree.show(loaded)


@app.command()
def sim(
    file: File,
    steps: Annotated[int | None, typer.Option(min=0, help="How many steps.", show_default=False)] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="How long, s.", show_default=False)] = None,
    dt: Annotated[float | None, typer.Option(help="Time step, s, instead of the file's.")] = None,
    integrator: Annotated[Literal["Euler", "RK4"] | None, typer.Option(help="Instead of the file's.")] = None,
    qpos: Annotated[str | None, typer.Option(help="All coordinates at the start: '0 0.1'.")] = None,
    qvel: Annotated[str | None, typer.Option(help="All velocities at the start.")] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            help="Coordinates of a joint, or of a body's joints, at the start: hip=0.1, root=0,0,1,1,0,0,0."
        ),
    ] = None,
    every: Annotated[int | None, typer.Option(min=1, help="Keep each so many-th instant.")] = None,
    out: Annotated[str | None, typer.Option(help="Write the trajectory to this .npz file.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw it into this image file (.png, .svg, .pdf).")] = None,
    kernels: Annotated[Literal["auto", "loop", "specialized"], typer.Option(help="Which kernels.")] = "auto",
    policy: Policy = "strict",
    seed: Seed = 0,
    randomize: Randomize = False,
) -> None:
    """Simulate a model and report speed and energy balance; exit code 1 if it leaves the finite numbers."""
    from polybody.errors import SimulationError
    from polybody.recording import Recorder
    from polybody.stepper import Stepper

    if (steps is None) == (seconds is None):
        _usage("say either --steps or --seconds")
    if seconds is not None and not seconds < float("inf"):
        _usage(f"--seconds {seconds} has no end")
    model = _with_options(_load(file, policy, seed, randomize).model, dt, integrator)
    count = steps if steps is not None else round((seconds or 0.0) / model.opt.timestep)
    stepper: Stepper = _attempt(lambda: Stepper(model, kernels), NotImplementedError)
    _place(stepper.data, qpos, qvel, set or [])
    start = stepper.data.copy()
    recorder = Recorder(stepper, every or max(1, -(-count // KEPT)))
    failure = None
    try:
        _with_progress(recorder, count)
    except SimulationError as error:
        failure = error
    trajectory = recorder.trajectory
    _report(file, stepper, trajectory, _speed(stepper, start))
    _write(out, plot, trajectory, model, file)
    if failure is not None:
        typer.echo(f"polybody: {failure}", err=True)
        raise typer.Exit(1)


# --- before ------------------------------------------------------------------------------------------


def _load(file: str, policy: Literal["strict", "warn", "lenient"], seed: int, randomize: bool) -> Loaded:
    """The Model of a file, and what its document says besides; errors end the program with code 1."""
    from polybody.cli.tree import Loaded
    from polybody.diagnostics import ValidationError
    from polybody.errors import ModelError
    from polybody.formats import read
    from polybody.lower import lowered
    from polybody.model import Model

    try:
        if file.endswith(".npz"):
            return Loaded(file, Model.load(file))
        result = lowered(read(file, policy=policy), seed=seed, randomize=randomize, policy=policy)
        return Loaded(file, result.model, tuple(result.findings))
    except ValidationError as error:
        for diagnostic in error.diagnostics:
            typer.echo(str(diagnostic), err=True)
    except (ModelError, OSError) as error:
        typer.echo(f"polybody: {error}", err=True)
    raise typer.Exit(1)


def _with_options(model: Model, dt: float | None, integrator: str | None) -> Model:
    from polybody.errors import ModelError

    given = {"opt_timestep": dt, "opt_integrator": integrator}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return _attempt(lambda: model.replace(**changes) if changes else model, ModelError)


def _place(data: Data, qpos: str | None, qvel: str | None, settings: list[str]) -> None:
    """Put the simulation where the options say."""
    for name, text in (("qpos", qpos), ("qvel", qvel)):
        if text is not None:
            _attempt(lambda n=name, t=text: setattr(data, n, _numbers(t)), ValueError)  # type: ignore[misc]
    for setting in settings:
        name, equals, text = setting.rpartition("=")
        if not equals:
            _usage(f"--set {setting!r}: write name=value")
        _attempt(lambda n=name, t=text: _set(data, n, _numbers(t)), ValueError, KeyError)  # type: ignore[misc]


def _set(data: Data, name: str, values: list[float]) -> None:
    """Set the coordinates of a joint, or those of all joints of a body together."""
    model = data.model
    if name in model.names["joint"] or name not in model.names["body"]:
        data.joint(name).qpos = values
        return
    body = model.body(name)
    joints = [data.joint(row) for row in range(body.jntadr, body.jntadr + body.jntnum)]
    size = sum(len(joint.qpos) for joint in joints)
    if len(values) != size:
        raise ValueError(f"the joints of {name!r} have {size} coordinates, not {len(values)}")
    for joint in joints:
        joint.qpos, values = values[: len(joint.qpos)], values[len(joint.qpos) :]


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.replace(",", " ").split()]


def _attempt(action: Callable[[], T], *errors: type[Exception]) -> T:
    """What the action gives; such an error in it is one of usage."""
    try:
        return action()
    except errors as error:
        _usage(str(error.args[0] if isinstance(error, KeyError) else error))


def _usage(message: str) -> NoReturn:
    typer.echo(f"polybody: {message}", err=True)
    raise typer.Exit(USAGE_ERROR)


# --- under way and after -----------------------------------------------------------------------------


def _with_progress(recorder: Any, steps: int) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("simulating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=steps)
        recorder.run(steps, lambda count: progress.advance(task, count))


def _speed(stepper: Stepper, start: Data, seconds: float = 0.2) -> float | None:
    """Bare steps a second from the start, nothing kept; None where the simulation does not last that long."""
    import time

    from polybody.errors import SimulationError
    from polybody.stepper import Stepper as Another

    other = Another(stepper.model, stepper.kernels, data=start)
    count, taken = 1, 0.0
    while taken < seconds:
        count *= 4 if taken < seconds / 16 else 2
        begun = time.perf_counter()
        try:
            other.step(count)
        except SimulationError:
            return None
        taken = time.perf_counter() - begun
    return count / taken


def _report(file: str, stepper: Stepper, trajectory: Trajectory, speed: float | None) -> None:
    model, energy = stepper.model, trajectory.energy.sum(axis=1)
    span = trajectory.time[-1] - trajectory.time[0]
    rows = {
        "model": f"{file}: {model.nbody - 1} bodies, {model.njnt} joints, nq {model.nq}, nv {model.nv}",
        "kernels": f"{stepper.kernels} ({stepper.reason})",
        "time step": f"{model.opt.timestep:g} s, {model.opt.integrator.name}",
        "simulated": f"{span:.6g} s, {len(trajectory.time)} instants kept",
        "speed": "not measured: the simulation does not last"
        if speed is None
        else f"{speed:,.0f} steps a second, {speed * model.opt.timestep:,.0f} times real time",
        "energy": f"{energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end",
        "balance": f"change {trajectory.change:+.6g} J, the dampers' work {trajectory.damped[-1]:+.6g} J, "
        f"left over {trajectory.imbalance:+.2e} J",
    }
    for name, value in rows.items():
        typer.echo(f"{name:10} {value}")


def _write(out: str | None, plot: str | None, trajectory: Trajectory, model: Model, file: str) -> None:
    from pathlib import Path

    try:
        if out is not None:
            trajectory.save(out)
            typer.echo(f"wrote {out}")
        if plot is not None:
            from polybody.plotting import plot as draw

            draw(plot, trajectory, model, title=f"{model.name or Path(file).stem}")
            typer.echo(f"wrote {plot}")
    except (OSError, ImportError, ValueError) as error:
        _usage(str(error))
