"""Texts that are not well-formed: one finding, at the position where a person would fix it."""

from __future__ import annotations

import polybody as pb
import pytest

from .tools import body, model, one

TIDY = """<x_xy>
  <options dt="0.01"/>
  <worldbody>
    <body name="a" joint="rx">
      <geom type="sphere" mass="1" dim="1">
      </geom>
      <body name="b" joint="ry">
        <geom type="sphere" mass="1" dim="1"/>

        <body name="c" joint="rz"><geom type="sphere" mass="1" dim="1"/></body>
      </body>
      <body name="d" joint="ry">
        <geom type="sphere" mass="1" dim="1"/>
      </body>
    </body>
    <body name="e" joint="rx">
      <geom type="sphere" mass="1" dim="1"/>
    </body>
  </worldbody>
</x_xy>
"""
BESIDE = '<body name="b"joint="rx"><geom type="sphere" mass="1" dim="1"/></body>'
END_TAGS = [i for i in range(len(TIDY)) if TIDY.startswith("</", i)]


@pytest.mark.parametrize("place", END_TAGS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_missing_end_tag_is_placed_by_indentation(place: int, newline: str) -> None:
    end = TIDY.index(">", place) + 1
    text = (TIDY[:place] + TIDY[end:]).replace("\n", newline)
    found = one(text)
    line = TIDY.count("\n", 0, place) + 1
    assert found.code == "PB006"
    assert abs(found.line - line) <= 1, (found, line)
    assert f"<{TIDY[place + 2 : end - 1]}>" in found.message
    tag = TIDY[place + 2 : end - 1]
    if tag not in ("body", "geom"):
        assert f"line {TIDY.count(chr(10), 0, TIDY.rindex(f'<{tag}', 0, place)) + 1}" in found.message


@pytest.mark.parametrize("place", END_TAGS)
def test_a_misspelt_end_tag_is_the_finding_itself(place: int) -> None:
    text = TIDY[: place + 2] + "x" + TIDY[place + 2 :]
    found = one(text)
    assert found.code == "PB006"
    assert found.line == TIDY.count("\n", 0, place) + 1
    assert found.suggestion is not None


@pytest.mark.parametrize("cut", range(3, len(TIDY) - 10, 7))
def test_a_truncated_file_is_one_finding_near_its_end(cut: int) -> None:
    found = [d for d in pb.check("a.xml", text=TIDY[:cut]) if d.severity == "error"]
    assert len(found) == 1
    last = TIDY.count("\n", 0, cut) + 1
    assert last - 1 <= found[0].line <= last, (TIDY[:cut], found)


def test_text_on_one_line_is_read_too() -> None:
    flat = "".join(line.strip() for line in TIDY.splitlines())
    found = one(flat.replace("</worldbody>", ""))
    assert (found.code, found.line) == ("PB006", 1)
    assert "worldbody" in found.message
    assert one(flat.replace("</geom>", "</geom></geom>", 1)).message.startswith(
        "</geom> does not close the <body>"
    )


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "words"),
    [
        (body('name="a'), "PB005", 4, 23, "`name` has no closing quote"),
        (body("name='a"), "PB005", 4, 23, "`name` has no closing quote"),
        (body("foo=1"), "PB005", 4, 31, "must be in quotes"),
        (model(BESIDE), "PB091", 4, 15, "a space"),
        (body('foo="1" foo="2"'), "PB005", 4, 35, "`foo` is given twice"),
        (body('name="a&b"'), "PB091", 4, 25, "`&`"),
        (body('name="a & b"'), "PB091", 4, 26, "`&`"),
        (body('name="&foo;"'), "PB091", 4, 24, "`&`"),
        (body('name="&#0;"'), "PB005", 4, None, None),
        (body('name="a<b"'), "PB005", 4, None, None),
        (body('name="\x01"'), "PB005", 4, 24, "U+0001"),
        (body('name="\x00"'), "PB005", 4, 24, "U+0000"),
        (body('name="\ufffe"'), "PB005", 4, None, None),
        (model("<!-- a"), "PB005", 4, 1, "a comment begins here"),
        (model("<![CDATA["), "PB005", 4, None, None),
        (model("]]>"), "PB005", 4, None, None),
        (model('<?xml version="1.0"?>'), "PB005", 4, None, None),
        (model("< body/>"), "PB005", 4, None, None),
        (model("<1body/>"), "PB005", 4, None, None),
        (model("<body/"), "PB005", 4, None, None),
        (body() + "<x_xy/>", "PB091", 9, 1, "second root"),
        (body() + "text", "PB005", 9, 1, "one root"),
        ("text" + body(), "PB005", 1, 1, None),
        ("<!-- only -->", "PB005", 1, None, "no element"),
        ("</x_xy>", "PB005", 1, None, None),
        ('<?xml version="1.0" ?\n>' + body(), "PB005", None, None, None),
        ("<!DOCTYPE x_xy>" + body(), "PB004", 1, 1, None),
        ("<!-- c --><?p i?>\n<!doctype x>" + body(), "PB004", 2, 1, None),
        ("<x_xy><!DOCTYPE x_xy></x_xy>", "PB005", 1, None, None),
    ],
)
def test_other_faults(text: str, code: str, line: int | None, column: int | None, words: str | None) -> None:
    found = one(text)
    assert found.code == code
    assert line is None or found.line == line, found
    assert column is None or found.column == column, found
    assert words is None or words in found.message, found


def test_findings_before_a_fault_are_kept_and_consequences_are_not() -> None:
    text = TIDY.replace('dt="0.01"', 'dt="x"').replace("      </geom>\n", "")
    found = pb.check("a.xml", text=text)
    assert [(d.code, d.line) for d in found] == [("PB016", 2), ("PB006", 5)]


def test_a_document_type_in_what_a_sloppy_scan_might_skip() -> None:
    bomb = '<!DOCTYPE x_xy [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    tail = '<x_xy model="&b;"><worldbody><body name="a" joint="rx"/></worldbody></x_xy>'
    for head in (
        "<!-- -- -->",
        "<!-->",
        "<!--->-->",
        "<?xml?>",
        "<? ?>",
        "<?p ?><?>",
        "\ufeff",
        "\n \r",
        "x",
        "<!-",
    ):
        found = [d for d in pb.check("a.xml", text=head + bomb + tail) if d.severity == "error"]
        assert [d.code for d in found] in (["PB004"], ["PB005"]), head


def test_a_misspelt_start_tag_is_not_taken_for_a_misspelt_end_tag() -> None:
    text = '<mujoco><worldbody><bdy name="a"><geom size="1"/></body></worldbody></mujoco>'
    unknown, wrong = pb.check("m.xml", text=text)
    assert (unknown.code, unknown.suggestion) == ("PB011", "did you mean `body`?")
    assert (wrong.code, wrong.suggestion) == ("PB006", "the start tag should be `<body>`")
    (wrong,) = pb.check("m.xml", text=text.replace("<bdy", "<body").replace("</body", "</bdy"))
    assert (wrong.code, wrong.suggestion) == ("PB006", "did you mean `</body>`?")
