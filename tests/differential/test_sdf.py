"""SDFormat against Drake: one small file for what real files rarely have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.amounts import some
from tests.differential import drake
from tests.differential.report import summary, text
from tests.differential.sdf_models import MODELS, ROBOT, A, B, joint, link, model, sdf
from tests.oracles import drake_plant
from tests.oracles.random_sdf import KINDS, write_folder


def agrees(path: Path) -> dict[str, float]:
    """Compare a file; returns the worst errors."""
    found = drake.compare(path, drake_plant.ask(path), {})
    report = summary([found], drake.TOLERANCES)
    wrong = [entry for row in report["quantities"] for entry in row["failures"]]
    assert (wrong, found.refused, found.skipped) == ([], "", "")
    return found.errors


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_as_drake_has_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(MODELS[name])
    assert {"mass", "poses"} <= set(agrees(path))


def test_random_files_agree(tmp_path: Path) -> None:
    every = write_folder(tmp_path / "random", count=30, seed=4)
    texts = "".join(path.read_text() for path in every)
    assert all(f'type="{kind}"' in texts for kind in KINDS)
    found = drake.compare_files(some(every, 5), seed=0, workers=2, steps=0)
    report = summary(found, drake.TOLERANCES, engine=drake.ENGINE, seed=0)
    assert report["ok"], text(report)
    assert not any(each.refused or each.skipped for each in found), text(report)


PART = model(
    "<pose>.1 .2 .3 .1 .2 .3</pose>"
    + A
    + B
    + joint("revolute", "a", "b")
    + '<frame name="f" attached_to="b"><pose>.1 0 0 0 .2 0</pose></frame>'
    + '<frame name="e"><pose relative_to="__model__">0 0 1 0 0 0</pose></frame>',
    "part",
)
FILES = {"part.sdf": PART, "robot.urdf": ROBOT}


def include(uri: str, more: str = "", attributes: str = "") -> str:
    return f"<include {attributes}><uri>package://parts/{uri}</uri>{more}</include>"


MERGED = 'merge="true"'
POSE = "<pose>1 2 3 .4 .5 .6</pose>"
INCLUDES = {
    "include": model(A + include("part.sdf")),
    "include with a pose": model(A + include("part.sdf", POSE)),
    "include with a name": model(
        A + include("part.sdf", "<name>x</name>") + include("part.sdf", "<name>y</name>" + POSE)
    ),
    "include placed by a frame": model(
        A + include("part.sdf", POSE + "<placement_frame>f</placement_frame>")
    ),
    "include with joints": model(
        link("c") + include("part.sdf", POSE) + joint("revolute", "c", "part::f", "k")
    ),
    "include relative to a frame": model(
        A
        + '<frame name="g"><pose>0 1 0 0 .3 0</pose></frame>'
        + include("part.sdf", '<pose relative_to="g">1 0 0 0 0 .2</pose>')
    ),
    "merge": model(link("c") + include("part.sdf", "", 'merge="true"') + joint("revolute", "c", "b", "k")),
    "merge with a pose": model(link("c") + include("part.sdf", POSE, 'merge="true"')),
    "merge placed by a frame": model(
        link("c") + include("part.sdf", POSE + "<placement_frame>f</placement_frame>", 'merge="true"')
    ),
    "merge in a model in a model": model(
        link("c") + f'<model name="n">{POSE}{include("part.sdf", "", MERGED)}</model>'
    ),
    "include in a world": sdf(
        '<world name="w">' + include("part.sdf", "<name>x</name>") + include("part.sdf", POSE) + "</world>"
    ),
    "a robot of URDF": model(link("c") + include("robot.urdf", POSE)),
    "a robot of URDF with a joint": model(
        link("c") + include("robot.urdf", POSE) + joint("fixed", "c", "r::u", "w", axis="")
    ),
    "a robot of URDF, merged": model(
        link("c") + include("robot.urdf", "", 'merge="true"') + joint("revolute", "c", "u", "j")
    ),
}


@pytest.mark.parametrize("name", INCLUDES)
def test_what_is_included_is_as_drake_has_it(name: str, tmp_path: Path) -> None:
    for file, written in FILES.items():
        (tmp_path / file).write_text(written)
    path = tmp_path / "model.sdf"
    path.write_text(INCLUDES[name])
    packages = {"parts": str(tmp_path)}
    found = drake.compare(path, drake_plant.ask(path, packages=packages), packages)
    report = summary([found], drake.TOLERANCES)
    assert not found.refused
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert {"names", "start", "poses", "acceleration"} <= set(found.errors)
