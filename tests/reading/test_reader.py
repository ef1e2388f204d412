"""Parsing: any tables, all kinds of values, order, positions, encodings, and no state between parses."""

from __future__ import annotations

import copy
import gc
import io
import pickle
from pathlib import Path

import polybody as pb
import pytest
from polybody import x_xy
from polybody.base import Format, Node
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.parser.tables import table_of
from polybody.generated.formats import ROOTS
from polybody.generated.formats.x_xy.tables import FORMAT as X_XY

from tests.waiting import at_once

from . import small
from .tools import body, model, one, parse

PENDULUM = """<?xml version="1.0"?>
<!-- a cart and a pendulum -->
<x_xy model="inv_pendulum">
    <options gravity="0 0 9.81" dt="0.01"/>
    <defaults>
        <geom color="white"/>
    </defaults>
    <?editor fold?>
    <worldbody>
        <body name="cart" joint="px" damping="0.01">
            <geom type="box" mass="1" dim="0.4 0.1 0.1"/>
            <body name="pendulum" joint="ry" euler="0 -90 0" damping="0.01">
                <geom type="box" mass="0.5" pos="0.5 0 0" dim="1 0.1 0.1"/>
                <omc pos_marker="4" name="m" pos="0 0 -.02"/>
            </body>
            <geom type="xyz"/>
        </body>
    </worldbody>
</x_xy>
"""
SMALL_TEXT = """<small>
 <usual a="x" count="3"/>
 <box name="outer">
  <note>first &amp; <![CDATA[<last>]]></note>
  <item name="one" class="k" whole=" +1&#9;-2 " flag="true" flags="1 0 false" shades="dark
  light" any="1 INF NaN" low="-1e3" high="1.5"><pose frame="f">0 1 2
  3 4 5</pose></item>
  <box name="inner"/>
  <note/>
  <item of="one two" any="blue" shade="dark"/>
  <item name="two" any=""/>
 </box>
</small>"""


@pytest.mark.parametrize("direct", [True, False])
def test_x_xy_becomes_typed_nodes(direct: bool) -> None:
    root, findings = parse(PENDULUM, X_XY, direct=direct)
    assert findings.items == []
    made = x_xy.XXy(
        model="inv_pendulum",
        options=x_xy.Options(gravity=(0.0, 0.0, 9.81), dt=0.01),
        defaults=x_xy.Defaults(geom=x_xy.DefaultsGeom(color="white")),
        worldbody=x_xy.Worldbody(),
    )
    pendulum = x_xy.Body(
        name="pendulum",
        joint=x_xy.Joint.RY,
        euler=(0.0, -90.0, 0.0),
        damping=(0.01,),
        geom=[x_xy.Geom(type=x_xy.GeomType.BOX, mass=0.5, pos=(0.5, 0, 0), dim=(1.0, 0.1, 0.1))],
        omc=x_xy.Omc(pos_marker=4, name="m", pos=(0, 0, -0.02)),
    )
    cart = x_xy.Body(
        name="cart",
        joint=x_xy.Joint.PX,
        damping=(0.01,),
        geom=[
            x_xy.Geom(type=x_xy.GeomType.BOX, mass=1.0, dim=(0.4, 0.1, 0.1)),
            x_xy.Geom(type=x_xy.GeomType.XYZ),
        ],
        body=[pendulum],
    )
    assert made.worldbody is not None
    made.worldbody.body.append(cart)
    assert root == made
    assert copy.deepcopy(root) == pickle.loads(pickle.dumps(root)) == made
    read = root.worldbody.body[0]
    assert [type(child).__name__ for child in read.children] == ["Geom", "Body", "Geom"]
    assert (read.span.line, read.span.column, read.span.end_column) == (10, 9, 53)
    where = read.body[0].attribute_span("euler")
    assert (where.line, where.column, where.end_column) == (12, 46, 61)
    assert read.geom[1].euler is None, "unset is None, not the default"


@pytest.mark.parametrize("direct", [True, False])
def test_other_tables_are_read_by_the_same_reader(direct: bool) -> None:
    root, findings = parse(SMALL_TEXT, small.FORMAT, direct=direct)
    assert [str(d) for d in findings.items] == []
    outer = root.box[0]
    first, second, third = outer.item
    assert outer.note[0].text == "first & <last>"
    assert outer.note[1].text is None
    assert first.whole == (1, -2)
    assert first.flag is True
    assert first.flags == (True, False, False)
    assert first.shades == (small.Shade.DARK, small.Shade.LIGHT)
    assert first.any[:2] == (1.0, float("inf"))
    assert first.any[2] != first.any[2]
    assert first.class_ == "k"
    assert first.pose.text == (0, 1, 2, 3, 4, 5)
    assert second.of == ("one", "two")
    assert second.any == "blue"
    assert third.any == ()
    assert [child.TAG for child in outer.children] == ["note", "item", "box", "note", "item", "item"]
    second.of = ("one",)
    again = pickle.loads(pickle.dumps(root))
    assert repr(again) == repr(root)  # not ==: it contains a NaN
    assert [child.TAG for child in again.box[0].children] == [child.TAG for child in outer.children]


def test_both_ways_to_fill_slots_agree() -> None:
    assert table_of(X_XY).direct
    assert not table_of(X_XY, False).direct
    assert parse(PENDULUM, X_XY)[0] == parse(PENDULUM, X_XY, direct=False)[0]
    bad = PENDULUM.replace('joint="px"', 'joint="p"').replace("<geom", "<gem", 2)
    assert parse(bad, X_XY)[1].items == parse(bad, X_XY, direct=False)[1].items != []


def test_checking_makes_no_lists_that_stay() -> None:
    root = pb.read("a.xml", text=PENDULUM)
    leaf = root.worldbody.body[0].body[0]
    assert leaf.geom[0]._children is None
    assert leaf.body == leaf.geom[0].children == []


def test_an_attribute_under_its_other_name_is_written_under_the_first() -> None:
    root = pb.read("a.xml", text=body().replace("<x_xy>", '<x_xy name="n">'))
    assert root.model == "n"
    assert 'name="n"' in pb.write(root)
    assert 'model="n"' in pb.write(root, layout="canonical")


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-8-sig", "UTF-8"),
        ("utf-16", "utf-16"),
        ("utf-16", None),
        ("utf-16-le", "utf-16"),
        ("utf-16-be", "utf-16"),
        ("utf-32", "utf-32"),
        ("latin-1", "ISO-8859-1"),
        ("iso8859-15", "iso-8859-15"),
        ("cp1252", "windows-1252"),
        ("cp1252", "cp1252"),
        ("shift_jis", "Shift_JIS"),
        ("gb18030", "GB18030"),
        ("ascii", "US-ASCII"),
    ],
)
def test_encodings(encoding: str, declared: str | None) -> None:
    name = {"shift_jis": "日本", "ascii": "a", "cp1252": "€é", "iso8859-15": "€"}.get(encoding, "é")
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else '<?xml version="1.0"?>'
    text = head + "\n" + body(f'name="{name}" joint="rx"') + "<!-- end -->"
    root = pb.read("test.xml", text=text.encode(encoding))
    assert root.worldbody.body[0].name == name
    assert root.worldbody.body[0].span.line == 5


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b'<?xml version="1.0" encoding="rot13"?><x_xy/>', "PB003", 1),
        (b'<?xml version="1.0"\n encoding="klingon"?><x_xy/>', "PB003", 2),
        (b'<?xml version="1.0" encoding="utf-16"?><x_xy/>', "PB003", 1),
        (b'\xef\xbb\xbf<?xml version="1.0" encoding="latin-1"?><x_xy/>', "PB003", 1),
        ('<?xml version="1.0" encoding="utf-8"?><x_xy/>'.encode("utf-16"), "PB003", 1),
        (b'<?xml version="1.0" encoding="cp1252"?>\n<x_xy model="\x81"/>', "PB003", 2),
        (b'<x_xy model="a">\n<!-- \xff --></x_xy>', "PB005", 2),
        (b'<x_xy model="\xc0\xaf"/>', "PB005", 1),
        (b'<x_xy model="\xed\xa0\x80"/>', "PB005", 1),
        (b'<?xml version="1.0" encoding="ascii"?>\n<x_xy model="\xe9"/>', "PB003", 2),
        (b'<?xml version="1.0" encoding="ascii"?>\n<x_xy model="\xc3\xa9"/>', "PB003", 2),
        (b"", "PB005", 1),
        (b"  \n", "PB005", 1),
        (b"\xff\xfe", "PB005", 1),
        (b"not xml", "PB005", 1),
        ("<x_xy/>".encode("utf-16")[:-1], "PB003", 1),
    ],
)
def test_wrong_encodings_are_one_finding_with_a_place(data: bytes, code: str, line: int) -> None:
    found = one(data)
    assert (found.code, found.line, found.severity) == (code, line, "error")


def test_places_behind_other_characters_and_line_ends() -> None:
    text = model('<body name="é中\U0001f600" joint="rz" foo="1"/>').replace("\n", "\r\n")
    found = pb.check("test.xml", text=text)
    assert [(d.line, d.column, d.end_column) for d in found if d.code == "PB012"] == [(4, 29, 36)]
    far = "<x_xy>" + "\n" * 70_000 + "<worldbody><body/></worldbody></x_xy>"
    assert {d.line for d in pb.check("test.xml", text=far) if d.severity == "error"} == {70_001}
    many = model("<!-- é --> " * 3 + '<body name="a" joint="rx" bar="1"/>')
    assert [d.column for d in pb.check("test.xml", text=many) if d.code == "PB012"] == [60]


def test_namespaces_for_schema_locations_are_legal_everywhere() -> None:
    head = (
        '<x_xy xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="x.xsd">'
    )
    assert pb.read("a.xml", text=body().replace("<x_xy>", head)) == pb.read("a.xml", text=body())
    assert one(body().replace("<x_xy>", '<x_xy xmlns="urn:x">')).code == "PB012"


def test_a_path_is_read_like_a_text(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    root = pb.read(path)
    assert root == pb.read(str(path)) == pb.read("x", text=PENDULUM)
    assert root.span.path == str(path)
    with pytest.raises(pb.ValidationError) as error:
        pb.read(tmp_path / "none.xml")
    assert [d.code for d in error.value.diagnostics] == ["PB001"]
    with pytest.raises(pb.ValidationError):
        pb.read(tmp_path)
    with pytest.raises(ValueError, match="unknown format 'y_yx'"):
        pb.read(path, format="y_yx")


# --- no state between parses -------------------------------------------------------------------------------


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    pb.read("a.xml", text=PENDULUM)
    assert gc.isenabled()
    with pytest.raises(pb.ValidationError):
        pb.read("a.xml", text="<x_xy")
    assert gc.isenabled()
    with CollectorPaused():
        pb.read("a.xml", text=PENDULUM)
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        pb.read("a.xml", text=PENDULUM)
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.concurrent
def test_reads_in_threads_do_not_meet() -> None:
    texts = [
        model("".join(f'<body name="b{k}_{i}" joint="rx" pos="{i} {k} 0"/>' for i in range(300)))
        for k in range(8)
    ]
    alone = [pb.read("a.xml", text=text) for text in texts]

    def work(k: int) -> None:
        for _ in range(10):
            assert pb.read("a.xml", text=texts[k]) == alone[k]
            assert len(pb.check("a.xml", text=texts[k].replace("rx", "r", 5))) >= 5

    at_once(work, range(8))
    assert gc.isenabled()


def test_objects_do_not_leak() -> None:
    def count() -> int:
        gc.collect()
        return sum(isinstance(o, Node) for o in gc.get_objects())

    bad = PENDULUM.replace("<worldbody>", "<worldbody>stray<foo/>").replace('dim="1 ', 'dim="-1 ')
    before = count()
    for text in (PENDULUM, bad, PENDULUM[:300], PENDULUM.replace("</body>", "", 1)) * 5:
        pb.check("a.xml", text=text)
    assert count() == before


def test_an_element_of_another_class_is_refused_by_the_rules() -> None:
    from polybody.validation.checker import Rules

    root = pb.read("a.xml", text=PENDULUM)
    root.worldbody.body[0].geom.append(x_xy.DefaultsGeom())
    with pytest.raises(TypeError, match="DefaultsGeom is in the place of a Geom"):
        Rules(table_of(X_XY), root)
    with pytest.raises(TypeError, match="not the root of x_xy"):
        Rules(table_of(X_XY), x_xy.Geom())


def test_documents_made_by_hand_can_be_validated() -> None:
    root = pb.read("a.xml", text=PENDULUM)
    assert pb.validate(root) == []
    root.worldbody.body[0].quat = (0, 0, 0, 0)
    assert [d.code for d in pb.validate(root)] == ["PB041"]


def test_formats_differ() -> None:
    form: Format = small.FORMAT
    root, findings = parse("<x_xy/>", form)
    assert root is None
    assert [d.code for d in findings.items] == ["PB008"]


@pytest.mark.parametrize("name", [name for name in ROOTS if name != "srdf"])
def test_each_format_has_a_function_for_type_checkers(name: str) -> None:
    read = getattr(pb, f"read_{name}")
    with pytest.raises(pb.ValidationError, match="PB008"):
        read("a.xml", text="<strange/>")


def test_files_that_are_open_and_files_that_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(body(), encoding="utf-8")
    document = pb.read(path)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert pb.read(binary) == pb.read(text) == document
    assert pb.read(io.BytesIO(body().encode())) == pb.read_x_xy(path) == document
    (finding,) = pb.check(io.StringIO("<x_xy>"))
    assert finding.path == "<stream>"
    with pytest.raises(FileNotFoundError, match=r"none\.xml:1:1: PB001 error") as caught:
        pb.read(tmp_path / "none.xml")
    assert isinstance(caught.value, pb.ValidationError)
    assert pickle.loads(pickle.dumps(caught.value)).diagnostics == caught.value.diagnostics


def test_models_of_standard_input_streams_and_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    text = body()
    model = pb.load("arm.xml", text=text)
    for source in (io.StringIO(text), io.BytesIO(text.encode())):
        assert pb.load(source) == model
    for load in (pb.load, lambda path: pb.lower(pb.read(path))):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert load("-") == model
    with pytest.raises(pb.ValidationError) as caught:
        pb.load("arm.xml", text="<x_xy>")
    assert caught.value.diagnostics[0].path == "arm.xml"


def test_a_text_is_read_whatever_encoding_it_declares(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="utf-16"?>' + body()
    document = pb.read("a.xml", text=text)
    assert pb.read("a.xml", text=pb.write(document, tmp_path / "a.xml")) == document
    assert (tmp_path / "a.xml").read_bytes().decode("utf-16") == text
    assert pb.read(tmp_path / "a.xml") == document
