"""Documents of any size in shapes that tempt a reader to look at a part of them again for every other part.

Each makes about as many elements, or pieces of what is no element, as it is asked for. The first file is the
one to read; the code is that of an error that it has, "" where it has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Files = dict[str, str]


class Shape(NamedTuple):
    make: Callable[[int], Files]
    code: str = ""


def _malformed(begin: str, again: str = "", end: str = "", code: str = "PB005") -> Shape:
    return Shape(lambda n: {"main.xml": begin + again * n + end}, code)


MALFORMED = {
    "a tag that does not end": _malformed("<", "a"),
    "a tag of words": _malformed("<x_xy ", "a", " "),
    "a bare ampersand": _malformed("<x_xy>&", "a", "</x_xy>"),
    "ampersands": _malformed("<x_xy>", "& ", "</x_xy>"),
    "text before the root": _malformed("", "a", "<x_xy/>"),
    "text after the root": _malformed("<x_xy/>", "a"),
    "an open value": _malformed("<x_xy ", "b='1' ", "c='"),
    "an open comment": _malformed("<x_xy><!--", " <!-"),
    "dashes in comments": _malformed("<x_xy>", "<!-- a -- b -->", "</x_xy>"),
    "an open section": _malformed("<x_xy>", "<![CDATA[ ]]>", "<![CDATA["),
    "not UTF-8 after much that is": _malformed("<x_xy>", "é", "\udcff</x_xy>"),
    "a wrong end tag, then spaces": _malformed("<x_xy><worldbody></bdy><a", " ", "", "PB006"),
    "a wrong end tag, then instructions": _malformed("<x_xy></bdy>", "<?", "", "PB006"),
    "a wrong end tag, then comments": _malformed("<x_xy></bdy>", "<!--", "", "PB006"),
    "a wrong end tag, then sections": _malformed("<x_xy></bdy>", "<![CDATA[", "", "PB006"),
    "a wrong end tag, then tags": _malformed("<x_xy></bdy>", "<a ", "", "PB006"),
    "a wrong end tag, then quotes": _malformed("<x_xy></bdy>", "<a b=\"'", "", "PB006"),
    "a wrong end tag, then attributes": _malformed("<x_xy></bdy><a", " b='1'", "", "PB006"),
    "wrong end tags on one line": _malformed("<x_xy>", "<a></b>", "", "PB006"),
    "wrong end tags on lines": _malformed("<x_xy>", "<a>\n</b>\n", "", "PB006"),
    "a wrong end tag after one line": _malformed("<x_xy><worldbody>", "<body/>", "</wb></x_xy>", "PB006"),
    "a wrong end tag after tabs": _malformed("<x_xy><worldbody>" + "\t" * 9999, "<body/>", "</wb>", "PB006"),
    "a wrong end tag after lines": _malformed("<x_xy>\n<worldbody>\n", "<body>\n</body>\n", "</wb>", "PB006"),
    "a wrong end tag after blank lines": _malformed("<x_xy>\n<a>", "\n  ", "</x_xy>", "PB006"),
    "open elements": Shape(lambda n: {"main.xml": "<x_xy><worldbody>" + "<body>\n" * min(n, 9000)}, "PB006"),
    "open elements that take none": Shape(
        lambda n: {"main.xml": "<x_xy><worldbody><body>" + "<geom>\n" * min(n, 9000) + "</bdy>"}, "PB006"
    ),
}

GROUPS: dict[str, dict[str, Shape]] = {"malformed": MALFORMED}
"""By what they have in common."""
