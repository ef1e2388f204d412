"""Masses, shapes, manipulators and sensors."""

from __future__ import annotations

from math import pi
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.generated.model import ShapeType

from .documents import hinge, kinbody, low, near, poses, said


@pytest.mark.parametrize(
    ("mass", "kilograms", "moments"),
    [
        ("", 1, (0.4, 0.4, 0.4)),
        ("<mass/>", 4.188790, (1.675516,) * 3),
        (
            '<mass type="box"><extents>0.1 0.2 0.3</extents><density>1000</density></mass>',
            48,
            (2.08, 1.6, 0.8),
        ),
        (
            '<mass type="box"><total>1</total><extents>0.1 0.2 0.3</extents></mass>',
            1,
            (0.13 / 3, 0.1 / 3, 0.05 / 3),
        ),
        ('<mass type="custom"><total>40</total></mass>', 40, (0.4, 0.4, 0.4)),
        (
            '<mass type="mimicgeom"><total>1</total></mass><geom type="cylinder"><radius>0.2</radius>'
            "<height>0.1</height></geom>",
            1,
            (0.02 / 2 + 0.01 / 12, 0.02, 0.02 / 2 + 0.01 / 12),
        ),
    ],
)
def test_masses(tmp_path: Path, mass: str, kilograms: float, moments: tuple) -> None:
    model = low(tmp_path, kinbody(f'<body name="a">{mass}</body>')).model
    assert model.body_mass[1] == pytest.approx(kilograms, rel=1e-6)
    np.testing.assert_allclose(sorted(model.body_inertia[1]), sorted(moments), rtol=1e-6)


def test_a_default_mass_counts_for_bodies_behind_it(tmp_path: Path) -> None:
    default = '<mass type="sphere"><total>3</total></mass>'
    text = f'<body name="a"/>{default}<body name="b"/><kinbody><body name="c"/></kinbody>'
    model = low(tmp_path, kinbody(text)).model
    assert model.body_mass.tolist() == [0, 1, 3, 1]


def test_shapes(tmp_path: Path) -> None:
    shapes = (
        '<geom type="box"><fullextents>0.2 0.4 0.6</fullextents></geom>'
        '<geom type="sphere" render="false"><radius>0.2</radius></geom>'
        '<geom type="cylinder"><radius>0.1</radius><height>0.4</height><translation>0 0 1</translation>'
        "</geom>"
        '<geom type="capsule"><radius>0.1</radius><height>0.4</height><transparency>0.25</transparency>'
        "</geom>"
        '<geom type="trimesh">'
        "<vertices>0 0 0 1 0 0 0 1 0 0 0 0 0 1 0 0 0 1 0 0 0 0 0 1 1 0 0 1 0 0 0 0 1 0 1 0"
        "</vertices></geom>"
        '<geom type="box" group="other"><extents>1 1 1</extents></geom>'
    )
    model = low(tmp_path, kinbody(f'<body name="a">{shapes}</body>')).model
    kinds = [ShapeType(code).name for code in model.geom_type.tolist()]
    assert kinds == ["box", "sphere", "cylinder", "capsule", "mesh"]
    np.testing.assert_allclose(model.geom_size[:3], [(0.1, 0.2, 0.3), (0.2, 0, 0), (0.1, 0.2, 0)])
    np.testing.assert_allclose(model.geom_quat[2], (np.sqrt(0.5), np.sqrt(0.5), 0, 0))
    assert model.geom_rgba[3].tolist() == [1, 1, 1, 0.75]
    assert model.nmesh == 1
    skipped = low(tmp_path, kinbody(f'<body name="a" skipgeometry="true">{shapes}</body>')).model
    assert skipped.ngeom == 0


def test_all_lengths_are_scaled_or_none(tmp_path: Path) -> None:
    inside = (
        '<body name="a" type="static"/><body name="b"><translation>1 0 0</translation>'
        '<geom type="box"><extents>0.1 0.2 0.3</extents><translation>0 1 0</translation></geom></body>'
    )
    inside += hinge("j", "a", "b", "<anchor>1 0 0</anchor><axis>0 0 1</axis>")
    text = f'<kinbody name="k" scalegeometry="0.5">{inside}</kinbody>'
    made = low(tmp_path, text)
    near(poses(made, [pi / 2])["b"], (0.5, 0, 0))
    np.testing.assert_allclose(made.model.geom_size[0], (0.05, 0.1, 0.15))
    np.testing.assert_allclose(made.model.geom_pos[0], (0, 0.5, 0))
    with pytest.raises(pb.ValidationError, match="unequal or non-positive factors"):
        low(tmp_path, text.replace('"0.5"', '"1 2 1"'))


def test_adjacent_links_do_not_touch(tmp_path: Path) -> None:
    box = '<geom type="box"><extents>0.1 0.1 0.1</extents></geom>'
    links = '<body name="a" type="static">' + box + "</body>"
    links += "".join(f'<body name="{name}">{box}</body>' for name in "bcd")
    chain = hinge("ab", "a", "b") + hinge("bc", "b", "c") + hinge("cd", "c", "d")
    made = low(tmp_path, kinbody(links + chain + "<adjacent>a d</adjacent>"))
    pairs = {frozenset(name.split("/")) for name in made.model.names["exclude"]}
    assert pairs == {frozenset(pair) for pair in ("ab", "bc", "cd", "ad")}


def test_sensors_are_sites(tmp_path: Path) -> None:
    inside = '<body name="a" type="static"/><body name="b"><translation>1 0 0</translation></body>' + hinge(
        "j", "a", "b"
    )
    robot = (
        f'<robot name="r" prefix="p_"><kinbody>{inside}</kinbody><attachedsensor name="eye"><link>b</link>'
        '<translation>0 0 2</translation><sensor type="BaseCamera"><width>2</width></sensor></attachedsensor>'
        '<attachedsensor name="ear"><sensor type="BaseLaser2D"/></attachedsensor></robot>'
    )
    made = low(tmp_path, robot)
    model = made.model
    assert model.names["site"] == ("p_ear", "p_eye")
    assert [model.names["body"][row] for row in model.site_bodyid.tolist()] == ["p_a", "p_b"]
    assert bytes(model.text_data).split(b"\0")[:2] == [b"BaseCamera", b"BaseLaser2D"]
    assert said(made, "names no link")


def test_manipulators_around_a_file_come_first(tmp_path: Path) -> None:
    def manipulator(name: str) -> str:
        return f'<manipulator name="{name}"><base>a</base><effector>b</effector></manipulator>'

    inside = '<body name="a" type="static"/><body name="b"/>' + hinge("j", "a", "b")
    (tmp_path / "f.robot.xml").write_text(f"<robot><kinbody>{inside}</kinbody>{manipulator('own')}</robot>")
    around = manipulator("one") + manipulator("two")
    model = low(tmp_path, f'<robot name="r" file="f.robot.xml">{around}</robot>').model
    assert [name for name in model.names["tuple"] if name.endswith(".arm")] == [
        "two.arm",
        "one.arm",
        "own.arm",
    ]


def test_an_inner_body_moves_all_shapes_so_far(tmp_path: Path) -> None:
    ball = '<geom type="sphere"><radius>0.1</radius></geom>'
    inner = f"<body>{ball}<translation>0 0 1</translation></body>"
    model = low(tmp_path, kinbody(f'<body name="a">{ball}{inner}{ball}</body>')).model
    assert model.geom_pos.tolist() == [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    assert model.nbody == 2


def test_a_default_mass_of_custom_kind_is_a_sphere(tmp_path: Path) -> None:
    made = low(tmp_path, kinbody('<mass type="custom"><total>2</total></mass><body name="a"/>'))
    assert made.model.body_mass[1] == 2
    assert made.model.body_inertia[1] == pytest.approx([0.8] * 3)
    assert said(made, "it is a sphere")


def test_links_that_do_not_collide(tmp_path: Path) -> None:
    box = '<geom type="box"><extents>0.1 0.1 0.1</extents></geom>'
    model = low(
        tmp_path, kinbody(f'<body name="a" enable="false">{box}</body><body name="b">{box}</body>')
    ).model
    assert model.geom_contype.tolist() == [0, 1]


def test_meshes_of_files(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "models" / "part.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    mesh = '<geom type="trimesh"><{0}>part.obj 0.01</{0}><translation>0 0 1</translation></geom>'
    iv = '<geom type="trimesh"><render>part.iv</render></geom>'
    text = (
        f'<modelsdir>models</modelsdir><body name="a">{mesh.format("data")}{mesh.format("render")}{iv}</body>'
    )
    made = low(tmp_path, kinbody(text))
    assert made.model.ngeom == 2
    assert made.model.nmesh == 1
    np.testing.assert_allclose(made.model.mesh_scale, [[0.01] * 3])
    assert said(made, "`part.iv` is VRML or Inventor")
