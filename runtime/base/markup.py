"""Tags in a text, well-formed or not, each byte of which is looked at a bounded number of times."""

from __future__ import annotations

import re
from collections.abc import Iterator

_APART = ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>"))
"""Begin and end of what is no tag."""
# Nothing is given back once it is matched, so that a tag that does not end costs no more than its length.
_TAG = re.compile(
    rb"""<(?P<close>/)?(?P<name>[^\s<>/="'&!?]++)
    (?:\s(?:[^<>"'/]++|/(?!>)|"[^"<]*+"|'[^'<]*+')*+)?(?P<empty>/)?>""",
    re.VERBOSE,
)


def markup(data: bytes, place: int = 0) -> Iterator[re.Match[bytes] | None]:
    """Every tag of a text from an offset on, with the groups ``close``, ``name`` and ``empty``.

    None stands for every other piece of markup, and for what only looks like one.
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
                del ends[begin]  # none of its kind ends any more: it is not looked for again
            else:
                after = end + len(ends[begin])
        yield match
        place = data.find(b"<", after)
