"""What OpenRAVE's reader makes of documents that are not quite right, so does polybody, with a warning."""

from __future__ import annotations

from math import pi
from pathlib import Path

import polybody as pb
import pytest
from polybody.lowering import lowered

from .documents import hinge, kinbody, low, near, poses, said, two

ROBOT = "<robot name='r'><kinbody>%s</kinbody>%s</robot>"
ARM = '<body name="a" type="static"/><body name="b"><translation>1 0 0</translation></body>' + hinge(
    "j", "a", "b"
)


@pytest.mark.parametrize(
    ("transform", "pos", "quat"),
    [
        ("<rotationaxis>0 0 0 90</rotationaxis>", (0, 0, 0), (1, 0, 0, 0)),
        ("<rotationaxis>0 0 1</rotationaxis>", (0, 0, 0), (1, 0, 0, 0)),
        ("<translation>1 2</translation>", (1, 2, 0), (1, 0, 0, 0)),
        ("<translation>1 2 3 4</translation>", (1, 2, 3), (1, 0, 0, 0)),
        ("<translation/>", (0, 0, 0), (1, 0, 0, 0)),
        ("<quat></quat>", (0, 0, 0), (1, 0, 0, 0)),
        ("<quat>0 0 2</quat>", (0, 0, 0), (0, 0, 1, 0)),
    ],
)
def test_numbers_that_are_missing_or_too_many(
    tmp_path: Path, transform: str, pos: tuple[float, ...], quat: tuple[float, ...]
) -> None:
    made = low(tmp_path, kinbody(f'<body name="a" type="static">{transform}</body>'))
    near(poses(made, [])["a"], pos, quat)


def test_adjacent_uses_two_words_and_skips_unknown_bodies(tmp_path: Path) -> None:
    solid = '<geom type="sphere"><radius>.1</radius></geom>'
    bodies = "".join(f'<body name="{name}">{solid}</body>' for name in "abcd")
    joints = hinge("j", "a", "b") + hinge("k", "b", "c") + hinge("l", "c", "d")
    text = kinbody(
        f"{bodies}{joints}<adjacent>a d c</adjacent><adjacent>a x</adjacent><adjacent>a</adjacent>"
    )
    made = low(tmp_path, text)
    assert made.model.nexclude == low(tmp_path, kinbody(bodies + joints)).model.nexclude + 1
    assert "a/d" in made.model.names["exclude"]
    found = pb.check("k.xml", "warn", text=text, model=False)
    assert [each.code for each in found] == ["PB017", "PB032", "PB017"]


@pytest.mark.parametrize(
    ("inside", "bounds"),
    [
        ("<limits>1</limits>", (-pi, pi)),
        ("<limits>1 2 3</limits>", (-pi, pi)),
        ("<limits>0 1</limits><limits>0 2</limits>", (0, 2)),
        ("<limits>0 1</limits><limitsdeg>0 90</limitsdeg>", (0, pi / 2)),
        ("<limitsdeg>0 90</limitsdeg><limits>0 1</limits>", (0, 1)),
    ],
)
def test_bounds_of_a_joint(tmp_path: Path, inside: str, bounds: tuple[float, float]) -> None:
    made = low(tmp_path, two(hinge("j", "a", "b", inside)))
    assert made.model.jnt_range[-1] == pytest.approx(bounds)


def test_the_last_of_several_elements_is_used(tmp_path: Path) -> None:
    anchored = hinge("j", "a", "b", "<anchor>1 0 0</anchor><anchor>0 2 0</anchor><axis>0 0 1</axis>")
    text = kinbody(
        '<body name="a" type="static"><geom type="sphere"><radius>.1</radius><radius>.2</radius></geom>'
        '<geom type="box"><extents>1 1 1</extents><fullextents>1 1 1</fullextents></geom></body>'
        f'<body name="b"/>{anchored}'
    )
    made = low(tmp_path, text)
    assert made.model.geom_size[:, 0].tolist() == [0.2, 0.5]
    near(poses(made, [pi / 2])["b"], (2, 2, 0), (0.5**0.5, 0, 0, 0.5**0.5))
    found = pb.check("k.xml", "warn", text=text)
    assert [each.message for each in found if each.code == "PB014"] == [
        "<geom> allows at most one <radius>; the first is at line 1, and the last one is used",
        "<joint> allows at most one <anchor>; the first is at line 1, and the last one is used",
    ]


def test_unknown_kinds(tmp_path: Path) -> None:
    text = kinbody(
        '<body name="a" type="fixed"><geom type="torus"><radius>1</radius></geom>'
        '<mass type="heavy"><total>3</total><radius>1</radius></mass></body><body name="b"/>'
        + hinge("j", "a", "b", "<axis>0 0 1</axis>").replace('"hinge"', '"screw"')
    )
    made = low(tmp_path, text)
    assert (made.model.ngeom, made.model.nv) == (0, 7)  # no shape, a free base and a hinge
    assert made.model.body_mass[1] == 3
    assert made.model.body_inertia[1] == pytest.approx([1.2] * 3)


def test_shapes_without_size_or_triangles(tmp_path: Path) -> None:
    shapes = (
        '<geom type="box"/><geom type="sphere"/><geom type="cylinder"><radius>1</radius></geom>'
        '<geom type="trimesh"/><geom type="trimesh"><vertices>0 0 0 1 0 0 0 1</vertices></geom>'
    )
    made = low(tmp_path, kinbody(f'<body name="a" type="static">{shapes}</body>'))
    assert made.model.ngeom == 0
    assert said(made, "a sphere of size 0, which touches nothing")


def test_passive_joints_may_share_a_name(tmp_path: Path) -> None:
    passive = [
        hinge("d", "a", each, "<limits>0 0</limits>").replace("<joint ", '<joint enable="false" ')
        for each in "bc"
    ]
    made = low(tmp_path, kinbody('<body name="a"/><body name="b"/><body name="c"/>' + "".join(passive)))
    assert made.model.nbody == 4
    assert made.model.nv == 6
    with pytest.raises(pb.ValidationError, match="PB031"):
        pb.read("k.xml", text=two(hinge("j", "a", "b") + hinge("j", "a", "b")))


def test_manipulators(tmp_path: Path) -> None:
    hand = "<manipulator name='m'><base>a</base><effector>b</effector>%s</manipulator>"
    text = ROBOT % (
        ARM,
        hand % "<joints>x</joints><closingdirection>1 1</closingdirection>"
        + hand % "<direction>0 0 0</direction>"
        + "<manipulator name='n'><base>a</base></manipulator>",
    )
    made = low(tmp_path, text)
    assert made.model.names["tuple"] == ("m.arm", "m.gripper", "m_.arm", "m_.gripper")
    assert "m_" in made.model.names["site"]


def test_what_openrave_refuses_is_refused(tmp_path: Path) -> None:
    for inside in ("<axis>0 0 0</axis>", "<maxvel>-1</maxvel>", "<body>c</body>", "<initial>1 2</initial>"):
        with pytest.raises(pb.ValidationError):
            pb.read("k.xml", text=two(hinge("j", "a", "b", inside)))
    for inside in ("<quat>0 0 0 0</quat>", "<rotationmat>1 0 0</rotationmat>"):
        with pytest.raises(pb.ValidationError):
            pb.read("k.xml", text=kinbody(f'<body name="a">{inside}</body>'))


CUSTOM = (
    '<mass type="custom"><total>0.1</total><com>0 0 0</com><inertia>{} 0 0 0 {} 0 0 0 {}</inertia></mass>'
)
"""The links of the public Barrett hand and WAM have such moments."""


def test_impossible_moments_are_used_as_given() -> None:
    moments = (0.000025, 0.000069, 0.000459)
    text = kinbody(f'<body name="a" type="dynamic">{CUSTOM.format(*moments)}</body>')
    found = [(each.code, each.severity) for each in pb.check("k.xml", "warn", text=text, model=True)]
    assert [each for each in found if each[1] != "info"] == [("PB047", "warning")]
    with pytest.warns(pb.ModelWarning):
        model = pb.load("k.xml", text=text)
    assert model.body_inertia[1] == pytest.approx(moments, rel=1e-12)
    data = pb.Data(model)
    pb.step(model, data)
    assert data.time > 0


def test_negative_moments_make_no_model() -> None:
    text = kinbody(f'<body name="a" type="dynamic">{CUSTOM.format(-1, 2, 2)}</body>')
    (error,) = (each for each in pb.check("k.xml", "warn", text=text, model=True) if each.severity == "error")
    assert (error.code, error.message.partition(":")[0]) == ("PB063", "body `a`")
    with pytest.raises(pb.ValidationError, match="body `a`: inertia"):
        pb.load("k.xml", text=text)


REFERENCES = {
    "a sensor": "<attachedsensor name='s'><link>wam4</link><sensor type='BaseCamera'/></attachedsensor>",
    "a manipulator": "<manipulator name='m'><base>wam0</base><effector>wam4</effector></manipulator>",
    "a joint": "<kinbody>" + hinge("j", "wam0", "wam4") + "</kinbody>",
    "a pose": "<kinbody><body name='c'><offsetfrom>wam4</offsetfrom></body></kinbody>",
    "a pair": "<kinbody><adjacent>wam0 wam4</adjacent></kinbody>",
    "a formula": "<kinbody><body name='c'/>"
    + hinge("k", "wam0", "c").replace("type=", "mimic_pos='2*wam_j' mimic_vel='|wam_j 2' type=")
    + "</kinbody>",
    "values": "<jointvalues>1 2 3</jointvalues>",
}


@pytest.mark.parametrize("name", REFERENCES)
def test_of_a_missing_file_only_the_file_is_reported(name: str) -> None:
    inside = f"<kinbody><body name='wam0' type='static'/></kinbody>{REFERENCES[name]}"
    text = f"<environment><robot file='robots/none.robot.xml' name='w'>{inside}</robot></environment>"
    for policy in ("strict", "warn"):
        found = pb.check("e.env.xml", policy, text=text, model=True)
        assert [(each.code, each.severity) for each in found if each.severity != "info"] == [
            ("PB040", "warning")
        ], found
    with pytest.warns(pb.ModelWarning):
        made = lowered(pb.read("e.env.xml", text=text))
    assert "wam0" in " ".join(made.model.names["body"])
    (missing,) = (each for each in made.findings if each.severity == "warning")
    assert ("1 reference" in missing.message or "a reference" in missing.message) == (name != "values")
    without = text.replace("file='robots/none.robot.xml'", "")
    if name != "values":
        assert {each.severity for each in pb.check("e.env.xml", text=without, model=True)} & {
            "error",
            "warning",
        }
