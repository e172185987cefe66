"""The pages name every public name, and show lines of code that fit and programs that print what they say."""

import contextlib
import importlib
import io
import pathlib
import re
import runpy
import textwrap

import pytest

from namespaces import INTERPRETED

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {
    "spark_csr": "spark_csr",
    "spark_csr.primitives": "primitives",
    "spark_csr.graph": "graph",
    "spark_csr.primitives.textbook": "primitives_textbook",
    "spark_csr.linalg": "linalg",
    "spark_csr.csgraph": "csgraph",
    "spark_csr.gallery": "gallery",
    "spark_csr.io": "io",
    "spark_csr.partition": "partition",
    "spark_csr.interop.torch": "interop_torch",
    "spark_csr.interop.dask": "interop_dask",
    "spark_csr.interop.dask.linalg": "dask_linalg",
    "spark_csr.interop.networkx": "interop_networkx",
    "spark_csr.interop.scipy": "interop_scipy",
    "spark_csr.interop.mpi": "interop_mpi",
}
MODULES = {"csgraph", "gallery", "graph", "interop", "io", "linalg", "partition", "primitives"}


@pytest.mark.parametrize("module", PAGES)
def test_every_public_name_is_in_the_reference(module):
    if module.startswith("spark_csr.interop.") and not module.endswith(".mpi"):
        pytest.importorskip(module.split(".")[2])
    page = (ROOT / "docs" / "api" / f"{PAGES[module]}.rst").read_text()
    listed = re.findall(r"^   (\w+)$|^\.\. (?:auto)?data:: (\w+)$", page, re.MULTILINE)
    public = set(importlib.import_module(module).__all__)
    assert {a or b for a, b in listed} == public - (MODULES if module in ("spark_csr", "spark_csr.interop.dask") else set())


def test_every_bridge_has_a_page():
    from spark_csr import interop

    pages = (ROOT / "docs" / "api").glob("interop_*.rst")
    assert {path.stem.removeprefix("interop_") for path in pages} == set(interop.__all__)


def test_csr_array_begins_with_all_its_methods():
    """`help(csr_array)` and the page of the class begin with a table of the public methods and attributes by kind."""
    kind = importlib.import_module("spark_csr").csr_array
    listed = re.findall(r"`(\w+)(?:\(\))?`", kind.__doc__.partition("Parameters\n")[0])
    assert sorted(listed) == sorted({name for name in dir(kind) if not name.startswith("_")} | {"out", "mask", "semiring"})


def test_words_that_people_search_for_lead_somewhere():
    page = (ROOT / "docs" / "glossary.rst").read_text()
    words = "CPU", "GPU", "CUDA", "multithreading", "parallel", "reproducible", "deterministic", "sparse", "SpMV", "SpGEMM"
    assert not [word for word in words if f"\n   {word}\n" not in page]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) < 200


WIDTH = 76
"""The columns of code that a page shows on a screen of 1300 pixels."""
TEXTS = [path for path in sorted((ROOT / "docs").rglob("*.rst")) if not {"generated", "_build"} & set(path.parts)]
TEXTS = [path for path in TEXTS if path.name != "benchmarks.rst"] + [ROOT / "README.md"]
LITERAL = re.compile(r"^( *)\.\. (?:code-block|parsed-literal)::.*\n(?:\1 +:.*\n)*((?:\1 +.*\n|\n)+)", re.MULTILINE)
FENCED = re.compile(r"^```.*\n((?:.*\n)*?)```$", re.MULTILINE)
INDENTED = re.compile(r"((?:^    .*\n)+)", re.MULTILINE)
PROMPTED = re.compile(r"(^ *>>>.*\n(?:^ *\S.*\n)*)", re.MULTILINE)


def lines_of_code(text, is_markdown=False):
    """List the lines of all blocks of code, of commands and of output."""
    blocks = FENCED.findall(text) + INDENTED.findall(text) if is_markdown else [block for _, block in LITERAL.findall(text)]
    for block in blocks + PROMPTED.findall(text):
        yield from textwrap.dedent(block).splitlines()


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_of_code_fit(path):
    long = [line for line in lines_of_code(path.read_text(), path.suffix == ".md") if len(line) > WIDTH]
    assert not long, "\n".join(long)


def test_lines_of_code_are_found():
    page = f"A\n\n.. code-block:: text\n   :x: y\n\n   one\n\n   two {'x' * 80}\n\nB\n\n>>> three(\n...     4)\n5\n\nC\n"
    assert list(lines_of_code(page)) == ["", "one", "", f"two {'x' * 80}", "", ">>> three(", "...     4)", "5"]
    assert list(lines_of_code("A\n\n    one\n\n```python\n>>> two\n```\n", is_markdown=True))[:2] == [">>> two", "one"]


PROGRAMS = sorted((ROOT / "docs" / "programs").glob("*.py"))


def test_every_program_has_a_page_and_every_page_a_program():
    pages = {path.stem for path in (ROOT / "docs" / "programs").glob("*.rst")} - {"index"}
    assert pages == {path.stem for path in PROGRAMS}


@pytest.mark.skipif(INTERPRETED, reason="the programs are sized for compiled kernels")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_print_what_their_pages_show(path):
    code, page = path.read_text(), path.with_suffix(".rst").read_text()
    for name in ("pandas", "torch"):
        if f"import {name}" in code:
            pytest.importorskip(name)
    assert f".. literalinclude:: {path.name}\n" in page
    assert 20 <= len(code.splitlines()) <= 60
    assert not [line for line in code.splitlines() if len(line) > WIDTH]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(path))
    shown = next(block for _, block in LITERAL.findall(page))
    assert printed.getvalue().strip() == textwrap.dedent(shown).strip()
