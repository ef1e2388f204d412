"""What is wrong with a text that is not well-formed XML: one finding, where a person would repair it.

expat says where it could not go on. For a missing end tag that is far too late, so that the tags are
looked at again, this time with their indentation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from polybody.base import COLUMN_BITS, COLUMN_MASK, Source, Span
from polybody.diagnostics import Findings
from polybody.diagnostics.suggest import closest
from polybody.reader.values import clip

NO_ELEMENT, INVALID_TOKEN, UNCLOSED_TOKEN, TAG_MISMATCH, DUPLICATE, JUNK = 3, 4, 5, 7, 8, 9
UNDEFINED_ENTITY, UNCLOSED_CDATA = 11, 20
MOST_TAGS = 100_000  # looked at again; of longer texts, expat's own place must do
MOST_STEPS = 400_000  # tags looked at in all while suspicious places are compared

_TAGS = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>
    |<(?P<close>/)?(?P<name>[^\s<>/="'&!?]+)(?:\s+(?:[^<>"']|"[^"<]*"|'[^'<]*')*?)?\s*(?P<empty>/)?>""",
    re.DOTALL | re.VERBOSE,
)
_NAME = re.compile(rb"[^\s=]+")
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)[^;\s<\"']*;?")
ENTITIES = "XML itself knows `&lt;` `&gt;` `&amp;` `&quot;` `&apos;` and numbers such as `&#233;`"
_OPEN_VALUE = re.compile(rb"""([^\s=<>"'/]+)\s*=\s*(["'])""")


@dataclass(slots=True)
class Tag:
    name: str
    closing: bool
    start: int
    end: int
    line: int
    indent: int
    leads: bool  # first on its line
    followed: bool = False  # another tag stands behind it on its line


def explain(
    source: Source,
    findings: Findings,
    code: int,
    reason: str,
    position: int,
    open_tags: list[tuple[str, int]],
) -> None:
    """Report why the text is malformed, and forget the findings that are only consequences of it."""
    offset = source.offset(position >> COLUMN_BITS, position & COLUMN_MASK)
    data = source.data
    if not data.strip():
        findings.add("PB005", source.between(0, 0), "the file is empty", source=source)
        return
    if code == TAG_MISMATCH or (code == NO_ELEMENT and open_tags):
        blame, span, message, hint = _end_tag(source, offset, code, open_tags)
        findings.keep_before(*blame)
        findings.add("PB006", span, message, hint=hint, source=source)
        return
    span, message, hint = _token(source, offset, code, reason, open_tags)
    findings.keep_before(span.line, span.column)
    findings.add("PB005", span, message, hint=hint, source=source)


# --- one token ---------------------------------------------------------------------------------------------


def _token(
    source: Source, offset: int, code: int, reason: str, open_tags: list[tuple[str, int]]
) -> tuple[Span, str, str | None]:
    """The place, the words and a hint for what is wrong at an offset."""
    data = source.data
    here = source.between(offset, min(offset + 1, len(data)))
    if code == DUPLICATE:
        span = _matched(source, _NAME.match(data, offset), here)
        return span, f"attribute `{clip(_text(source, span))}` is given twice", None
    if code == UNDEFINED_ENTITY:
        # In an attribute, expat's place is the tag.
        span = _matched(source, _ENTITY.search(data, offset), here)
        return span, f"unknown entity `{clip(_text(source, span))}`", ENTITIES
    if code == JUNK:
        return here, "something stands behind the end of the root element; a document has one root", None
    if code == NO_ELEMENT:
        return here, "the file has no element", None
    if code == UNCLOSED_CDATA:
        start = max(data.rfind(b"<![CDATA["), 0)
        return source.between(start, start + 9), "a CDATA section begins here and does not end", None
    if code == UNCLOSED_TOKEN or data[offset : offset + 1] == b"<":
        found = _unclosed(source, offset, code, open_tags)
        if found is not None:
            return *found, None
    first = len(data) - len(data.lstrip())
    if not open_tags and b"<" not in data[first:offset] and data[first : first + 1] != b"<":
        return source.between(first, offset), "text stands before the root element", None
    if code == INVALID_TOKEN:
        bare = re.compile(rb"&[^;\s<>\"']{0,100}$").search(data, max(0, offset - 100), offset)
        if data[offset : offset + 1] == b"&" or bare is not None:
            place = offset if bare is None else bare.start()
            return source.between(place, place + 1), "a `&` that begins no entity", "write `&amp;`"
        return here, *_invalid(data, offset)
    return here, f"malformed XML: {reason}", None


def _matched(source: Source, match: re.Match[bytes] | None, otherwise: Span) -> Span:
    return otherwise if match is None else source.between(match.start(), match.end())


def _text(source: Source, span: Span) -> str:
    return source.line(span.line)[span.column - 1 : span.end_column - 1]


def _unclosed(
    source: Source, offset: int, code: int, open_tags: list[tuple[str, int]]
) -> tuple[Span, str] | None:
    """A quote, a comment or a tag that is open at an offset, or that begins there and does not end."""
    data = source.data
    start = offset if code == UNCLOSED_TOKEN else _tag_start(data, offset)
    value = _unclosed_value(data, start, len(data) if code == UNCLOSED_TOKEN else offset)
    if value is not None:
        name, place = value
        return source.between(place, place + 1), f"the value of `{clip(name)}` has no closing quote"
    if data.startswith(b"<!--", start):
        return source.between(start, start + 4), "a comment begins here and does not end"
    if code != UNCLOSED_TOKEN:
        return None
    inside = f"; <{open_tags[-1][0]}> is open" if open_tags else ""
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
        return "the value of an attribute stands in quotes", None
    if before.endswith((b'"', b"'")):
        return "a space must stand between attributes", None
    return f"`{clip(character)}` cannot stand here", None


def _tag_start(data: bytes, offset: int) -> int:
    """Where the markup begins in which an offset lies."""
    comment = data.rfind(b"<!--", 0, offset + 1)
    if comment >= 0 and data.find(b"-->", comment, offset) < 0:
        return comment
    return max(data.rfind(b"<", 0, offset), 0)


def _unclosed_value(data: bytes, start: int, offset: int) -> tuple[str, int] | None:
    """The attribute whose value runs past an offset, and where the quote that opens it stands."""
    place = start
    while match := _OPEN_VALUE.search(data, place, offset):
        end = data.find(match[2], match.end(), offset)
        if end < 0:
            return match[1].decode("utf-8", "replace"), match.start(2)
        place = end + 1
    return None


# --- end tags ----------------------------------------------------------------------------------------------


def _end_tag(
    source: Source, offset: int, code: int, open_tags: list[tuple[str, int]]
) -> tuple[tuple[int, int], Span, str, str | None]:
    """Which end tag is missing or wrong: from where on findings are consequences, the place, the words."""
    tags = _scan(source)
    if len(tags) < MOST_TAGS:
        found = _unbalanced(tags)
        if found is not None:
            return _place_missing(source, tags, *found)
    name, position = open_tags[-1]
    line = position >> COLUMN_BITS
    span = source.between(offset, min(offset + 1, len(source.data)))
    return (line, position & COLUMN_MASK), span, f"no </{name}> for <{name}> of line {line}", None


def _scan(source: Source) -> list[Tag]:
    """All tags with their indentation."""
    data = source.data
    tags: list[Tag] = []
    for match in _TAGS.finditer(data):
        if len(tags) >= MOST_TAGS:
            break
        start = match.start()
        if match["name"] is None:
            continue
        line = source.line_at(start)
        lead = data[source.starts(line) : start]
        tag = Tag(
            match["name"].decode("utf-8", "replace"), match["close"] is not None, start, match.end(), line,
            len(lead.expandtabs(8)), not lead.strip(),
        )  # fmt: skip
        if tags and tags[-1].line == line:
            tags[-1].followed = True
        tags.append(tag)
        if match["empty"]:
            tags.append(Tag(tag.name, True, tag.end, tag.end, line, 0, False))
    return tags


def _unbalanced(tags: list[Tag]) -> tuple[Tag | None, int] | None:
    """The start tag that is not closed and the index of the tag before which it should be.

    No start tag, with the index of an end tag, says that this end tag closes nothing. Of all places where
    indentation makes one suspicious, it is the one that leaves the least disorder when repaired.
    """
    suspects: list[tuple[Tag | None, int]] = []
    stack: list[Tag] = []
    for index, tag in enumerate(tags):
        top = stack[-1] if stack else None
        if top is not None and (_should_be_closed(top, tag) or _stands_beside(top, tag, stack)):
            suspects.append((top, index))
        if not tag.closing:
            stack.append(tag)
        elif top is not None and top.name == tag.name:
            stack.pop()
        else:
            known = top is not None and any(s.name == tag.name for s in stack)
            suspects.append((top if known else None, index))
            break
    else:
        if stack:
            suspects.append((stack[-1], len(tags)))
    if not suspects:
        return None
    tried = suspects[: max(1, MOST_STEPS // len(tags))]
    best = min(tried, key=lambda suspect: _disorder(tags, *suspect))
    # Untidy documents have suspicious places enough; there the parser's own is as good as any.
    return best if 2 * _disorder(tags, *best) <= _disorder(tags, *suspects[-1]) else suspects[-1]


def _stands_beside(top: Tag, tag: Tag, stack: list[Tag]) -> bool:
    """Whether a tag that leads its line stands no deeper than the open one, so that it is hardly in it."""
    if not tag.leads or not top.leads or tag.line == top.line:
        return False
    if not tag.closing:
        return tag.indent <= top.indent
    outer = any(s.name == tag.name and s.indent == tag.indent and s.leads for s in stack[:-1])
    return tag.name == top.name and tag.indent != top.indent and outer


def _disorder(tags: list[Tag], opened: Tag | None, index: int) -> int:
    """How untidy the indentation is when a tag is closed, or an end tag taken out, at an index.

    A repair that leaves tags unbalanced is none, which is worth more than any untidiness.
    """
    no_repair = 2 * len(tags) + 1
    wrong = 0
    stack: list[Tag] = []
    for place, tag in enumerate(tags):
        if place == index:
            if opened is None:
                continue
            if not stack or stack.pop() is not opened:
                return no_repair
        top = stack[-1] if stack else None
        if not tag.closing:
            wrong += top is not None and tag.leads and top.leads and tag.indent <= top.indent
            stack.append(tag)
        elif top is None or top.name != tag.name:
            return no_repair
        else:
            wrong += tag.leads and (top.followed or (top.leads and tag.indent != top.indent))
            stack.pop()
    unclosed = len(stack) - (index == len(tags) and opened is not None)
    return no_repair if unclosed else wrong


def _should_be_closed(top: Tag, tag: Tag) -> bool:
    """Whether an open tag had its content on its own line, and another line now begins no deeper than it."""
    if tag.line == top.line or not tag.leads or not top.followed or tag.indent > top.indent:
        return False
    return not (tag.closing and tag.name == top.name and tag.indent == top.indent)


def _place_missing(
    source: Source, tags: list[Tag], opened: Tag | None, index: int
) -> tuple[tuple[int, int], Span, str, str | None]:
    if opened is None:
        tag = tags[index]
        stack = _open_before(tags, index)
        line, column = source.place(tag.start)
        span = source.between(tag.start, tag.end)
        if stack:
            near = closest(tag.name, [stack[-1].name])
            message = f"</{clip(tag.name)}> does not close <{stack[-1].name}> of line {stack[-1].line}"
            return (line, column), span, message, f"did you mean `</{near}>`?" if near else None
        return (line, column), span, f"</{clip(tag.name)}> closes nothing", None
    content = tags[index - 1].end
    until = tags[index].start if index < len(tags) else len(source.data)
    tail = source.data[content:until]
    content += len(tail.rstrip())
    first, last = source.place(content)[0], source.place(until)[0]
    place = content
    alone = opened.leads and not opened.followed
    for line in range(first + 1, last):
        text = source.line(line)
        if not text.strip() and len(text.expandtabs(8)) == opened.indent and alone:
            place = source.starts(line) + len(text.encode())
            break
    else:
        if first < last and alone:
            text = source.line(first + 1)
            place = source.starts(first + 1) + len(text) - len(text.lstrip())
    line, column = source.place(opened.end)
    what = f"no </{opened.name}> for <{opened.name}> of line {opened.line}"
    if index == len(tags):
        what = f"the file ends without </{opened.name}> for <{opened.name}> of line {opened.line}"
    return (line, column), source.between(place, place), what, f"write `</{opened.name}>` here"


def _open_before(tags: list[Tag], index: int) -> list[Tag]:
    stack: list[Tag] = []
    for tag in tags[:index]:
        if not tag.closing:
            stack.append(tag)
        elif stack:
            stack.pop()
    return stack
