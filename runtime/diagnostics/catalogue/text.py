"""The text itself: files, encodings, XML."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, Code
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
        "beyond a limit",
        ALWAYS,
        "Documents are refused beyond limits on size, depth, number of elements and length of one tag "
        "or text, so that a hostile file costs neither memory nor time. `polybody.document.sources.Limits` "
        "states and changes them.",
        "<x_xy><worldbody>" + "<body>" * 10_000 + "</body>" * 10_000 + "</worldbody></x_xy>",
        GOOD,
    ),
    Code(
        "PB003",
        "encoding unknown or contradictory",
        ALWAYS,
        "The XML declaration names an encoding that is not known, or one that the bytes are not in.",
        b'<?xml version="1.0" encoding="utf-99"?>\n' + GOOD.encode(),
        '<?xml version="1.0" encoding="utf-8"?>\n' + GOOD,
    ),
    Code(
        "PB004",
        "document type refused",
        ALWAYS,
        "A DOCTYPE can define entities that expand without bounds and name files outside the "
        "document. None of the formats needs one.",
        '<!DOCTYPE x_xy [<!ENTITY a "arm">]>\n' + GOOD,
        GOOD,
    ),
    Code(
        "PB005",
        "malformed XML",
        ALWAYS,
        "The text is not well-formed XML: a quote, an angle bracket or an entity is missing or "
        "misplaced. What follows cannot be understood, so that this is the only finding from there "
        "on.",
        arm('name="arm joint="rx"'),
        GOOD,
    ),
    Code(
        "PB006",
        "end tag missing or wrong",
        ALWAYS,
        "An element is not closed, or an end tag closes nothing. Where it should be is told by the "
        "indentation.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx">\n  </worldbody>\n</x_xy>\n',
        GOOD,
    ),
    Code(
        "PB007",
        "unknown format",
        ALWAYS,
        "The root element belongs to no format that is known here.",
        "<scene/>\n",
        GOOD,
    ),
    Code(
        "PB008",
        "wrong root element",
        ALWAYS,
        "The root element is not that of the format, though it may be meant for it.",
        GOOD.replace("x_xy>", "x_xyz>"),
        GOOD,
    ),
    Code(
        "PB009",
        "too many findings",
        ALWAYS,
        "Of each severity a thousand findings are listed. After so many errors the check stops: repair these "
        "first.",
        "<x_xy>" + "<thing/>" * 1001 + '<worldbody><body name="arm" joint="rx"/></worldbody></x_xy>',
        GOOD,
    ),
    Code(
        "PB010",
        "path not allowed",
        ALWAYS,
        "A reference to another file leads out of the model's folder and of the declared roots, or to "
        "the network.",
        included("../arm.xml"),
        included("arm.xml"),
        PART,
    ),
)
