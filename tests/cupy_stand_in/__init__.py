"""A strict stand-in for CuPy on machines with no GPU: `install()` puts it where `import cupy` finds it.

Arrays are of a class of their own, in memory that the host reads only where CuPy lets it; what CuPy refuses is refused, with a
note of where CuPy does; and what CuPy leaves undefined is made wrong or is an error: memory that nobody wrote is rubbish, freed
memory is used again at once, streams that nothing orders must not touch the same memory, and two devices must not be mixed up.
Kernels are run by a driver (`driver.choose`), and by default not at all.

Only what this project and its tests use is here. Anything else is a NotImplementedError that says so.

*Design*: NumPy computes, on memory that tests never see (`array.ndarray._x`); beside each function stands the rule of CuPy that
it keeps. Cost: reading the rules is not running CuPy; `tests/test_cupy_rules.py` holds them against CuPy where there is a GPU.
"""

import importlib.machinery
import sys
import types

from . import array, device, driver, errors, functions, indexing, launch, memory, solvers, sparse, streams, ufuncs
from .array import host_reads
from .errors import GraphError, GuardError, RaceError, StandInError, unknown
from .registry import NAMES

__all__ = ["GraphError", "GuardError", "RaceError", "StandInError", "driver", "host_reads", "install", "installed", "modules"]

VERSION = "14.2.0"


class _Module(types.ModuleType):
    """A module that says of what it lacks that the stand-in does not know it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        raise unknown(f"{self.__name__}.{name}")


def _module(name, contents):
    module = _Module(name, "A stand-in: see cupy_stand_in.")
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    vars(module).update(contents)
    return module


def _runtime():
    names = (
        "getDeviceCount getDevice setDevice deviceSynchronize deviceCanAccessPeer streamIsCapturing memGetInfo "
        "getDeviceProperties driverGetVersion runtimeGetVersion"
    )
    found = {name: getattr(device, name) for name in names.split()}
    constants = {"streamLegacy": 1, "streamPerThread": 2, "is_hip": False, "streamCaptureModeRelaxed": 2}
    return found | constants | {"CUDARuntimeError": errors.CUDARuntimeError}


def _modules():
    """The modules by name."""
    runtime = _module("cupy.cuda.runtime", _runtime())
    function = _module("cupy.cuda.function", {"Module": launch.Module, "Function": launch.Function})
    pool = {name: getattr(memory, name) for name in ("MemoryPool", "MemoryPointer", "PooledMemory")}
    cuda_memory = _module("cupy.cuda.memory", pool | {"OutOfMemoryError": errors.OutOfMemoryError})
    cuda_driver = _module("cupy.cuda.driver", {"CUDADriverError": errors.CUDADriverError})
    stream_names = ("Stream", "ExternalStream", "Event", "Graph", "get_current_stream", "get_elapsed_time")
    cuda = _module(
        "cupy.cuda",
        {name: getattr(streams, name) for name in stream_names}
        | {name: getattr(memory, name) for name in ("MemoryPool", "MemoryPointer", "alloc")}
        | {"Device": device.Device, "runtime": runtime, "function": function, "memory": cuda_memory, "driver": cuda_driver}
        | {"is_available": lambda: True},
    )
    linalg = _module("cupy.linalg", {name: NAMES[f"linalg.{name}"] for name in ("norm", "eigvalsh")})
    public = {name: value for name, value in NAMES.items() if not name.startswith("_") and "." not in name}
    cupy = _module(
        "cupy",
        public
        | {
            "cuda": cuda,
            "linalg": linalg,
            "RawKernel": launch.RawKernel,
            "get_default_memory_pool": memory.get_default_memory_pool,
        }
        | {"__version__": VERSION, "get_array_module": _get_array_module},
    )
    sparse_linalg = _module("cupyx.scipy.sparse.linalg", solvers.NAMES)
    csp = _module("cupyx.scipy.sparse", {name: getattr(sparse, name) for name in SPARSE} | {"linalg": sparse_linalg})
    scipy = _module("cupyx.scipy", {"sparse": csp})
    cupyx = _module("cupyx", {"scipy": scipy})
    modules = (cupy, cuda, runtime, function, cuda_memory, cuda_driver, linalg, cupyx, scipy, csp, sparse_linalg)
    return {module.__name__: module for module in modules}


SPARSE = ("spmatrix", "csr_matrix", "csc_matrix", "coo_matrix", "issparse")


def _get_array_module(*args):
    """`cupy` where one of the arguments is CuPy's, else `numpy`."""
    import numpy

    return sys.modules["cupy"] if any(isinstance(x, array.ndarray) for x in args) else numpy


modules = _modules()
"""The modules of the stand-in by name."""


def install():
    """Put the stand-in into `sys.modules`, and return the module `cupy`."""
    sys.modules.update(modules)
    return modules["cupy"]


def installed():
    """Whether `import cupy` gives the stand-in."""
    return sys.modules.get("cupy") is modules["cupy"]


_ = functions, indexing, ufuncs  # they fill NAMES
