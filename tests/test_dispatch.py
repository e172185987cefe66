"""Both backends have the same files, names and signatures; dispatch goes by where arrays are."""

import importlib
import inspect
import pathlib

import numpy as np
import pytest

import spark_csr
from spark_csr._array import SIMULATED
from spark_csr._dispatch import backend_of

PACKAGE = pathlib.Path(spark_csr.__file__).parent
HELPERS = {
    "_cpu": {
        "bins",
        "bitmap",
        "breadth_pull",
        "cache",
        "counting",
        "digits",
        "dots",
        "entry",
        "kernel",
        "lanes",
        "layouts",
        "memory",
        "notice",
        "registers",
        "relax_scan",
        "relayout",
        "row_sums",
        "runs",
        "select",
        "shifts",
        "team",
        "threads",
        "unite",
        "vectors",
        "windows",
    },
    "_cuda": {"atomics", "block", "compile", "kept", "launch", "rows", "runs", "target", "warp", "workspace"},
}


def public(name):
    module = importlib.import_module(f"spark_csr.{name}")
    return {key: inspect.signature(value) for key, value in vars(module).items() if inspect.isfunction(value)}


@pytest.fixture(scope="module")
def cuda():
    """The CUDA kernels cannot be imported where neither simulator nor numba-cuda is."""
    try:
        return public("_cuda")
    except ImportError as error:
        pytest.skip(f"spark_csr._cuda: {error}")


def test_same_names_and_signatures(cuda):
    assert public("_cpu") == cuda
    assert set(importlib.import_module("spark_csr._cpu").__all__) == set(cuda)


def test_same_files():
    cpu, gpu = ({path.stem for path in (PACKAGE / name).glob("*.py")} - HELPERS[name] for name in HELPERS)
    assert cpu == gpu


def test_numpy_arrays_go_to_the_cores():
    assert backend_of(np.ones(1)).__name__ == ("spark_csr._cuda" if SIMULATED else "spark_csr._cpu")


def test_lists_go_nowhere():
    with pytest.raises(TypeError, match="list"):
        backend_of([1])
