"""Files, encodings and XML."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, TOLERATED, Code
from polybody.diagnostics.catalogue.documents import GOOD, PART, arm, included

CODES = (
    Code(
        "PB001",
        "file cannot be read",
        ALWAYS,
        "The file does not exist, is a folder, or its permissions forbid reading it.",
        included("arms.xml"),
        included("arm.xml"),
        PART,
    ),
    Code(
        "PB002",
        "limit exceeded",
        ALWAYS,
        "Documents are refused if they exceed a limit on size, depth, number of elements or the length "
        "of one tag or text. Therefore a hostile file cannot exhaust memory or time. "
        "`polybody.document.sources.Limits` lists the limits; the argument `limits` of `polybody.read` "
        "changes them.",
        "<x_xy><worldbody>" + "<body>" * 10_000 + "</body>" * 10_000 + "</worldbody></x_xy>",
        GOOD,
    ),
    Code(
        "PB003",
        "unknown or contradictory encoding",
        ALWAYS,
        "The XML declaration names an encoding that is unknown, or that does not match the bytes of the "
        "file.",
        b'<?xml version="1.0" encoding="utf-99"?>\n' + GOOD.encode(),
        '<?xml version="1.0" encoding="utf-8"?>\n' + GOOD,
    ),
    Code(
        "PB004",
        "document type refused",
        ALWAYS,
        "A DOCTYPE can define entities that expand without bounds or that refer to files outside the "
        "document. None of the formats needs one.",
        '<!DOCTYPE x_xy [<!ENTITY a "arm">]>\n' + GOOD,
        GOOD,
    ),
    Code(
        "PB005",
        "malformed XML",
        ALWAYS,
        "The text is not well-formed XML: for example, a quote or an angle bracket is missing or misplaced. "
        "The rest of the document cannot be interpreted, so no findings are reported after this place.",
        arm('name="arm joint="rx"'),
        GOOD,
    ),
    Code(
        "PB006",
        "missing or wrong end tag",
        ALWAYS,
        "An element is not closed, or an end tag closes no element. The indentation of the file is used to "
        "find the probable place of the missing or wrong tag.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx">\n  </worldbody>\n</x_xy>\n',
        GOOD,
    ),
    Code(
        "PB007",
        "unknown format",
        ALWAYS,
        "The root element does not belong to any known format. The message lists the root elements that are "
        "known.",
        "<scene/>\n",
        GOOD,
    ),
    Code(
        "PB008",
        "wrong root element",
        ALWAYS,
        "The root element is not the one that the format requires, although it resembles it.",
        GOOD.replace("x_xy>", "x_xyz>"),
        GOOD,
    ),
    Code(
        "PB009",
        "too many findings",
        ALWAYS,
        "At most a thousand findings of each severity are listed. After that many errors the check "
        "stops. Correct these errors first.",
        "<x_xy>" + "<thing/>" * 1001 + '<worldbody><body name="arm" joint="rx"/></worldbody></x_xy>',
        GOOD,
    ),
    Code(
        "PB010",
        "path not allowed",
        ALWAYS,
        "A reference to another file points outside the folders in which files may be opened, or to the "
        "network. These are the model's project (the nearest folder at or above its own with a .git, "
        "package.xml, model.config, CMakeLists.txt, pyproject.toml or polybody.toml, otherwise the parent "
        "of its folder), its packages, and those that `--root DIR` declares; with `--confined` not the "
        "project, but only the model's folder.",
        included("/etc/arm.xml"),
        included("arm.xml"),
        PART,
    ),
    Code(
        "PB091",
        "not XML, but read by engines",
        TOLERATED,
        "XML allows neither `--` inside a comment, nor blanks before `<?xml ...?>` or a second one, nor a "
        "`&` that does not begin an entity, nor attributes without a space between them, nor tags or text "
        "after the end of the root. TinyXML, the parser of MuJoCo, of DART and of the readers of URDF and "
        "SDFormat, accepts all of these, and ignores what follows the root; other programs do not.",
        arm('name="arm" joint="rx"', "\n  <!-- run with --fast -->"),
        arm('name="arm" joint="rx"', "\n  <!-- run with - -fast -->"),
    ),
)
