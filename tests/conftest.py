"""What every test shares: the kinds of array a test body runs on, small tiles, and the real matrices where they exist.

A test that takes `xp` runs on NumPy arrays, on CuPy arrays too where there is a GPU, and on the CUDA kernels without a GPU when
pytest is started with `NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1` (as Python) or with `SPARK_CSR_PTX=1` (as compiled PTX, on
arrays of a stand-in for CuPy: see `ptx_mode`).
"""

import gc
import importlib
import os
import pathlib
import sys
import tempfile

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import plain
import ptx_mode
from namespaces import CUPY, INTERPRETED, NAMESPACES
from spark_csr._array import SIMULATED, is_device_array
from spark_csr._dispatch import backend_of
from spark_csr._engine import store

settings.register_profile(
    "quick",
    max_examples=10 if INTERPRETED else 25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=150)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=1000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Helpers are imported by name; pytest would import them once more, by path, to look for doctests.
collect_ignore = [path for path in pathlib.Path(__file__).parent.rglob("*.py") if not path.name.startswith("test_")]


@pytest.fixture(scope="session", autouse=True)
def own_temporary_folder(tmp_path_factory):
    """Kernels go into a temporary folder where a test takes the chosen one away: not into that of later runs."""
    os.environ["TMPDIR"] = str(tmp_path_factory.mktemp("temporary"))
    tempfile.tempdir = None
    store._temporary_folder.cache_clear()
    store.folders.cache_clear()


# Compiling a kernel leaves some ten thousand objects in cycles. They are collected after each kernel, while the caches of the
# processor hold them: that takes half the time of collecting a million at once. What is left is rarely looked at again.
gc.set_threshold(10_000, 20, 50)

if plain.ON:
    plain.prepare()


def pytest_sessionfinish():
    """Collect garbage once. Pytest does so several times when it ends: it then looks at new objects only."""
    gc.collect()
    gc.freeze()


LOST = 77
"""The exit status of a process whose GPU is lost to it."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """End the process behind a test that lost the GPU: every later call would raise, and hide which kernel was the first.

    A kernel that reads outside of its memory leaves a process without its device. With xdist, another worker goes on.
    """
    try:
        return (yield)
    finally:
        error = _what_the_device_says() if CUPY is not None and not INTERPRETED else None
        if error is not None:
            with item.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
                print(f"\n{item.nodeid} lost the GPU, so this process ends: {error}", file=sys.stderr, flush=True)
            os._exit(LOST)


def _what_the_device_says():
    """Return the error of a device that cannot be used any more, else None."""
    try:
        CUPY.cuda.runtime.deviceSynchronize()
    except Exception as error:
        return error
    return None


@pytest.fixture(params=NAMESPACES)
def xp(request):
    """The array library: `numpy` or `cupy`."""
    return request.param


@pytest.fixture
def to_numpy():
    """A function that brings an array of any kind to the host."""
    return lambda x: x.get() if is_device_array(x) else np.asarray(x)


@pytest.fixture
def cpu_only():
    """For what has no meaning under the simulator: threads, memory, compilation."""
    if SIMULATED:
        pytest.skip("not meaningful under the CUDA simulator")


@pytest.fixture
def full_speed():
    """For what takes too long where kernels are interpreted."""
    if INTERPRETED:
        pytest.skip("millions of elements for an interpreter of kernels")


def _tunings():
    """The numbers of all backends that can be imported here without a GPU's libraries."""
    return [importlib.import_module(f"spark_csr.{name}.tuning").TUNING for name in ("_cpu", "_cuda")[: 1 + SIMULATED]]


def _set_tiles(monkeypatch, serial, tile, block):
    """Set all numbers that tests of small tiles change; see `_engine.tuning.number`."""
    for tuning in _tunings():
        for name, value in tuning.small_values(serial, tile, block).items():
            monkeypatch.setattr(tuning, name, value)
    monkeypatch.setattr("spark_csr._operations.reduce.extremes.FEW", 0)
    for name in ("FEW", "SOME"):
        monkeypatch.setattr(importlib.import_module("spark_csr.primitives.sort"), name, 0)


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles of a few elements on the cores too, so that small arrays have many tiles and carries between them."""
    _set_tiles(monkeypatch, 16, 4, 2)


@pytest.fixture(params=[(16, 64), (10**6, 64), (10**6, 10**6)], ids=["tiles of 64", "on one core", "one tile"])
def larger_tiles(request, monkeypatch):
    """On the cores: tiles that hold long rows, whose sums run side by side."""
    _set_tiles(monkeypatch, *request.param, 8)


@pytest.fixture(params=[0, 16], ids=["steps of all", "both"])
def small(request, monkeypatch, xp):
    """Up to how many edges the frontier of a graph is small."""
    backend = backend_of(xp.zeros(1, np.int32)).__name__
    monkeypatch.setattr(importlib.import_module(f"{backend}.tuning").TUNING, "drain_small", request.param)


@pytest.fixture
def short_measurements(monkeypatch):
    """For what measures times that nobody looks at."""
    measure = importlib.import_module("spark_csr._cli.measure")
    monkeypatch.setattr(measure, "PAUSE", 0)
    for name in ("read_bandwidth", "copy_bandwidth"):
        original = getattr(measure, name)
        monkeypatch.setattr(measure, name, lambda megabytes=1, original=original: original(1))


@pytest.fixture
def host_reads(monkeypatch):
    """A list that grows with every read of a device's values."""
    reads = []

    def counted(read):
        def read_and_count(x):
            reads.append(x)
            return read(x)

        return read_and_count

    for module in [module for name, module in sys.modules.items() if name.startswith("spark_csr.")]:
        for name in ("to_host_scalar", "to_host_list"):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, counted(getattr(module, name)))
    return reads


def pytest_collection_modifyitems(config, items):
    """With `SPARK_CSR_PTX=1`: only what takes `xp`, and the tests of the stand-in. See `plain` for the mark `kept`."""
    if plain.ON:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("kept")])
        items[:] = [item for item in items if not item.get_closest_marker("kept")]
    if ptx_mode.ON:
        chosen = [item for item in items if "xp" in getattr(item, "fixturenames", ()) or "cupy" in item.path.stem]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


def _data_folder():
    default = pathlib.Path(__file__).resolve().parents[2] / "shared" / "data"
    return pathlib.Path(os.environ.get("SPARK_CSR_DATA", default))


def pytest_generate_tests(metafunc):
    """`real_matrix_file`: every matrix of the folder that `SPARK_CSR_DATA` names; not for an interpreter of PTX."""
    if "real_matrix_file" in metafunc.fixturenames:
        files = [] if ptx_mode.ON else sorted(_data_folder().glob("*.npz"))
        missing = pytest.param(None, marks=pytest.mark.skip(reason="no real matrices here: set SPARK_CSR_DATA"), id="none")
        metafunc.parametrize("real_matrix_file", [pytest.param(f, id=f.stem) for f in files] or [missing])
