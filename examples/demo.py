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

MODEL = Path(__file__).with_name("inv_pendulum.xml")
SECONDS = 10.0
RELEASE = 0.1  # rad off the top
TIP = (1.0, 0.0, 0.0)  # of the pendulum, in its body's frame


def main(out: Path) -> int:
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    findings = pb.check(MODEL)
    for finding in findings:
        console.print(str(finding))
    if any(finding.severity == "error" for finding in findings):
        return 1
    console.print(f"[bold]{MODEL.name}[/] is valid: {len(findings)} findings")

    by_format = pb.load(MODEL)  # x_xy steps by semi-implicit Euler, whose energy wavers at this time step
    model = by_format.replace(opt_integrator="RK4")
    simulation = pb.Stepper(model)
    trajectory = simulate(simulation, console)
    report(console, simulation, trajectory)
    compare = pb.Stepper(by_format)
    report_integrator(console, compare, simulate(compare))

    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "inv_pendulum.npz", **trajectory)
    draw(out / "inv_pendulum.png", "Inverted pendulum on a cart, ten seconds", trajectory)
    console.print(f"wrote {out / 'inv_pendulum.npz'} and {out / 'inv_pendulum.png'}", soft_wrap=True)
    return 0


def simulate(simulation: pb.Stepper, console: Console | None = None) -> dict[str, np.ndarray]:
    """Release the pendulum and record every step: state, two points to draw, energies, the dampers' work.

    With a console, a progress bar runs there.
    """
    model, data = simulation.model, simulation.data
    data.qpos[1] = RELEASE
    pendulum = model.row("body", "pendulum")
    names = ("time", "qpos", "qvel", "xpos_tip", "potential", "kinetic", "power", "power_rate")
    frames: dict[str, list] = {name: [] for name in names}

    def record() -> None:
        pb.forward(model, data)
        cart = data.xpos[model.body_parentid[pendulum]].copy()
        tip = data.xpos[pendulum] + data.xmat[pendulum] @ TIP
        power = model.dof_damping @ data.qvel**2
        power_rate = 2 * model.dof_damping @ (data.qvel * data.qacc)
        now = (data.time, data.qpos.copy(), data.qvel.copy(), (cart, tip), *pb.energy(model, data))
        for name, value in zip(names, (*now, power, power_rate), strict=True):
            frames[name].append(value)

    columns = (TextColumn("simulating"), BarColumn(), MofNCompleteColumn(), TextColumn("steps"))
    record()
    with Progress(*columns, TimeElapsedColumn(), console=console, disable=console is None) as progress:
        for _ in progress.track(range(round(SECONDS / model.opt_timestep))):
            simulation.step()
            record()
    trajectory = {name: np.array(values) for name, values in frames.items()}
    return {
        **trajectory,
        "dissipated": integral(trajectory.pop("power"), trajectory.pop("power_rate"), model),
    }


def integral(values: np.ndarray, rates: np.ndarray, model: pb.Model) -> np.ndarray:
    """The running integral over the steps, of fourth order: trapezia corrected by the slopes at both ends."""
    dt = model.opt_timestep
    parts = dt / 2 * (values[1:] + values[:-1]) - dt**2 / 12 * np.diff(rates)
    return np.concatenate([[0.0], np.cumsum(parts)])


def steps_per_second(simulation: pb.Stepper, count: int = 50_000) -> float:
    """Bare stepping, nothing recorded."""
    simulation.data.qpos[1] = RELEASE
    start = time.perf_counter()
    simulation.step(count)
    return count / (time.perf_counter() - start)


def report(console: Console, simulation: pb.Stepper, trajectory: dict[str, np.ndarray]) -> None:
    model = simulation.model
    lines = {
        "model": f"{model.nbody - 1} bodies, {model.njnt} joints, {model.nv} degrees of freedom",
        "kernels": f"{simulation.kernels} ({simulation.reason})",
        "time step": f"{model.opt_timestep:g} s, {len(trajectory['time']) - 1} steps",
    }
    for name, text in lines.items():
        console.print(f"[bold]{name:10}[/]{text}")
    report_integrator(console, simulation, trajectory)


def report_integrator(console: Console, simulation: pb.Stepper, trajectory: dict[str, np.ndarray]) -> None:
    """Speed and energy balance: what the energy changed by should be what the dampers did."""
    model = simulation.model
    speed = steps_per_second(pb.Stepper(model))
    energy = trajectory["potential"] + trajectory["kinetic"]
    change, work = energy[-1] - energy[0], -trajectory["dissipated"][-1]
    fast = f"{speed:,.0f} steps a second, {speed * model.opt_timestep:,.0f} times real time"
    balance = (
        f"energy {change:+.6f} J, of that the dampers' work {work:+.6f} J, left over {change - work:+.1e} J"
    )
    console.print(f"[bold]{model.opt.integrator.name:10}[/]{fast}\n{'':10}{balance}")


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "output")))
