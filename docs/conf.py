"""Settings of the documentation: ``python -m sphinx -W -b html docs docs/_build/html``."""

import hashlib
import os
import shutil
import sys
from pathlib import Path

import matplotlib as mpl

import moo_clustering

mpl.use("Agg")

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_ext"))

project = "moo_clustering"
author = "The moo_clustering developers"
copyright = author
version = release = moo_clustering.__version__

extensions = [
    "command_help",
    "gallery_parts",
    "myst_parser",
    "numpydoc",
    "parameter_table",
    "plain_docstrings",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates"]
templates_path = ["_templates"]
default_role = "py:obj"
nitpicky = False
today_fmt = "%Y-%m-%d"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
autodoc_default_options = {
    "exclude-members": "set_fit_request, set_predict_request, set_predict_proba_request, set_score_request, "
    "set_transform_request, set_inverse_transform_request"
}
# Attributes of the same name in several classes.
suppress_warnings = ["ref.python"]

# Examples that did not change keep their pictures, as long as the package is the same.
digest = hashlib.sha256()
for source in sorted((ROOT / "moo_clustering").rglob("*.py")):
    digest.update(source.read_bytes())
DRAWN_BY = HERE / "gallery" / ".package"
if not DRAWN_BY.exists() or DRAWN_BY.read_text(encoding="utf-8") != digest.hexdigest():
    shutil.rmtree(DRAWN_BY.parent, ignore_errors=True)
    DRAWN_BY.parent.mkdir()
    DRAWN_BY.write_text(digest.hexdigest(), encoding="utf-8")

# The examples write pictures and pages to their own folder, which must not be left among the sources.
SCRIPTS = HERE / "_build" / "examples"
shutil.rmtree(SCRIPTS, ignore_errors=True)
shutil.copytree(ROOT / "examples", SCRIPTS)

# Names of examples that take long: their pages are built without running them.
UNDRAWN = os.environ.get("MOO_CLUSTERING_UNDRAWN", "").split()

sphinx_gallery_conf = {
    "examples_dirs": str(SCRIPTS),
    "gallery_dirs": "gallery",
    "filename_pattern": rf"/(?!(?:{'|'.join(UNDRAWN)})\.py$)\w+\.py$",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("moo_clustering",),
    "image_scrapers": ("gallery_parts.written_pictures",),
    "within_subsection_order": "gallery_parts.from_easy_to_special",
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),
    "plot_gallery": True,
    "abort_on_example_error": True,
    "min_reported_time": 0,
}

html_theme = "pydata_sphinx_theme"
html_title = "moo_clustering"
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 8,
    # Nearly five hundred names of the reference are not repeated next to each of its pages.
    "collapse_navigation": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Pages without others below them need no list of these.
ALONE = "index first_ten_minutes choose extend cookbook scale dependencies benchmarks changelog"
html_sidebars = {page: [] for page in ALONE.split()}
