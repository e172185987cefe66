"""A kernel to a cubin, with or without a GPU in the machine; cubins are kept on disk.

Cubins, not PTX, are loaded later: PTX carries the toolkit's version, which an older driver refuses.
"""

import contextlib
import importlib
import os
import pathlib
import re
import tempfile
import types as python_types
from importlib.metadata import version

import numpy as np
from numba import types
from numba.np.numpy_support import from_dtype

from spark_csr._array import is_array
from spark_csr._specialise import digest

ENTRY = "spark_csr_kernel"
"""The name every kernel has inside its cubin."""


def type_of(x, views=False):
    """The Numba type that a kernel's argument arrives as: a pointer (or a view with its size), a number, a tuple of these."""
    if isinstance(x, tuple):
        return types.Tuple([type_of(part, views) for part in x])
    if is_array(x):
        element = types.uint8 if x.dtype.kind == "b" else from_dtype(x.dtype)
        return types.Array(element, 1, "C") if views else types.CPointer(element)
    return from_dtype(np.asarray(x).dtype)


@contextlib.contextmanager
def _pretend_device(capability):
    """While device functions compile, numba-cuda asks which GPU is current; compiling must not need one."""
    dispatcher = importlib.import_module("numba.cuda.dispatcher")
    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: python_types.SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked


def ptx_of(function, argument_types, threads, capability):
    """PTX text whose entry is named `ENTRY`."""
    from numba import cuda

    signature = types.void(*argument_types)
    with _pretend_device(capability):
        ptx, _ = cuda.compile(function, signature, device=False, abi="numba", cc=capability, launch_bounds=threads)
    entry = re.search(r"\.entry (\w+)\(", ptx).group(1)
    return re.sub(rf"\b{re.escape(entry)}(?=\b|_param_)", ENTRY, ptx)


def assemble(ptx, capability):
    """The cubin of PTX text, by the toolkit's assembler."""
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(arch="sm_{}{}".format(*capability))
    return bytes(Program(ptx, "ptx", options).compile("cubin").code)


def cubin_of(function, argument_types, threads, capability):
    """The cubin of a kernel for these argument types, from disk where the same was compiled before."""
    identity = (digest(function), argument_types, threads, capability, version("numba-cuda"), version("numba"))
    path = _folder() / f"{digest(repr(identity))}.cubin"
    with contextlib.suppress(OSError):
        return path.read_bytes()
    cubin = assemble(ptx_of(function, argument_types, threads, capability), capability)
    with contextlib.suppress(OSError):
        _keep(path, cubin)
    return cubin


def _folder():
    """Where cubins are kept: SPARK_CSR_CACHE_DIR, or the user's cache folder."""
    own = os.environ.get("SPARK_CSR_CACHE_DIR")
    general = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(own) if own else pathlib.Path(general) / "spark_csr"


def _keep(path, content):
    """Write whole or not at all: another process may read at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    os.replace(file.name, path)
