"""How Sphinx builds these pages: `python -m sphinx -W -b html docs docs/_build`."""

import importlib.util
import pathlib
import sys
import urllib.error
import urllib.request

DOCS = pathlib.Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent)]

import lists  # noqa: E402
import results_page  # noqa: E402

import spark_csr  # noqa: E402

project = "spark_csr"
author = "the spark_csr authors"
copyright = "2026, the spark_csr authors"
version = release = spark_csr.__version__

# The address of the repository, without a slash at its end. Pages that mention it leave it out as long as this is empty.
REPOSITORY = ""
rst_prolog = f".. |repository| replace:: {REPOSITORY or 'the repository'}\n"
if REPOSITORY:
    tags.add("repository")  # noqa: F821 - Sphinx defines it

extensions = [
    "light_and_dark",
    "myst_parser",
    "numpydoc",
    "public_names",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
suppress_warnings = ["myst.xref_missing"]  # CONTRIBUTING.md and CHANGELOG.md link to files of the repository

# References that begin with spark_csr must lead somewhere. Those to other projects do where their sites can be reached.
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r"(?!spark_csr).*")]

html_theme = "pydata_sphinx_theme"
_ALONE = (
    "index",
    "install",
    "getting_started",
    "other_libraries",
    "features",
    "how_it_works",
    "glossary",
    "benchmarks",
    "contributing",
    "changelog",
)
html_sidebars = {page: [] for page in _ALONE}
# The pages of examples have no second side bar: their lines have up to 128 columns.
_EXAMPLES = [f"generated/gallery/{path.stem}" for path in (DOCS.parent / "examples").glob("*.py")]
copybutton_prompt_text = r">>> |\.\.\. "  # neither prompts nor output are copied
copybutton_prompt_is_regexp = True
html_title = f"spark_csr {version}"
html_static_path = ["_static"]
html_css_files = ["spark_csr.css"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in _EXAMPLES}},
    "header_links_before_dropdown": 5,
    "icon_links": [{"name": "Source", "url": REPOSITORY, "icon": "fa-solid fa-code-branch"}] if REPOSITORY else [],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
}

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections say the same in words
autodoc_member_order = "alphabetical"
toc_object_entries_show_parents = "hide"
# The pages about PyTorch, Arrow and Dask are built without them too.
autodoc_mock_imports = [
    name for name in ("dask", "jax", "pyarrow", "torch", "torch_geometric") if importlib.util.find_spec(name) is None
]
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

_SITES = {
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "cupy": "https://docs.cupy.dev/en/stable/",
    "networkx": "https://networkx.org/documentation/stable/",
    "dask": "https://docs.dask.org/en/stable/",
}


def _is_reachable(site):
    try:
        with urllib.request.urlopen(site + "objects.inv", timeout=3):
            return True
    except (urllib.error.URLError, OSError):
        return False


intersphinx_mapping = {name: (site, None) for name, site in _SITES.items() if _is_reachable(site)}

# Examples are executed if they need nothing that may be missing. They run in seconds once their kernels are compiled.
_NEEDS = {
    r"(?:1[45]|25)_": "torch",
    r"33_": "torch_geometric",
    r"(?:1[89]|20)_": "distributed",
    r"21_": "mpi4py",
    r"22_": "pandas",
    r"36_": "h5py",
}
_left_out = "".join(f"(?!{number})" for number, name in _NEEDS.items() if importlib.util.find_spec(name) is None)
_executed = rf"/{_left_out}\d\d_"
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "backreferences_dir": "generated/backreferences",  # `minigallery` warns without one
    "filename_pattern": _executed,
    "copyfile_regex": r"index\.rst",  # examples/index.rst groups the examples
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "reset_modules": (),
    "image_scrapers": (),
    "doc_module": (),
    "remove_config_comments": True,
}

lists.write_differences(DOCS.parent / "tests" / "differences.py", DOCS / "generated" / "differences.inc")
results_page.write_page(DOCS.parent / "asv_benchmarks" / "results", DOCS / "generated" / "benchmarks.inc")
lists.write_networkx(DOCS.parent / "_spark_csr_networkx.py", DOCS / "generated" / "networkx.inc")
