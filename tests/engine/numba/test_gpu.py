"""What is used of the inside of numba-cuda and of the simulator."""

import contextlib
import functools
import importlib
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys
import types

import numpy as np
import pytest

from hooks import parameters
from spark_csr._array import SIMULATED
from spark_csr._engine.numba import gpu

compiles = pytest.mark.skipif(
    SIMULATED or importlib.util.find_spec("numba_cuda") is None, reason="needs numba-cuda, and not the simulator"
)


@compiles
def test_the_dispatcher_asks_for_the_device_by_this_name():
    gpu.load_cuda()
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    asked = dispatcher.get_current_device
    assert callable(asked)
    with gpu.pretend_device((9, 0)):
        assert dispatcher.get_current_device().compute_capability == (9, 0)
    assert dispatcher.get_current_device is asked


@compiles
def test_its_methods_look_the_name_up_there():
    gpu.load_cuda()
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    names = {name for part in vars(dispatcher).values() if isinstance(part, type) for name in _names_used(part)}
    assert "get_current_device" in names


def _names_used(kind):
    return {name for part in vars(kind).values() if hasattr(part, "__code__") for name in part.__code__.co_names}


COMPILE = """
import numpy as np
from numba import types
from spark_csr._engine.numba import gpu
before = set(dir(np))
def store(x):
    x[0] = 1.0
print(gpu.compile_to_ptx(store, types.void(types.CPointer(types.float64)), (9, 0), 128).count(".entry"), set(dir(np)) ^ before)
"""
"""Says how many kernels the text holds, and what changed in NumPy."""


@compiles
def test_a_kernel_compiles_where_warnings_are_errors_and_leaves_numpy_as_it_was():
    """NumPy 2.5 warns when numba-cuda is imported, and has no `row_stack`."""
    found = subprocess.run([sys.executable, "-W", "error", "-c", COMPILE], capture_output=True, text=True)
    assert found.stdout == "1 set()\n", found.stderr


@compiles
def test_numpy_lacks_nothing_while_the_rules_are_imported(monkeypatch):
    """On every version of NumPy: as if it had no `row_stack`."""
    monkeypatch.delattr(np, "row_stack", raising=False)
    imported = []

    def import_module(name):
        imported.append((name, np.row_stack(([1], [2])).tolist()))  # noqa: NPY201

    monkeypatch.setattr(importlib, "import_module", import_module)
    monkeypatch.setattr(gpu, "_cuda_libraries", lambda *names: contextlib.nullcontext())
    gpu._load_compiler.__wrapped__()
    assert imported == [("numba.cuda.np.arrayobj", [[1], [2]])]
    assert not hasattr(np, "row_stack")


@pytest.mark.parametrize("found, said", [("0.28.2", "0.28.2 is installed"), (None, "none is installed")])
def test_a_numba_cuda_that_is_too_old_or_absent_is_named(monkeypatch, found, said):
    def version(name):
        if found is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(importlib.metadata, "version", version)
    with pytest.raises(ImportError, match=rf"need numba-cuda {re.escape(gpu.LEAST)} or later, and {said}.*pip install"):
        gpu.load_cuda.__wrapped__()


class _NotFound(Exception):
    pass


@pytest.fixture
def toolkit(monkeypatch, tmp_path):
    """The folder of a toolkit of the system. What stands for pathfinder reads `CUDA_HOME` once, as it does itself."""

    @functools.cache
    def get_cuda_path_or_home():
        return os.environ["CUDA_HOME"]

    def load(name):
        if get_cuda_path_or_home() != str(tmp_path):
            raise _NotFound(f"no {name}\nin many folders")

    pathfinder = types.SimpleNamespace(DynamicLibNotFoundError=_NotFound, load_nvidia_dynamic_lib=load)
    variables = types.SimpleNamespace(get_cuda_path_or_home=get_cuda_path_or_home)
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", pathfinder)
    monkeypatch.setitem(sys.modules, "cuda.pathfinder._utils.env_vars", variables)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.setenv(name, "")
    for name in ("nvvm/libdevice/libdevice.10.bc", "bin/nvcc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def test_a_toolkit_of_the_system_is_found_beside_nvcc(toolkit):
    with gpu._cuda_libraries("nvvm"):
        assert os.environ["CUDA_HOME"] == str(toolkit)


def test_a_toolkit_that_the_user_chose_is_the_only_one(toolkit, monkeypatch):
    monkeypatch.setenv("CUDA_HOME", "/elsewhere")
    with pytest.raises(RuntimeError, match=r"set CUDA_HOME to the folder of a toolkit.*no nvvm$"), gpu._cuda_libraries("nvvm"):
        pass
    assert os.environ["CUDA_HOME"] == "/elsewhere"


def test_where_there_is_no_toolkit_the_message_says_what_to_do(toolkit, monkeypatch):
    monkeypatch.setattr(gpu, "_toolkits", lambda: [toolkit / "empty"])
    with pytest.raises(RuntimeError, match=r"pip install .numba-cuda\[cu13\]"), gpu._cuda_libraries("nvvm"):
        pass
    assert not os.environ["CUDA_HOME"]


@compiles
def test_pathfinder_has_what_is_used_of_it():
    pathfinder = importlib.import_module("cuda.pathfinder")
    assert issubclass(pathfinder.DynamicLibNotFoundError, Exception)
    assert callable(pathfinder.load_nvidia_dynamic_lib)
    importlib.import_module("cuda.pathfinder._utils.env_vars").get_cuda_path_or_home.cache_clear()


@pytest.mark.skipif(not SIMULATED, reason="only with NUMBA_ENABLE_CUDASIM=1")
def test_the_simulator_tells_which_kernel_runs():
    simulator = importlib.import_module("numba.cuda.simulator.kernel")
    assert parameters(simulator._get_kernel_context) == []
    with pytest.raises(Exception):  # noqa: B017, PT011 none runs: what is raised is the simulator's
        gpu.RunningKernel().threadIdx  # noqa: B018
