"""How Sphinx builds the site from what tools/docs.py puts together; `make docs` does both."""

import polybody

project = "polybody"
release = version = polybody.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"polybody {release}"
html_show_sourcelink = False
html_copy_source = False
default_role = "code"  # docstrings write names between single backticks
autodoc_default_options = {"members": True, "inherited-members": False, "member-order": "bysource"}
autodoc_typehints = "signature"
suppress_warnings = ["misc.highlighting_failure"]  # pages show excerpts, with ... for what is left out
