"""Changes in meaning from one schema to another, and which of them break users of the generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from . import renames
from .model import Attribute, Child, Element, Enumeration, Schema
from .places import first_paths
from .renames import Renamed
from .rules import Rule
from .types import UNBOUNDED, Form

T = TypeVar("T")
NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Change:
    """One change. It is ``breaking`` if valid documents or programs may become invalid.

    ``kind`` is added, removed, renamed, retyped, re-defaulted, required, optional, counted, ruled or
    restated.
    """

    kind: str
    path: str
    message: str
    breaking: bool


def changes(old: Schema, new: Schema) -> tuple[Change, ...]:
    """All changes: by element in the old schema's order, then new elements, then those of keywords."""
    return tuple(_schema_changes(old, new))


def _schema_changes(old: Schema, new: Schema) -> Iterator[Change]:
    moved = renames.keys(old, new)
    rows = tuple({element.key: element for element in schema.elements} for schema in (old, new))
    were, are = first_paths(old), first_paths(new)
    for before, after in _paired(old.elements, new.elements, lambda element: element.key, moved):
        if after is None and before is not None:
            yield Change("removed", were[before.key], f"element <{before.tag}> is gone", True)
        elif before is None and after is not None:
            yield Change("added", are[after.key], f"element <{after.tag}> is new", False)
        elif before is not None and after is not None:
            renamed = renames.children(before, after, rows)
            yield from _element_changes(were[before.key], before, after, renamed)
    for earlier, later in _paired(old.enums, new.enums, lambda enum: enum.name):
        if earlier is not None and later is not None:
            yield from _keyword_changes(earlier, later)


def _element_changes(path: str, old: Element, new: Element, renamed: dict[str, Renamed]) -> Iterator[Change]:
    """Changes of an element at a path; ``renamed`` are its children whose tag changed."""
    if old.cls != new.cls:
        yield Change("renamed", path, f"class {old.cls} is now {new.cls}", True)
    for leaf in (False, True):  # an attribute and a child element can have the same name
        before, after = ([a for a in side.attributes if a.leaf is leaf] for side in (old, new))
        yield from _attribute_changes(path, before, after)
    if (old.text is None) != (new.text is None):
        word = "takes text now" if old.text is None else "takes no text any more"
        yield Change("retyped", path, f"<{old.tag}> {word}", True)
    elif old.text is not None and new.text is not None:
        yield from _value_changes(path, old.text, new.text)
    tags = {tag: now.name for tag, now in renamed.items()}
    for was, now in _paired(old.children, new.children, lambda child: child.tag, tags):
        if was is not None and now is not None and was.tag in renamed:
            yield Change("renamed", path, f"<{was.tag}> is now <{now.tag}>, as all else is the same", True)
        yield from _child_changes(path, was, now)
    yield from _rule_changes(path, _standing(old, new), _standing(new, new))
    if old.status != new.status and new.status is not None:
        yield _restated(path, f"<{old.tag}>", new.status.level)


def _attribute_changes(path: str, old: list[Attribute], new: list[Attribute]) -> Iterator[Change]:
    renamed = renames.attributes(old, new)
    names = {name: now.name for name, now in renamed.items()}
    fresh: list[Change] = []
    values: list[Change] = []
    for before, after in _paired(old, new, lambda attribute: attribute.name, names):
        if after is None and before is not None:
            word = "element is gone" if before.leaf else "attribute is gone"
            yield Change("removed", _below(path, before), word, True)
        elif before is None and after is not None:
            word = "a new element" if after.leaf else "a new attribute"
            word += ", which is required" if after.required else ""
            fresh.append(Change("added", _below(path, after), word, after.required))
        elif before is not None and after is not None:
            if before.name in renamed:
                why = _why(renamed[before.name], before.name in after.aliases)
                yield Change("renamed", _below(path, before), f"is now {after.name}{why}", True)
                before = replace(before, field=after.field, aliases=after.aliases)
            values.extend(_value_changes(_below(path, after), before, after))
    yield from (*fresh, *values)


def _why(renamed: Renamed, still_read: bool) -> str:
    """Why something is considered renamed, and whether the old name is still accepted."""
    return (
        "; the old name is still read" if still_read else "" if renamed.said else ", as all else is the same"
    )


def _below(path: str, value: Attribute) -> str:
    return f"{path}/{value.name}" if value.leaf else f"{path}/@{value.name}"


def _value_changes(path: str, old: Attribute, new: Attribute) -> Iterator[Change]:
    if old.field != new.field:
        yield Change("renamed", path, f"field {old.field} is now {new.field}", True)
    if old.forms != new.forms or old.meaning.shape != new.meaning.shape:
        wider = set(old.forms) < set(new.forms)
        yield Change("retyped", path, f"was {_forms(old)}, is {_forms(new)}", not wider)
    if (old.meaning.unit, old.meaning.rotation) != (new.meaning.unit, new.meaning.rotation):
        was = f"{old.meaning.unit} {old.meaning.rotation}".strip() or "without unit"
        now = f"{new.meaning.unit} {new.meaning.rotation}".strip() or "without unit"
        yield Change("retyped", path, f"meant {was}, means {now}", True)
    if old.default != new.default:
        was, now = old.default or "none", new.default or "none"
        yield Change("re-defaulted", path, f"default {was} is now {now}", True)
    if old.required != new.required:
        yield Change("required" if new.required else "optional", path, "as written", new.required)
    for name in (*old.aliases, *new.aliases):
        if (name in old.aliases) != (name in new.aliases):
            dropped = name in old.aliases
            word = "no longer read" if dropped else "read too"
            yield Change("removed" if dropped else "added", path, f"spelling {name} is {word}", dropped)
    if old.status != new.status and new.status is not None:
        yield _restated(path, "it", new.status.level)


def _child_changes(path: str, old: Child | None, new: Child | None) -> Iterator[Change]:
    if old is None and new is not None:
        yield Change("added", path, f"takes <{new.tag}>", new.low > 0)
    elif new is None and old is not None:
        yield Change("removed", path, f"takes no <{old.tag}> any more", True)
    elif old is not None and new is not None and (old.low, old.high) != (new.low, new.high):
        tighter = new.low > old.low or _most(new) < _most(old) or (old.high == 1) != (new.high == 1)
        yield Change("counted", path, f"<{old.tag}>: was {_count(old)}, is {_count(new)}", tighter)


def _standing(element: Element, new: Element) -> list[Rule]:
    """The rules of an element, without those about later versions that the new schema drops."""
    here = {attribute.name for attribute in new.attributes} | {child.tag for child in new.children}
    return [rule for each in element.rules if (rule := each.standing(here)) is not None]


def _rule_changes(path: str, old: Sequence[Rule], new: Sequence[Rule]) -> Iterator[Change]:
    before, after = ({str(rule): rule for rule in rules} for rules in (old, new))
    for text in before:
        if text not in after:
            yield Change("ruled", path, f"no longer: {text}", False)
    for text, rule in after.items():
        if text not in before:
            yield Change("ruled", path, f"now: {text}", rule.severity == "error")


def _keyword_changes(old: Enumeration, new: Enumeration) -> Iterator[Change]:
    for before, after in _paired(old.members, new.members, lambda member: member.value):
        if after is None and before is not None:
            yield Change("removed", old.name, f'keyword "{before.value}" is gone', True)
        elif before is None and after is not None:
            yield Change("added", old.name, f'keyword "{after.value}" is new', False)
        elif before is not None and after is not None:
            if before.name != after.name:
                yield Change("renamed", old.name, f"{before.name} is now {after.name}", True)
            if (before.sequence, before.code) != (after.sequence, after.code):
                yield Change("retyped", old.name, f'"{before.value}" means something else', True)


def _restated(path: str, what: str, level: str) -> Change:
    return Change("restated", path, f"{what} is {level} now", level == "unsupported")


def _paired(
    old: Sequence[T], new: Sequence[T], key: Callable[[T], str], renamed: Mapping[str, str] = NONE
) -> Iterator[tuple[T | None, T | None]]:
    """Items of both sides by key: those of the old side in order, then the new ones.

    renamed: the new keys of old items, if they changed.
    """
    afters = {key(thing): thing for thing in new}
    met = set()
    for thing in old:
        now = renamed.get(key(thing), key(thing))
        met.add(now)
        yield thing, afters.get(now)
    for name, thing in afters.items():
        if name not in met:
            yield None, thing


def _forms(value: Attribute) -> str:
    return " or ".join(_form(form, value.meaning.shape.text) for form in value.forms)


def _form(form: Form, shape: str) -> str:
    count = shape or f"{form.low}..{'' if form.high == UNBOUNDED else form.high}"
    words = [form.enum or form.kind.value, "" if form.scalar else count]
    if form.minimum is not None or form.maximum is not None:
        bounds = [f"{b:g}" if b is not None else "" for b in (form.minimum, form.maximum)]
        words.append(f"within {'(' if form.open else '['}{bounds[0]}, {bounds[1]}{')' if form.open else ']'}")
    words += [
        f"out of {', '.join(f'{number:g}' for number in form.numbers)}" if form.numbers else "",
        f"that is an xs:{form.built_in}" if form.built_in else "",
        "spelt true or false" if form.spelt_out else "",
        "that is not blank" if form.nonempty else "",
        f"matching {form.pattern}" if form.pattern else "",
        _length(form),
        f"that is always {form.fixed}" if form.fixed is not None else "",
    ]
    return " ".join(word for word in words if word)


def _length(form: Form) -> str:
    """The limits of a text's length."""
    if form.shortest == 0 and form.longest == UNBOUNDED:
        return ""
    return f"of length {form.shortest}..{'' if form.longest == UNBOUNDED else form.longest}"


def _most(child: Child) -> float:
    return float("inf") if child.high == UNBOUNDED else child.high


def _count(child: Child) -> str:
    return f"{child.low}..{'' if child.high == UNBOUNDED else child.high}"
