"""The tables of two pages: in docs/releases.md what documents mean in one release of MJCF and not in another,
in docs/spec-change.md what each release changed; and the newest release, where pages say which ones are read.

python tools/releases.py        writes them into the pages, the tables behind their own texts
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

from polybody.base import Format, Status
from polybody.base.releases import number
from polybody.codegen.generate import COMMAND, format_package
from polybody.codegen.schema import SCHEMAS, Schema, at_release, load
from polybody.codegen.schema.diff import changes
from polybody.document.differences import DIFFERENCES, redefaulted, where
from polybody.document.registry import format_named
from polybody.lowering.mjcf.codes import NEEDS, lacks

ROOT = Path(__file__).resolve().parents[1]
PAGE, ACCOUNT = ROOT / "docs" / "releases.md", ROOT / "docs" / "spec-change.md"
SPANS = (ROOT / "README.md", ROOT / "docs" / "mjcf.md", PAGE)
"""Pages that say which releases are read: from the first to the newest."""
MARK = "<!-- from here on written by tools/releases.py -->\n"


def table() -> str:
    """A row for each difference, in the order of releases."""
    form = format_named("mjcf")
    rows = [(row.since, concerned(row.of, row.only), row.text) for row in DIFFERENCES[form.name]]
    rows += defaults(form)
    out = [MARK, "\n| since | of | what changes |\n|---|---|---|\n"]
    rows.sort(key=lambda row: number(row[0]))
    out += [f"| {since} | {of} | {text} |\n" for since, of, text in rows]
    return "".join(out)


def concerned(of: str, only: str) -> str:
    """The elements concerned, in words."""
    at = where(of)
    tags = _tags(at.tags, ", ")
    words = f" {' or '.join(f'`{word}`' for word in at.words)}" if at.words else ""
    also = ""
    if only:
        also = f", with {' or '.join(map(_with, only.split(', ')))}"
    return (at.what.replace(" of ", f"{words} of ") if at.attributes else "") + tags + also


def _with(text: str) -> str:
    """Elements that a document also has, in words."""
    there = where(text)
    words = " or ".join(f"`{word}`" for word in there.words)
    named = " or ".join(f"`{name}`" for name in there.attributes)
    tags = _tags(there.tags, " or ")
    return f"{f'{named} {words}'.rstrip()} of {tags}" if named else tags


def _tags(tags: tuple[str, ...], between: str) -> str:
    """Elements, and what they are in."""
    named = between.join(f"`<{tag.rpartition('/')[2]}>`" for tag in tags)
    parents = dict.fromkeys(tag.rpartition("/")[0] for tag in tags)
    return named + "".join(f" in `<{parent}>`" for parent in parents if parent)


def defaults(form: Format) -> Iterator[tuple[str, str, str]]:
    """The defaults that changed; once for an attribute that several elements have."""
    whole = form.whole or form
    lenders = {each.source for each in whole.defaults}
    met: dict[tuple[str, str, str], list[str]] = {}
    for key, row in whole.elements.items():
        for attribute in () if key in lenders else row.attributes:
            for since, text in redefaulted(attribute):
                met.setdefault((since, attribute.name, text), []).append(row.tag)
    for (since, name, text), tags in met.items():
        yield since, f"`{name}` of {', '.join(f'`<{tag}>`' for tag in dict.fromkeys(tags))}", text


FEW = 4
REFUSED = """
## What is not simulated yet

Where one of these acts, no Model can be made: `load` and `lower` raise an error (PB064) with its line, and
`check` says that the Model is not judged (PB122). An attribute acts if its effective value is another than
the first default that it had. As of 4.0, flexes that touch something, elastic flexes and signed distance
fields are refused before the first step.

| since | of | reason |
|---|---|---|
"""


def refused() -> str:
    """A row for each part of later releases that is not simulated, with the elements that have it."""
    whole = format_named("mjcf")
    whole = whole.whole or whole
    since = {child.element: child.since for row in whole.elements.values() for child in row.children}
    dates = {id(word): first for word, (first, _) in whole.keywords}
    lenders = {each.source for each in whole.defaults}
    met: dict[tuple[str, str, str], list[str]] = {}
    for key, row in whole.elements.items():
        if row.status is Status.LATER and key not in lenders:
            met.setdefault((since[key] or whole.version, "", row.reason), []).append(f"`<{row.tag}>`")
        for each in () if row.status is Status.LATER or key in lenders else row.attributes:
            if each.status is Status.LATER:
                named = each.since or whole.version, f"`{each.name}`", each.reason
                other = NEEDS.get(f"{row.tag}/@{each.name}")
                met.setdefault(named, []).append(f"`<{row.tag}>`{f', with `<{other}>`' if other else ''}")
            for word in (word for form in each.forms for word in form.enum or () if lacks(word)):
                named = dates[id(word)], f"`{word.value}` for `{each.name}`", "the keyword is only read"
                met.setdefault(named, []).append(f"`<{row.tag}>`")
    rows = sorted(met.items(), key=lambda item: number(item[0][0]))
    return REFUSED + "".join(
        f"| {first} | {f'{what} of ' if what else ''}{_some(tags)} | {reason} |\n"
        for (first, what, reason), tags in rows
    )


def _some(tags: list[str]) -> str:
    """A few of many elements."""
    known = list(dict.fromkeys(tags))
    more = len(known) - FEW
    return ", ".join(known[:FEW]) + (f" and {more} more" if more > 0 else "")


def account() -> str:
    """A row for each release: changes to the one before, those that are breaking, where the schema states
    them; then the lines of Python that are generated as of this release and not as of the one before, and the
    reverse.
    """
    schema = load(SCHEMAS / "mjcf.xsd")
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((SCHEMAS / "mjcf").glob("*.xsd")))
    out = [
        MARK,
        "\n| release | changes | breaking | statements in the schema | lines generated | lines gone |\n",
        "|---|---|---|---|---|---|\n",
    ]
    every = [at_release(schema, release) for release in schema.releases]
    generated = [python_of(each) for each in every]
    for (old, new), texts in zip(pairwise(every), pairwise(generated), strict=True):
        found = changes(old, new)
        since, until = (re.escape(f'="{each.version}"') for each in (new, old))
        stated = len(re.findall(rf"\bsince{since}|\buntil{until}", text))
        breaking = sum(change.breaking for change in found)
        lines, gone = lines_changed(*texts)
        out.append(f"| {new.version} | {len(found)} | {breaking} | {stated} | {lines} | {gone} |\n")
    return "".join(out)


def python_of(schema: Schema) -> dict[str, list[str]]:
    """The lines of the Python modules that are generated from a schema."""
    files = format_package(schema, "", ["mjcf.xsd"], COMMAND)
    return {path: text.splitlines() for path, text in files.items() if path.endswith(".py")}


def lines_changed(old: dict[str, list[str]], new: dict[str, list[str]]) -> tuple[int, int]:
    """The numbers of lines that are in the new modules alone, and in the old ones alone."""
    added = gone = 0
    for path in sorted({*old, *new}):
        if old.get(path) == new.get(path):
            continue
        matcher = SequenceMatcher(None, old.get(path, []), new.get(path, []), autojunk=False)
        for kind, first, last, start, end in matcher.get_opcodes():
            if kind != "equal":
                gone, added = gone + last - first, added + end - start
    return added, gone


def page(path: Path, tables: str) -> str:
    """A page with its tables."""
    return path.read_text(encoding="utf-8").partition(MARK)[0] + tables


def spanned(text: str) -> str:
    """A text with the newest release where it names all releases."""
    releases = format_named("mjcf").releases
    text = re.sub(rf"\b{re.escape(releases[0])} to \d+(\.\d+)*", f"{releases[0]} to {releases[-1]}", text)
    chosen = r'(arm\.format\(tendon\)\)\.release == )"[\d.]+"'  # the example of `auto`
    return re.sub(chosen, rf'\1"{releases[-1]}"', text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE, table() + refused()), encoding="utf-8")
    ACCOUNT.write_text(page(ACCOUNT, account()), encoding="utf-8")
    for each in SPANS:
        each.write_text(spanned(each.read_text(encoding="utf-8")), encoding="utf-8")
