"""Tags in a text, well-formed or not. Each byte is examined a bounded number of times."""

from __future__ import annotations

import re
from collections.abc import Iterator

_APART = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
"""Begin and end of markup that is not a tag."""
# Possessive matching: a tag without an end costs only its length.
_TAG = re.compile(
    rb"""<(?P<close>/)?(?P<name>[^\s<>/="'&!?]++)
    (?:\s(?:[^<>"'/]++|/(?!>)|"[^"<]*+"|'[^'<]*+')*+)?(?P<empty>/)?>""",
    re.VERBOSE,
)


def markup(data: bytes, place: int = 0) -> Iterator[re.Match[bytes] | None]:
    """Every tag of a text from an offset on, with the groups ``close``, ``name`` and ``empty``.

    None stands for any other markup, and for text that resembles markup.
    """
    ends = dict(_APART)
    place = data.find(b"<", place)
    while place >= 0:
        match = None
        after = place + 1
        begin = next((known for known in ends if data.startswith(known, place)), None)
        if begin is None:
            match = _TAG.match(data, place)
            after = after if match is None else match.end()
        else:
            end = data.find(ends[begin], place + len(begin))
            if end < 0:
                del ends[begin]  # no markup of this kind ends any more, so it is not searched for again
            else:
                after = end + len(ends[begin])
        yield match
        place = data.find(b"<", after)
