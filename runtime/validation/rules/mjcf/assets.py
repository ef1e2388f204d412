"""Assets: the data that meshes, height fields, textures and flexes need, and whether files exist."""

from __future__ import annotations

from typing import Any

from polybody.base.releases import is_in
from polybody.document.asset_files import AssetFiles
from polybody.document.parser.value_faults import clip
from polybody.geometry import file_heads
from polybody.validation.scene import Scene

MESH, HFIELD, TEXTURE, SKIN = "Mesh", "HeightField", "Texture", "Skin"
MATERIAL, FLEXCOMP = "Material", "Flexcomp"
NODES = (MESH, HFIELD, TEXTURE, SKIN, MATERIAL, FLEXCOMP)
LARGEST, LIMITED_UNTIL = 2**31 - 1, "3.4.0"
"""Maximum size of a texture in bytes, and the last release that has it."""
PARAMETERS = {
    "sphere": 1,
    "hemisphere": 1,
    "cone": 2,
    "plate": 2,
    "supersphere": 3,
    "supertorus": 4,
    "wedge": 5,
}
"""How many numbers a mesh needs that is computed from them."""
SIDES = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")


def check(scene: Scene) -> None:
    """Report assets that lack data, or whose files are missing or inaccessible."""
    for mesh in scene.nodes(MESH):
        if mesh.file is None and mesh.vertex is None and mesh.builtin is None and not mesh.plugin:
            scene.report("PB023", mesh, None, "<mesh> needs `file`, `vertex` or a plugin")
        _parameters(scene, mesh)
    for field in scene.nodes(HFIELD):
        _heights(scene, field)
    for texture in scene.nodes(TEXTURE):
        sky = texture.type is not None and texture.type.value == "skybox"
        if texture.name is None and texture.file is None and not sky:
            scene.report("PB021", texture, None, "<texture> needs `name`, unless it is a skybox")
        _picture(scene, texture)
    for material in scene.nodes(MATERIAL):
        if material.texture is not None and material.layer:
            scene.report("PB022", material, "texture", "`texture` and <layer> are mutually exclusive")
    _files(scene)


def _parameters(scene: Scene, mesh: Any) -> None:
    kind = None if mesh.builtin is None else mesh.builtin.value
    if kind not in PARAMETERS or mesh.params is None:
        return
    need, given = PARAMETERS[kind], len(mesh.params)
    if given != need:
        message = f"a {kind} needs {need} number{'s' * (need > 1)} in `params`, not {given}"
        scene.report("PB024", mesh, "params", message)


def _heights(scene: Scene, field: Any) -> None:
    if field.file is None and (field.nrow is None or field.ncol is None):
        scene.report("PB023", field, None, "<hfield> needs `file`, or `nrow` and `ncol`")
    elif field.elevation is not None and field.nrow is not None and field.ncol is not None:
        count = field.nrow * field.ncol
        if len(field.elevation) != count:
            message = (
                f"`elevation` has {len(field.elevation)} numbers; {field.nrow} by "
                f"{field.ncol} points need {count}"
            )
            scene.report("PB024", field, "elevation", message)


def _picture(scene: Scene, texture: Any) -> None:
    """A procedural texture; the image of a cube is six times as high as wide."""
    if texture.builtin is None or texture.builtin.value == "none" or texture.file is not None:
        return
    width, height = scene.value(texture, "width"), scene.value(texture, "height")
    flat = scene.value(texture, "type").value == "2d"
    for name, size in (("width", width), *((("height", height),) if flat else ())):
        if size < 1:
            scene.report("PB019", texture, name, f"`{name}` of a builtin texture must be at least 1")
    size = width * (height if flat else 6 * width) * scene.value(texture, "nchannel")
    if size > LARGEST and is_in(scene.format.version, None, LIMITED_UNTIL):
        scene.report("PB019", texture, "width", f"the texture is larger than {LARGEST:,} bytes")


def _files(scene: Scene) -> None:
    """Each file exists where MuJoCo looks for it."""
    settings: Any = scene.root.compiler  # type: ignore[attr-defined]
    values = {
        name: getattr(settings, name, None) for name in ("meshdir", "texturedir", "assetdir", "strippath")
    }
    files = AssetFiles(scene.root.source, scene.root, values)
    for key in (MESH, HFIELD, SKIN, TEXTURE, FLEXCOMP):
        for node in scene.nodes(key):
            for name in ("file", *(SIDES if key == TEXTURE else ())):
                written = getattr(node, name)
                if written is not None:
                    _file(scene, node, name, files, written)


def _file(scene: Scene, node: Any, name: str, files: AssetFiles, written: str) -> None:
    found = files.find(node.TAG, node, written, scene.teller(node, name))
    if found is None:
        return
    fault = file_heads.fault(node.TAG, node, found)
    if fault is not None:
        scene.report("PB084", node, name, f"`{clip(written)}` {fault[0]}", fault[1])
