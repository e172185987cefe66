"""Both backends have the same files, names and signatures; dispatch goes by where arrays are."""

import ast
import importlib
import inspect
import itertools
import pathlib

import numpy as np
import pytest

import spark_csr
from spark_csr._array import SIMULATED
from spark_csr._dispatch import backend_of

CORES_ONLY = {"assemble_summed", "breadth_first", "fingerprint", "multiply_unplanned", "subtract_share", "topk_of_products"}
CORES_ONLY |= {"amd", "analyse", "dissect", "factorise", "find_asymmetry", "substitute_supernodes"}
CORES_ONLY |= {"analyse_fronts", "apply_reflectors", "factorise_fronts", "substitute_fronts"}
"""Kernels that operations call for arrays on the cores: on a GPU these operations take other ways, or are not there."""

PACKAGE = pathlib.Path(spark_csr.__file__).parent


def exported(backend):
    """What a backend hands out, by file: read from its `__init__`, which need not be importable here.

    Every other file helps one backend only.
    """
    tree = ast.parse((PACKAGE / backend / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {node.module: sorted(alias.asname or alias.name for alias in node.names) for node in imports}


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
    assert {name: signature for name, signature in public("_cpu").items() if name not in CORES_ONLY} == cuda
    assert set(importlib.import_module("spark_csr._cpu").__all__) == set(cuda) | CORES_ONLY


def test_same_names_from_the_same_files():
    cpu, gpu = (
        {module.removeprefix(f"spark_csr.{backend}."): names for module, names in exported(backend).items()}
        for backend in ("_cpu", "_cuda")
    )
    assert {module: names for module, names in cpu.items() if not CORES_ONLY.issuperset(names)} == gpu
    assert sorted(itertools.chain(*cpu.values())) == sorted(importlib.import_module("spark_csr._cpu").__all__)


def test_numpy_arrays_go_to_the_cores():
    assert backend_of(np.ones(1)).__name__ == ("spark_csr._cuda" if SIMULATED else "spark_csr._cpu")


def test_lists_go_nowhere():
    with pytest.raises(TypeError, match="list"):
        backend_of([1])
