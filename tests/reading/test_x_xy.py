"""What x_xy documents may contain, rule by rule; and files by other authors."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import polybody as pb
import pytest
from polybody import x_xy
from polybody.diagnostics import Policy

from .tools import body, codes, geom, model, one

RING = find_spec("ring")  # found, not imported: it imports JAX
assert RING is not None
assert RING.origin is not None
EXAMPLES = sorted((Path(RING.origin).parent / "io" / "examples").rglob("*.xml"))


# Examples that the document forbids, with the code of the finding: `knee_hinge` is not a joint of the format,
# ring supports it only if a program has registered it.
FORBIDDEN = {"knee_trans_dof": ["PB018"]}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_of_ring_have_no_errors(path: Path) -> None:
    assert [d.code for d in pb.check(path) if d.severity == "error"] == FORBIDDEN.get(path.stem, [])
    if path.stem in FORBIDDEN:
        return
    root = pb.read(path)
    assert pb.read("again", text=pb.write(root)) == root


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


FROZEN, RX = 'joint="frozen"', 'joint="rx"'
SPHERE = 'type="sphere" mass="1" dim="1"'


@pytest.mark.parametrize(
    ("text", "expected", "lines"),
    [
        # options
        (body(head='<options gravity="0 0 -9.81"/>'), ["PB051"], [2]),
        (body(head='<options gravity="0 0 0"/>'), [], []),
        (body(head='<options gravity="0 9.81"/>'), ["PB017"], [2]),
        (body(head='<options dt="0"/>'), ["PB019"], [2]),
        (body(head='<options dt="-0.01"/>'), ["PB019"], [2]),
        (body(head='<options dt="1e-999"/>'), ["PB019"], [2]),
        (body(head='<options dt="nan"/>'), ["PB020"], [2]),
        (body(head='<options dt="INF" gravity="0 0 NaN"/>'), ["PB020", "PB020"], [2, 2]),
        (body(head="<options/><options/>"), ["PB014"], [2]),
        # structure
        (model(""), ["PB015"], [3]),
        (model(f"<geom {SPHERE}/>"), ["PB015"], [3]),
        (model(f'<geom {SPHERE}/><body name="a" joint="frozen"/>'), [], []),
        ("<x_xy/>", ["PB015"], [1]),
        (body(inside=f'<geom {SPHERE}/><include file="b.xml"/>'), ["PB011"], [5]),
        (body(inside=f"<geom {SPHERE}/>left"), ["PB013"], [5]),
        (body(inside=f"<geom {SPHERE}>left</geom>"), ["PB013"], [5]),
        (body(inside=f'<geom {SPHERE}/><omc pos_marker="1"/><omc pos_marker="2"/>'), ["PB014"], [5]),
        (body(inside=f"<geom {SPHERE}/><omc/>"), ["PB021"], [5]),
        (body(inside=f'<geom {SPHERE}/><omc pos_marker="1.5"/>'), ["PB016"], [5]),
        # names and words
        (model('<body joint="frozen"/>'), ["PB021"], [4]),
        (model('<body name="a"/>'), ["PB021"], [4]),
        (model('<body name="" joint="frozen"/>'), ["PB026"], [4]),
        (model('<body name=" a  b" joint="frozen"/>'), [], []),
        (body('joint="Rx"'), ["PB018"], [4]),
        (body('joint=" rx "'), [], []),
        (body('Joint="rx"'), ["PB012"], [4]),
        (
            model("\n".join(['<body name="a" joint="frozen"/>'] * 3)),
            ["PB031"] * 2,
            [5, 6],
        ),
        # poses
        (body('pos="0 0"'), ["PB017"], [4]),
        (body('pos="0 0 0 0"'), ["PB017"], [4]),
        (body('pos=""'), ["PB086"], [4]),
        (body('pos="&#10;0\t0 \n 0 "'), [], []),
        (body('pos="0, 0, 0"'), ["PB016"], [4]),
        (body('quat="1 0 0 0" euler="0 0 0"'), ["PB022"], [4]),
        (body('quat="0 0 0 0"'), ["PB041"], [4]),
        (body('quat="1 0 0 0.0000001"'), [], []),
        (body('quat="0.7071 0.7071 0 0"'), ["PB042"], [4]),
        (body('quat="1 0 0 0.01"'), ["PB042"], [4]),
        (body('quat="1 0 0 INF"'), ["PB020"], [4]),
        (body('pos_min="0 0 0"'), ["PB023"], [4]),
        (body('pos_max="0 0 0"'), ["PB023"], [4]),
        (body('pos_min="0 0 0" pos_max="0 0 0"'), ["PB045"], [4]),
        (body('pos_min="0 0 0" pos_max="1 0 -1"'), ["PB044"], [4]),
        (body('pos="9 9 9" pos_min="0 0 0" pos_max="1 0 0"'), [], []),
        # joints
        (body('damping="1 2"'), ["PB024"], [4]),
        (body('damping="-1"'), ["PB019"], [4]),
        (body('armature="-0.1" spring_stiff="-1"'), ["PB019", "PB019"], [4, 4]),
        (body('joint="frozen" damping="1"'), ["PB024"], [4]),
        (body('joint="frozen" damping=""'), [], []),
        (body('joint="free" damping="1 1 1 1 1 1" spring_zero="1 0 0 0 0 0 0"'), [], []),
        (body('joint="free" damping="1 1 1"'), ["PB024"], [4]),
        (body('joint="cor" damping="1 1 1 1 1 1 1 1 1" spring_zero="1 0 0 0 0 0 0 0 0 0"'), [], []),
        (body('joint="free_2d" spring_stiff="1 1 1" spring_zero="0 0 0"'), [], []),
        (body('joint="saddle" armature="1 1"'), [], []),
        (body('joint="saddle" armature="1"'), ["PB024"], [4]),
        (body('joint="spherical" spring_zero="1 0 0"'), ["PB024"], [4]),
        (body('joint="spherical" spring_zero="0.9 0 0 0"'), ["PB043"], [4]),
        (body('joint="spherical" spring_zero="0 0 0 0"'), ["PB041"], [4]),
        (body('joint="free" spring_zero="2 0 0 0 0 0 0"'), ["PB043"], [4]),
        (body('joint="p3d" spring_zero="0 0 0"'), [], []),
        # shapes
        (geom('type="sphere" dim="1"'), ["PB021"], [5]),
        (geom('mass="1" dim="1"'), ["PB021"], [5]),
        (geom('type="sphere" mass="1"'), ["PB021"], [5]),
        (geom('type="ball" mass="1" dim="1"'), ["PB018"], [5]),
        (geom('type="xzy"'), ["PB018"], [5]),  # the requirements of an unknown type are unknown
        (geom('type="sphere" mass="-1" dim="1"'), ["PB019"], [5]),
        (geom('type="sphere" mass="1" dim="0"'), ["PB019"], [5]),
        (geom('type="sphere" mass="1" dim="-1"'), ["PB019"], [5]),
        (geom('type="sphere" mass="1" dim="1 1"'), ["PB024"], [5]),
        (geom('type="box" mass="1" dim="1"'), ["PB024"], [5]),
        (geom('type="box" mass="1" dim="1 1 1 1"'), ["PB017"], [5]),
        (geom('type="capsule" mass="1" dim="1 1"'), [], []),
        (geom('type="cylinder" mass="1" dim="1 1"'), [], []),
        (geom('type="box" mass="1" size="1 1 1"'), ["PB012"], [5]),
        (geom('type="sphere" mass="0" dim="1"'), ["PB052"], [4]),
        (body('joint="frozen"', '<geom type="sphere" mass="0" dim="1"/>'), [], []),
        (body('joint="frozen"', '<geom type="xyz"/>'), [], []),
        (body('joint="frozen"', '<geom type="xyz" dim="2"/>'), [], []),
        (body(FROZEN, '<geom type="xyz" mass="1" pos="0 0 0" color="red"/>'), ["PB027"] * 3, [5] * 3),
        (geom('type="xyz"'), ["PB052"], [4]),
        # a body that carries only massless bodies, frozen or not, counts as massless
        (body(RX, '<body name="b" joint="frozen"/>'), ["PB052"], [4]),
        (body(RX, '<body name="b" joint="ry"><geom type="xyz"/></body>'), ["PB052"] * 2, [4, 5]),
        (body(RX, f'<body name="b" joint="frozen"><geom {SPHERE}/></body>'), [], []),
        (body(RX, f'<geom {SPHERE}/><body name="b" joint="rx"/>'), ["PB052"], [5]),
        # colours
        (geom(f'{SPHERE} color="0.1 0.2 0.3" edge_color="0 0 0 1"'), [], []),
        (geom(f'{SPHERE} color="DarkOliveGreen"'), [], []),
        (geom(f'{SPHERE} color="dustin"'), ["PB053"], [5]),
        (geom(f'{SPHERE} color="0.1 0.2"'), ["PB017"], [5]),
        (geom(f'{SPHERE} color="0.1 0.2 1.3"'), ["PB019"], [5]),
        (geom(f'{SPHERE} color="255 0 0"'), ["PB019"], [5]),
        (geom(f'{SPHERE} color="nan 0 0"'), ["PB020"], [5]),
        (geom(f'{SPHERE} color=""'), ["PB026"], [5]),
        # two faults in one element are two findings
        (geom('type="sphere" mass="x" dim="y"'), ["PB016", "PB016"], [5, 5]),
        (geom('type="sphere" mas="1" dim="1"'), ["PB012"], [5]),
    ],
)  # fmt: skip
def test_rule(text: str, expected: list[str], lines: list[int]) -> None:
    found = pb.check("test.xml", text=text)
    assert [(d.code, d.line) for d in found] == list(zip(expected, lines, strict=True)), list(map(str, found))


def test_gravity_hint() -> None:
    assert one(body(head='<options gravity="0 0 -9.81"/>')).suggestion == "write `0 0 9.81`"


def test_size_is_an_error_that_suggests_dim() -> None:
    found = one(geom('type="sphere" mass="1" size="1"'))
    assert found.suggestion == "did you mean `dim`?"
    assert found.severity == "error"


# --- defaults ----------------------------------------------------------------------------------------------


def test_defaults_fill_what_is_missing_and_nothing_is_written_to_nodes() -> None:
    head = '<defaults><geom type="box" dim="1 1 1" mass="2"/><body joint="ry" damping="3"/></defaults>'
    root = pb.read("a.xml", text=model('<body name="a"><geom mass="5"/></body>', head))
    resolved = pb.resolve(root)
    node = root.worldbody.body[0]
    assert node.joint is None
    assert resolved.value(node, "joint") == (x_xy.Joint.RY, "defaults", root.defaults.body)
    assert resolved.value(node.geom[0], "mass") == (5.0, "written", node.geom[0])
    assert resolved.value(node.geom[0], "dim").value == (1.0, 1.0, 1.0)
    assert resolved.value(node, "pos") == ((0.0, 0.0, 0.0), "schema", None)
    assert resolved.value(node, "armature") == ((0.0,), "schema", None)
    assert resolved.get(root.options or x_xy.Options(), "gravity") == (0.0, 0.0, 9.81)
    with pytest.raises(KeyError):
        resolved.value(node, "colour")


def test_schema_defaults_depend_on_other_values() -> None:
    root = pb.read("a.xml", text=body('joint="free"', '<geom type="xyz"/>'))
    resolved = pb.resolve(root)
    node = root.worldbody.body[0]
    assert resolved.get(node, "spring_zero") == (1, 0, 0, 0, 0, 0, 0)
    assert resolved.get(node, "damping") == (0,) * 6
    assert resolved.get(node.geom[0], "dim") == (1.0,)


def test_a_default_of_wrong_length_is_an_error_at_both_places() -> None:
    head = '<defaults><body damping="1 1"/></defaults>'
    bodies = '<body name="a" joint="saddle"/>\n<body name="b" joint="rx"/>\n<body name="c" joint="rx"/>'
    found = [d for d in pb.check("a.xml", text=model(bodies, head)) if d.severity == "error"]
    assert {(d.code, d.line) for d in found} == {("PB024", 2), ("PB024", 5), ("PB024", 6)}
    assert "line 5" in found[0].message
    assert all("line 2" in d.message for d in found if d.line > 2)


def test_exclusion_through_defaults_names_both_lines() -> None:
    head = '<defaults><geom euler="0 0 90"/></defaults>'
    found = one(geom(f'{SPHERE} quat="1 0 0 0"', head))
    assert (found.code, found.line) == ("PB022", 5)
    assert "line 2" in found.message


def test_faults_of_defaults_alone_are_reported_once_there() -> None:
    for fault, code in (
        ('quat="1 0 0 0" euler="0 0 0"', "PB022"),
        ('quat="0 0 0 0"', "PB041"),
        ('dim="x"', "PB016"),
    ):
        head = f'<defaults><geom type="sphere" mass="1" {fault}/></defaults>'
        dim = "" if "dim" in fault else 'dim="1"'
        text = body(inside=f"<geom {dim}/>\n<geom {dim}/>", head=head)
        assert [(d.code, d.line) for d in pb.check("a.xml", text=text)] == [(code, 2)], fault


def test_a_default_name_is_one_name_for_several_bodies() -> None:
    text = model('<body joint="frozen"/>\n<body joint="frozen"/>', '<defaults><body name="n"/></defaults>')
    assert codes(text) == ["PB031"]


def test_what_all_elements_lack_is_reported_at_their_defaults() -> None:
    head = '<defaults><geom type="sphere" dim="1"/></defaults>'
    found = one(body(inside="<geom/>\n<geom/>", head=head))
    assert (found.code, found.line) == ("PB021", 2)
    assert "line 5" in found.message
    found = one(body(inside='<geom mass="1"/>\n<geom/>', head=head))
    assert found.line == 6


def test_required_values_may_come_from_defaults() -> None:
    head = f"<defaults><geom {SPHERE}/></defaults>"
    assert codes(geom("", head)) == []
    assert codes(geom("", head.replace('mass="1"', ""))) == ["PB021"]
    # xyz needs no mass, and one given by defaults is not its fault
    assert codes(body('joint="frozen"', '<geom type="xyz" dim="1"/>', head)) == []


# --- policies ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        (geom('type="sphere" mass="-1" dim="1"'), ("error", "warning", "warning")),
        (body(head='<options dt="-1"/>'), ("error", "warning", "warning")),
        (body('foo="1"'), ("error", "error", "warning")),
        (body('pos="1 2"'), ("error", "error", "error")),
        (body('quat="2 0 0 0"'), ("warning", "warning", "warning")),
    ],
)
def test_policies(text: str, severities: tuple[str, ...]) -> None:
    policies: tuple[Policy, ...] = ("strict", "warn", "lenient")
    assert tuple(pb.check("a.xml", policy, text=text)[0].severity for policy in policies) == severities


def test_tolerated_values_are_kept() -> None:
    root = pb.read("a.xml", policy="warn", text=geom('type="sphere" mass="-1" dim="1"'))
    assert root.worldbody.body[0].geom[0].mass == -1
    with pytest.raises(pb.ValidationError) as error:
        pb.read("a.xml", policy="strict", text=geom('type="sphere" mass="-1" dim="1"'))
    assert "PB019" in str(error.value)
    with pytest.raises(ValueError, match="unknown policy"):
        pb.read("a.xml", policy="lax", text="<x_xy/>")  # type: ignore[arg-type]


def test_a_name_may_be_anything() -> None:
    name = '"""\nimport os\nos.abort() \'\\ {} %s <&> ]]> \u2028 \U0001f600'
    root = x_xy.XXy(worldbody=x_xy.Worldbody(body=[x_xy.Body(name=name, joint=x_xy.Joint.FROZEN)]))
    text = pb.write(root)
    again = pb.read("a.xml", text=text)
    assert again.worldbody.body[0].name == name
    assert again == root
    twice = text.replace(
        "</worldbody>", text[text.index("<body") : text.index("</worldbody>")] + "</worldbody>"
    )
    for found in pb.check("a.xml", text=twice):
        assert "\n" not in found.message
        assert found.code == "PB031"
