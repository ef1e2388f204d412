"""How Sphinx builds the site from what tools/docs.py puts together; `make docs` does both."""

import re
from pathlib import Path
from typing import Any

import polybody
from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

project = "polybody"
release = version = polybody.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_block"]  # classes of tables: {.stacked}
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_title = f"polybody {release}"
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
default_role = "code"  # docstrings write names between single backticks
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "signature"

SECTIONS = (
    "Args:",
    "Returns:",
    "Raises:",
    "Warns:",
    "Yields:",
    "Attributes:",
    "Note:",
    "Notes:",
    "Example:",
    "Examples:",
)


def mark_examples(
    app: object, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Turn indented examples of a docstring into code blocks; napoleon handles sections such as Args."""
    marked: list[str] = []
    before = ""
    for line in lines:
        indented = line.startswith("    ")
        after_blank = not marked or not marked[-1].strip()
        if indented and after_blank and before and not before.startswith(" ") and before not in SECTIONS:
            marked += [".. code-block:: python", ""]
        marked.append(line)
        before = line if line.strip() else before
    lines[:] = marked


ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")
ARRAY = r"[\w.~]*ndarray\[tuple\[[\w.~]*Any, \.\.\.\], [\w.~]*dtype\[([\w.~]+)\]\]"


def short(app: object, what: str, name: str, thing: object, options: object, *texts: str | None) -> Any:
    """Signatures with the names of NumPy's aliases, which Python replaces by what they stand for."""
    return tuple(
        text and re.sub(ARRAY, r"NDArray[\1]", text.replace(ARRAY_LIKE, "ArrayLike")) for text in texts
    )


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", mark_examples, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", short)


suppress_warnings = ["misc.highlighting_failure"]  # pages show excerpts, with ... for what is left out
