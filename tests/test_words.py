"""Words to avoid in texts for people: pages, messages, help texts, docstrings and the schemas' texts.

The table gives the proper term for each. Only words without any legitimate use are listed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORDS = {
    r"(?<!degrees of )freedoms": "degrees of freedom",
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
    r"as (MuJoCo|DART|OpenRAVE|Drake|Gazebo) has it": "as in ...",
    r"exclude each other": "are mutually exclusive",
    r"(is )?a finding of its own": "is reported separately",
    r"one behind the other": "one after another",
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
IN_IDENTIFIERS = {
    r"rooms?": "space, capacity, package, folder",
    r"freedoms": "dofs",
    r"astray": "failing, outside",
}
"""Words to avoid in the names and comments of the code, in any letter case."""
IN_TESTS = {
    r"told": "reported",
    r"stands?|stood": "is, occurs",
    r"hangs?_on": "is attached to",
    r"(?<!degree_of_)(?<!degrees_of_)freedoms?": "degree of freedom",
    r"leaves?_the_finite_numbers": "becomes NaN or infinite",
}
"""Words to avoid in the names of tests."""
ELSEWHERE = {"tests/codegen/test_namespaces.py", "tests/differential/test_directives.py"}
"""Files with documents that have such words as names."""
TEXT = re.compile(r"<xs:documentation>([^<]*)</xs:documentation>")
TEXTS = (
    "docs/*.md",
    "docs/templates/*.jinja",
    "README.md",
    "CONTRIBUTING.md",
    "schemas/README.md",
    "Makefile",
)
SUFFIXES = ("py", "pyx", "pxd", "pyi", "h", "c", "jinja", "xsd", "xml")
FOLDERS = ("runtime", "codegen", "schemas", "tools", "tests", "benchmarks", "examples")
BETWEEN = r'(?:[\s#*/]|(?<=\s)f?"|"(?=\s))+'
"""What may separate two words of a phrase: a line break, with marks of comments and of strings."""


@cache
def sources() -> list[tuple[str, str]]:
    """The texts of all files by name, except this one."""
    paths = [path for pattern in TEXTS for path in ROOT.glob(pattern)]
    for folder in FOLDERS:
        paths += [path for suffix in SUFFIXES for path in (ROOT / folder).rglob(f"*.{suffix}")]
    return [
        (str(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
        for path in sorted(paths)
        if path != Path(__file__) and path.is_file()
    ]


def places(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs: the file, the line, its text."""
    found = []
    for name, text in sources():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{name}:{line}: {' '.join(match[0].split())}")
    return found


def phrase(words: str) -> re.Pattern[str]:
    """A pattern that also finds a phrase across line breaks."""
    parts = re.split(r"(\(\?<[^)]*\))", words)  # the width of what precedes is fixed
    return re.compile(
        "".join(part if part.startswith("(?<") else part.replace(" ", BETWEEN) for part in parts)
    )


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
    assert places(phrase(rf"\b{word}\b")) == [], f"write: {WORDS[word]}"


@pytest.mark.parametrize("word", IN_IDENTIFIERS)
def test_names_in_the_code_are_of_the_field(word: str) -> None:
    pattern = re.compile(rf"(?<![a-z])(?i:{word})(?![a-z])|[a-z]{word.capitalize()}(?![a-z])")
    found = [place for place in places(pattern) if place.partition(":")[0] not in ELSEWHERE]
    assert found == [], f"write: {IN_IDENTIFIERS[word]}"


@pytest.mark.parametrize("word", IN_TESTS)
def test_tests_are_named_in_the_terms_of_the_field(word: str) -> None:
    pattern = re.compile(rf"def test_(\w+_)?({word})(_\w+)?\(")
    assert places(pattern) == [], f"write: {IN_TESTS[word]}"


@pytest.mark.parametrize(
    "text",
    [
        "it hangs on a joint",
        "it hangs\n    # on a joint",
        'f"it hangs "\n    f"on a joint"',
        "/* hangs\n * on */",
    ],
)
def test_phrases_are_found_across_lines(text: str) -> None:
    assert phrase(r"\bhangs? on\b").search(text)
