"""The pages name every public name, and README.md stays short."""

import importlib
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {
    "spark_csr": "spark_csr",
    "spark_csr.primitives": "primitives",
    "spark_csr.graph": "graph",
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


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) < 200
