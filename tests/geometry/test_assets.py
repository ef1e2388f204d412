"""Height fields, textures and skins against MuJoCo."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from PIL import Image
from polybody import geometry
from polybody.geometry import GeometryError

from .engine import SINGLE, close
from .solids import text

GREY = np.array([[0, 10, 20], [30, 40, 255]], dtype=np.uint8)
COLOURS = np.stack([GREY, GREY + 1, GREY * 0 + 7], axis=-1)
OPAQUE = np.stack([GREY, GREY + 1, GREY * 0 + 7, GREY + 2], axis=-1)
DEEP = np.array([[0, 256 * 10 + 200, 20 * 256], [30 * 256 + 255, 40 * 256, 65535]], dtype=np.uint16)


def png(pixels: NDArray[Any] | Image.Image, **options: Any) -> bytes:
    out = io.BytesIO()
    (pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)).save(out, "PNG", **options)
    return out.getvalue()


PALETTE = Image.fromarray(COLOURS).quantize(8)
PNGS = {
    "grey": png(GREY),
    "16 bits": png(DEEP),
    "1 bit": png(Image.fromarray((GREY > 20).astype(np.uint8) * 255).convert("1")),
    "grey with opacity": png(np.stack([GREY, GREY + 3], axis=-1)),
    "colours": png(COLOURS),
    "colours with opacity": png(OPAQUE),
    "palette": png(PALETTE),
    "palette with opacity": png(PALETTE, transparency=bytes([255, 0, 128, 255, 255, 255, 255, 255])),
    "a clear colour": png(COLOURS, transparency=(10, 11, 7)),
    "a clear grey": png(GREY, transparency=10),
    "a clear deep grey": png(DEEP, transparency=256 * 10 + 200),
    "a profile and texts": png(COLOURS, icc_profile=b"x" * 200, dpi=(90, 90)),
}


def of_assets(assets: str, files: dict[str, bytes] | None = None, rest: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(f"<mujoco><asset>{assets}</asset>{rest}</mujoco>", files or {})


# --- height fields ----------------------------------------------------------------------------------------


def heights(attributes: str, files: dict[str, bytes] | None = None) -> NDArray[np.float32]:
    model = of_assets(f'<hfield name="h" size="1 1 1 1" {attributes}/>', files)
    found: NDArray[np.float32] = model.hfield_data.reshape(model.hfield_nrow[0], model.hfield_ncol[0])
    return found


@pytest.mark.parametrize("name", PNGS)
def test_heights_of_an_image(name: str) -> None:
    assert_array_equal(
        geometry.height_field(PNGS[name], "png"), heights('file="h.png"', {"h.png": PNGS[name]})
    )


def test_heights_of_numbers(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for rows, columns in ((1, 1), (2, 3), (5, 4)):
        numbers = random.normal(size=(rows, columns)).astype(np.float32)
        for given in (numbers, numbers * 0 + 3, numbers * np.float32(1e-15)):
            expected = heights(f'nrow="{rows}" ncol="{columns}" elevation="{text(given)}"')
            assert_array_equal(geometry.height_field(given.ravel(), rows=rows, columns=columns), expected)
            own = struct.pack("<2i", rows, columns) + given.astype("<f4").tobytes()
            expected = heights('file="h.bin"', {"h.bin": own})
            assert_array_equal(geometry.height_field(own), expected)
            path = tmp_path / "h.bin"
            path.write_bytes(own)
            assert_array_equal(geometry.height_field(path), expected)
    assert_array_equal(geometry.height_field((), rows=2, columns=3), heights('nrow="2" ncol="3"'))


# --- textures ---------------------------------------------------------------------------------------------


def pixels(attributes: str, files: dict[str, bytes] | None = None) -> NDArray[np.uint8]:
    model = of_assets(f'<texture name="t" {attributes}/>', files)
    found: NDArray[np.uint8] = model.tex_data.reshape(
        model.tex_height[0], model.tex_width[0], model.tex_nchannel[0]
    )
    return found


@pytest.mark.parametrize("name", PNGS)
def test_the_pixels_of_an_image(name: str) -> None:
    for channels in (3, 4):
        expected = pixels(f'type="2d" file="t.png" nchannel="{channels}"', {"t.png": PNGS[name]})
        assert_array_equal(geometry.texture("2d", file=(PNGS[name], "png"), nchannel=channels), expected)


@pytest.mark.parametrize("options", [{}, {"hflip": True}, {"vflip": True}, {"hflip": True, "vflip": True}])
def test_cubes_of_files(options: dict[str, bool]) -> None:
    flags = " ".join(f'{name}="true"' for name in options)
    random = np.random.default_rng(1)
    square, wide = (png(random.integers(0, 256, size, dtype=np.uint8)) for size in ((4, 4, 3), (6, 8, 3)))
    for kind in ("cube", "skybox"):
        expected = pixels(f'type="{kind}" file="t.png" {flags}', {"t.png": square})
        assert_array_equal(geometry.texture(kind, file=(square, "png"), **options), expected)
        for layout in (".U..LFRB.D..", ".U..L......."):
            grid = f'gridsize="3 4" gridlayout="{layout}" rgb1="1 .3 0"'
            expected = pixels(f'type="{kind}" file="t.png" {grid} {flags}', {"t.png": wide})
            ours = geometry.texture(
                kind, file=(wide, "png"), gridsize=(3, 4), gridlayout=layout, rgb1=(1, 0.3, 0), **options
            )
            assert_array_equal(ours, expected)
        named = dict(zip("RLUDFB", ("right", "left", "up", "down", "front", "back"), strict=True))
        for letters in ("RLUDFB", "RF"):
            files = {
                f"{letter}.png": png(random.integers(0, 256, (3, 3, 3), dtype=np.uint8)) for letter in letters
            }
            given = " ".join(f'file{named[letter]}="{letter}.png"' for letter in letters)
            expected = pixels(f'type="{kind}" {given} rgb1="1 .5 0" {flags}', files)
            faces = {letter: (files[f"{letter}.png"], "png") for letter in letters}
            assert_array_equal(geometry.texture(kind, faces=faces, rgb1=(1, 0.5, 0), **options), expected)


def test_grids_and_six_files_have_all_channels() -> None:
    """MuJoCo leaves a quarter of them uninitialised."""
    strip = np.random.default_rng(2).integers(0, 256, (2, 12, 4), dtype=np.uint8)
    whole = geometry.texture(
        "cube", file=(png(strip), "png"), gridsize=(1, 6), gridlayout="RLUDFB", nchannel=4
    )
    assert_array_equal(whole, np.concatenate(np.split(strip, 6, axis=1)))


def test_mujocos_own_images(tmp_path: Path) -> None:
    own = struct.pack("<2i", 3, 2) + COLOURS.tobytes()
    expected = pixels('type="2d" file="t.bin"', {"t.bin": own})
    assert_array_equal(geometry.texture("2d", file=own), expected)
    path = tmp_path / "t.bin"
    path.write_bytes(own)
    assert_array_equal(geometry.texture("2d", file=path), expected)
    (tmp_path / "t.PNG").write_bytes(PNGS["colours"])
    assert_array_equal(geometry.texture("2d", file=tmp_path / "t.PNG"), expected)


@pytest.mark.parametrize("builtin", ["flat", "checker", "gradient"])
@pytest.mark.parametrize("mark", ["none", "edge", "cross", "random"])
def test_builtin_patterns(builtin: str, mark: str) -> None:
    random = np.random.default_rng(3)
    for kind in ("2d", "cube", "skybox"):
        for width, height in ((1, 1), (4, 4), (5, 3), (2, 7), (33, 40)):
            colours = random.uniform(size=(3, 3)).round(3)
            share = float(random.uniform(0, 0.6))
            expected = pixels(
                f'type="{kind}" builtin="{builtin}" mark="{mark}" width="{width}" height="{height}" '
                f'rgb1="{text(colours[0])}" rgb2="{text(colours[1])}" markrgb="{text(colours[2])}" '
                f'random="{share}"'
            )
            ours = geometry.texture(
                kind,
                builtin=builtin,
                mark=mark,
                width=width,
                height=height,
                rgb1=colours[0].tolist(),
                rgb2=colours[1].tolist(),
                markrgb=colours[2].tolist(),
                random=share,
            )
            assert_array_equal(ours, expected)


def test_a_pattern_with_four_channels_has_three() -> None:
    expected = pixels('type="2d" builtin="gradient" width="5" height="3" nchannel="4"')
    assert_array_equal(geometry.texture("2d", builtin="gradient", width=5, height=3, nchannel=4), expected)


# --- skins ------------------------------------------------------------------------------------------------

VERTICES = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
FACES, TEXCOORDS = [[0, 1, 2], [0, 2, 3]], [[0, 0], [1, 0], [0, 1], [1, 1]]
BONES = [
    ("a", [1, 2, 3], [2, 0, 0, 1], [0, 1, 2], [1, 0.3, 0.2]),
    ("b", [0, 0, 0], [1, 0, 0, 0], [1, 2, 3, 1], [0.7, 0.1, 5, 0.01]),
]
BODIES = '<worldbody><body name="a"><geom size="1"/></body><body name="b"><geom size="1"/></body></worldbody>'


def skn(bones: list[Any] = BONES, texcoords: list[Any] = TEXCOORDS) -> bytes:
    data = struct.pack("<4i", len(VERTICES), len(texcoords), len(FACES), len(bones))
    data += np.array(VERTICES, "<f4").tobytes() + np.array(texcoords, "<f4").tobytes()
    data += np.array(FACES, "<i4").tobytes()
    for name, pos, quat, rows, weights in bones:
        data += name.encode().ljust(40, b"\0") + np.array([*pos, *quat], "<f4").tobytes()
        data += (
            struct.pack("<i", len(rows))
            + np.array(rows, "<i4").tobytes()
            + np.array(weights, "<f4").tobytes()
        )
    return data


@pytest.mark.parametrize("texcoords", [TEXCOORDS, []])
def test_skins_of_files_and_numbers(texcoords: list[Any]) -> None:
    data = skn(texcoords=texcoords)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco>{BODIES}<deformable><skin name="s" file="s.skn"/></deformable></mujoco>', {"s.skn": data}
    )
    for skin in (geometry.load_skin(data), geometry.skin(VERTICES, texcoords, FACES, BONES)):
        assert_array_equal(skin.vertices, model.skin_vert)
        assert_array_equal(skin.texcoords, model.skin_texcoord)
        assert_array_equal(skin.faces, model.skin_face)
        assert [bone.body for bone in skin.bones] == ["a", "b"]
        close([bone.bindpos for bone in skin.bones], model.skin_bonebindpos, SINGLE)
        close([bone.bindquat for bone in skin.bones], model.skin_bonebindquat, SINGLE)
        assert_array_equal(np.concatenate([bone.vertices for bone in skin.bones]), model.skin_bonevertid)
        close(np.concatenate([bone.weights for bone in skin.bones]), model.skin_bonevertweight, SINGLE)


@pytest.mark.parametrize(
    ("bone", "problem"),
    [
        (("a", [1, 2, 3], [1, 0, 0, 0], [0, 1, 2, 9], [1, 1, 1, 1]), "vertex 9"),
        (("a", [1, 2, 3], [1, 0, 0, 0], [1, 2], [1, 1]), "vertex 0 without a positive weight"),
        (("a", [1, 2, 3], [1, 0, 0, 0], [0, 1, 2], [0, 1, 1]), "vertex 0 without a positive weight"),
        (("a", [1, 2, 3], [1, 0, 0, 0], [], []), "with 0 vertices"),
    ],
)
def test_what_is_no_skin(bone: Any, problem: str) -> None:
    with pytest.raises(GeometryError, match=problem):
        geometry.load_skin(skn([bone, BONES[1]]))
