"""Which end tag is missing or superfluous. This is derived from the indentation, which is usually correct.

The parser notices only that a later end tag does not match. Here all tags are examined again. Each place at
which tags and indentation disagree is tried as the fault; the one whose repair leaves the least disorder is
reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

from polybody.base import Format, Source, Span
from polybody.base.markup import markup
from polybody.document.parser.value_faults import clip
from polybody.suggest import closest

MAX_MARKUP = 100_000
"""Maximum number of tags, comments and the like; for longer texts the parser's position is used."""
MAX_STEPS = 400_000
"""Maximum total number of tags examined for suspicious places."""
_TAB = 8


class WithoutCase(frozenset[str]):
    """Tags of a format that compares them without letter case."""

    def __new__(cls, tags: Iterable[str]) -> WithoutCase:
        return super().__new__(cls, (tag.lower() for tag in tags))

    def __contains__(self, tag: object) -> bool:
        return isinstance(tag, str) and super().__contains__(tag.lower())


def leaf_tags(form: Format, folds: bool) -> Set[str]:
    """The tags of elements that contain no others; ``folds``: tags are compared without letter case."""
    rows = form.elements.values()
    tags = frozenset(r.tag for r in rows) | frozenset(a.name for r in rows for a in r.attributes if a.leaf)
    leaves = tags - frozenset(r.tag for r in rows if r.children or any(a.leaf for a in r.attributes))
    return WithoutCase(leaves) if folds else leaves


@dataclass(slots=True)
class Tag:
    name: str
    closing: bool
    start: int
    end: int
    line: int
    indent: int
    leads: bool  # first on its line
    followed: bool = False  # followed by another tag on its line


class Suspect(NamedTuple):
    """A start tag that is not closed, and the index of the tag before which it should be closed; or, without
    a start tag, the index of a superfluous end tag.
    """

    opened: Tag | None
    place: int


class Verdict(NamedTuple):
    """Message, place, and the offset after which other findings are only consequences.

    If the two tags of an element differ, ``name`` is that in the end tag, and ``line`` that of the start tag.
    """

    span: Span
    message: str
    hint: str | None
    since: int
    name: str = ""
    line: int = 0


def explain(source: Source, leaves: Set[str]) -> Verdict | None:
    """The fault of a text whose end tags do not match; None if it is too long.

    leaves: tags of elements that contain no others.
    """
    tags = _scan(source)
    suspect = None if tags is None else _find(tags, leaves)
    if tags is None or suspect is None:
        return None
    if suspect.opened is not None:
        return _missing(source, tags, suspect.opened, suspect.place, leaves)
    return _surplus(source, tags, suspect.place)


def _scan(source: Source) -> list[Tag] | None:
    """All tags with their indentation; an empty-element tag counts as two. None: too many."""
    tags: list[Tag] = []
    margin = _Margin(source)
    for count, match in enumerate(markup(source.data)):
        if count == MAX_MARKUP:
            return None
        if match is None:
            continue
        line, indent, leads = margin.at(match.start())
        name = match["name"].decode("utf-8", "replace")
        if tags and tags[-1].line == line:
            tags[-1].followed = True
        tags.append(Tag(name, match["close"] is not None, match.start(), match.end(), line, indent, leads))
        if match["empty"]:
            tags.append(Tag(name, True, match.end(), match.end(), line, 0, False))
    return tags


class _Margin:
    """Indentation at offsets of a text, which must be requested in ascending order."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.line = self.place = self.width = 0
        self.blank = True

    def at(self, offset: int) -> tuple[int, int, bool]:
        """The line of an offset, the width of the text before it on that line, and whether that is blank."""
        line = self.source.line_at(offset)
        if line != self.line:
            self.line, self.place, self.width, self.blank = line, self.source.starts(line), 0, True
        between = self.source.data[self.place : offset]
        stop = self.width % _TAB  # the width of a tab depends on its position
        self.width += len((b" " * stop + between).expandtabs(_TAB)) - stop
        self.blank = self.blank and not between.strip()
        self.place = offset
        return line, self.width, self.blank


# --- suspicious places -------------------------------------------------------------------------------


def _find(tags: list[Tag], leaves: Set[str]) -> Suspect | None:
    suspects: list[Suspect] = []
    stack: list[Tag] = []
    leading: Counter[tuple[str, int]] = (
        Counter()
    )  # open tags that are first on their line, by name and indentation
    tries = max(1, MAX_STEPS // max(1, len(tags)))
    for index, tag in enumerate(tags):
        top = stack[-1] if stack else None
        if top is not None and (_should_be_closed(top, tag) or _is_beside(top, tag, leading)):
            suspects.append(Suspect(top, index))
        if not tag.closing:
            if top is not None and top.name in leaves:
                suspects.append(Suspect(top, index))
                if tries and _disorder(tags, suspects[-1]) < _no_repair(tags):
                    return suspects[-1]
                tries -= tries > 0
            stack.append(tag)
            leading[tag.name, tag.indent] += tag.leads
        elif top is not None and top.name == tag.name:
            if not _closes(top, tag):
                suspects.append(Suspect(None, index))
            stack.pop()
            leading[top.name, top.indent] -= top.leads
        else:
            known = top is not None and any(s.name == tag.name for s in stack)
            suspects.append(Suspect(top if known else None, index))
            break
    else:
        if stack:
            suspects.append(Suspect(stack[-1], len(tags)))
    if not suspects:
        return None
    best = min(suspects[: max(1, tries)], key=lambda suspect: _disorder(tags, suspect))
    # Untidy documents have many suspicious places; there the parser's position is as good as any.
    return best if 2 * _disorder(tags, best) <= _disorder(tags, suspects[-1]) else suspects[-1]


def _closes(top: Tag, tag: Tag) -> bool:
    """Whether an end tag is where that of the open element should be: below its start or on the same line."""
    if tag.line == top.line:
        return True
    return tag.leads and (not top.leads or tag.indent == top.indent)


def _should_be_closed(top: Tag, tag: Tag) -> bool:
    """Whether an open tag had its content on its own line, and another line begins no deeper than it."""
    if tag.line == top.line or not tag.leads or not top.followed or tag.indent > top.indent:
        return False
    return not (tag.closing and tag.name == top.name and tag.indent == top.indent)


def _is_beside(top: Tag, tag: Tag, leading: Counter[tuple[str, int]]) -> bool:
    """Whether a tag that is first on its line is no deeper than the open one, and so is probably not inside
    it.
    """
    if not tag.leads or not top.leads or tag.line == top.line:
        return False
    if not tag.closing:
        return tag.indent <= top.indent
    outer = leading[tag.name, tag.indent] > 0  # the open one has another indentation
    return tag.name == top.name and tag.indent != top.indent and outer


def _no_repair(tags: list[Tag]) -> int:
    return 2 * len(tags) + 1


def _disorder(tags: list[Tag], suspect: Suspect) -> int:
    """Disorder of the indentation after repairing the suspect.

    A repair that leaves tags unbalanced is worse than any disorder.
    """
    wrong = 0
    stack: list[Tag] = []
    for index, tag in enumerate(tags):
        if index == suspect.place:
            if suspect.opened is None:
                continue
            if not stack or stack.pop() is not suspect.opened:
                return _no_repair(tags)
        top = stack[-1] if stack else None
        if not tag.closing:
            wrong += top is not None and tag.leads and top.leads and tag.indent <= top.indent
            stack.append(tag)
        elif top is None or top.name != tag.name:
            return _no_repair(tags)
        else:
            wrong += not _closes(top, tag) or (top.followed and tag.leads)
            stack.pop()
    unclosed = len(stack) - (suspect.place == len(tags) and suspect.opened is not None)
    return _no_repair(tags) if unclosed else wrong


# --- messages ----------------------------------------------------------------------------------------


def _missing(source: Source, tags: list[Tag], opened: Tag, index: int, leaves: Set[str]) -> Verdict:
    """An end tag is missing before the tag at an index."""
    name = clip(opened.name)
    if opened.name in leaves and index < len(tags):
        end = source.between(opened.start, opened.end)
        message = f"<{name}> is not closed; it cannot contain elements"
        return Verdict(end, message, "end it with `/>`", opened.end)
    place = _gap(source, tags, index, opened.indent if opened.leads and not opened.followed else None)
    message = f"no </{name}> for the <{name}> of line {opened.line}"
    if index == len(tags):
        message = f"the file ends without </{name}> for the <{name}> of line {opened.line}"
    return Verdict(source.between(place, place), message, f"write `</{name}>` here", opened.end)


def _surplus(source: Source, tags: list[Tag], index: int) -> Verdict:
    """The end tag at an index closes nothing: it is misspelt, superfluous, or its start tag is missing."""
    tag = tags[index]
    name = clip(tag.name)
    span = source.between(tag.start, tag.end)
    stack = _open_before(tags, index)
    message = f"</{name}> closes no element"
    if stack and stack[-1].name != tag.name:
        other = stack[-1].name
        message = f"</{name}> does not close the <{clip(other)}> of line {stack[-1].line}"
        right = [*tags[:index], replace(tag, name=other), *tags[index + 1 :]]
        if closest(tag.name, [other]) or _disorder(right, Suspect(None, -1)) < _no_repair(tags):
            hint = f"did you mean `</{clip(other)}>`?"
            return Verdict(span, message, hint, tag.start, tag.name, stack[-1].line)
    first = index
    while tag.leads and first and (tags[first - 1].indent > tag.indent or not tags[first - 1].leads):
        first -= 1
    while first < index and not tags[first].leads:
        first += 1
    if 0 < first < index:
        # Deeper elements before the end tag have lost their parent.
        place = _gap(source, tags, first, tag.indent)
        message = f"no <{name}> for the </{name}> of line {tag.line}"
        return Verdict(source.between(place, place), message, f"write `<{name} ...>` here", place)
    return Verdict(span, message, "remove it", tag.start)


def _gap(source: Source, tags: list[Tag], index: int, indent: int | None) -> int:
    """Where a tag with this indentation and a line of its own belongs, between the tag at an index and the
    previous one.
    """
    begin = tags[index - 1].end
    end = tags[index].start if index < len(tags) else len(source.data)
    place = begin + len(source.data[begin:end].rstrip())
    if indent is None:
        return place
    first, last = source.line_at(place), source.line_at(end)
    for line in range(first + 1, last):
        text = source.line(line)
        if not text.strip() and len(text.expandtabs(8)) == indent:
            return source.starts(line) + len(text.encode())
    if first < last:
        text = source.line(first + 1)
        return source.starts(first + 1) + len(text) - len(text.lstrip())
    return place


def _open_before(tags: list[Tag], index: int) -> list[Tag]:
    stack: list[Tag] = []
    for tag in tags[:index]:
        if not tag.closing:
            stack.append(tag)
        elif stack:
            stack.pop()
    return stack
