"""Height fields, textures and skins of MJCF against MuJoCo."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import polybody
import pytest
from PIL import Image
from polybody.lowering.mjcf import compile_document

from tests.lowering.mjcf_models import body, column, compiled, same, world

PIXELS = (np.arange(4 * 6 * 3).reshape(4, 6, 3) * 3).astype(np.uint8)
SKIN = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 2 0 2 3"'
BODIES = body(attributes='name="b"') + body(attributes='name="a"')
BIND = 'bindpos=".1 .2 .3" bindquat="1 2 3 4"'


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


# --- height fields ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("elevation", ["", 'elevation="1 2 3 4 5 7"', 'elevation="2 2 2 2 2 2"'])
def test_height_fields(elevation):
    asset = f'<asset><hfield name="h" nrow="2" ncol="3" size="1 2 3 .5" {elevation}/></asset>'
    geom = '<geom type="hfield" hfield="h" pos="1 2 3" {}/>'
    same(world(geom.format("") + geom.format('euler="0 0 30" group="4"'), asset))
    same(world(body(geom.format('mass="2"')), asset))


def test_the_first_row_of_elevations_is_the_last_of_the_field():
    asset = '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 3 4"/></asset>'
    assert same(world("", asset)).columns["hfield_data"].tolist() == [0.75, 1, 0, 0.25]


def test_several_height_fields(tmp_path):
    (tmp_path / "terrain").mkdir()
    (tmp_path / "terrain" / "a.PNG").write_bytes(png(PIXELS))
    (tmp_path / "terrain" / "b.bin").write_bytes(struct.pack("<2i4f", 2, 2, 1, 2, 3, 5))
    (tmp_path / "terrain" / "c").write_bytes(png(PIXELS))
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><compiler meshdir="terrain"/><asset><hfield file="a.PNG" size="1 1 1 1"/>'
        '<hfield file="b.bin" size="2 1 1 1"/><hfield name="d" nrow="1" ncol="2" size="1 1 1 3"/>'
        '<hfield file="c" content_type="image/png" size="1 1 1 1"/></asset>'
        '<worldbody><geom type="hfield" hfield="b"/><geom type="hfield" hfield="c"/></worldbody></mujoco>'
    )
    ours = same("", path=path)
    assert ours.names["hfield"] == ("a", "b", "d", "c")
    assert ours.columns["hfield_adr"].tolist() == [0, 24, 28, 30]


# --- textures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["2d", "cube", "skybox"])
@pytest.mark.parametrize("builtin", ["flat", "checker", "gradient"])
@pytest.mark.parametrize("mark", ["none", "edge", "cross", "random"])
def test_builtin_textures(kind, builtin, mark):
    colours = 'rgb1=".2 .4 .9" rgb2="1 .1 0" markrgb=".5 1 .3" random=".2"'
    looks = f'type="{kind}" builtin="{builtin}" mark="{mark}" {colours}'
    ours = same(world("", f'<asset><texture name="t" width="9" height="14" {looks}/></asset>'))
    assert column(ours, "tex_height") == (14 if kind == "2d" else 54)


def test_textures_of_files(tmp_path):
    (tmp_path / "looks").mkdir()
    (tmp_path / "looks" / "grid.png").write_bytes(png(PIXELS))
    (tmp_path / "looks" / "face.png").write_bytes(png(PIXELS[:2, :2]))
    (tmp_path / "looks" / "own").write_bytes(struct.pack("<2i", 2, 1) + bytes(range(6)))
    path = tmp_path / "model.xml"
    for compiler, folder in (
        ('texturedir="looks"', ""),
        ('assetdir="looks/"', ""),
        ('texturedir="looks" strippath="true"', "far/away/"),
        ("", "looks/"),
    ):
        path.write_text(
            f"""<mujoco><compiler {compiler}/><asset>
            <texture type="2d" file="{folder}grid.png" hflip="true"/>
            <texture name="turned" type="2d" file="{folder}grid.png" vflip="true" hflip="true"/>
            <texture name="grey" type="2d" file="{folder}grid.png" nchannel="1"/>
            <texture name="clear" type="2d" file="{folder}grid.png" nchannel="4"/>
            <texture name="cut" type="cube" file="{folder}grid.png" gridsize="2 3" gridlayout=".U.LFR"/>
            <texture name="one" type="skybox" file="{folder}face.png"/>
            <texture name="six" type="cube" fileup="{folder}face.png" fileback="{folder}face.png"
              rgb1=".1 .2 .3"/>
            <texture type="2d" file="{folder}own"/>
            <texture name="both" type="2d" file="{folder}own" builtin="flat" width="1" height="2"/>
            <material name="m" texture="own"/></asset></mujoco>"""
        )
        ours = same("", path=path)
        assert ours.names["texture"] == (
            "grid",
            "turned",
            "grey",
            "clear",
            "cut",
            "one",
            "six",
            "own",
            "both",
        )


def test_textures_are_discarded():
    head = f"""<compiler discardvisual="true"/><asset><material name="m" texture="t"/>
      <texture name="t" type="2d" builtin="flat" width="2" height="2"/>
      <skin name="s" {{}} {SKIN}><bone body="b" vertid="0 1 2 3" vertweight="1 1 1 1" {BIND}/></skin>
      </asset>"""
    ours = same(world(body('<geom size="1" material="m"/>', 'name="b"'), head.format("")))
    assert ours.names["texture"] == ()
    # MuJoCo 3.2.7 does not find the materials of sites and skins in this case, and gives up.
    site = body('<geom size="1"/><site material="m"/>', 'name="b"')
    text = world(site, head.format("material='m'"))
    ours = compiled(f"<mujoco>{text}</mujoco>")
    assert column(ours, "skin_matid") == column(ours, "site_matid") == -1


# --- skins ------------------------------------------------------------------------------------------------


def skinned(attributes: str = "", where: str = "asset") -> str:
    return f"""<asset><material name="m"/></asset><{where}><skin {SKIN} {attributes}>
      <bone body="a" vertid="0 1 2" vertweight="1 .3 1" {BIND}/>
      <bone body="b" vertid="3 1" vertweight="2 .6" {BIND}/></skin></{where}>"""


@pytest.mark.parametrize("where", ["asset", "deformable"])
def test_skins(where):
    for attributes in (
        'name="s"',
        'name="s" texcoord="0 0 0 1 1 0 1 1" material="m" rgba=".1 .2 .3 .4" inflate=".01" group="2"',
    ):
        ours = same(world(BODIES, skinned(attributes, where)))
        assert ours.columns["skin_bonebodyid"].tolist() == [2, 1]
        assert ours.columns["skin_bonevertweight"] == pytest.approx([1, 1 / 3, 1, 1, 2 / 3])


def test_a_skin_of_a_file(tmp_path):
    def bone(name: str, vertices: list[int]) -> bytes:
        count = len(vertices)
        head = struct.pack("<40s7fi", name.encode(), *range(1, 8), count)
        return head + struct.pack(f"<{count}i{count}f", *vertices, *([0.5] * count))

    points = struct.pack("<9f", *range(9)) + struct.pack("<6f", *range(6)) + struct.pack("<3i", 0, 1, 2)
    whole = struct.pack("<4i", 3, 3, 1, 2) + points + bone("a", [0, 1]) + bone("b", [1, 2])
    absent = struct.pack("<4i", 3, 3, 1, 2) + points + bone("a", [0, 1]) + bone("c", [1, 2])
    (tmp_path / "skins").mkdir()
    (tmp_path / "skins" / "one.skn").write_bytes(whole)
    path = tmp_path / "model.xml"
    path.write_text(
        '<mujoco><compiler meshdir="skins"/><deformable><skin file="one.skn"/>'
        '<skin name="two" file="one.skn"/>'
        f"</deformable><worldbody>{BODIES}</worldbody></mujoco>"
    )
    ours = same("", path=path)
    assert ours.names["skin"] == ("one", "two")
    assert ours.columns["skin_bonevertadr"].tolist() == [0, 2, 4, 6]
    (tmp_path / "skins" / "one.skn").write_bytes(absent)
    assert refused(path) == ["PB063 there is no body `c`"] * 2


def test_skins_of_attached_models(tmp_path):
    one = skinned("name='s'", "deformable")
    (tmp_path / "child.xml").write_text(f"<mujoco model='c'>{one}<worldbody>{BODIES}</worldbody></mujoco>")
    path = tmp_path / "model.xml"
    path.write_text(
        "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody>"
        "<attach model='c' body='a' prefix='p_'/></worldbody></mujoco>"
    )
    assert same("", path=path).names["skin"] == ()  # one of its bones is not attached
    whole = path.read_text().replace("body='a' prefix", "body='c' prefix")
    child = tmp_path / "child.xml"
    child.write_text(
        child.read_text()
        .replace("<worldbody>", "<worldbody><body name='c'>")
        .replace("</worldbody>", "</body></worldbody>")
    )
    path.write_text(whole)
    assert same("", path=path).names["skin"] == ("s",)


# --- rejections -------------------------------------------------------------------------------------------


def refused(path: Path) -> list[str]:
    root = polybody.read(path, policy="lenient", format="mjcf")
    with pytest.raises(polybody.ValidationError) as raised:
        compile_document(root)
    return [f"{d.code} {d.message}" for d in raised.value.diagnostics]


@pytest.mark.parametrize(
    ("asset", "what"),
    [
        ('<hfield name="h" file="text.png" size="1 1 1 1"/>', "`text.png` is not a PNG file"),
        ('<hfield name="h" file="flat.png" content_type="model/obj" size="1 1 1 1"/>', "`model/obj` is not"),
        ('<hfield name="h" nrow="2" ncol="2" size="1 1 0 1"/>', "positive"),
        ('<hfield name="h" nrow="900000" ncol="900000" size="1 1 1 1"/>', "are more than"),
        ('<texture name="t" type="2d"/>', "neither a file nor a builtin pattern"),
        ('<texture name="t" file="text.png"/>', "`text.png` is not a PNG file"),
        ('<texture name="t" file="flat.png" gridsize="3 5"/>', "12 cells"),
        ('<texture name="t" fileup="flat.png"/>', "which is not a square"),
        ('<texture name="t" file="flat.png" content_type="image/jpeg"/>', "`image/jpeg` is not"),
        ('<texture name="t" file="flat.png" nchannel="2"/>', "channels"),
        ('<texture name="t" builtin="flat" width="20000"/>', "too many"),
        (
            f'<skin name="s" {SKIN}><bone body="b" {BIND} vertid="0 1 2" vertweight="1 1 1"/></skin>',
            "vertex 3",
        ),
        ('<skin name="s" file="text.png"/>', ".skn"),
        (f'<skin name="s" file="s.skn" {SKIN}/>', "either a file or"),
        ('<skin name="s" file="s.skn"/>', "`s.skn` ends after 4 bytes"),
    ],
)
def test_what_no_asset_can_be(tmp_path, asset, what):
    (tmp_path / "flat.png").write_bytes(png(PIXELS))
    (tmp_path / "text.png").write_text("a text")
    (tmp_path / "s.skn").write_text("text")
    path = tmp_path / "model.xml"
    path.write_text(f"<mujoco><asset>{asset}</asset><worldbody><body name='b'/></worldbody></mujoco>")
    found = refused(path)
    assert any(what in message for message in found), found


def test_too_many_bytes(tmp_path):
    path = tmp_path / "model.xml"
    fields = "".join(f'<hfield name="h{k}" nrow="8000" ncol="8000" size="1 1 1 1"/>' for k in range(4))
    path.write_text(f"<mujoco><asset>{fields}</asset></mujoco>")
    assert any("bytes together" in message for message in refused(path))
