"""OpenRAVE XML: findings of its tables, case, files, and preserved elements of plugins; it cannot be
simulated yet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polybody as pb
import pytest


def kinbody(inside: str) -> str:
    return f'<kinbody name="k">\n{inside}\n</kinbody>\n'


def geom(inside: str, kind: str = "box") -> str:
    return kinbody(f'<body name="b"><geom type="{kind}">{inside}</geom></body>')


TWO = '<body name="l"/><body name="m"/>'


def jointed(inside: str = "", kind: str = "hinge", more: str = "") -> str:
    return kinbody(
        f'{TWO}\n<joint name="j" type="{kind}" {more}><body>l</body><body>m</body>{inside}</joint>'
    )


def codes(text: str) -> list[str]:
    return [finding.code for finding in pb.check("k.xml", text=text) if finding.severity != "info"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (kinbody(""), []),
        (geom("<extents>1 1 1</extents>"), []),
        (
            geom("<Extents>1 1 1</Extents><Translation>1 2 3</Translation><TRANSLATION>1 2 3</TRANSLATION>"),
            [],
        ),
        (geom("<extents>1 1</extents>"), ["PB017"]),
        (geom("<extents>1 1 -1</extents>"), ["PB019"]),
        (geom("<extents/>"), ["PB086"]),
        (geom("<extents>1 1 1</extents><radius>1</radius>"), ["PB027"]),
        (geom("<radius>1</radius>", "SPHERE"), []),
        (geom("", "sphere"), ["PB021"]),
        (geom("<radius>1</radius>", "cylinder"), ["PB021"]),
        (geom("<radius>1</radius>", "ball"), ["PB018"]),
        (jointed(), []),
        (jointed("<axis>0 0 0</axis>"), ["PB046"]),
        (jointed("<limits>0 1 2</limits>"), ["PB024"]),
        (jointed("<limits>0 1 2 3</limits>", "universal"), []),
        (jointed("<limits>0 1</limits><limitsdeg>0 1</limitsdeg>"), ["PB022"]),
        (jointed("<weight>1 1</weight>", "slider"), ["PB024"]),
        (jointed("<lostop>1</lostop>"), ["PB074"]),
        (jointed("<body>l</body>"), ["PB014"]),
        (jointed("", "hing"), ["PB018"]),
        (jointed(more='cicular="true"'), ["PB012"]),
        (kinbody('<body name="b"><mass type="box"/></body>'), ["PB028"]),
        (kinbody('<body name="b"><mass type="box"><total>-1</total></mass></body>'), ["PB019"]),
        (kinbody("<odd/>"), ["PB011"]),
        (kinbody("<odd/>").replace("<kinbody", '<kinbody type="mine"'), []),
        ("<robot><manipulator><base>l</base></manipulator></robot>", ["PB015", "PB032"]),
        ("<sensor type='BaseCamera'><kk>1 2 3</kk></sensor>", ["PB017"]),
    ],
)
def test_findings(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


LOUD = """<ENVIRONMENT>
  <Robot Name="R"><KinBody><BODY name="l"/><Body NAME="m"/>
    <JOINT Name="j" TYPE="Hinge"><Body>l</Body><body>m</body><LimitsDeg>0 1</LimitsDeg></JOINT></KinBody>
    <Translation>1 0 0</Translation><RotationAxis>0 0 1 90</RotationAxis>
    <translation>0 1 0</translation></Robot>
  <PhysicsEngine Type="ode"><ODEProperties><Friction>1</Friction></ODEProperties></PhysicsEngine>
</ENVIRONMENT>"""


def folded(text: str) -> str:
    import re

    return re.sub(
        r"<[^>]*>",
        lambda tag: re.sub(r"(?<![\"'\w])[A-Za-z]+(?=[\s=/>])", lambda m: m[0].lower(), tag[0]),
        text,
    )


def test_case_does_not_count() -> None:
    document, plain = pb.read("a.xml", text=LOUD), pb.read("a.xml", text=folded(LOUD))
    assert folded(LOUD) != LOUD
    assert document == plain
    text = pb.write(document, layout="canonical")
    assert "<kinbody>" in text
    assert pb.read("a.xml", text=text) == document


def test_the_order_of_transforms_is_kept() -> None:
    document: Any = pb.read("a.xml", text=LOUD)
    tags = [child.TAG for child in document.robot[0].children]
    assert tags == ["kinbody", "translation", "rotationaxis", "translation"]
    other = pb.read("a.xml", text=LOUD.replace("<Translation>1 0 0</Translation>", "", 1))
    assert other != document


def test_what_plugins_read_is_kept() -> None:
    document: Any = pb.read("a.xml", text=LOUD)
    (engine,) = document.physicsengine
    assert engine.elements[0].tag == "odeproperties"
    assert engine.elements[0].elements[0].text == "1"
    controller: Any = pb.read("a.xml", text="<controller type='x'> some  data <a b='C'/>\n more</controller>")
    assert (controller.text, controller.elements[0].attributes) == ("some data more", {"b": "C"})
    assert pb.read("a.xml", text=pb.write(controller)) == controller


def test_robots_of_urdf_are_recognised() -> None:
    assert type(pb.read("a.xml", text='<robot name="r"><link name="l"/></robot>')).__module__.count("urdf")
    assert type(pb.read("a.xml", text='<robot name="r"><kinbody/></robot>')).__module__.count("openrave")
    assert type(pb.read("a.xml", text='<Robot name="r"/>')).__module__.count("openrave")


def test_files_are_read_and_others_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "arm.kinbody.xml").write_text('<KinBody><Body name="hand"/></KinBody>')
    main = tmp_path / "a.robot.xml"

    def found(reference: str, tag: str = "kinbody") -> list[str]:
        main.write_text(f'<robot>\n<{tag} file="{reference}"/>\n</robot>')
        return [finding.code for finding in pb.check(main)]

    assert found("arm.kinbody.xml") == []
    document: Any = pb.read(main)
    assert document.kinbody[0].content.body[0].name == "hand"
    for name in ("arm.dae", "arm.ZAE", "arm.iv", "arm.wrl"):
        assert found(name) == ["PB040"]
        (tmp_path / name).write_text("what is not looked at")
        assert found(name) == ["PB077"]
    assert found("none.xml") == found("../other/a.xml") == ["PB040"]
    (tmp_path / "CMakeLists.txt").touch()  # the folder is a project
    (tmp_path.parent / "beside.xml").write_text("<kinbody/>")
    assert found("../beside.xml") == ["PB040"]
    (outside,) = pb.check(main)
    assert outside.message.endswith(f"is outside {tmp_path}, the project of the document")
    for option in ("`--root DIR`", "OPENRAVE_DATA"):
        assert option in str(outside.suggestion)
    assert found("/etc/hostname") == found("http://example.org/a.xml") == ["PB010"]
    assert found("a.robot.xml", "robot") == ["PB039"]
    (tmp_path / "b.robot.xml").write_text('<robot><robot file="a.robot.xml"/></robot>')
    assert found("b.robot.xml", "robot") == ["PB039"]
    (tmp_path / "bad.xml").write_text("<kinbody>\n<bdy/></kinbody>")
    assert found("bad.xml") == ["PB011"]
    monkeypatch.setenv("OPENRAVE_DATA", str(tmp_path / "data"))
    (tmp_path / "data" / "far.xml").write_text("<kinbody/>")
    assert found("far.xml") == []


def test_files_of_shapes_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main, data = tmp_path / "model" / "a.kinbody.xml", tmp_path / "data"
    for folder in (main.parent / "meshes", data):
        folder.mkdir(parents=True)

    def found(inside: str, before: str = "") -> list[tuple[str, str]]:
        shape = f'<geom type="trimesh"><Render>here.iv 0.1</Render>{inside}</geom>'
        main.write_text(kinbody(f'{before}<body name="b">{shape}</body>'))
        return [(finding.code, finding.message) for finding in pb.check(main)]

    (main.parent / "here.iv").touch()
    (main.parent / "meshes" / "there.iv").touch()
    (data / "far.iv").touch()
    assert found("<collision>here.iv</collision>") == []
    assert found("<collision>none.iv 2</collision>") == [("PB040", "the file `none.iv` does not exist")]
    assert [code for code, _ in found('<collision file="there.iv"/>')] == ["PB040"]
    models = "<ModelsDir> meshes </ModelsDir>"
    assert found('<collision file="there.iv"/>', models) == []
    assert [code for code, _ in found("<data>../../x.iv</data>", models)] == ["PB040"]
    assert [code for code, _ in found("<data>far.iv</data>")] == ["PB040"]
    monkeypatch.setenv("OPENRAVE_DATA", str(data))
    assert found("<data>far.iv</data>") == []
    outer = tmp_path / "a.robot.xml"
    outer.write_text('<robot><kinbody file="model/a.kinbody.xml"/></robot>')
    assert pb.check(outer) == []
    main.write_text(main.read_text().replace("far.iv", "none.iv"))
    (finding,) = pb.check(outer)
    assert (finding.path, finding.code) == (str(main), "PB040")
    assert [each.code for each in pb.check("k.xml", text=main.read_text())] == ["PB040"] * 2


def test_what_only_a_plugin_reads_in_a_sensor_is_kept_and_reported() -> None:
    text = "<sensor type='BaseCamera'><Widht>3</Widht><odd a='1'><b/></odd></sensor>"
    document: Any = pb.read("s.xml", text=text)
    assert [child.tag for child in document.elements] == ["widht", "odd"]
    assert pb.read("s.xml", text=pb.write(document)) == document
    first, second = pb.check("s.xml", text=text)
    assert (first.code, first.severity, first.suggestion) == ("PB085", "info", "did you mean `width`?")
    assert (second.code, second.suggestion) == ("PB085", None)
