"""Other libraries, each written once: asv's classes in `benchmarks` and the tables in `rows` both take them from here.

A peer belongs to an operation and a library. It is a function that takes the operands as ours on the processor (`csr_array`,
`Ragged`, NumPy arrays, numbers), hands them to the library, and returns the call to be timed. It raises NotImplementedError,
which asv takes for "skip", for what its library cannot do. The library "cuda" is ours on a GPU.
"""

import functools
import importlib
import importlib.metadata
import importlib.util

import numpy as np

from spark_csr._cli import gpu

LIBRARIES = {
    "ours": ("spark_csr", "spark-csr"),
    "cuda": ("cupy", "numba-cuda"),
    "plain": ("numba", "numba"),
    "numpy": ("numpy", "numpy"),
    "numpy, not stable": ("numpy", "numpy"),
    "numpy, by columns": ("numpy", "numpy"),
    "scipy": ("scipy", "scipy"),
    "mkl": ("sparse_dot_mkl", "mkl"),
    "mkl, inspected": ("sparse_dot_mkl", "mkl"),
    "graphblas": ("graphblas", "suitesparse-graphblas"),
    "awkward": ("awkward", "awkward"),
    "networkx": ("networkx", "networkx"),
    "pandas": ("pandas", "pandas"),
    "igraph": ("igraph", "igraph"),
    "torch": ("torch", "torch"),
    "leidenalg": ("leidenalg", "leidenalg"),
    "sklearn": ("sklearn", "scikit-learn"),
    "sparse_dot_topn": ("sparse_dot_topn", "sparse_dot_topn"),
    "cupy": ("cupy", "cupy"),
    "torch on a GPU": ("torch", "torch"),
    "cuda.compute": ("cuda.compute", "cuda-cccl"),
}
"""The module that a library needs, and the package whose version is written down. "plain" is what anybody writes with Numba."""

OURS, ON_GPU = ("ours", "cuda"), ("cuda", "cupy", "torch on a GPU", "cuda.compute")
OPERATIONS = {}
"""By operation and library the function that prepares a call."""

DIGESTS = {}
"""By operation a function of the library's name and its result, for results that differ in form."""


def peer(operation, *libraries):
    """Register a function of the operands that returns the call to be timed."""

    def register(prepare):
        for library in libraries:
            OPERATIONS.setdefault(operation, {})[library] = prepare
        return prepare

    return register


def calls(operation, **functions):
    """Register functions that are called as they are, with operands that the library holds. Ours runs on GPUs too."""
    if "ours" in functions:
        functions["cuda"] = functions["ours"]
    for library, function in functions.items():
        peer(operation, library)(functools.partial(_bound, function, library))


def everywhere(operation, function):
    """Register one function for ours and SciPy: its first argument is the library's module."""
    for library in (*OURS, "scipy"):
        module = importlib.import_module("spark_csr" if library in OURS else "scipy.sparse")
        peer(operation, library)(functools.partial(_bound, functools.partial(function, module), library))


def _bound(function, library, *operands):
    return functools.partial(function, *(given(x, library) for x in operands))


def given(x, library):
    """An operand as a library takes it."""
    if isinstance(x, tuple):
        return tuple(given(part, library) for part in x)
    if library == "torch on a GPU" and (isinstance(x, np.ndarray) or hasattr(x, "to_device")):
        return _tensor(x)
    if isinstance(x, np.ndarray):
        return gpu.cupy_module().asarray(x) if library in ON_GPU else x
    if not hasattr(x, "to_device"):
        return x
    if library == "awkward":
        return importlib.import_module("spark_csr.interop.awkward").to_awkward(x)
    x = x.to_device("cuda") if library in ON_GPU else x
    return x if library in OURS or library == "plain" else x.copy().to_cupy() if library == "cupy" else x.to_scipy()


def _tensor(x):
    """An array or a matrix of PyTorch's on the GPU."""
    torch = importlib.import_module("torch")
    if isinstance(x, np.ndarray):
        return torch.as_tensor(x, device="cuda")
    parts = (torch.as_tensor(np.array(part), device="cuda") for part in (x.indptr, x.indices, x.data))
    return torch.sparse_csr_tensor(*parts, size=x.shape)


class Fresh:
    """A method that changes its matrix: each call is prepared with a copy of its own, which is not timed."""

    def __init__(self, matrix, method):
        self.matrix, self.method = matrix, method

    def fresh(self):
        return getattr(self.matrix.copy(), self.method)

    def __call__(self):
        copy = self.matrix.copy()
        getattr(copy, self.method)()
        return copy


def device(backend):
    """The backend's name where it can run here; NotImplementedError, which asv takes for "skip", where it cannot."""
    if backend == "cpu":
        return backend
    if importlib.util.find_spec("cupy") is None:
        raise NotImplementedError("no CuPy")
    try:
        if gpu.cupy_module().cuda.runtime.getDeviceCount() > 0:
            return backend
    except Exception as error:  # a driver that is missing or too old answers in many ways
        raise NotImplementedError(f"no CUDA device: {error}") from error
    raise NotImplementedError("no CUDA device")


def libraries(operation, where="cpu"):
    """The libraries that have an operation on a device: ours is the first."""
    found = [library for library in OPERATIONS[operation] if (library in ON_GPU) == (where != "cpu")]
    return sorted(found, key=lambda library: library not in OURS)


def is_installed(module):
    """Whether a module is there."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # nor is what it is a part of
        return False


def prepared(operation, library, *operands):
    """The call to be timed; NotImplementedError where the library is missing or has no such operation."""
    if library in ON_GPU:
        device("cuda")
    if library not in ("cuda", "cupy") and not is_installed(LIBRARIES[library][0]):
        raise NotImplementedError(f"no {LIBRARIES[library][0]}")
    if library not in OPERATIONS[operation]:
        raise NotImplementedError(f"{library} has no {operation}")
    return OPERATIONS[operation][library](*operands)


def versions():
    """The versions of all libraries that are installed."""
    found = {}
    for _, package in LIBRARIES.values():
        names = (package, "cupy-cuda13x", "cupy-cuda12x") if package == "cupy" else (package,)
        for name in names:
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
    return found


# They register what they have.
from peers import (  # noqa: E402
    edge_tables,  # noqa: F401
    graph,  # noqa: F401
    graph_by_products,  # noqa: F401
    jobs,  # noqa: F401
    linalg,  # noqa: F401
    matrices,  # noqa: F401
    on_gpu,  # noqa: F401
    plain,  # noqa: F401
    primitives,  # noqa: F401
    products,  # noqa: F401
    ragged,  # noqa: F401
)
