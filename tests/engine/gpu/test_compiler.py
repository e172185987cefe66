"""The choice of a compiler of kernels for GPUs."""

import importlib
import importlib.util

import pytest

from spark_csr._array import SIMULATED

if not SIMULATED and not importlib.util.find_spec("numba_cuda"):
    pytest.skip("needs numba-cuda, or the simulator", allow_module_level=True)
compiler = importlib.import_module("spark_csr._engine.gpu.compiler")


@pytest.mark.parametrize("name", compiler.COMPILERS)
def test_a_compiler_has_all_names(name):
    """None of them is imported for this."""
    module = importlib.import_module(compiler.COMPILERS[name])
    wanted = {name for name in vars(compiler.Compiler) if not name.startswith("_")} | set(compiler.Compiler.__annotations__)
    assert wanted <= set(vars(module))
    assert name == module.PACKAGE


def test_the_variable_chooses(monkeypatch):
    for name, place in compiler.COMPILERS.items():
        monkeypatch.setenv(compiler.VARIABLE, name)
        assert compiler.chosen.__wrapped__().__name__ == place
    monkeypatch.delenv(compiler.VARIABLE)
    assert compiler.chosen.__wrapped__().PACKAGE == "numba-cuda"


def test_a_compiler_that_is_unknown_is_named(monkeypatch):
    monkeypatch.setenv(compiler.VARIABLE, "nvcc")
    with pytest.raises(ValueError, match="'nvcc', which is none of numba-cuda, numba-cuda-mlir"):
        compiler.chosen.__wrapped__()
