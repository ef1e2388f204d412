"""A program that uses documents of every format, for type checkers.

    python -m tests.runtime.typed mypy pyright

A checker reports an error for the lines that end in ``# wrong``, and for no others. The tests run mypy;
pyright needs Node.js, which `pip install 'pyright[nodejs]'` installs as well, and is run by the command
above.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
CHECKERS = {
    "mypy": ("mypy",),  # with the settings and the cache of `make lint`, which has checked the package before
    "pyright": ("pyright",),
    "basedpyright": ("basedpyright", "--level", "error"),
}
USER = """
import polybody as pb
from polybody import mjcf, openrave, sdf, skel, urdf, x_xy

humanoid: mjcf.Mujoco = pb.read("humanoid.xml")
assert humanoid.worldbody is not None
margin: float | None = humanoid.worldbody.body[0].joint[0].margin
place: tuple[float, float, float] | None = humanoid.worldbody.body[0].pos
humanoid.worldbody.body[0].joint[0].dampin  # wrong
humanoid.worldbody.body[0].joint[0].type = "hinge"  # wrong
robot: urdf.Robot = pb.read("arm.urdf")
robot.joint[0].type = urdf.JointType.REVOLUTE
robot.link[0].visual[0].geometry.box  # wrong
inertial = robot.link[0].inertial
if inertial is not None and inertial.inertia is not None:
    moment: float | None = inertial.inertia.ixx
    inertial.inertia.ixz = (0.0, 0.0)  # wrong
world: sdf.Sdf = pb.read("robot.sdf")
assert world.model is not None
parent: str | None = world.model.joint[0].parent
world.model.joint[0].axis.xyz  # wrong
axis = world.model.joint[0].axis
if axis is not None and axis.limit is not None:
    upper: float | None = axis.limit.upper
    axis.limit.uper  # wrong
biped: skel.Skel = pb.read("biped.skel")
assert biped.world is not None
legs: list[skel.Body] = biped.world.skeleton[0].body
biped.world.skeleton[0].joint[0].axis.xyz  # wrong
biped.world.skeleton[0].boddy  # wrong
scene: openrave.Environment = pb.read("scene.env.xml")
arm: openrave.Robot = scene.robot[0]
arm.kinbody[0].body[0].nme  # wrong
scene.robot = arm  # wrong
body = x_xy.Body(name="a", joint=x_xy.Joint.RX, pos=(0.0, 0.0, 1.0))
model: pb.Model = pb.lower(x_xy.XXy(worldbody=x_xy.Worldbody(body=[body])))
mass: float = model.body("a").mass
sim = pb.Stepper(model)
sim.data.qpos = [0.1]
sim.data.actuator("servo").ctrl = 0.5
force: float = float(sim.data.actuator("servo").force)  # three numbers of orientation servos
sim.data.actuator("servo").forse  # wrong
sim.data.qM = 1.0  # wrong
pb.velocity(model, sim.data, site="tip", local=True)
pb.velocity(model, sim.data, side="tip")  # wrong
x_xy.Body(joint="rx")  # wrong
x_xy.Body(nme="a")  # wrong
body.pos = (1.0, 2.0)  # wrong
model.body("a").masss  # wrong
pb.Modle  # wrong
"""
WRONG = {number for number, line in enumerate(USER.splitlines(), 1) if "# wrong" in line}
"""The lines in which a checker reports an error."""


def found(checker: str, folder: Path) -> tuple[set[int], str]:
    """The lines in which a checker reports errors, and its messages; the program is in that folder."""
    script, view = folder / "user.py", ROOT / "build" / "view"
    script.write_text(USER)
    if not view.exists():
        subprocess.run(
            [sys.executable, str(ROOT / "tools" / "view.py"), str(view)], check=True, timeout=PATIENCE
        )
    settings = {"include": ["user.py"], "extraPaths": [str(view)], "reportUnusedExpression": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    where = [str(script)] if checker == "mypy" else ["--project", str(folder)]
    command = [sys.executable, "-m", *CHECKERS[checker], *where]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=PATIENCE)
    pattern = re.compile(r"user\.py:(\d+)(?::\d+)?[ :-]+error")
    return {int(match[1]) for match in pattern.finditer(done.stdout)}, done.stdout + done.stderr


def main(checkers: list[str]) -> int:
    """Run checkers; returns the number of checkers with missing or unexpected errors."""
    failed = 0
    for checker in checkers or ["mypy"]:
        with TemporaryDirectory() as folder:
            lines, said = found(checker, Path(folder))
        failed += lines != WRONG
        print(f"{checker}: {len(lines & WRONG)} of {len(WRONG)} errors found, {len(lines - WRONG)} others")
        if lines != WRONG:
            print(said)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
