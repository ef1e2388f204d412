"""MJCF read strictly: defaults classes, sections, names created by macros, and one document per rule."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import polybody as pb
import pytest
from polybody import mjcf

CLASSES = """<mujoco>
  <default>
    <geom size="1" density="10"/>
    <joint damping="1"/>
    <default class="arm">
      <geom rgba="1 0 0 1"/>
      <joint damping="2"/>
      <default class="hand"><geom size="3"/></default>
    </default>
    <default class="leg"><geom density="20"/></default>
  </default>
  <worldbody>
    <geom name="floor"/>
    <body childclass="arm">
      <geom name="upper"/>
      <frame childclass="hand">
        <geom name="palm"/>
        <body><geom name="finger"/><geom name="nail" class="leg"/></body>
      </frame>
      <joint/>
    </body>
  </worldbody>
</mujoco>
"""


def document(inside: str = "", **sections: str) -> str:
    """A document with the content of a body and further sections."""
    others = "".join(f"<{name}>{text}</{name}>\n" for name, text in sections.items())
    return f'<mujoco>\n{others}<worldbody>\n<body name="b">\n{inside}\n</body>\n</worldbody>\n</mujoco>\n'


def codes(text: str) -> list[str]:
    return [d.code for d in pb.check("example.xml", text=text)]


# --- accepted documents ------------------------------------------------------------------------------------


def test_a_document_is_typed() -> None:
    read = pb.read("example.xml", text=CLASSES)
    assert isinstance(read, mjcf.Mujoco)
    body = read.worldbody.body[0]
    assert isinstance(body.joint[0], mjcf.Joint)
    assert body.joint[0].damping is None
    assert [child.TAG for child in body.children] == ["geom", "frame", "joint"]
    assert pb.read("example.xml", text=pb.write(read)) == read


def test_classes_give_missing_values_and_their_origin() -> None:
    read = pb.read("example.xml", text=CLASSES)
    resolved = pb.resolve(read)
    geoms = {node.name: node for node in read.walk() if isinstance(node, mjcf.Geom) and node.name}
    sizes = {name: resolved.get(geom, "size")[0] for name, geom in geoms.items()}
    assert sizes == {"floor": 1.0, "upper": 1.0, "palm": 3.0, "finger": 3.0, "nail": 1.0}
    assert resolved.get(geoms["nail"], "density") == 20.0
    assert resolved.get(geoms["palm"], "rgba") == (1.0, 0.0, 0.0, 1.0)
    assert resolved.get(geoms["nail"], "rgba") == (0.5, 0.5, 0.5, 1.0)
    effective = resolved.value(geoms["palm"], "size")
    assert (effective.origin, effective.node) == ("defaults", read.default.default[0].default[0].geom)
    assert resolved.value(read.worldbody.body[0].joint[0], "damping").value == 2.0
    assert resolved.value(geoms["floor"], "contype") == (1, "schema", None)
    assert resolved.get(geoms["floor"], "shellinertia") is False


def test_a_class_fills_every_actuator_with_what_they_share() -> None:
    text = document(
        '<joint name="j"/><geom size="1"/>',
        default='<motor gear="5"/><position kp="7" ctrlrange="0 1"/><muscle timeconst="1 2"/>',
        actuator='<motor joint="j"/><position joint="j"/>',
    )
    read = pb.read("example.xml", text=text)
    resolved = pb.resolve(read)
    motor, position = read.actuator.motor[0], read.actuator.position[0]
    assert resolved.get(motor, "gear") == resolved.get(position, "gear") == (5.0,)
    assert resolved.get(motor, "ctrlrange") == (0.0, 1.0)
    assert resolved.get(position, "kp") == 7.0
    assert resolved.get(position, "timeconst") == 0.0  # two numbers of a muscle do not fill a single one


def test_sections_that_repeat_are_one() -> None:
    text = (
        '<mujoco>\n<option timestep="1"><flag contact="disable"/></option>\n'
        '<worldbody><geom size="1"/></worldbody>\n'
        '<option timestep="2" density="3"><flag gravity="disable"/></option>\n'
        '<worldbody><body/><geom size="2"/></worldbody>\n</mujoco>\n'
    )
    read = pb.read("example.xml", text=text)
    assert (read.option.timestep, read.option.density) == (2.0, 3.0)
    assert (read.option.flag.contact, read.option.flag.gravity) == (mjcf.Switch.DISABLE, mjcf.Switch.DISABLE)
    assert [child.TAG for child in read.worldbody.children] == ["geom", "body", "geom"]
    assert (read.option.span.line, read.worldbody.span.line) == (2, 3)
    assert pb.read("example.xml", text=pb.write(read)) == read
    found = pb.check("example.xml", text=text.replace('density="3"', 'density="x"'))
    assert [(d.code, d.line) for d in found] == [("PB016", 4)]
    assert codes("<mujoco><option><flag/><flag/></option></mujoco>") == ["PB014"]


def test_names_that_macros_make_are_known() -> None:
    text = (
        '<mujoco><asset><mesh file="cube.obj" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>'
        '<model name="m" file="m.xml"/></asset>'
        '<worldbody><geom type="mesh" mesh="cube"/><light mode="targetbody" target="world"/>'
        '<replicate count="20" sep="-"><body name="r"><geom size="1"/></body></replicate>'
        '<body><attach model="m" body="torso" prefix="left_"/></body>'
        '<composite prefix="rope" type="cable" count="5 1 1" size="1"><geom size="1"/></composite>'
        '<flexcomp name="cloth" type="grid" count="3 3 1" spacing="1 1 1"/></worldbody>'
        '<contact><exclude body1="r-07" body2="left_hand"/>'
        '<exclude body1="ropeB_last" body2="cloth_4"/></contact></mujoco>'
    )
    # A mesh has either a file or vertices, and there are no such files.
    assert set(codes(text)) <= {"PB022", "PB001", "PB036"}
    assert "PB032" in codes(text.replace("r-07", "q-07"))
    assert "PB032" in codes(text.replace("left_hand", "right_hand"))


def test_what_newer_versions_have_is_named() -> None:
    text = document(actuator='<dcmotor joint="j"/>', option='<flag sleep="enable"/>')
    found = pb.check("example.xml", text=text, release="3.2.7")
    assert [(d.code, d.message) for d in found] == [
        ("PB029", "<dcmotor> in <actuator> is new in mjcf 3.7.0; this is 3.2.7"),
        ("PB029", "`sleep` of <flag> is new in mjcf 3.4.0; this is 3.2.7"),
    ]


def test_missing_files_and_those_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "here.obj").write_text("v 0 0 0\n")
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco>\n<compiler meshdir="meshes"/>\n<asset>\n<mesh file="here.obj"/>\n<mesh file="there.obj"/>\n'
        '<mesh name="up" file="../../../up.obj"/>\n<mesh name="root" file="/up.obj"/>\n</asset>\n</mujoco>\n'
    )
    found = [(d.code, d.severity, d.line) for d in pb.check(path)]
    assert found == [("PB036", "error", 5), ("PB010", "error", 6), ("PB010", "error", 7)]


# --- rejected documents ------------------------------------------------------------------------------------

CORNER = 'vertex="0 0 0  1 0 0  0 1 0  0 0 1"'
FACES = "2 0 3  0 1 3  1 2 3  0 2 1"
MESH = '<geom type="mesh" mesh="m"/>'


def _cable(inside: str) -> str:
    return f'<plugin plugin="mujoco.elasticity.cable"><instance name="i">{inside}</instance></plugin>'


BALL = '<geom size="1"/>'
J = f'<joint name="j"/>{BALL}'
FLAWS = [
    ("a joint in the world, in a frame",
        "<mujoco><worldbody><frame><joint/></frame></worldbody></mujoco>", "PB049"),
    ("unknown attribute in a frame", document('<frame colour="1"/>'), "PB012"),
    ("unknown attribute in a replicate",
        document(f'<replicate count="2" foo="1">{BALL}</replicate>'), "PB012"),
    ("free joint below a body", document(f"{BALL}<body><freejoint/>{BALL}</body>"), "PB049"),
    ("two joints, one free", document(f"<freejoint/><joint/>{BALL}"), "PB049"),
    ("ball and hinge", document(f'<joint type="ball"/><joint/>{BALL}'), "PB049"),
    ("plane that moves", document(f'{J}<geom type="plane" size="1 1 1"/>'), "PB049"),
    ("mocap with a joint",
        document(BALL).replace('name="b"', 'name="b" mocap="true"').replace(BALL, J), "PB049"),
    ("size too short", document('<geom type="box" size="1"/>'), "PB024"),
    ("size of zero", document('<geom size="0"/>'), "PB024"),
    ("negative size", document('<geom size="-1"/>'), "PB019"),
    ("condim", document('<geom size="1" condim="2"/>'), "PB019"),
    ("condim of a default", document(BALL, default='<geom condim="5"/>'), "PB019"),
    ("condim of a flexcomp",
        document(BALL).replace("</worldbody>",
            '<body name="f"><flexcomp name="f" count="2 2 1"><contact condim="0"/></flexcomp></body>'
            "</worldbody>"),
        "PB019"),
    ("mesh without mesh", document('<geom type="mesh"/>'), "PB021"),
    ("two orientations", document('<geom size="1" quat="1 0 0 0" euler="0 0 0"/>'), "PB022"),
    ("zero quaternion", document('<geom size="1" quat="0 0 0 0"/>'), "PB041"),
    ("axis without direction", document(f'<joint axis="0 0 0"/>{BALL}'), "PB046"),
    ("range upside down", document(f'<joint range="1 0"/>{BALL}'), "PB044"),
    ("limited without range", document(f'<joint limited="true"/>{BALL}'), "PB045"),
    ("range without limited", document(f'<joint range="0 1"/>{BALL}', compiler="").replace(
        "<compiler></compiler>", '<compiler autolimits="false"/>'), "PB023"),
    ("triangle inequality", document('<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'), "PB047"),
    ("not positive definite",
        document('<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/>'), "PB047"),
    ("both inertias", document(
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1" fullinertia="1 1 1 0 0 0"/>'), "PB022"),
    ("unknown class", document('<geom size="1" class="none"/>'), "PB032"),
    ("unknown childclass", document(BALL).replace('name="b"', 'name="b" childclass="none"'), "PB032"),
    ("class twice", document(BALL, default='<default class="a"/><default class="a"/>'), "PB031"),
    ("class without name", document(BALL, default="<default/>"), "PB021"),
    ("main renamed", document(BALL, default="").replace("<default>", '<default class="a">'), "PB018"),
    ("name twice, in a frame",
        document('<geom name="g" size="1"/><frame><geom name="g" size="1"/></frame>'), "PB031"),
    ("no transmission", document(J, actuator="<motor/>"), "PB023"),
    ("two transmissions", document(J, actuator='<motor joint="j" jointinparent="j"/>'), "PB022"),
    ("crank without slider", document(f'{J}<site name="s"/>', actuator='<motor cranksite="s"/>'), "PB023"),
    ("activation without dynamics", document(J, actuator='<general joint="j" actrange="0 1"/>'), "PB023"),
    ("gains are mutually "
    "exclusive", document(J, actuator='<position joint="j" kv="1" dampratio="1"/>'), "PB022"),
    ("object of a sensor", document(BALL, sensor='<framepos objtype="site" objname="s"/>'), "PB032"),
    ("kind of object", document(BALL, sensor='<framepos objtype="joint" objname="b"/>'), "PB018"),
    ("half a reference",
        document(BALL, sensor='<framepos objtype="body" objname="b" reftype="body"/>'), "PB023"),
    ("tendon with one site",
        document('<site name="s"/>', tendon='<spatial><site site="s"/></spatial>'), "PB056"),
    ("user too long", document(J, size="").replace("<size></size>", '<size nuser_geom="0"/>').replace(
        'size="1"', 'size="1" user="1"'), "PB024"),
    ("key of another size", document(J, keyframe='<key qpos="1 2"/>'), "PB024"),
    ("moves without mass", document("<freejoint/>"), "PB050"),
    ("moves with next to no mass", document('<freejoint/><geom size="1e-4"/>'), "PB050"),
    ("moves with next to no width", document('<freejoint/><geom size="1e-8" mass="1"/>'), "PB050"),
    ("moves with a tiny hull", document(
        f"<freejoint/>{MESH}", asset='<mesh name="m" vertex="0 0 0 1e-4 0 0 0 1e-4 0 0 0 1e-4"/>'), "PB050"),
    ("moves with a tiny capsule", document(
        '<freejoint/><geom type="capsule" size="1e-4" fromto="0 0 0 0 0 1e-4"/>'), "PB050"),
    ("flat hull", document(MESH, asset='<mesh name="m" vertex="0 0 1 1 0 1 0 1 1 1 1 1"/>'), "PB024"),
    ("leaning flat hull", document(
        MESH, asset='<mesh name="m" vertex="0 0 0 1 0 1 0 1 1 1 1 2"/>'), "PB024"),
    ("unknown plugin", document(BALL, extension='<plugin plugin="mujoco.piid"/>'), "PB083"),
    ("moves with a massless geom", document('<joint/><geom size="1" mass="0"/>'), "PB050"),
    ("moves without inertia", document('<joint/><inertial pos="0 0 0" mass="1"/>'), "PB050"),
    ("mass is carried too far", document(f"<joint/><body><body>{BALL}</body></body>"), "PB050"),
    ("three vertices", document(BALL, asset='<mesh name="m" vertex="0 0 0 1 0 0 0 1 0"/>'), "PB024"),
    ("texture of one vertex", document(BALL, asset=f'<mesh name="m" {CORNER} texcoord="0 0"/>'), "PB024"),
    ("no such vertex", document(BALL, asset=f'<mesh name="m" {CORNER} face="0 1 4"/>'), "PB019"),
    ("a face is not a body", document(MESH, asset=f'<mesh name="m" {CORNER} face="0 2 1"/>'), "PB024"),
    ("no area", document(MESH, asset=f'<mesh name="m" scale="0 0 0" {CORNER} face="{FACES}"/>'), "PB024"),
    ("faces turn differently",
     document(MESH, asset=f'<mesh name="m" inertia="exact" {CORNER} face="{FACES[:-5]}0 1 2"/>'), "PB024"),
    ("key twice", document(BALL, extension=_cable('<config key="bend" value="1"/>' * 2)), "PB031"),
    ("no such key", document(BALL, extension=_cable('<config key="bendd" value="1"/>')), "PB018"),
    ("no number", document(BALL, extension=_cable('<config key="bend" value="1 much"/>')), "PB016"),
    ("nobody's controller", document(BALL, extension=_cable("").replace("elasticity.cable", "pid")), "PB023"),
    ("prefix of a replicate", document(f'<replicate count="2" prefix="A">{BALL}</replicate>'), "PB027"),
    ("vertices in threes", document(BALL, asset='<mesh name="m" vertex="0 0 0 1"/>'), "PB017"),
    ("mesh without data", document(BALL, asset='<mesh name="m"/>'), "PB023"),
    ("texture and layers", document(BALL, asset='<texture name="t" builtin="flat" width="1" height="1"/>'
        '<material name="m" texture="t"><layer texture="t" role="rgb"/></material>'), "PB022"),
    ("elevation",
        document(BALL, asset='<hfield name="h" size="1 1 1 1" nrow="2" ncol="2" elevation="0"/>'), "PB024"),
    ("dropped element", document(BALL, equality="<distance/>"), "PB054"),
    ("one for true",
        document(BALL, option="").replace("<option></option>", '<compiler autolimits="1"/>'), "PB016"),
    ("weights of a bone", document(BALL, deformable='<skin><bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" '
        'vertid="0 1" vertweight="1"/></skin>'), "PB024"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), [row[1:] for row in FLAWS], ids=[row[0] for row in FLAWS])
def test_a_flaw_is_one_finding(text: str, code: str) -> None:
    assert codes(text) == [code]


@pytest.mark.parametrize("kind", ["motor", "general", "position", "muscle", "plugin plugin='mujoco.pid'"])
@pytest.mark.parametrize("release", ["3.2.7", "4.0"])
def test_rods_are_of_slider_cranks(kind: str, release: str) -> None:
    """Written on the actuator itself; defaults may give all actuators one. MuJoCo's verdicts."""
    ball = '<joint name="j"/><geom size="1"/><site name="s"/><site name="t" pos="0 0 1"/>'
    plugin = '<plugin plugin="mujoco.pid"/>'
    rod = '<general cranklength="1"/>'
    for words, default, found in (
        ('joint="j" cranklength="1"', "", ["PB023"]),
        ('joint="j" cranklength="0"', "", ["PB023"]),
        ('tendon="f" cranklength="1"', "", ["PB023"]),
        ('joint="j" slidersite="s"', "", ["PB023"]),
        ('joint="j"', rod, []),
        ('cranksite="s" slidersite="t"', rod, []),
        ('cranksite="s" slidersite="t" cranklength="1"', "", []),
    ):
        text = document(
            ball,
            extension=plugin,
            default=default,
            tendon='<fixed name="f"><joint joint="j" coef="1"/></fixed>',
            actuator=f"<{kind} {words}/>",
        )
        if kind == "muscle" and not found:
            continue  # it needs a range of lengths
        each = pb.check("example.xml", text=text, release=release)
        assert [one.code for one in each] == found, words
        assert all(one.line for one in each)


@pytest.mark.parametrize(
    ("memory", "refused"),
    [
        *((text, True) for text in ("0", "1", "119", "0K", "1E", "1P", "129T", "16e", f"{1 << 64}")),
        *((text, False) for text in ("-1", " 1K ", "01k", "120", "1M", "1g", "1000000")),
    ],
)
def test_memory_is_what_a_process_can_have(memory: str, refused: bool) -> None:
    """MuJoCo needs 120 bytes for an empty document, and refuses more than the address space."""
    text = f'<mujoco>\n<size memory="{memory}"/></mujoco>'
    for release in ("3.2.7", "4.0"):
        found = pb.check("example.xml", text=text, release=release)
        assert [(one.code, one.line) for one in found] == [("PB083", 2)] * refused
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pb.ModelWarning)
            pb.lower(pb.read("example.xml", text=text, release=release, policy="lenient"), policy="lenient")


def test_values_of_classes_are_checked_where_they_fill() -> None:
    text = document("<geom/>", default='<geom type="box" size="1"/>')
    (found,) = pb.check("example.xml", text=text)
    assert (found.code, "a box needs 3" in found.message) == ("PB024", True)
    text = document('<geom size="1"/>', default='<default class="a"><geom quat="0 0 0 0"/></default>')
    assert codes(text) == ["PB041"]
    assert codes(document('<geom size="1" euler="0 0 1"/>', default='<geom quat="1 0 0 0"/>')) == []


def test_text_is_skipped_with_a_warning() -> None:
    (found,) = pb.check("example.xml", text="<mujoco>left over</mujoco>")
    assert (found.code, found.severity) == ("PB030", "warning")


def test_mass_may_be_that_of_a_body_fixed_to_it() -> None:
    for inside in (
        f"<joint/><body>{BALL}</body>",
        f"<joint/><frame>{BALL}</frame>",
        '<joint/><composite type="cable" count="3 1 1" size="1 1 1" curve="s"/>',
        '<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>',
    ):
        assert codes(document(inside)) == []
    assert codes(document("<joint/>", compiler="").replace("<compiler>", '<compiler boundmass="1">')) == []


def test_a_mesh_of_faces_is_a_body() -> None:
    for more in ("", 'inertia="exact"', 'texcoord="0 0 1 0 0 1 1 1"'):
        assert codes(document(MESH, asset=f'<mesh name="m" {more} {CORNER} face="{FACES}"/>')) == []


def test_attached_models_are_read(tmp_path: Path) -> None:
    """Bodies are found in them, prefixed names are known, and cycles are reported with their names."""
    (tmp_path / "arm.xml").write_text(document('<geom name="g" size="1"/><joint name="j"/>'))
    path = tmp_path / "scene.xml"

    def scene(body: str = "b", joint: str = "left-j", file: str = "arm.xml") -> list[str]:
        attach = f'<attach model="arm" body="{body}" prefix="left-"/>'
        asset = f'<model name="arm" file="{file}"/>'
        path.write_text(document(f"{BALL}{attach}", asset=asset, actuator=f'<motor joint="{joint}"/>'))
        return [d.code for d in pb.check(path)]

    assert scene() == []
    read = pb.read(path)
    assert read.asset.model[0].content.worldbody.body[0].joint[0].name == "j"
    assert pb.read(path, text=pb.write(read)) == read
    assert scene(body="c") == ["PB032"]
    assert scene(joint="left-k") == ["PB032"]
    assert scene(joint="j") == ["PB032"]
    assert scene(file="none.xml") == ["PB001"]
    assert scene(file="scene.xml") == ["PB039"]
    assert scene(file="../../arm.xml") == ["PB010"]
    (tmp_path / "arm.xml").write_text(document('<geom size="1" colour="red"/>'))
    assert scene(joint="left-k") == ["PB012", "PB032"]


@pytest.mark.parametrize(
    ("given", "fails"),
    [
        ('limited="true" range="0 0"', False),
        ('limited="true" range="0 30"', False),
        ('limited="true" range="-30 0"', True),
        ('range="10 30"', True),
        ('limited="false" range="10 30"', False),
    ],
)
def test_the_range_of_a_ball_joint_begins_at_zero(given: str, fails: bool) -> None:
    joint = f'<joint type="ball" {given}/>'
    text = f'<mujoco><worldbody><body>{joint}<geom size="0.1"/></body></worldbody></mujoco>'
    found = [finding.code for finding in pb.check("ball.xml", text=text) if finding.severity == "error"]
    assert found == (["PB019"] if fails else [])
    if fails:
        with pytest.raises(ValueError, match="ball joint"):
            mujoco.MjModel.from_xml_string(text)
    else:
        mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        ('<freejoint/><geom type="capsule" size="a 1"/>', "PB016"),
        ('<freejoint/><geom type="capsule" szie="1 1"/>', "PB012"),
        ('<freejoint/><body><geom size="1m"/></body>', "PB016"),
        ('<freejoint/><inertial pos="0 0 0" mass="1kg" diaginertia="1 1 1"/>', "PB016"),
        ('<geom type="plane" size="1 1 a"/>', "PB016"),
        ('<site type="box" size="1 1 a"/>', "PB016"),
    ],
)
def test_a_malformed_value_is_one_finding(inside: str, code: str) -> None:
    """Sizes and masses that are unknown for this reason are not reported as missing."""
    assert [each.code for each in pb.check("m.xml", text=document(inside))] == [code]
