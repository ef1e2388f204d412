"""The picture that the demonstration draws: the motion as a strobe, coordinates and energies over time."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyBboxPatch
from numpy.typing import NDArray

INK, FAINT, CART, SWING, WARM = "#22303c", "#d5dce2", "#2a6f97", "#d1495b", "#edae49"
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#eef1f4",
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}
Array = NDArray[np.float64]


def draw(path: Path, title: str, trajectory: dict[str, Array]) -> None:
    """Write the plot of a trajectory with the keys ``time qpos xpos_tip potential kinetic dissipated``.

    ``xpos_tip`` holds the positions of cart and pendulum's tip, (frames, 2, 3) in metres; energies in J.
    """
    with plt.rc_context(STYLE):
        figure = plt.figure(figsize=(12, 7.2), dpi=150, layout="constrained")
        figure.suptitle(title, x=0.012, ha="left", fontsize=14, fontweight="bold")
        grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.25))
        _strobe(figure.add_subplot(grid[:, 0]), trajectory)
        _coordinates(figure.add_subplot(grid[0, 1]), trajectory)
        _energies(figure.add_subplot(grid[1, 1]), trajectory)
        figure.savefig(path)
        plt.close(figure)


def _strobe(axes: Axes, trajectory: dict[str, Array]) -> None:
    time, points = trajectory["time"], trajectory["xpos_tip"][:, :, [0, 2]]
    shown = np.flatnonzero(time <= 2.5 + 1e-9)
    shades = plt.get_cmap("YlGnBu")(0.25 + 0.7 * time[shown] / time[shown[-1]])

    tip = points[shown, 1]
    path = np.stack([tip[:-1], tip[1:]], axis=1)
    axes.add_collection(LineCollection(list(path), colors=list(shades[1:]), linewidths=1.0, alpha=0.8))
    for frame in shown[::8]:
        axes.plot(*points[frame].T, color=shades[frame], lw=2.2, solid_capstyle="round", alpha=0.85)
        axes.plot(*points[frame, 1], "o", color=shades[frame], ms=4)

    axes.axhline(0, color=FAINT, lw=1, zorder=0)
    _cart(axes, points[0, 0, 0], FAINT)
    _cart(axes, points[shown[-1], 0, 0], CART)
    axes.annotate(
        "released here, 0.1 rad off the top",
        points[0, 1],
        xytext=(0, 22),
        textcoords="offset points",
        ha="center",
        arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.8},
    )
    axes.set(title="The first 2.5 s, light to dark", xlabel="x, m", ylabel="z, m", aspect="equal")
    axes.margins(0.12)


def _cart(axes: Axes, x: float, colour: str) -> None:
    box = FancyBboxPatch((x - 0.2, -0.05), 0.4, 0.1, boxstyle="round,pad=0,rounding_size=0.03")
    box.set(facecolor=colour, edgecolor="white", zorder=3)
    axes.add_patch(box)


def _coordinates(axes: Axes, trajectory: dict[str, Array]) -> None:
    time, qpos = trajectory["time"], trajectory["qpos"]
    axes.plot(time, np.degrees(qpos[:, 1]), color=SWING, lw=1.8)
    axes.set(title="Pendulum's angle and cart's position", ylabel="angle from the top, degrees")
    axes.yaxis.label.set_color(SWING)
    axes.yaxis.set_major_locator(mpl.ticker.MultipleLocator(90))
    axes.set_xlim(time[0], time[-1])
    twin = axes.twinx()
    twin.plot(time, qpos[:, 0], color=CART, lw=1.8)
    twin.set_ylabel("cart's position, m", color=CART)
    twin.grid(False)
    twin.spines["right"].set_visible(False)


def _energies(axes: Axes, trajectory: dict[str, Array]) -> None:
    time, potential, kinetic = (trajectory[key] for key in ("time", "potential", "kinetic"))
    base = potential.min()
    axes.stackplot(
        time,
        potential - base,
        kinetic,
        trajectory["dissipated"],
        labels=("potential", "kinetic", "taken by the dampers"),
        colors=(CART, SWING, WARM),
        alpha=0.85,
        lw=0,
    )
    total = potential[0] - base + kinetic[0]
    axes.axhline(total, color=INK, lw=1, ls=(0, (4, 3)))
    axes.set(title="Energy: the sum stays on the dashed line", xlabel="time, s", ylabel="energy, J")
    axes.set(xlim=(time[0], time[-1]), ylim=(0, 1.28 * total))
    axes.legend(loc="upper right", ncols=3, handlelength=1.2, columnspacing=1.4)
