"""Validate an inverted pendulum, let go of it 0.1 rad off the top, watch it for ten seconds.

``python examples/demo.py [OUT]`` writes OUT/inv_pendulum.npz and .png (OUT: output/).
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polybody as pb
from pendulum_plot import draw
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

MODEL = Path(__file__).with_name("inv_pendulum.xml")
SECONDS = 10.0
RELEASE = 0.1  # rad off the top
TIP = (1.0, 0.0, 0.0)  # of the pendulum, in its body's frame


def main(out: Path) -> int:
    console = Console(highlight=False)
    findings = pb.check(MODEL)
    for finding in findings:
        console.print(str(finding))
    if any(finding.severity == "error" for finding in findings):
        return 1
    console.print(f"[bold]{MODEL.name}[/]: valid ({len(findings)} findings)")

    model = pb.load(MODEL)
    simulation = pb.Stepper(model)
    trajectory = simulate(model, simulation, console)
    speed = steps_per_second(pb.Stepper(model))
    report(console, model, simulation, trajectory, speed)

    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "inv_pendulum.npz", **trajectory)
    draw(out / "inv_pendulum.png", "Inverted pendulum on a cart, ten seconds", trajectory)
    console.print(f"wrote {out / 'inv_pendulum.npz'} and {out / 'inv_pendulum.png'}")
    return 0


def simulate(model: pb.Model, simulation: pb.Stepper, console: Console) -> dict[str, np.ndarray]:
    """Release the pendulum and record every step: state, two points to draw, energies, the dampers' work."""
    steps = round(SECONDS / model.opt_timestep)
    data = simulation.data
    data.qpos[1] = RELEASE
    pendulum = model.row("body", "pendulum")
    frames: dict[str, list] = {
        name: [] for name in ("time", "qpos", "qvel", "xpos_tip", "potential", "kinetic", "power")
    }

    def record() -> None:
        pb.forward(model, data)
        tip = data.xpos[pendulum] + data.xmat[pendulum].reshape(3, 3) @ TIP
        frames["time"].append(data.time)
        frames["qpos"].append(data.qpos.copy())
        frames["qvel"].append(data.qvel.copy())
        frames["xpos_tip"].append((data.xpos[pendulum - 1].copy(), tip))
        potential, kinetic = pb.energy(model, data)
        frames["potential"].append(potential)
        frames["kinetic"].append(kinetic)
        frames["power"].append(float(model.dof_damping @ data.qvel**2))

    columns = (
        TextColumn("simulating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps"),
        TimeElapsedColumn(),
    )
    record()
    with Progress(*columns, console=console) as progress:
        for _ in progress.track(range(steps)):
            simulation.step()
            record()
    trajectory = {name: np.array(values) for name, values in frames.items()}
    power = trajectory.pop("power")
    taken = np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(trajectory["time"]))
    return {**trajectory, "dissipated": np.concatenate([[0.0], taken])}


def steps_per_second(simulation: pb.Stepper, count: int = 50_000) -> float:
    """Bare stepping, nothing recorded."""
    simulation.data.qpos[1] = RELEASE
    start = time.perf_counter()
    simulation.step(count)
    return count / (time.perf_counter() - start)


def report(
    console: Console, model: pb.Model, simulation: pb.Stepper, trajectory: dict[str, np.ndarray], speed: float
) -> None:
    energy = trajectory["potential"] + trajectory["kinetic"]
    change, work = energy[-1] - energy[0], -trajectory["dissipated"][-1]
    table = Table(show_header=False, box=None, padding=(0, 2))
    for name, value in (
        ("model", f"{model.nbody - 1} bodies, {model.njnt} joints, {model.nv} degrees of freedom"),
        ("kernels", simulation.kernels),
        ("time step", f"{model.opt_timestep:g} s, {len(energy) - 1} steps"),
        ("speed", f"{speed:,.0f} steps a second, {speed * model.opt_timestep:,.0f} times as fast as time"),
        ("energy", f"{energy[0]:.4f} J at the start, {energy[-1]:.4f} J at the end"),
        (
            "balance",
            f"change {change:+.4f} J, the dampers' work {work:+.4f} J, left over {change - work:+.2e} J",
        ),
    ):
        table.add_row(f"[bold]{name}[/]", str(value))
    console.print(table)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "output")))
