"""`polybody info` and `polybody sim`: show what a model contains, and simulate it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click
from polybody.cli import options
from polybody.cli.models import Failed, HowToRead, attempt, load, released, usage, with_options
from polybody.cli.streams import say, tell
from polybody.escaping import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polybody.engine.data import Data
    from polybody.model.model import Model
    from polybody.simulation.plotting import View
    from polybody.simulation.recording import Trajectory
    from polybody.simulation.stepper import Stepper

KEPT = 2000
"""Approximate number of recorded instants without --every."""


@click.command()
@options.file
@click.option("--json", is_flag=True, help="Print JSON.")
@click.option("--xml", is_flag=True, help="Print the compiled Model as XML.")
@options.how()
@options.meant
@options.seed
def info(file: str, json: bool, xml: bool, how: HowToRead, meant: dict[str, Any], seed: int) -> None:
    """Show the sizes, tree and masses of a model. Also lists its elements that are not simulated."""
    from polybody.cli import outline
    from polybody.diagnostics.warned import lists

    try:
        with lists("info"):
            loaded = load(file, how, seed, randomize=False, **meant)
    except Failed as failed:
        if not xml:
            _show_document(file, how, json, failed)
        raise
    if xml:
        click.echo(loaded.model.to_xml(), nl=False)
        return
    from polybody.cli import releases

    said = releases.facts(_document(loaded.file, how, loaded.text))
    if json:
        import json as text

        click.echo(text.dumps(outline.facts(loaded) | said, indent=2))
    else:
        outline.show(loaded)
        releases.show(said)


def _document(name: str, how: HowToRead, text: bytes | None) -> Any:
    """The document of a file, or of a text with a name, as far as it can be read; None if there is none."""
    from polybody.reading import as_written

    if text is None and name.endswith(".npz"):
        return None
    return released(lambda words: as_written(name, text=text, **words), how.words(), how.release is not None)


def _show_document(file: str, how: HowToRead, json: bool, failed: Failed) -> None:
    """Show the bodies of a document from which no Model can be made, as far as it can be read."""
    from polybody.cli import bodies, releases

    name = failed.name
    document = _document(name, how, failed.text)
    about = releases.facts(document)
    if json:
        import json as text

        rows = [] if document is None else bodies.facts(document)
        said = [finding.as_json() for finding in failed.findings]
        click.echo(text.dumps({"file": name, "bodies": rows, "findings": said, **about}, indent=2))
    elif document is not None:
        bodies.show(document)
        releases.show(about)


@click.command()
@options.file
@options.at_least(0, "--steps", int, help="Number of steps.", metavar="INTEGER")
@options.at_least(0, "--seconds", float, help="Simulated time in s.", metavar="SECONDS")
@options.dt
@options.integrator
@click.option(
    "--qpos", help="Initial values of all coordinates (qpos), such as '0 0.1'.", metavar="NUMBERS"
)
@click.option("--qvel", help="Initial values of all velocities (qvel).", metavar="NUMBERS")
@click.option(
    "--set",
    multiple=True,
    help="Initial coordinates of a joint, or of all joints of a body, such as hip=0.1 or "
    "root=0,0,1,1,0,0,0; may be given several times.",
    metavar="NAME=NUMBERS",
)
@click.option(
    "--key", help="Start from this keyframe of the file, given by name or number.", metavar="KEYFRAME"
)
@click.option(
    "--ctrl",
    multiple=True,
    help="Constant control of an actuator, given by name, by number, or by the joint that it alone "
    "drives, such as elbow=0.5; may be given several times.",
    metavar="ACTUATOR=NUMBER",
)
@options.disable
@options.at_least(
    *(1, "--every", int),
    help=f"Record every n-th step; by default, about {KEPT} instants are recorded.",
    metavar="INTEGER",
)
@click.option("--out", help="Write the trajectory to this .npz file.", metavar="FILE")
@click.option(
    "--record",
    multiple=True,
    help="Also record this column, such as sensordata, actuator_force or site_xpos; "
    "may be given several times.",
    metavar="COLUMN",
)
@click.option("--plot", help="Plot the trajectory to this image file (.png, .svg, .pdf).", metavar="FILE")
@options.keyword(
    *("--view", "auto", "front", "side", "top"),
    default="auto",
    help="View of the motion in the plot: front shows y and z, side x and z, top x and y; auto "
    "chooses the axes with the largest motion.",
)
@options.keyword(
    *("--kernels", "auto", "loop", "specialized", "switch"),
    default="auto",
    help="loop: the kernels of the package; specialized: compile kernels for this model first; "
    "switch: start with loop and change over when the others are compiled; auto: specialized if they "
    "are in the cache, else loop.",
)
@options.how()
@options.meant
@options.seed
@options.randomize
def sim(
    file: str,
    steps: int | None,
    seconds: float | None,
    dt: float | None,
    integrator: str | None,
    qpos: str | None,
    qvel: str | None,
    set: Sequence[str],
    key: str | None,
    ctrl: Sequence[str],
    disable: Sequence[str],
    every: int | None,
    out: str | None,
    record: Sequence[str],
    plot: str | None,
    view: View,
    kernels: str,
    how: HowToRead,
    meant: dict[str, Any],
    seed: int,
    randomize: bool,
) -> None:
    """Simulate a model; report speed and energy balance. The exit code is 1 if the simulation diverges."""
    import warnings

    from polybody.errors import CompileError, CompileNotice, CompileWarning, ModelError, SimulationError
    from polybody.simulation.recording import Recorder
    from polybody.simulation.stepper import Stepper

    if (steps is None) == (seconds is None):
        usage("give either --steps or --seconds")
    if seconds is not None and not seconds < float("inf"):
        usage(f"--seconds {seconds}: expected a finite number")
    loaded = load(file, how, seed, randomize, disable, **meant)
    model = with_options(loaded.model, dt, integrator)
    count = steps if steps is not None else round((seconds or 0.0) / model.opt.timestep)
    _targets(out, plot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileWarning)  # the report contains it
        warnings.simplefilter("always", CompileNotice)
        warnings.showwarning = lambda message, *_: tell(message)
        stepper: Stepper = attempt(lambda: Stepper(model, kernels), CompileError, ModelError, ValueError)
    _place(stepper.data, key, qpos, qvel, set, ctrl)
    start = stepper.data.copy()
    kept = every or max(1, -(-count // KEPT))
    recorder = attempt(lambda: Recorder(stepper, kept, record), ValueError, option="--record")
    failure = None
    try:
        _with_progress(recorder, count)
    except SimulationError as error:
        failure = error
    trajectory = recorder.trajectory
    done = 0 if failure is not None else count
    _report(file, stepper, kernels, trajectory, _speeds(stepper, start, done), failed=failure is not None)
    _write(out, plot, view, trajectory, model, file)
    if failure is not None:
        tell(failure)
        raise click.exceptions.Exit(1)


# --- before ------------------------------------------------------------------------------------------


def _targets(out: str | None, plot: str | None) -> None:
    """End the program if an output file cannot be written, before a simulation that may take long."""
    import os
    from pathlib import Path

    for option, path in (
        (o, Path(name)) for o, name in (("--out", out), ("--plot", plot)) if name is not None
    ):
        if not path.parent.is_dir():
            usage(f"{option} {path}: the folder does not exist")
        if path.is_dir():
            usage(f"{option} {path}: this is a folder")
        if path.exists() and not path.is_file():
            usage(f"{option} {path}: this is not a file, so it is not replaced by one")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            usage(f"{option} {path}: permission denied")
    if plot is not None:
        from polybody.simulation.plotting import check_kind

        attempt(lambda: check_kind(plot), ImportError, ValueError, option="--plot")


def _place(
    data: Data,
    key: str | None,
    qpos: str | None,
    qvel: str | None,
    settings: Sequence[str],
    controls: Sequence[str],
) -> None:
    """Set the initial state and the controls that the options give."""
    if key is not None:
        attempt(lambda: data.reset(_row(data.model, key)), KeyError, IndexError, option="--key")
    for name, text in (("qpos", qpos), ("qvel", qvel)):
        if text is not None:
            put = partial(setattr, data, name)
            attempt(lambda p=put, t=text: p(_numbers(t)), ValueError, option=f"--{name}")  # type: ignore[misc]
    for option, move, given in (("--set", _set, settings), ("--ctrl", _control, controls)):
        for setting in given:
            name, equals, text = setting.rpartition("=")
            if not equals:
                usage(f"{option} {setting}: expected NAME=VALUE")
            put = partial(move, data, name)
            attempt(
                lambda p=put, t=text: p(_numbers(t)),  # type: ignore[misc]
                *(ValueError, LookupError),
                option=f"{option} {setting}",
            )


def _row(model: Model, name: str, kind: str = "key") -> str | int:
    """The name of a keyframe or an actuator, or its number if none has that name."""
    return int(name) if name.isdecimal() and name not in model.names[kind] else name


def _control(data: Data, name: str, values: list[float]) -> None:
    """Set the controls of an actuator, all of them."""
    own = data.actuator(_actuator(data.model, name))
    count = int(data.model.actuator_ctrlnum[own.id])
    if len(values) != count:
        what = "control" if count == 1 else "controls"
        wanted = "one number" if count == 1 else f"{count} numbers"
        raise ValueError(f"the {what} of {name!r} must be {wanted}, not {len(values)}")
    own.ctrl = values


def _actuator(model: Model, name: str) -> str | int:
    """An actuator's name or number; for the name of a joint, the only actuator that drives it."""
    import numpy as np
    from polybody.generated.model import TransmissionType

    names = model.names
    if name in names["actuator"] or name.isdecimal():
        return _row(model, name, "actuator")
    if name not in names["joint"]:
        return name
    of_joint = (TransmissionType.joint, TransmissionType.jointinparent)
    kinds, targets = model.actuator_trntype, model.actuator_trnid
    turned = (kinds == TransmissionType.so3) & (targets[:, 1] < 0)  # others turn sites
    driven = (np.isin(kinds, of_joint) | turned) & (targets[:, 0] == model.row("joint", name))
    rows = np.flatnonzero(driven).tolist()
    if len(rows) != 1:
        which = f": give one of the numbers {', '.join(map(str, rows))}" if rows else ""
        raise ValueError(f"{len(rows) or 'no'} actuators drive the joint {name!r}{which}")
    return rows[0]


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
    """The numbers of an option, separated by commas or spaces."""
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise ValueError(f"expected numbers, not {text!r}") from None


# --- under way and after -----------------------------------------------------------------------------


def _with_progress(recorder: Any, steps: int) -> None:
    from polybody.cli.streams import console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("simulating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(stderr=True)) as progress:
        task = progress.add_task("", total=steps)
        recorder.run(steps, lambda count: progress.advance(task, count))


def _speeds(stepper: Stepper, start: Data, steps: int, seconds: float = 0.2) -> dict[str, float]:
    """Steps per second, without recording: of these kernels, and of the loop kernels.

    The first ``steps`` steps from the initial state are repeated, which are known not to diverge. Both
    kernels run in turns, so that other load on the machine affects them alike. Empty without steps.
    """
    import time
    from statistics import median

    from polybody.errors import SimulationError
    from polybody.simulation.stepper import Stepper as Another

    others = {name: Another(stepper.model, name, data=start.copy()) for name in {stepper.kernels, "loop"}}
    taken: dict[str, list[float]] = {name: [] for name in others}
    state, left = start.get_state(), 0
    count, spent = min(1, steps), 0.0
    while count and spent < seconds:
        spent = 0.0 if count < steps else spent
        for name, other in others.items():
            if left < count:
                other.data.set_state(state)
            begun = time.perf_counter()
            try:
                other.step(count)
            except SimulationError:  # the other kernels differ by rounding
                return {}
            spent += time.perf_counter() - begun
            taken[name].append((time.perf_counter() - begun) / count)
        left = (left if left >= count else steps) - count
        count = min(steps, count * (4 if spent < seconds / 16 else 2))
    return {name: 1.0 / median(times[-3:]) for name, times in taken.items() if times}


def _reason(stepper: Stepper, wanted: str) -> str:
    """Why these kernels are used. A compilation that has not ended yet goes on without this program."""
    if wanted == "auto" and stepper.kernels == "loop" and stepper.progress:
        return (
            "faster ones are compiled in the background for the next time; `polybody compile`, or "
            "--kernels specialized, waits for them"
        )
    return stepper.reason


def _report(
    file: str,
    stepper: Stepper,
    wanted: str,
    trajectory: Trajectory,
    speeds: dict[str, float],
    *,
    failed: bool,
) -> None:
    import numpy as np
    from polybody.cli.outline import many

    model, energy = stepper.model, trajectory.energy.sum(axis=1)
    speed = speeds.get(stepper.kernels)
    span = trajectory.time[-1] - trajectory.time[0]
    shown = printable(file)
    rows = {
        "model": f"{shown}: {many(model.nbody - 1, 'body', 'bodies')}, {many(model.njnt, 'joint')}, "
        f"nq {model.nq}, nv {model.nv}",
        "kernels": f"{stepper.kernels} ({_reason(stepper, wanted)})",
        "time step": f"{model.opt.timestep:g} s, {model.opt.integrator.name}",
        "simulated": f"{span:.6g} s, {many(len(trajectory.time), 'instant')} recorded",
        "speed": "not measured" + (": the simulation diverges" if failed else "")
        if speed is None
        else f"{speed:,.0f} steps per second, {speed * model.opt.timestep:,.0f} times real time",
        **_faster(stepper, speeds),
        "energy": f"{energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end",
        "balance": _balance(trajectory, model),
    }
    if trajectory.ncon.any():
        greatest = float(np.linalg.norm(trajectory.contact_force, axis=1).max())
        rows["contacts"] = (
            f"{trajectory.ncon.max()} at most in a recorded instant, forces up to {greatest:.4g} N"
        )
    for name, value in rows.items():
        say(f"{name:10} {value}")


def _balance(trajectory: Trajectory, model: Model) -> str:
    """The change of the energy and the work that explains it, and why it may not be reliable."""
    import numpy as np

    least = 1e-9 * max(float(np.ptp(each)) for each in (*trajectory.energy.T, trajectory.damped))
    works = {
        "of the medium": trajectory.medium,
        "of actuators and applied forces": trajectory.driven,
        "of constraints": trajectory.constrained,
    }
    whose = "the work of dampers and yielding springs" if model.opt.yields else "the dampers' work"
    said = [f"change {trajectory.change:+.6g} J", f"{whose} {trajectory.damped[-1]:+.6g} J"]
    said += [f"{whose} {work[-1]:+.6g} J" for whose, work in works.items() if np.ptp(work) > least]
    said.append(f"unaccounted for: {trajectory.imbalance:+.2e} J")
    if model.opt.prescribed:
        said.append("which includes the work of prescribed motion")
    elif not trajectory.balanced:
        what = "impacts are" if trajectory.constrained.any() else "the motion is"
        said.append(f"not reliable: {what} not resolved by this time step")
    return ", ".join(said)


def _faster(stepper: Stepper, speeds: dict[str, float]) -> dict[str, str]:
    if stepper.kernels == "loop" or not speeds:
        return {}
    return {"faster": f"{speeds[stepper.kernels] / speeds['loop']:.1f} times the loop kernels"}


def _write(
    out: str | None, plot: str | None, view: View, trajectory: Trajectory, model: Model, file: str
) -> None:
    from pathlib import Path

    try:
        if out is not None:
            trajectory.save(out)
            say(f"wrote {out}")
        if plot is not None:
            from polybody.simulation.plotting import plot as draw

            draw(plot, trajectory, model, model.name or Path(file).stem, view)
            say(f"wrote {plot}")
    except (OSError, ImportError, ValueError) as error:
        usage(error)
