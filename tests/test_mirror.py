"""Tests stand where what they test stands: `spark_csr/_a/b.py` has its tests in `tests/a/test_b.py`."""

import pathlib

import pytest

import spark_csr

TESTS, PACKAGE = pathlib.Path(__file__).parent, pathlib.Path(spark_csr.__file__).parent

APART = {
    "cupy_stand_in": "a stand-in for CuPy, with its own tests",
    "ptx": "an interpreter of PTX, with its own tests",
    "whole": "tests of what many modules do together",
}
"""Folders that mirror nothing, and why."""

OF_NO_MODULE = {
    "engine/numba/test_room.py": "of all files: only `_engine/numba` uses what Numba does not document",
    "test_cuda_compile.py": "all of `_cuda`, compiled: needs numba-cuda",
    "test_cupy_rules.py": "of CuPy and of the stand-in for it",
    "test_mirror.py": "of the tests",
}
"""Files of tests outside of these folders that mirror nothing, and why."""


def mirrored(path):
    """Where the tests of a module or a package stand."""
    *folders, name = [part.removeprefix("_") for part in path.relative_to(PACKAGE).with_suffix("").parts]
    return "/".join([*folders, f"test_{name}.py"])


def misplaced(tests, modules):
    """Files of tests that mirror none of these modules and packages."""
    places = set(map(mirrored, modules))
    return sorted(test for test in tests if test.partition("/")[0] not in APART and test not in places)


def files():
    """All files of tests, by their paths in this folder."""
    return [path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py") if path.name.startswith("test_")]


def test_every_file_of_tests_stands_where_its_module_stands():
    modules = [path.parent if path.name == "__init__.py" else path for path in PACKAGE.rglob("*.py")]
    found = misplaced(files(), [module for module in modules if module != PACKAGE])
    assert found == sorted(OF_NO_MODULE)


def test_folders_that_mirror_nothing_are_no_packages():
    assert [name for name in APART if not (TESTS / name).is_dir()] == []
    assert [path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name.lstrip("_") in APART] == []


@pytest.mark.parametrize(
    "test", ["linalg/test_x.py", "test_x.py", "graph/test_x.py", "operations/test_spmv.py", "x/test_csr.py"]
)
def test_a_misplaced_file_is_named(test):
    modules = [
        PACKAGE / "_operations/product/spmv.py",
        PACKAGE / "graph",
        PACKAGE / "_matrix/csr.py",
        PACKAGE / "linalg/x/y.py",
    ]
    placed = ["operations/product/test_spmv.py", "test_graph.py", "matrix/test_csr.py", "whole/test_x.py"]
    assert misplaced([*placed, test], modules) == [test]
