"""Words that have no place in what people read: pages, messages, helps, docstrings and the schemas' texts.

Each stands for a term of the field, which the table gives. Only words without any right use are listed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORDS = {
    r"(?<!\.)(?<!def )freedoms": "degrees of freedom",
    r"leaves? the finite numbers": "becomes NaN or infinite",
    r"not one of the words": "invalid keyword",
    r"hangs? on": "is attached to",
    r"takes? note of": "uses",
    r"pass(es)? over": "ignores",
    r"as (it|they) stands?": "unchanged",
    r"comes? about": "is computed",
    r"of no account": "has no effect",
    r"no body has": "impossible",
    r"wants? to be told": "requires",
    r"lead in a circle": "form a cycle",
    r"cannot stand": "is not allowed",
    r"the loop kernels serve": "the loop kernels are used",
    r"went astray": "failed",
    r"what was given": "got",
    r"turned round": "reversed",
    r"by the cubic metre": "per cubic metre",
    r"the (greater|smaller) counts": "is used",
    r"numbers that are not finite": "NaN or infinity",
    r"was not finite": "became NaN or infinite",
    r"leaves? nothing of": "an inelastic impact",
    r"(have|has) not (shape|length)": "does not have",
    r"steps a second": "steps per second",
    r"where was looked": "the folders searched",
    r"counts for nothing": "has no effect",
    r"means nothing": "has no effect",
    r"the flex has not": "the flex does not have",
    r"as (MuJoCo|DART|OpenRAVE) has it": "as in ...",
    r"ought to": "should",
}
"""Patterns of words, and what to write instead."""
IN_SCHEMAS = {
    r"[Ll]eft out": "missing, or: by default",
    r"nothing reads it": "no engine uses it",
    r"the same of": "say it again",
    r"(of|for) no account": "has no effect",
    r"How many": "Number of",
    r"What (a|an|the|it|is|was) ": "name the thing: Type of, Attributes of",
    r"Half the edges": "Half lengths of the edges",
    r"A ball[.;]": "A sphere",
    r"a bit each": "as bits, bit mask",
    r"(the )?turned [xyz]": "rotated",
    r"as (it|they|Drake|the reader|the parser) has it": "as in ...",
    r"wins? over": "takes precedence over",
    r"(Drake|libsdformat|engine) (refuses|demands)": "rejects, requires",
    r"Least": "Minimum",
    r"Most": "Maximum number of",
    r"brings? about": "causes, due to",
    r"passed? over": "ignored",
    r"looks like": "Appearance of",
    r"at the start": "initial",
    r"without it, things": "bodies",
    r"(room|rooms|told|stands|hangs)": "a term of the field",
}
"""The same in the texts of the schemas, which are short."""
TEXT = re.compile(r"<xs:documentation>([^<]*)</xs:documentation>")
TEXTS = ("docs/*.md", "README.md", "CONTRIBUTING.md", "schemas/README.md")
SOURCES = ("runtime/**/*.py", "runtime/**/*.pyx", "codegen/**/*.py", "schemas/**/*.xsd", "tools/*.py")


@cache
def lines() -> list[tuple[str, int, str]]:
    found = []
    for pattern in (*TEXTS, *SOURCES):
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            text = path.read_text(encoding="utf-8").splitlines()
            found += [(name, number, line) for number, line in enumerate(text, 1)]
    return found


@cache
def documentation() -> list[tuple[str, str]]:
    """The texts of the schemas with their files, white space collapsed."""
    found = []
    for path in sorted((ROOT / "schemas").glob("**/*.xsd")):
        name, texts = str(path.relative_to(ROOT)), TEXT.findall(path.read_text(encoding="utf-8"))
        found += [(name, " ".join(text.split())) for text in texts]
    return found


@pytest.mark.parametrize("word", IN_SCHEMAS)
def test_texts_of_schemas_use_the_terms_of_the_field(word: str) -> None:
    pattern = re.compile(rf"\b{word}")
    found = [f"{name}: {text}" for name, text in documentation() if pattern.search(text)]
    assert found == [], f"write: {IN_SCHEMAS[word]}"


@pytest.mark.parametrize("word", WORDS)
def test_the_term_of_the_field_is_used(word: str) -> None:
    pattern = re.compile(rf"\b{word}\b")
    found = [f"{name}:{number}: {line.strip()}" for name, number, line in lines() if pattern.search(line)]
    assert found == [], f"write: {WORDS[word]}"
