"""Which geoms may collide, and their friction, compared with Drake with geometry; faulty shapes do not affect
dynamics.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polybody as pb
import pytest

from tests.differential import drake
from tests.differential.sdf_models import joint as sdf_joint
from tests.differential.sdf_models import link as sdf_link
from tests.differential.sdf_models import model
from tests.differential.urdf_models import WORLD, beside, group, jointed, member
from tests.lowering.urdf.robots import SOLID, link, robot
from tests.lowering.urdf.test_gazebo import touching
from tests.oracles import drake_contacts, drake_plant

pytestmark = pytest.mark.filterwarnings("ignore::polybody.errors.ModelWarning")
SPHERE = '<geometry><sphere radius="1"/></geometry>'


def shape(more: str = "", geometry: str = SPHERE, tag: str = "collision") -> str:
    return f"<{tag}>{geometry}{more}</{tag}>"


def properties(**said: float) -> str:
    inside = "".join(f'<drake:{name} value="{value}"/>' for name, value in said.items())
    return f"<drake:proximity_properties>{inside}</drake:proximity_properties>"


def balls(*names: str) -> str:
    return "".join(link(name, SOLID + shape()) for name in names)


def member_group(name: str) -> str:
    return f'<drake:member_group name="{name}"/>'


def sdf_balls(*names: str) -> str:
    ball = '<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision>'
    return "".join(sdf_link(name, more=ball) for name in names)


SDF_GROUP = (
    '<drake:collision_filter_group name="g"><drake:member>a</drake:member>{}'
    "<drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group>"
    "</drake:collision_filter_group>"
)
PAIRS: dict[str, str] = {
    "free bodies": robot(balls(*"abc")),
    "joints and welds": robot(
        WORLD,
        balls(*"abcdef"),
        jointed("j", "continuous", "world", "a"),
        jointed("k", "continuous", "a", "b"),
        jointed("l", "fixed", "b", "c"),
        jointed("m", "continuous", "c", "d"),
        jointed("n", "fixed", "d", "e"),
        jointed("o", "fixed", "e", "f"),
    ),
    "shapes of the world": robot(
        link("world", shape()),
        balls(*"abc"),
        jointed("j", "fixed", "world", "a"),
        jointed("k", "continuous", "a", "b"),
        jointed("l", "continuous", "world", "c"),
    ),
    "a group within itself": robot(balls(*"abc"), group(member("a") + member("b") + beside("g"))),
    "a group and another": robot(
        balls(*"abcd"), group(member("a") + member("b") + beside("h")), group(member("c"), "h")
    ),
    "a group of groups": robot(
        balls(*"abcd"),
        group(member_group("h") + member("a") + beside("g")),
        group(member("c") + member("d"), "h"),
    ),
    "a group that is ignored": robot(
        balls(*"abc"),
        group(member("a") + member("b") + beside("g")).replace('name="g"', 'name="g" ignore="true"', 1),
    ),
    "SDFormat's joints": model(
        sdf_balls(*"abcd")
        + sdf_joint("revolute", "a", "b")
        + sdf_joint("fixed", "b", "c", "k", axis="")
        + sdf_joint("revolute", "world", "d", "l")
    ),
    "SDFormat's groups": model(sdf_balls(*"abc") + SDF_GROUP.format("<drake:member>b</drake:member>")),
}


def written(folder: Path, text: str) -> Path:
    path = folder / ("model.urdf" if text.startswith("<robot") else "model.sdf")
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_links_may_touch(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, PAIRS[name])
    made = drake.made_of(path, {})
    theirs = drake_contacts.ask(path).pairs
    assert touching(made.model) == {"".join(sorted(pair)) for pair in theirs}
    assert len(theirs) > 0


LEGACY = (
    "<drake_compliance><static_friction>.9</static_friction><dynamic_friction>.7</dynamic_friction>"
    "</drake_compliance>"
)
SURFACES: dict[str, str] = {
    "nothing": "",
    "static friction alone": properties(mu_static=0.5),
    "dynamic friction alone": properties(mu_dynamic=0.5),
    "both frictions": properties(mu_static=0.9, mu_dynamic=0.7),
    "former friction": LEGACY,
    "former friction beside the newer one": properties(mu_dynamic=0.3) + LEGACY,
    "stiffness and dissipation": properties(point_contact_stiffness=1e4, hunt_crossley_dissipation=3.0),
}


@pytest.mark.parametrize("name", SURFACES)
def test_a_surface_has_drakes_dynamic_friction_and_its_compliance(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, robot(link("a", SOLID + shape(SURFACES[name]))))
    model, theirs = drake.made_of(path, {}).model, drake_contacts.ask(path)
    assert model.geom_friction[0, 0] == theirs.friction[0][1]
    assert model.geom_stiffness[0] == (theirs.stiffness[0] or 1e6)
    assert model.geom_dissipation[0] == (50.0 if theirs.dissipation[0] is None else theirs.dissipation[0])


def test_sdformats_second_friction_is_drakes_dynamic_one(tmp_path: Path) -> None:
    """In Gazebo they are coefficients for two directions."""
    ode = "<surface><friction><ode><mu>.9</mu><mu2>.4</mu2></ode></friction></surface>"
    path = written(tmp_path, model(sdf_balls("a").replace("</collision>", ode + "</collision>")))
    assert drake_contacts.ask(path).friction == [(0.9, 0.4)]
    assert drake.made_of(path, {}).model.geom_friction[0, 0] == 0.4


RED, BLUE = (f'<color rgba="{rgb} 1"/>' for rgb in ("1 0 0", "0 0 1"))


def look(inside: str = "") -> str:
    return shape(f'<material name="m">{inside}</material>', tag="visual")


FAULTY: dict[str, str] = {
    "no shape": shape(geometry="<geometry/>"),
    "no geometry": shape(geometry=""),
    "a box without width": shape(geometry='<geometry><box size="0 1 1"/></geometry>'),
    "a mesh that is not there": shape(geometry='<geometry><mesh filename="no.obj"/></geometry>'),
    "more dynamic than static friction": shape(properties(mu_static=0.7, mu_dynamic=0.9)),
    "one of the former frictions": shape(
        "<drake_compliance><static_friction>.9</static_friction></drake_compliance>"
    ),
    "no stiffness": shape(properties(point_contact_stiffness=0.0)),
    "rigid and compliant": shape(
        "<drake:proximity_properties><drake:rigid_hydroelastic/><drake:compliant_hydroelastic/>"
        "</drake:proximity_properties>"
    ),
    "a former kind of compliance": shape(
        "<drake:proximity_properties><drake:soft_hydroelastic/></drake:proximity_properties>"
    ),
    "an unknown material": look(),
    "a material that is defined later": look() + look(RED),
    "two colours of a material": look(RED) + look(BLUE),
}
"""Drake rejects these with a scene graph and accepts them without."""


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_shape_stops_no_dynamics_and_is_reported(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, robot(link("a", SOLID + FAULTY[name])))
    with pytest.raises((RuntimeError, SystemExit)):
        drake_contacts.ask(path)
    found: Any = drake.compare(path, drake_plant.ask(path))
    assert not found.refused
    assert max(found.errors.values()) < 1e-12
    assert any(each.severity in ("warning", "error") and each.line == 2 for each in pb.check(path))


@pytest.mark.parametrize(
    "surface",
    [properties(mu_dynamic=-0.3), properties(hunt_crossley_dissipation=-1.0)],
    ids=["friction", "dissipation"],
)
def test_negative_numbers_of_a_surface_are_refused(surface: str, tmp_path: Path) -> None:
    path = written(tmp_path, robot(link("a", SOLID + shape(surface))))
    with pytest.raises(RuntimeError):
        drake_contacts.ask(path)
    with pytest.raises(pb.ValidationError) as caught:
        drake.made_of(path, {})
    assert [each.line for each in caught.value.diagnostics if each.severity == "error"] == [2]
