"""Degenerate paths, muscles, media and plugins: findings with lines, or MuJoCo's results."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.lowering import lowered

mujoco = pytest.importorskip("mujoco")
INPUTS = ("qpos", "qvel", "ctrl")
WORLD = """<worldbody>
  <site name="out" pos=".3 0 .1"/><site name="within" pos=".01 0 1"/><site name="centre" pos="0 0 1"/>
  <site name="edge" pos=".1 0 1"/>
  <geom name="ball" type="sphere" size=".1" pos="0 0 1"/>
  <geom name="rod" type="cylinder" size=".1 .2" pos="0 0 1" euler="90 0 0"/>
  <geom name="box" type="box" size=".1 .1 .1"/><geom name="dot" type="sphere" size="1e-16"/>
  <body pos="0 0 1">
    <joint name="hip" axis="0 1 0"/><joint axis="1 0 .2"/><geom size=".05" pos="0 0 -.3"/>
    <site name="foot" pos=".02 .01 -.3"/><site name="inner" pos=".02 0 .01"/><site name="here"/>
  </body>
</worldbody>
"""
TENDONS, REST = WORLD.count("\n") + 4, WORLD.count("\n") + 6
PATHS = (
    *("within ball foot", "out ball inner", "within ball inner", "centre ball foot", "out ball foot/within"),
    *(
        "out ball foot/centre",
        "within ball inner/centre",
        "edge ball foot",
        "out dot foot",
        "out dot foot/centre",
    ),
    *("within rod foot", "centre rod foot/within", "out rod foot/centre", "out rod foot/within"),
    *("edge rod foot/out", "centre here", "centre here out"),
)
"""Sites and the shape between them; after a slash the side site."""
MUSCLES = (
    *('lengthrange=".9 .1" force="1"', 'lengthrange=".9 .9" force="1"', 'lengthrange="-.2 -.1" force="1"'),
    *('lengthrange=".1 1" lmin="-1" force="1"', 'lengthrange=".1 1" fvmax=".5" force="1"'),
    'lengthrange=".1 1" scale="1e-9"',
)
"""Attributes of muscles that MuJoCo accepts."""


def path(text: str) -> str:
    """A tendon's path in XML."""
    text, _, side = text.partition("/")
    parts = []
    for name in text.split():
        sided = f' sidesite="{side}"' if side else ""
        shape = name in ("ball", "rod", "dot", "box")
        parts.append(f'<geom geom="{name}"{sided}/>' if shape else f'<site site="{name}"/>')
    return "".join(parts)


def document(tendons: str, rest: str = "", before: str = "") -> str:
    return f"<mujoco>\n{before}\n{WORLD}<tendon>\n{tendons}\n</tendon>\n{rest}\n</mujoco>"


def hard() -> str:
    tendons = [
        f'<spatial name="{n}" stiffness="3" damping=".1">{path(p)}</spatial>' for n, p in enumerate(PATHS)
    ]
    split = f'{path("out foot")}<pulley divisor="4"/>{path("out here")}'
    tendons.append(f'<spatial name="split" stiffness="-2" damping="-.1">{split}</spatial>')
    tendons.append('<fixed name="none" stiffness="1"><joint joint="hip" coef="0"/></fixed>')
    muscles = [f'<muscle tendon="{n}" {given}/>' for n, given in enumerate(MUSCLES)]
    muscles += [
        f'<muscle tendon="{name}" lengthrange=".1 .2" force="1"/>' for name in (len(PATHS) - 2, "none")
    ]
    return document("".join(tendons), f"<actuator>{''.join(muscles)}</actuator>")


def start(target: Any, seed: int, nu: int) -> None:
    """At the reference configuration, and elsewhere."""
    rng = np.random.default_rng(seed)
    target.qpos[:] = 0.0 if seed == 0 else rng.uniform(-1.5, 1.5, 2)
    target.qvel[:] = rng.normal(size=2)
    target.ctrl[:] = rng.uniform(-1.0, 2.0, nu)


@pytest.mark.parametrize("kernels", ["loop", "specialized", "batch"])
def test_what_mujoco_takes_moves_as_there(kernels: str, tmp_path: Path) -> None:
    (tmp_path / "hard.xml").write_text(hard())
    model = pb.load(tmp_path / "hard.xml", disable="constraint")
    theirs = mujoco.MjModel.from_xml_string(hard())
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    lengths = []
    for seed in range(4):
        other = mujoco.MjData(theirs)
        start(other, seed, model.nu)
        mujoco.mj_step(theirs, other, 20)
        if kernels == "batch":
            batch = pb.BatchStepper(model, n=2)
            start(SimpleNamespace(**{name: getattr(batch, name)[1] for name in INPUTS}), seed, model.nu)
            batch.step(20)
            found = np.concatenate([batch.qpos[1], batch.qvel[1], batch.act[1]])
        else:
            stepper = pb.Stepper(model, kernels=kernels)
            start(stepper.data, seed, model.nu)
            stepper.step(20)
            found = np.concatenate([stepper.data.qpos, stepper.data.qvel, stepper.data.act])
        expected = np.concatenate([other.qpos, other.qvel, other.act])
        assert np.isfinite(found).all()
        assert np.abs(found - expected).max() < 1e-9 * (1.0 + np.abs(expected).max()), seed
        lengths.append(other.ten_length.copy())
    assert np.ptp(lengths, axis=0).max() > 0.1


@pytest.mark.filterwarnings("ignore::polybody.errors.ModelWarning")
def test_a_branch_divided_by_zero_is_a_finding(tmp_path: Path) -> None:
    """MuJoCo's length is infinite, and its accelerations are NaN."""
    branches = f'{path("out foot")}<pulley divisor="0"/>{path("out here")}'
    text = document(f'<spatial stiffness="1">{branches}</spatial>')
    (tmp_path / "split.xml").write_text(text)
    found = lowered(pb.read(tmp_path / "split.xml"))
    (finding,) = [d for d in found.findings if "divisor" in d.message]
    assert (finding.code, finding.line) == ("PB027", TENDONS)
    data = pb.Data(found.model)
    pb.step(found.model, data, 10)
    assert np.isfinite(data.qpos).all()
    assert np.isfinite(data.ten_length).all()


SPATIAL = "<spatial>{}</spatial>"
PID = '<extension><plugin plugin="mujoco.pid"><instance name="p">{}</instance></plugin></extension>'
USED = '<actuator><plugin joint="hip" plugin="mujoco.pid" instance="p"/></actuator>'
MUSCLE = '<actuator><muscle joint="hip" lengthrange="0 1" {}/></actuator>'
REFUSED = {  # document, line, part of the message
    "a box": (document(SPATIAL.format(path("out box foot"))), TENDONS, "a sphere or a cylinder"),
    "one site": (document(SPATIAL.format(path("out"))), TENDONS, "two sites"),
    "no end": (document(SPATIAL.format(path("out ball"))), TENDONS, "begin and end with a site"),
    "twice": (document(SPATIAL.format(path("out out"))), TENDONS, "repeat"),
    "viscosity": (document("", before='<option viscosity="-1"/>'), 2, "at least 0"),
    "density": (document("", before='<option density="-1"/>'), 2, "below 0"),
    "range": (document("", MUSCLE.format('range="1.2 .8"')), REST, "it must increase"),
    "lmin": (document("", MUSCLE.format('lmin="1.2"')), REST, "less than 1"),
    "vmax": (document("", MUSCLE.format('vmax="0"')), REST, "positive"),
    "unknown": (document("", before='<extension><plugin plugin="my.own"/></extension>'), 2, "my.own"),
    "undeclared": (document("", USED.replace(' instance="p"', "")), REST, "not declared"),
    "no instance": (document("", USED, PID.replace('"p"', '"q"')), 2, "no actuator uses the instance"),
    "key": (document("", USED, PID.format('<config key="kq" value="1"/>')), 2, "no key `kq`"),
    "slewmax": (document("", USED, PID.format('<config key="slewmax" value="-1"/>')), 2, "negative"),
    "no number": (document("", USED, PID.format('<config key="kp" value="x"/>')), 2, "not a number"),
}


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_makes_no_sense_is_a_finding_with_its_line(case: str, tmp_path: Path) -> None:
    text, line, says = REFUSED[case]
    (tmp_path / "bad.xml").write_text(text)
    with pytest.raises(pb.ValidationError) as refused:
        pb.load(tmp_path / "bad.xml", disable="constraint")
    first = next(d for d in refused.value.diagnostics if d.severity == "error")
    assert says in first.message
    assert first.line == line
