"""Settings of the documentation: ``make docs`` builds it into ``build/docs``, offline."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import sklearn_reclink

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "sklearn-reclink"
author = "The sklearn-reclink developers"
project_copyright = author
release = version = sklearn_reclink.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["examples/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
default_role = "py:obj"

autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "capture_repr": (),
    "abort_on_example_error": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "sklearn-reclink"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "benchmarks/index": []}


def from_elsewhere(
    app: Any, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what a class inherits from scikit-learn: it is documented there."""
    if what != "class" or not (inspect.isfunction(member) or inspect.ismethod(member)):
        return None
    return None if member.__module__.startswith("sklearn_reclink") else True


def setup(app: Any) -> None:
    app.connect("autodoc-skip-member", from_elsewhere)
