"""How Sphinx builds the documentation: ``make docs``.

The pages are Markdown that also reads well in the repository; the reference is made from the
docstrings. The site must work without a network, so nothing here may load from elsewhere:
formulas are plain text, fonts and scripts are the theme's own copies.
"""

from __future__ import annotations

from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.ext.napoleon import NumpyDocstring
from sphinx.util.docstrings import prepare_docstring

import welfarist

project = "welfarist"
author = "The welfarist authors"
project_copyright = author
version = release = welfarist.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
# Cells of tables and records of studies, not pages.
exclude_patterns = ["replication/*.csv", "benchmarks.json"]

# Quotes are made pretty; two dashes stay two dashes, which is what options begin with.
smartquotes_action = "q"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# In docstrings a single backtick marks a name.
default_role = "literal"
# Docstrings say types in words, "(d,) array"; annotations say the same again in longer form.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_numpy_docstring = True
# Types in words are text, not references to look up.
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]
python_use_unqualified_type_names = True
nitpicky = True
toc_object_entries_show_parents = "hide"
# The empty line that ends an example is for doctest, not for readers.
highlight_options = {"pycon": {"stripnl": True}, "python": {"stripnl": True}}

html_theme = "pydata_sphinx_theme"
html_title = f"welfarist {version}"
html_static_path = ["_static"]
html_css_files = ["welfarist.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "welfarist"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_bar_text": "Search these pages",
    "show_toc_level": 2,
}
html_sidebars = {"index": []}


def _property_as_sentences(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Read a property's docstring again, like a method's.

    Napoleon takes what stands before a colon in its first line for a type.
    """
    if what == "property":
        written = prepare_docstring(thing.__doc__ or "")
        lines[:] = NumpyDocstring(written, app.config, app, "method", name, thing, options).lines()


def setup(app: Sphinx) -> None:
    """Read properties after napoleon has (its priority is 500), and show CSV as it is."""
    app.connect("autodoc-process-docstring", _property_as_sentences, priority=600)
    app.add_lexer("csv", TextLexer)
