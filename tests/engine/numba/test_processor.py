"""The levels of processors that kernels are compiled for."""

import os
import subprocess
import sys

import pytest
from llvmlite import binding
from numba import typeof

from spark_csr._array import SIMULATED
from spark_csr._engine.numba import processor

if SIMULATED:
    pytest.skip("kernels are not compiled", allow_module_level=True)

from spark_csr._engine import kernel
from spark_csr._engine.kernel import Kernel


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    """Nothing is known of the processor before and after a test."""
    monkeypatch.delenv(processor.VARIABLE, raising=False)
    for function in (processor.target, processor.levels):
        function.cache_clear()
    yield
    for function in (processor.target, processor.levels):
        function.cache_clear()


def _pretend(monkeypatch, triple, features):
    monkeypatch.setattr(binding, "get_process_triple", lambda: triple)
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: dict.fromkeys(features, True) | {"other": False})


V3 = ["cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"]
V3 += ["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"]
V4 = [*V3, "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"]


@pytest.mark.parametrize(
    "triple, features, expected, compiled_for",
    [
        ("x86_64-unknown-linux-gnu", [], ["x86-64"], "x86-64"),
        ("x86_64-unknown-linux-gnu", V3, ["x86-64", "x86-64-v2", "x86-64-v3"], "x86-64-v3"),
        ("x86_64-pc-windows-msvc", V4, ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"], "x86-64-v4"),
        ("x86_64-unknown-linux-gnu", set(V4) - {"avx512bw"}, ["x86-64", "x86-64-v2", "x86-64-v3"], "x86-64-v3"),
        ("aarch64-unknown-linux-gnu", ["neon"], ["armv8-a"], "generic"),
        ("arm64-apple-darwin23.1.0", ["neon", "lse"], ["armv8-a", "armv8.1-a"], "generic"),
    ],
)
def test_levels(monkeypatch, triple, features, expected, compiled_for):
    _pretend(monkeypatch, triple, features)
    assert processor.levels() == expected
    assert processor.target() == processor.LEVELS[expected[-1]][1]
    assert processor.target().processor == compiled_for


def test_a_lower_level_may_be_chosen(monkeypatch):
    _pretend(monkeypatch, "x86_64-unknown-linux-gnu", V4)
    monkeypatch.setenv(processor.VARIABLE, "x86-64-v2")
    assert processor.target().processor == "x86-64-v2"


@pytest.mark.parametrize("chosen", ["x86-64-v4", "armv8-a", "znver4"])
def test_other_levels_are_refused(monkeypatch, chosen):
    _pretend(monkeypatch, "x86_64-unknown-linux-gnu", V3)
    monkeypatch.setenv(processor.VARIABLE, chosen)
    with pytest.raises(ValueError, match=f"one of x86-64, x86-64-v2, x86-64-v3, native on this processor, got '{chosen}'"):
        processor.target()


def test_this_very_processor_may_be_chosen(monkeypatch):
    monkeypatch.setenv(processor.VARIABLE, "native")
    assert processor.target() == (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


def test_processors_without_levels_are_what_they_are(monkeypatch):
    monkeypatch.setattr(binding, "get_process_triple", lambda: "powerpc64le-unknown-linux-gnu")
    assert processor.levels() == []
    assert processor.target().processor == binding.get_host_cpu_name()


PROGRAM = """
import numpy as np
from spark_csr._engine import store
from spark_csr import csr_array
rng = np.random.default_rng(0)
A = csr_array((rng.standard_normal(3000), (rng.integers(0, 200, 3000), rng.integers(0, 300, 3000))), shape=(200, 300))
print((A @ rng.standard_normal(300)).tobytes().hex())
print(*sorted(file.name for file in store.files() if file.suffix == ".object"))
"""


def _kernels_of(tmp_path, level):
    environment = os.environ | {"SPARK_CSR_CACHE_DIR": str(tmp_path / level), processor.VARIABLE: level}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    out = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True).stdout
    product, kernels = out.splitlines()
    return product, set(kernels.split())


@pytest.mark.slow
def test_every_level_has_kernels_of_its_own_and_the_same_bits(tmp_path):
    lowest, highest = processor.levels()[0], "native"
    (product, some), (same, others) = _kernels_of(tmp_path, lowest), _kernels_of(tmp_path, highest)
    assert product == same
    assert some
    assert others
    assert not some & others


def test_files_are_named_by_level(monkeypatch):
    count = Kernel(lambda x: x)
    name = count._name((typeof(1),))
    assert name
    monkeypatch.setattr(kernel, "target", lambda: ("another", ""))
    assert count._name((typeof(1),)) != name
