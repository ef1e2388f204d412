"""Faults of a text that is not well-formed XML: one finding, at the place where a person would correct it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from polybody.base import COLUMN_BITS, COLUMN_MASK, Source, Span
from polybody.diagnostics import Findings
from polybody.document.parser import end_tags
from polybody.document.parser.value_faults import clip

NO_ELEMENT, INVALID_TOKEN, UNCLOSED_TOKEN, TAG_MISMATCH, DUPLICATE, JUNK = 3, 4, 5, 7, 8, 9
UNDEFINED_ENTITY, MISPLACED_DECLARATION, UNCLOSED_CDATA = 11, 17, 20
_NAME = re.compile(rb"[^\s=]+")
_ZIP = b"PK\x03\x04"
"""The first bytes of a .npz file."""
DIRECTIVES = "names of files of model directives end with .dmd.yaml"
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f]")
HEAD = 1024
"""Number of bytes that are searched for control characters, which text does not contain."""
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)[^;\s<\"']*;?")
ENTITIES = "XML defines only `&lt;` `&gt;` `&amp;` `&quot;` `&apos;` and numbers such as `&#233;`"
# Tried only where a name begins, and without backtracking: each character is examined once.
_OPEN_VALUE = re.compile(rb"""(?<![^\s=<>"'/])([^\s=<>"'/]++)\s*+=\s*+(["'])""")


_SKIPPED = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)")
AMPERSAND = b"\x7f"
"""Stands for a bare `&` in a text that expat reads. A text that has this character itself is not changed."""
_TAG = re.compile(
    rb"""<(?P<close>/)?(?P<name>[^\s<>/="'&!?.\-\d][^\s<>/="'&!?]*+)
    (?:\s*[^\s<>/="'&!?]++\s*=\s*(?:"[^"]*+"|'[^']*+'))*+\s*(?P<empty>/)?>""",
    re.VERBOSE,
)
_DECLARATION = re.compile(rb"[ \t\r\n]*+(<\?xml[ \t\r\n][^<>?]*+\?>)")
_PAIR = rb"""[^\s<>/="'&!?]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')"""
_BEGUN = rb"""(?=[^\s<>/="'&!?.\-\d][^\s<>/="'&!?]*+\s*+=\s*+["'])"""  # another attribute
_JOINED = re.compile(rb"""<[^\s<>/="'&!?]++(?:\s++%b)++%b""" % (_PAIR, _BEGUN))
_NEXT = re.compile(rb"""\s*+%b""" % _PAIR)
_ANOTHER = re.compile(_BEGUN)


class Tolerated(NamedTuple):
    """A text for expat, and where it has spaces that the source does not have.

    ``added``: the columns of these spaces, from 0, in each line that has some, counted from 1.
    """

    data: bytes
    added: Mapping[int, list[int]]


def tolerant(source: Source, findings: Findings) -> Tolerated:
    """The text without what TinyXML reads and expat refuses: `--` in comments, blanks before `<?xml`
    and a second one, attributes that no space separates, and a bare `&`, in whose place there is the
    `AMPERSAND`.

    TinyXML is the parser of most engines. Each such place is reported. Without the added spaces, the result
    has the same length and the same tags at the same places.
    """
    data, place, pieces = source.data, 0, []
    joined: list[int] = []
    while (late := _DECLARATION.match(data, place)) is not None:
        if late.start(1):
            what = (
                ("a second `<?xml ...?>`", "remove it")
                if place
                else ("blanks before `<?xml ...?>`", "remove them")
            )
            _tolerated(source, findings, *late.span(1), *what)
        place = late.end()
        pieces.append(re.sub(rb"[^\r\n]", b" ", late[0]) if late.start(1) else late[0])
    done = since = place
    bare = b"&" in data and AMPERSAND not in data
    while (found := _SKIPPED.search(data, place)) is not None:
        begin = found.end()
        end = data.find(_ENDS[found[0]], begin)
        if end < 0:
            break
        place = end + len(_ENDS[found[0]])
        joined += _joined(data, since, found.start())
        since = place
        if bare:
            pieces.append(_without_bare(source, findings, done, found.start()))
            done = found.start()
        dashes = -1 if found[0] != b"<!--" else data.find(b"--", begin, end + 1)
        if dashes >= 0:
            _tolerated(source, findings, dashes, dashes + 2, "`--` inside a comment", "write `- -`")
            text = data[begin:end].replace(b"--", b"- ")
            pieces += data[done:begin], text[:-1] + text[-1:].replace(b"-", b" ")
            done = end
        if bare:
            pieces.append(data[done:place])
            done = place
    joined += _joined(data, since, len(data))
    pieces.append(_without_bare(source, findings, done, len(data)) if bare else data[done:])
    return _apart(source, findings, b"".join(pieces), joined)


def _joined(data: bytes, begin: int, end: int) -> Iterator[int]:
    """The offsets of attributes that directly follow another, in a part of a text. Each tag is read once."""
    for found in _JOINED.finditer(data, begin, end):
        place = found.end()
        yield place
        while (pair := _NEXT.match(data, place, end)) is not None:
            place = pair.end()
            if _ANOTHER.match(data, place, end):
                yield place


def _apart(source: Source, findings: Findings, data: bytes, joined: list[int]) -> Tolerated:
    """A text with a space before each of these offsets, which are reported."""
    added: dict[int, list[int]] = {}
    pieces: list[bytes] = []
    done = 0
    for place in joined:
        name = _NAME.match(source.data, place)
        end = place if name is None else name.end()
        _tolerated(source, findings, place, end, "attributes without a space between them", "write a space")
        line, column = source.place(place)
        columns = added.setdefault(line, [])
        columns.append(column - 1 + len(columns))
        pieces += data[done:place], b" "
        done = place
    return Tolerated(b"".join([*pieces, data[done:]]) if pieces else data, added)


def _without_bare(source: Source, findings: Findings, begin: int, end: int) -> bytes:
    """A part of a text with the `AMPERSAND` for each bare `&`, which is reported."""
    for found in _BARE.finditer(source.data, begin, end):
        _tolerated(source, findings, *found.span(), "a `&` that does not begin an entity", "write `&amp;`")
    return _BARE.sub(AMPERSAND, source.data[begin:end])


def _tolerated(source: Source, findings: Findings, begin: int, end: int, what: str, hint: str) -> None:
    if findings.takes("PB091"):
        message = f"XML does not allow {what}"
        findings.add("PB091", source.between(begin, end), message, hint=hint, source=source)


def ends_before(source: Source, findings: Findings, position: int) -> bool:
    """Whether TinyXML ignores what follows the root and made expat stop; it is then reported.

    It reads further elements and texts, which have no effect, up to an end tag, and nothing after that.

    Args:
        position: where expat stopped, encoded as in nodes.
    """
    data = source.data
    begin = source.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
    begin -= data.startswith(b"</", begin - 1)
    first = _TAG.match(data, begin)
    if not _is_ignored(data, begin):
        return False
    if first is None:
        what, end = "text after the root", max(data.find(b"<", begin), begin + 1)
    else:
        what, end = f"`</{clip(first['name'].decode('utf-8', 'replace'))}>`", first.end()
        what = f"{what} after the root" if first["close"] else "a second root after the first"
    closed = source.line_at(_root_end(data, begin))
    findings.keep_before(source.path, *source.place(begin))
    _tolerated(
        source, findings, begin, end, f"{what}, which line {closed} closes; it has no effect", "remove it"
    )
    return True


def _root_end(data: bytes, place: int) -> int:
    """The offset of the last byte before an offset that is neither white space nor part of a comment or
    instruction.
    """
    while True:
        while data[place - 1] in b" \t\r\n":
            place -= 1
        mark = next((mark for mark in (b"<!--", b"<?") if data.endswith(_ENDS[mark], 0, place)), None)
        if mark is None:
            return place - 1
        place = data.rfind(mark, 0, place)


def _is_ignored(data: bytes, place: int) -> bool:
    """Whether TinyXML reads the rest of a text after the root element."""
    opened: list[bytes] = []
    while (begin := data.find(b"<", place)) >= 0:
        mark = next((mark for mark in _ENDS if data.startswith(mark, begin)), None)
        if mark == b"<?" or data[begin : begin + 9].upper() == b"<!DOCTYPE":
            return False
        if mark is not None:
            end = data.find(_ENDS[mark], begin + len(mark))
            if end < 0:
                return False
            place = end + len(_ENDS[mark])
            continue
        tag = _TAG.match(data, begin)
        if tag is None:
            return False
        if not tag["close"]:
            opened += () if tag["empty"] else (tag["name"],)
        elif not opened:
            return True
        elif opened.pop() != tag["name"]:
            return False
        place = tag.end()
    return not opened and not data[place:].strip()


def explain(
    source: Source,
    findings: Findings,
    code: int,
    reason: str,
    position: int,
    open_tags: list[tuple[str, int]],
    leaves: Set[str],
) -> None:
    """Report why the text is malformed, and drop findings that are only consequences of it.

    Args:
        code: expat's number of the error; ``reason`` is its text.
        position: where expat stopped, encoded as in nodes.
        open_tags: the tags and positions of elements that are open there.
        leaves: tags of elements that contain no others.
    """
    offset = source.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
    data = source.data
    if not data.strip():
        findings.add("PB005", source.between(0, 0), "the file is empty", source=source)
        return
    if code == TAG_MISMATCH or (code == NO_ELEMENT and open_tags):
        verdict = end_tags.explain(source, leaves)
        if verdict is None:
            name, begun = open_tags[-1]
            message = f"no </{name}> for the <{name}> of line {begun >> COLUMN_BITS}"
            span = source.between(offset, min(offset + 1, len(data)))
            start = source.tag_span(begun)
            findings.keep_before(source.path, start.end_line, start.end_column)
            findings.add("PB006", span, message, source=source)
            return
        findings.keep_before(source.path, *source.place(verdict.since))
        hint = _about_start(findings, source, verdict) or verdict.hint
        findings.add("PB006", verdict.span, verdict.message, hint=hint, source=source)
        return
    span, message, hint = _token(source, offset, code, reason, open_tags)
    findings.keep_before(source.path, span.line, span.column)
    findings.add("PB005", span, message, hint=hint, source=source)


def _about_start(findings: Findings, source: Source, verdict: end_tags.Verdict) -> str | None:
    """The advice if not the end tag but its start tag is misspelt, according to another finding."""
    misspelt = ("PB011", source.path, verdict.line, f"did you mean `{verdict.name}`?")
    if any((each.code, each.path, each.line, each.suggestion) == misspelt for each in findings.items):
        return f"the start tag should be `<{clip(verdict.name)}>`"
    return None


# --- one token ---------------------------------------------------------------------------------------------


def _token(
    source: Source, offset: int, code: int, reason: str, open_tags: list[tuple[str, int]]
) -> tuple[Span, str, str | None]:
    """The place, the message and a hint for the fault at an offset."""
    data = source.data
    here = source.between(offset, min(offset + 1, len(data)))
    if code == DUPLICATE:
        span = _matched(source, _NAME.match(data, offset), here)
        return span, f"attribute `{clip(_text(source, span))}` is given twice", None
    if code == UNDEFINED_ENTITY:
        # For an attribute, expat's position is that of the tag.
        span = _matched(source, _ENTITY.search(data, offset), here)
        return span, f"unknown entity `{clip(_text(source, span))}`", ENTITIES
    if code == JUNK:
        return here, "content after the end of the root element; a document has one root element", None
    if code == NO_ELEMENT:
        return here, "the file has no element", None
    if code == MISPLACED_DECLARATION:
        return (
            here,
            "`<?xml ...?>` is allowed only at the very beginning of a file",
            "remove what is before it",
        )
    if code == UNCLOSED_CDATA:
        start = max(data.rfind(b"<![CDATA["), 0)
        return source.between(start, start + 9), "a CDATA section begins here and is not closed", None
    if code == UNCLOSED_TOKEN or data[offset : offset + 1] == b"<":
        found = _unclosed(source, offset, code, open_tags)
        if found is not None:
            return *found, None
    first = len(data) - len(data.lstrip())
    if not open_tags and b"<" not in data[first:offset] and data[first : first + 1] != b"<":
        if _CONTROL.search(data, 0, HEAD) is not None:
            saved = "polybody.Model.load reads Models that polybody saved" if data.startswith(_ZIP) else None
            return here, "this is not an XML file: it contains binary data", saved
        hint = DIRECTIVES if source.path.lower().endswith((".yaml", ".yml")) else None
        return source.between(first, offset), "text before the root element", hint
    if code == INVALID_TOKEN:
        bare = re.compile(rb"&[^;\s<>\"']{0,100}$").search(data, max(0, offset - 100), offset)
        if data[offset : offset + 1] == b"&" or bare is not None:
            place = offset if bare is None else bare.start()
            return source.between(place, place + 1), "a `&` that does not begin an entity", "write `&amp;`"
        if data[offset - 2 : offset] == b"--" and data.startswith(b"<!--", _tag_start(data, offset)):
            span = source.between(offset - 2, offset)  # of a comment without an end; others: `tolerant`
            return span, "XML does not allow `--` inside a comment", "write `- -`"
        return here, *_invalid(data, offset)
    return here, f"malformed XML: {reason}", None


def _matched(source: Source, match: re.Match[bytes] | None, otherwise: Span) -> Span:
    return otherwise if match is None else source.between(match.start(), match.end())


def _text(source: Source, span: Span) -> str:
    return source.line(span.line)[span.column - 1 : span.end_column - 1]


def _unclosed(
    source: Source, offset: int, code: int, open_tags: list[tuple[str, int]]
) -> tuple[Span, str] | None:
    """A quote, comment or tag that is open at an offset, or begins there and has no end."""
    data = source.data
    start = offset if code == UNCLOSED_TOKEN else _tag_start(data, offset)
    value = _unclosed_value(data, start, len(data) if code == UNCLOSED_TOKEN else offset)
    if value is not None:
        name, place = value
        return source.between(place, place + 1), f"the value of `{clip(name)}` has no closing quote"
    if data.startswith(b"<!--", start):
        return source.between(start, start + 4), "a comment begins here and is not closed"
    if code != UNCLOSED_TOKEN:
        return None
    inside = f"; <{open_tags[-1][0]}> is not closed" if open_tags else ""
    end = max(len(data.rstrip()), start)
    message = f"the file ends inside a tag that begins at line {source.place(start)[0]}{inside}"
    return source.between(end, len(data)), message


def _invalid(data: bytes, offset: int) -> tuple[str, str | None]:
    """Why expat could not read a character."""
    character = data[offset : offset + 4].decode("utf-8", "replace")[:1]
    byte = data[offset : offset + 1]
    if character == "\ufffd" and not data.startswith("\ufffd".encode(), offset):
        return f"byte 0x{byte.hex().upper()} is not UTF-8", "save the file as UTF-8, or declare its encoding"
    if character and not character.isprintable():
        return f"character U+{ord(character):04X} is not allowed in XML", None
    before = data[max(0, offset - 200) : offset]
    if before.rstrip().endswith(b"="):
        return "the value of an attribute must be in quotes", None
    if before.endswith((b'"', b"'")):
        return "attributes must be separated by a space", None
    return f"`{clip(character)}` is not allowed here", None


def _tag_start(data: bytes, offset: int) -> int:
    """The beginning of the markup that contains an offset."""
    comment = data.rfind(b"<!--", 0, offset + 1)
    if comment >= 0 and data.find(b"-->", comment, offset) < 0:
        return comment
    return max(data.rfind(b"<", 0, offset), 0)


def _unclosed_value(data: bytes, start: int, offset: int) -> tuple[str, int] | None:
    """The attribute whose value contains an offset, and the position of its opening quote."""
    place = start
    while match := _OPEN_VALUE.search(data, place, offset):
        end = data.find(match[2], match.end(), offset)
        if end < 0:
            return match[1].decode("utf-8", "replace"), match.start(2)
        place = end + 1
    return None
