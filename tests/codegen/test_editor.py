"""XSD 1.0 for editors: libxml2 accepts it; it accepts what the reader accepts, and rejects what 1.0 can
express. For every model in a folder: ``python -m tests.codegen.test_editor models/``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from lxml import etree
from polybody import generated
from polybody.cli import app
from polybody.cli.editor import ASSOCIATIONS, CATALOGS
from polybody.document.registry import format_named, format_of
from polybody.generated.formats import ROOTS

from tests.reading.test_openrave_verdict import BASE as OPENRAVE
from tests.reading.test_openrave_verdict import folded
from tests.reading.test_skel import WHOLE

from .mutations import Mutator
from .test_xsd_equivalence import URDF, X_XY

assert generated.__file__ is not None
FOLDER = Path(generated.__file__).parent / "editor"
MJCF = b"""<mujoco model="m"><compiler angle="radian"/><default><geom density="1"/><default class="c"/>
  </default><worldbody><light pos="0 0 1"/><body name="b"><freejoint/><geom type="box" size="1 1 1"/>
  <frame pos="0 0 1"><site name="s"/></frame></body></worldbody><actuator><motor site="s"/></actuator>
  <worldbody/></mujoco>"""
BASES = {"x_xy": X_XY, "urdf": URDF, "skel": WHOLE.encode(), "mjcf": MJCF, "openrave": OPENRAVE}


def schema(name: str) -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(FOLDER / f"{name}.xsd"))


def tree_of(name: str, text: bytes) -> etree._Element:
    """A document that XSD can compare: in one case, and without white space where there is no text."""
    if format_named(name).folds_case:
        return folded(text)
    root = etree.fromstring(text, etree.XMLParser(remove_comments=True, remove_pis=True))
    for node in root.iter():
        if len(node) == 0 and not (node.text or "").strip():
            node.text = None  # readers ignore it
    return root


def test_every_format_has_one() -> None:
    assert set(ROOTS) <= {path.stem for path in FOLDER.glob("*.xsd")}
    for name in ROOTS:
        schema(name)


@pytest.mark.parametrize("name", BASES)
def test_what_the_reader_accepts_is_valid(name: str) -> None:
    xsd, made = schema(name), Mutator(BASES[name], 24)
    assert xsd.validate(tree_of(name, BASES[name])), xsd.error_log
    accepted = 0
    for _ in range(120):
        text = made.document()
        if not any(
            finding.severity == "error" and finding.code != "PB036"  # it names files that do not exist
            for finding in pb.check(f"a.{name}", text=text, format=name, model=False)
        ):
            assert xsd.validate(tree_of(name, text)), (xsd.error_log, text)
            accepted += 1
    assert accepted > 8


@pytest.mark.parametrize(
    ("name", "spoilt"),
    [
        ("x_xy", X_XY.replace(b'joint="spherical"', b'joint="sperical"')),
        ("x_xy", X_XY.replace(b'damping="1 2 3"', b'damping="1 two 3"')),
        ("x_xy", X_XY.replace(b"<options", b"<option")),
        ("urdf", URDF.replace(b'<link name="b">', b"<link>")),
        ("urdf", URDF.replace(b"drake:mu_static", b"drake:mu_sttic")),
        ("urdf", URDF.replace(b'xyz="0 0 1"', b'xyz="0 0"')),
        ("urdf", URDF.replace(b'drake:acceleration="3"', b'drake:acceleration="fast"')),
        ("skel", WHOLE.encode().replace(b"<mass>1<", b"<mass>-1<")),
        ("skel", WHOLE.encode().replace(b"0 0 -9.81", b"0 0")),
        ("mjcf", MJCF.replace(b"freejoint", b"freejoin")),
        ("mjcf", MJCF.replace(b'angle="radian"', b'angle="radians"')),
        ("openrave", OPENRAVE.replace(b"<diffusecolor>1 0 0<", b"<diffusecolor>1 0<")),
        ("openrave", OPENRAVE.replace(b'geom type="box"', b'geom type="ball"')),
        ("openrave", OPENRAVE.replace(b"<axis>0 0 1</axis>", b"<axes>0 0 1</axes>")),
        ("openrave", OPENRAVE.replace(b'circular="false"', b'cicular="false"')),
    ],
)
def test_what_xsd_can_see_is_seen(name: str, spoilt: bytes) -> None:
    assert spoilt != BASES[name]
    assert not schema(name).validate(tree_of(name, spoilt))


@pytest.mark.parametrize("word", ["INF", "-inf", "+Infinity", "1e3"])
def test_numbers_that_are_read_with_a_warning_are_valid(word: str) -> None:
    spelt = URDF.replace(b'limit value="-1"', f'limit value="{word}"'.encode())
    assert spelt != URDF
    assert schema("urdf").validate(etree.fromstring(spelt))
    wrong = URDF.replace(b'limit value="-1"', b'limit value="in"')
    assert not schema("urdf").validate(etree.fromstring(wrong))


@pytest.mark.parametrize("name", ROOTS)
def test_types_with_names_are_written_once(name: str) -> None:
    root = etree.parse(FOLDER / f"{name}.xsd").getroot()
    named = [node.get("name") for node in root.findall("{*}simpleType")]
    assert len(named) == len(set(named)) > 3
    used = [node.get("type") for node in root.iter("{*}attribute", "{*}element")]
    inline = sum(kind is None for kind in used)
    assert sum(kind in named for kind in used) > 5 * inline


def test_numbers_of_an_enumeration_are_the_only_ones() -> None:
    good = MJCF.replace(b'type="box"', b'type="box" condim="4"')
    assert schema("mjcf").validate(tree_of("mjcf", good))
    assert not schema("mjcf").validate(tree_of("mjcf", good.replace(b'"4"', b'"5"')))


def test_names_keep_their_documentation() -> None:
    text = (FOLDER / "x_xy.xsd").read_text(encoding="utf-8")
    assert "Mass, distributed evenly over the shape." in text


# --- polybody editor ---------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["editor", *arguments])
    return result.exit_code, result.output


def test_settings_are_written_and_others_kept(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "arm[1].xml").write_bytes(MJCF)
    (tmp_path / "models" / "other.xml").write_text("<project/>")
    (tmp_path / "models" / "broken.xml").write_text("<muj")
    path = tmp_path / ".vscode" / "settings.json"
    path.parent.mkdir()
    own = {"pattern": "pom.xml", "systemId": "/maven.xsd"}
    path.write_text(json.dumps({"editor.tabSize": 2, ASSOCIATIONS: [own], CATALOGS: ["/mine/catalog.xml"]}))
    for _ in range(2):  # the second time changes nothing
        code, output = run(str(tmp_path))
        assert code == 0
        assert str(path) in output
        settings = json.loads(path.read_text())
        assert settings["editor.tabSize"] == 2
        assert settings[CATALOGS] == ["/mine/catalog.xml", ".vscode/polybody/catalog.xml"]
        rows = {row["pattern"]: row["systemId"] for row in settings[ASSOCIATIONS]}
        assert rows.pop("pom.xml") == "/maven.xsd"
        assert rows.pop(r"models/arm\[1\].xml") == ".vscode/polybody/mjcf.xsd"
        assert rows.keys() == {f"**/*.{name}" for name in ROOTS}


def test_settings_can_be_committed(tmp_path: Path) -> None:
    """All paths are relative, and lead to copies of the schemas; those of an installation are replaced."""
    path = tmp_path / ".vscode" / "settings.json"
    path.parent.mkdir()
    old = {"pattern": "**/*.urdf", "systemId": str(FOLDER / "urdf.xsd")}
    path.write_text(json.dumps({ASSOCIATIONS: [old], CATALOGS: [str(FOLDER / "catalog.xml")]}))
    assert run(str(tmp_path))[0] == 0
    text = path.read_text(encoding="utf-8")
    settings = json.loads(text)
    schemas = [row["systemId"] for row in settings[ASSOCIATIONS]] + settings[CATALOGS]
    assert len(schemas) == len(ROOTS) + 1
    for schema in schemas:
        assert schema.startswith(".vscode/polybody/")
        copy, original = tmp_path / schema, FOLDER / Path(schema).name
        assert copy.read_bytes() == original.read_bytes()
    assert str(FOLDER) not in text
    assert str(tmp_path) not in text
    for name in ROOTS:  # files that a schema includes are beside it
        etree.XMLSchema(etree.parse(path.parent / "polybody" / f"{name}.xsd"))
    committed = {file.name: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()}
    assert run(str(tmp_path))[0] == 0
    assert {file.name: file.read_bytes() for file in path.parent.rglob("*") if file.is_file()} == committed


def test_links_in_place_of_the_schemas_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "project" / ".vscode").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    copies = tmp_path / "project" / ".vscode" / "polybody"
    copies.symlink_to(tmp_path / "elsewhere")
    code, output = run(str(tmp_path / "project"))
    assert (code, "is a symbolic link and is not changed" in output) == (1, True)
    copies.unlink()
    copies.mkdir()
    (tmp_path / "elsewhere" / "urdf.xsd").write_text("mine")
    (copies / "urdf.xsd").symlink_to(tmp_path / "elsewhere" / "urdf.xsd")
    assert run(str(tmp_path / "project"))[0] == 0
    assert not (copies / "urdf.xsd").is_symlink()
    assert (tmp_path / "elsewhere" / "urdf.xsd").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("arm.urdf.xacro", '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"/>'),
        ("arm.xacro", '<robot name="r"/>'),
        ("arm.xml", '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"/>'),
        ("part.xml", '<robot name="r"><xacro:include filename="a"/></robot>'),
    ],
)
def test_templates_of_xacro_are_left_alone(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "plain.xml").write_text('<robot name="r"><link name="a"/></robot>')
    patterns = {row["pattern"] for row in json.loads(run(str(tmp_path), "--print")[1])[ASSOCIATIONS]}
    assert patterns == {"plain.xml", *(f"**/*.{name}" for name in ROOTS)}


def test_templates_with_the_suffix_of_a_format(tmp_path: Path) -> None:
    """The other files with this suffix are associated one by one, those of other suffixes still by suffix."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "x.urdf").write_text('<robot xmlns:xacro="http://ros.org/wiki/xacro" name="${a}"/>')
    (tmp_path / "sub" / "y.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    (tmp_path / "z.sdf").write_text('<sdf version="1.9"/>')
    shown = CliRunner().invoke(app, ["editor", str(tmp_path), "--print"]).output
    patterns = [row["pattern"] for row in json.loads(shown)[ASSOCIATIONS]]
    assert "sub/y.urdf" in patterns
    assert "**/*.sdf" in patterns
    assert not any(Path("x.urdf").match(pattern.removeprefix("**/")) for pattern in patterns)


def test_what_it_cannot_keep_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / ".vscode" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  // two\n  "editor.tabSize": 2\n}')
    code, output = run(str(tmp_path))
    assert (code, "--print" in output) == (1, True)
    assert "// two" in path.read_text()
    code, output = run(str(tmp_path), "--print")
    assert (code, "xml.fileAssociations" in output) == (0, True)
    assert "// two" in path.read_text()
    path.write_text('{"xml.catalogs": "x"}')
    assert run(str(tmp_path))[0] == 1
    assert run(str(tmp_path / "none"))[0] == 2


# --- whole folders -----------------------------------------------------------------------------------------


def verdicts(folder: Path) -> Iterator[tuple[str, bool, bool | None, Path, str]]:
    """For each model below a folder: format, the reader's verdict, the schema's (None: not XML with
    namespaces), path, and what the schema misses.
    """
    made = {name: schema(name) for name in ROOTS}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        text = path.read_bytes()
        try:
            document = pb.read(path, policy="lenient")
        except (pb.ValidationError, OSError, ValueError):
            continue
        name = format_of(document).name
        accepted = all(finding.severity != "error" for finding in pb.check(path, model=False))
        try:
            valid = made[name].validate(tree_of(name, text))
        except etree.XMLSyntaxError as error:
            yield name, accepted, None, path, str(error)
            continue
        yield name, accepted, valid, path, "" if valid else str(made[name].error_log[0].message)


if __name__ == "__main__":
    count: Counter[tuple[str, bool, bool | None]] = Counter()
    for name, accepted, valid, path, said in verdicts(Path(sys.argv[1])):
        count[name, accepted, valid] += 1
        if accepted and not valid:
            print(f"{path}: {said}")
    for (name, accepted, valid), files in sorted(count.items(), key=str):
        print(f"{name}: {files} that the reader {'accepts' if accepted else 'refuses'}: valid {valid}")
