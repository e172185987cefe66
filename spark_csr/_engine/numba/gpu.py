"""What is used of the inside of numba-cuda, and of the simulator.

All of it is looked up when it is used: a machine without a GPU need not have numba-cuda.
"""

import contextlib
import functools
import importlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import types
import warnings

import numpy as np
from numba import types as numba_types

from spark_csr._engine.numba import integers
from spark_csr._engine.numba.integers import integer_types
from spark_csr._engine.numba.parameters import parts_of_array as parts_of_array

PACKAGE = "numba-cuda"
SOURCES = (integers.__name__,)

LEAST = "0.30.4"
"""The oldest numba-cuda that works with every Numba that is supported; `pyproject.toml` says the same."""


@functools.cache
def load_cuda():
    """Return `numba.cuda` as numba-cuda provides it; raise ImportError, with the command for pip, if that is absent or too old.

    NumPy 2.5 warns of `timedelta64("nat")`, which numba-cuda 0.30.4 calls while it is imported. The warning is of no use to
    anybody who did not call it, and is an error where a program turns warnings into errors. Numba has a `cuda` of its own too,
    which is not maintained.
    """
    try:
        found = importlib.metadata.version("numba-cuda")
    except importlib.metadata.PackageNotFoundError:
        found = "none"
    if found == "none" or _numbers(found) < _numbers(LEAST):
        raise ImportError(
            f"kernels for GPUs need numba-cuda {LEAST} or later, and {found} is installed: "
            f'pip install "numba-cuda[cu13]>={LEAST}" (or "numba-cuda[cu12]>={LEAST}")'
        )
    with _cuda_libraries("cudart"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The 'generic' unit for NumPy timedelta", DeprecationWarning)
        return importlib.import_module("numba.cuda")


def _numbers(version):
    return tuple(map(int, re.match(r"\d+(\.\d+)*", version).group().split(".")))


def compile_to_ptx(function, signature, capability, threads):
    """Return the PTX text of a kernel for blocks of `threads` threads. One thread may do so at a time: see `pretend_device`."""
    cuda = load_cuda()
    _load_compiler()
    context = importlib.import_module("numba.cuda.descriptor").cuda_target.typing_context
    with pretend_device(capability), integer_types(context, numba_types):
        ptx, _ = cuda.compile(function, signature, cc=capability, device=False, abi="numba", launch_bounds=threads)
    return ptx


def overload(function):
    """Return numba-cuda's decorator of this name."""
    load_cuda()
    return importlib.import_module("numba.cuda.extending").overload(function)


@functools.cache
def _load_compiler():
    """Import what numba-cuda imports when it compiles its first function, such that it finds what it asks for.

    numba-cuda 0.30.4 asks NumPy for `row_stack`, which NumPy 2.5 no longer has (NVIDIA/numba-cuda#907). NumPy has it again
    while the module that asks is imported. Goes when numba-cuda does not ask.
    """
    absent = not hasattr(np, "row_stack")
    if absent:
        np.row_stack = lambda arrays: np.vstack(arrays)  # noqa: NPY201 - not `vstack` itself, which has its implementation
    try:
        with _cuda_libraries("nvvm", "nvrtc"):
            importlib.import_module("numba.cuda.np.arrayobj")
    finally:
        if absent:
            del np.row_stack  # noqa: NPY201


@contextlib.contextmanager
def _cuda_libraries(*names):
    """Load libraries of a CUDA toolkit for what is done within. Where one is absent, the RuntimeError says what to do.

    `cuda.pathfinder` finds them among Python's packages, by `CUDA_HOME` and `CUDA_PATH`, and where the system's loader looks.
    If it does not find one of them, and neither variable is set, this sets `CUDA_HOME` to where packages of the system put a
    toolkit.
    """
    pathfinder = importlib.import_module("cuda.pathfinder")
    try:
        try:
            for name in names:
                pathfinder.load_nvidia_dynamic_lib(name)
        except pathfinder.DynamicLibNotFoundError:
            toolkit = next(filter(_is_toolkit, _toolkits()), None)
            if os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or toolkit is None:
                raise
            os.environ["CUDA_HOME"] = str(toolkit)
            importlib.import_module("cuda.pathfinder._utils.env_vars").get_cuda_path_or_home.cache_clear()  # it asks once
            for name in names:
                pathfinder.load_nvidia_dynamic_lib(name)
        yield
    except pathfinder.DynamicLibNotFoundError as error:
        raise RuntimeError(
            f"kernels for GPUs need a library of a CUDA toolkit that was not found: set CUDA_HOME to the folder of a toolkit, "
            f'which has a folder nvvm in it, or install the library with pip: pip install "numba-cuda[cu13]" (or '
            f'"numba-cuda[cu12]"). {str(error).partition(chr(10))[0]}'
        ) from error


def _is_toolkit(folder):
    return (folder / "nvvm" / "libdevice" / "libdevice.10.bc").is_file()


def _toolkits():
    """Yield folders where packages of the system put a CUDA toolkit: around `nvcc`, and in `/usr/local`."""
    compiler = shutil.which("nvcc")
    if compiler:
        yield pathlib.Path(compiler).resolve().parents[1]
    yield pathlib.Path("/usr/local/cuda")
    yield from sorted(
        pathlib.Path("/usr/local").glob("cuda-[0-9]*"), key=lambda folder: _numbers(folder.name[5:]), reverse=True
    )


@contextlib.contextmanager
def pretend_device(capability):
    """Compile for a GPU of this capability, whether there is one or not. One thread may do so at a time: the setting is global.

    While device functions compile, numba-cuda asks `numba.cuda.dispatcher.get_current_device` for the GPU, although it was
    given the capability to compile for. Goes when `cuda.compile` passes on the capability that it is given.
    """
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: types.SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked


class RunningKernel:
    """A stand-in for `numba.cuda` under the simulator, which finds each name in the kernel that runs.

    The simulator swaps the name `cuda` in the globals of one function only, and device functions live in files of their own.
    Goes when the simulator does the same for all functions that a kernel calls.
    """

    def __init__(self):
        self._simulator = importlib.import_module("numba.cuda.simulator.kernel")

    def __getattr__(self, name):
        return getattr(self._simulator._get_kernel_context(), name)
