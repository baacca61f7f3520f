"""How Sphinx builds the documentation site; ``make docs`` runs it.

The source folder is the root of the repository, so that links between pages are the same on the
site and in the repository. What is generated goes to ``build/`` and to the folders ``gallery/`` and
``api/``, which git ignores.
"""

import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib
from sphinx_gallery.sorting import ExplicitOrder

import kernelwise

matplotlib.use("agg")
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
import code_links

project = "kernelwise"
author = "The kernelwise developers"
copyright = author
version = release = kernelwise.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "code_links",
]

# Where scikit-learn documents its names, from a file written here: no build needs a network.
INVENTORY = ROOT / "build" / "sklearn.inv"
code_links.write_inventory(INVENTORY)
intersphinx_mapping = {"sklearn": (code_links.HOME, str(INVENTORY))}

root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/papers/*.md",
    "api/*",
    "gallery/**",
    "papers/pages/*.md",
    "papers/README.md",
    "papers/src/kernelwise_papers/published/*.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "RELEASING.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
]
# Folders that would only take time to look through.
exclude_patterns = [".*", "build", "dist", "src", "tests", "**/sg_execution_times.rst"]
# Absolute, because autosummary looks for them from the source folder.
templates_path = [str(ROOT / "docs" / "_templates")]

# Markdown: anchors as code hosts make them, and classes on blocks, such as {.cards}.
myst_enable_extensions = ["attrs_block", "attrs_inline"]
myst_heading_anchors = 4
about = "Chooses the kernel and the regularisation of SVM, kernel ridge and Gaussian processes."
myst_html_meta = {"description": about, "property=og:description": about}
# README.md and index.md begin with a picture or table of their own; headings may skip a level.
suppress_warnings = ["myst.header"]

# The reference: one page a name, numpydoc docstrings.
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"  # method(), not Class.method(), beside the page
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
highlight_language = "none"  # blocks without a language are commands and what they print
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The gallery has the order of the list in examples/README.md.
LISTED = re.findall(r"\(gallery/(\w+\.py)\)", (ROOT / "examples" / "README.md").read_text())

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": ExplicitOrder([*LISTED, "*"]),
    "min_reported_time": 1e9,
    "show_memory": False,
    "download_all_examples": True,
    "remove_config_comments": True,
    "backreferences_dir": "api/examples",
    "doc_module": ("kernelwise",),
    "reference_url": {"kernelwise": None},  # names in the code of a script lead to the reference
    "inspect_global_variables": False,
    "abort_on_example_error": True,
    "write_computation_times": False,
}


# Pages mark with a comment where the site links to a report that one can click through.
REPORT_MARK = "<!-- example report -->"
REPORT_LINK = '<a href="example_report.html">Open this report</a> and click through it.'


def write_report(folder):
    """Write the report of the demonstration, of which the pages have a picture, beside them."""
    demo = [sys.executable, str(ROOT / "examples" / "demo.py"), "demo"]
    with TemporaryDirectory() as scratch:
        subprocess.run(demo, cwd=scratch, check=True, capture_output=True)
        shutil.copy(Path(scratch) / "demo" / "report.html", folder / "docs" / "example_report.html")


def setup(app):
    """Lead links to gallery and report, leave scikit-learn's methods out."""

    def lead_on(app, name, source):
        text = source[0].replace("../examples/README.md", "../gallery/index.rst")
        text = re.sub(r"\.\./examples/gallery/(\w+)\.py", r"../gallery/\1.rst", text)
        source[0] = text.replace(REPORT_MARK, REPORT_LINK)

    def finish(app, exception):
        if exception is None and app.builder.format == "html":
            write_report(Path(app.outdir))

    def lead_from_docstring(app, what, name, thing, options, lines):
        lines[:] = [re.sub(r"\bdocs/(\w+)\.md\b", r":doc:`/docs/\1`", line) for line in lines]

    def is_skipped(app, what, name, thing, skip, options):
        return skip or bool(re.fullmatch(r"get_metadata_routing|set_\w+_request", name))

    app.connect("source-read", lead_on)
    app.connect("build-finished", finish)
    app.connect("autodoc-process-docstring", lead_from_docstring)
    app.connect("autodoc-skip-member", is_skipped)


# A script shows what its reader would see, without advice about the toy data in it.
warnings.filterwarnings("ignore", category=kernelwise.selection.KernelChoiceWarning)

html_context = {"default_mode": "auto"}  # as light or dark as the reader's system
html_theme = "pydata_sphinx_theme"
html_title = f"kernelwise {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["_extra"]
html_favicon = "_static/mark.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {
        "text": f"kernelwise {version}",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
    },
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc", "sg_download_links"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"docs/index": [], "docs/concepts": [], "docs/getting_started": [], "CHANGELOG": []}
