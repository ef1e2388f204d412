"""What a release says of its format, beside our schema: differences and the command."""

from __future__ import annotations

import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from codegen.releases import __main__ as command
from codegen.releases import accepted
from codegen.releases.accepted import ACCEPTED, Accepted, unexpected
from codegen.releases.comparison import TEXT, Row, compare, printable
from codegen.releases.described import ANY, Attribute, Element, Rule, filled
from codegen.releases.files import release
from codegen.releases.ours import described
from codegen.releases.printed import printed
from codegen.releases.rules import alternatives, exclusive, gathered, missing, together
from codegen.releases.versions import RELEASES, before, exists, numbers
from codegen.schema import SCHEMAS, load

ROBOT = ("robot",)
PART = ("robot", "part")


def test_each_difference_is_a_row() -> None:
    mass, size = Attribute("real", default="1", low=1, high=1), Attribute("real", low=3, high=3)
    ours = {
        ROBOT: Element({"model": Attribute(), "name": Attribute()}),
        PART: Element(
            {"mass": mass, "size": size, "axis": Attribute("real", default="1.0 0 0")}, low=0, high=1
        ),
        (*PART, "tip"): Element({"name": Attribute()}),
        (*PART, "tip", "end"): Element(),
        ("robot", "note"): Element(text=Attribute("string", required=False)),
    }
    theirs = {
        ROBOT: Element({"model": Attribute("string")}),
        PART: Element(
            {
                "mass": Attribute("real", default="2", required=True, low=1, high=3),
                "size": Attribute("real", default=None, low=None, high=None),
                "axis": Attribute("real", default="1"),
                "colour": Attribute("string"),
            },
            low=0,
            high=ANY,
            rules=(Rule("together", ("mass", "size")),),
        ),
        (*PART, "cap"): Element(),
        (*PART, "cap", "end"): Element(),
        ("robot", "note"): Element(text=Attribute("int", required=True)),
    }
    rows = list(compare(ours, theirs))
    assert [(row.how, str(row), row.changes) for row in rows] == [
        ("gone", "robot/@name", ()),
        ("changed", "robot/part", ("occurs",)),
        ("changed", "robot/part/@mass", ("numbers", "default", "required")),
        ("new", "robot/part/@colour", ()),
        ("new", "robot/part: together mass size", ()),
        ("new", "robot/part/cap", ()),
        ("changed", f"robot/note/{TEXT}", ("type", "required")),
        ("gone", "robot/part/tip", ()),
    ]
    assert rows[2].ours == mass
    assert rows[3] == Row("new", PART, "colour", theirs=Attribute("string"))


@pytest.mark.parametrize(
    ("ours", "theirs", "changes"),
    [
        (Attribute("real"), Attribute("int"), ()),
        (Attribute("int"), Attribute("real"), ("type",)),
        (Attribute("int"), Attribute("keyword", ("a",)), ("type",)),
        (Attribute("keyword", ("a", "b")), Attribute("keyword", ("b", "c")), ("keywords",)),
        (Attribute("keyword", ("a", "b")), Attribute("keyword", ("b", "a")), ()),
        (Attribute("real", low=1, high=1), Attribute("real", low=0, high=ANY), ("numbers",)),
        (Attribute("real", low=1, high=ANY), Attribute("real", low=1, high=3), ()),
        (Attribute("real", low=3, high=3), Attribute("real", low=1, high=3), ("numbers",)),
        (Attribute("real", low=1, high=5), Attribute("real", low=1, high=None), ()),
        (Attribute("real", default="0 ..."), Attribute("real", default="0 0 0"), ()),
        (Attribute("real", default="1 0"), Attribute("real", default="1 1"), ("default",)),
        (Attribute("string", default="a"), Attribute("string"), ()),
        (Attribute("string", required=False), Attribute("string", required=None), ()),
    ],
)
def test_what_of_an_attribute_differs(ours: Attribute, theirs: Attribute, changes: tuple[str, ...]) -> None:
    rows = list(compare({ROBOT: Element({"a": ours})}, {ROBOT: Element({"a": theirs})}))
    assert [row.changes for row in rows] == ([changes] if changes else [])


def test_a_source_fills_what_is_not_known() -> None:
    known = {"a": Attribute("int", low=1, high=1), "b": Attribute(), "c": Attribute()}
    source = {"a": Attribute("real", default="2", required=False), "b": Attribute("string")}
    found = filled({ROBOT: Element(known)}, lambda path, name: source.get(name))
    assert dict(found[ROBOT].attributes) == {
        "a": Attribute("int", default="2", required=False, low=1, high=1),
        "b": Attribute("string"),
        "c": Attribute(),
    }


def test_rules_in_one_form() -> None:
    assert list(exclusive([("a", "b"), ("c",)])) == [
        Rule("exclusive", ("a", "c")),
        Rule("exclusive", ("b", "c")),
    ]
    assert list(together("cab")) == [Rule("together", pair) for pair in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert list(alternatives([("a", "b"), ("c",)])) == [Rule("anyOf", ("a", "c")), Rule("anyOf", ("b", "c"))]
    pairs = [*exclusive([("a",), ("b",), ("c",)]), Rule("exclusive", ("c", "d"))]
    assert list(gathered(pairs)) == [Rule("exclusive", ("a", "b", "c")), Rule("exclusive", ("c", "d"))]


def test_rules_that_follow_are_not_missing() -> None:
    """Attributes that go together exclude, and are needed, as one."""
    theirs = [*together("ab"), *exclusive([("a", "b"), ("c",)]), *alternatives([("a", "b"), ("c",)])]
    ours = [*together("ab"), Rule("exclusive", ("b", "c")), Rule("anyOf", ("a", "c"))]
    assert missing(theirs, ours) == []
    assert missing(theirs, ours[:1]) == [Rule("exclusive", ("a", "c")), Rule("anyOf", ("a", "c"))]
    assert missing(theirs, ours[1:]) == [Rule("together", ("a", "b"))]
    assert missing([Rule("anyOf", ("a", "b", "c"))], [Rule("anyOf", ("a", "b"))]) == []
    assert missing([Rule("requires", ("a", "b"))], [Rule("requires", ("b", "a"))]) != []


def test_releases_are_in_order() -> None:
    assert all(list(map(numbers, known)) == sorted(map(numbers, known)) for known in RELEASES.values())
    assert [before("mjcf", each) for each in ("3.2.7", "3.9.0", "3.10.0", "9.0")] == [
        *("", "3.8.1", "3.9.0", RELEASES["mjcf"][-1])
    ]
    assert [exists("1.5", "1.10", each) for each in ("1.4", "1.5", "1.9", "1.10", "1.11")] == [
        *(False, True, True, True, False)
    ]


def test_fields_with_a_text_are_elements() -> None:
    ours = described(load(SCHEMAS / "sdf.xsd"))
    parent = ours["sdf", "model", "joint", "parent"]
    assert (parent.kind, parent.low, parent.text and parent.text.type) == ("", 1, "string")
    assert "parent" not in ours["sdf", "model", "joint"].attributes
    pose = ours["sdf", "model", "pose"]
    assert pose.kind == "Pose"
    assert pose.text is not None
    assert "frame" in pose.attributes
    later = described(load(SCHEMAS / "sdf.xsd"), "1.9")
    assert "frame" not in later["sdf", "model", "pose"].attributes


def test_our_schema_has_what_the_library_prints() -> None:
    """The only differences are what the manual of that release has in addition."""
    installed = version("mujoco")
    schema = load(SCHEMAS / "mjcf.xsd")
    assert installed == schema.version
    ours = printable(described(schema, installed))
    rows = list(compare(ours, printed(release(installed, Path("unused")).library)))
    gone = [each.at for each in ACCEPTED if each.how == "gone"]
    left = [str(row) for row in rows if row.how == "gone"]
    assert all(any(row.endswith(f"/{at}") for at in gone) for row in left)
    assert all(any(row.endswith(f"/{at}") for row in left) for at in gone)
    assert [str(row) for row in rows if row.how != "gone"] == []


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    installed = version("mujoco")
    assert command.main(["mjcf", installed]) == 0
    assert "\n0 differences in 165 elements, without 11 that are accepted (--all prints them); " in (
        f"\n{capsys.readouterr().out}"
    )
    assert command.main(["mjcf", installed, "--before", "1.0", "--all"]) == 1
    out = capsys.readouterr().out
    line = '<xs:element name="distance" type="EqualityDistance" minOccurs="0" maxOccurs="unbounded"'
    assert f'\n  {line} pb:until="1.0"/>\n' in out
    assert "; 1402 of 1402 attributes are not described, so their types and defaults were not compared" in out
    text = tmp_path / "text.rst"
    text.write_text("Nothing about attributes.")
    library = str(release(installed, Path("unused")).library)
    assert command.main(["mjcf", "3.2.7", "--library", library, "--manual", str(text)]) == 2
    assert "describes no attributes" in capsys.readouterr().err
    none = tmp_path / "libmujoco.so"
    none.write_bytes(b"no library")
    assert command.main(["mjcf", "4.0.0", "--library", str(none)]) == 2
    assert "does not print its elements" in capsys.readouterr().err


def test_what_is_accepted_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what a release says of the same attribute otherwise is not."""
    path = ("mujoco", "worldbody", "body", "site")
    ours = Attribute("keyword", ("sphere", "plane", "sdf", "old"), default="sphere")
    theirs = Attribute("keyword", ("sphere", "new"), default="box")
    other = Row("gone", path, "colour", ours)
    rows = [Row("changed", path, "type", ours, theirs, ("keywords", "default")), other]
    (found, left) = unexpected(rows)
    assert left is other
    assert (found.changes, found.theirs) == (
        ("keywords", "default"),
        Attribute("keyword", ("sphere", "new", "plane", "sdf"), default="box"),
    )
    named = Row("changed", path, "type", ours, Attribute("keyword", ("sphere", "old")), ("keywords",))
    assert list(unexpected([named])) == []
    monkeypatch.setattr(accepted, "ACCEPTED", (*ACCEPTED, Accepted("site/@type", "keywords", "", "new")))
    (found, left) = unexpected(rows)  # the words of two rows
    assert found.theirs == Attribute("keyword", ("sphere", "plane", "sdf"), default="box")
    option, said = ("mujoco", "option"), Attribute("int", default="35")
    for default, left_over in (("50", 0), ("30", 1)):
        row = Row("changed", option, "ccd_iterations", said, Attribute("int", default=default), ("default",))
        assert len(list(unexpected([row]))) == left_over


def test_files_of_a_kept_wheel(tmp_path: Path) -> None:
    """What is missing beside the wheel is taken from it."""
    folder = tmp_path / "9.9.9"
    folder.mkdir()
    names = ("m/libmujoco.so.9.9.9", "m/doc/XMLreference.rst", "m/doc/modeling.rst", "m/doc/other.rst")
    with zipfile.ZipFile(folder / "mujoco.whl", "w") as archive:
        for name in names:
            archive.writestr(name, name)
    found = release("9.9.9", tmp_path)
    assert found == (folder / names[0], folder / names[1])
    assert [folder.joinpath(name).is_file() for name in names] == [True, True, True, False]
    folder.joinpath(names[2]).unlink()
    assert release("9.9.9", tmp_path) == found
    assert folder.joinpath(names[2]).read_text() == names[2]
    folder.joinpath(names[0]).rename(folder / "m" / "other")
    with zipfile.ZipFile(folder / "mujoco.whl", "w") as archive:
        archive.writestr("m/doc/other.rst", "")
    with pytest.raises(OSError, match=r"9.9.9 has no library; --library"):
        release("9.9.9", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mjcf", "../4.0.0"], "'../4.0.0' is not a release"),
        (["mjcf", "4.0.0", "--before", "old"], "'old' is not a release"),
        (["sdf", "1.12"], "SDFormat needs --description FOLDER"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    assert message in capsys.readouterr().err


def test_the_command_with_a_grammar_and_a_manual(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The library says what there is, the grammar and the manual say of what kind it is."""
    grammar = tmp_path / "mjcf.schema"
    grammar.write_text(
        "element mujoco {\n  child keyframe *\n}\nelement keyframe {\n  child key *\n}\n"
        "element key {\n  name : id<key>\n  time : int\n  phase : double\n}\n"
    )
    manual = tmp_path / "XMLreference.rst"
    manual.write_text('.. _keyframe-key-time:\n\n:at:`time`: :at-val:`real, "2"`\n')
    library = str(release(version("mujoco"), Path("unused")).library)
    arguments = ["--library", library, "--grammar", str(grammar), "--manual", str(manual)]
    assert command.main(["mjcf", "4.0.0", *arguments]) == 1
    out = capsys.readouterr().out
    assert f"note: {grammar} and the library differ in mujoco/keyframe/key: act ctrl mpos mquat phase" in out
    assert f"note: {grammar} has no mujoco/option, which the library prints" in out
    assert f"note: there is no modeling.rst beside {manual}; attributes that all sensors have" in out
    line = '<pb:change since="4.0" default="2"/>'
    assert f'\n  {line} <!-- of time; until 3.17.0: default="0" -->\n' in out


def test_the_command_with_descriptions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    written = '<attribute name="version" type="string" default="1.9" required="1"/>'
    tag = '<element name="tag" type="int" default="3" required="0"/>'
    tmp_path.joinpath("root.sdf").write_text(f'<element name="sdf" required="1">{written}{tag}</element>')
    assert command.main(["sdf", "1.12", "--description", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "note: the description is of version 1.9, not 1.12\n" in out
    assert '  <xs:element name="tag" type="xs:int" minOccurs="0" pb:default="3" pb:since="1.12"/>\n' in out
    assert command.main(["sdf", "1.12", "--description", str(tmp_path / "none")]) == 2
    assert "expected a copy of libsdformat's folder sdf/<version>" in capsys.readouterr().err
