"""A kernel to a cubin, with or without a GPU in the machine; cubins are kept on disk.

Cubins, not PTX, are loaded later: PTX carries the toolkit's version, which an older driver refuses.
"""

import contextlib
import json
import re
import threading
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from numba import from_dtype, types

from spark_csr._array import is_array
from spark_csr._engine import store
from spark_csr._engine.gpu.compiler import chosen
from spark_csr._engine.meaning import settled_description, source_digest
from spark_csr._engine.numba.memory import call_with_room, disable_collection
from spark_csr._engine.signals import delay_signals

ENTRY = "spark_csr_kernel"
"""The name every kernel has inside its cubin."""

NVIDIA = "nvidia-nvvm", "nvidia-cuda-nvcc", "nvidia-nvjitlink"
"""The packages of NVIDIA's compilers. Those for CUDA 12 have longer names; there libNVVM comes with nvcc."""

_one_compiles = threading.Lock()
"""Held while a kernel is compiled: `compile_to_ptx` changes what all threads are told."""


def type_of(x, views=False):
    """Return the Numba type that a kernel's argument arrives as: a pointer (or a view with its size), a number, a tuple of
    these.
    """
    if isinstance(x, tuple):
        return types.Tuple([type_of(part, views) for part in x])
    if is_array(x):
        element = types.uint8 if x.dtype.kind == "b" else from_dtype(x.dtype)
        return types.Array(element, 1, "C") if views else types.CPointer(element)
    return from_dtype(np.asarray(x).dtype)


def ptx_of(function, argument_types, threads, capability):
    """Return PTX text whose entry is named `ENTRY`."""
    with disable_collection():
        ptx = call_with_room(chosen().compile_to_ptx, function, types.void(*argument_types), capability, threads)
    entry = re.search(r"\.entry (\w+)\(", ptx).group(1)
    return re.sub(rf"\b{re.escape(entry)}(?=\b|_param_)", ENTRY, ptx)


def assemble(ptx, capability):
    """Return the cubin of PTX text, made by the toolkit's assembler."""
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(arch="sm_{}{}".format(*capability))
    return bytes(Program(ptx, "ptx", options).compile("cubin").code)


def toolkit():
    """Return what makes cubins, with versions: a driver may refuse what a newer toolkit made."""
    found = {}
    for name in (chosen().PACKAGE, "numba", "cuda-core", "cuda-bindings", *NVIDIA, *(f"{name}-cu12" for name in NVIDIA)):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return tuple(found.items())


def cubin_of(function, argument_types, threads, capability, *, anew=False):
    """Return the cubin of a kernel for these argument types. It is read from disk if the same was compiled before, unless
    `anew`.
    """
    kernel = function, argument_types, threads
    name = file_of(*kernel, capability, compilers())
    with delay_signals(), _one_compiles:
        cubin = None if anew or not name else store.read(name) or _find_carried(kernel, capability)
        if cubin is None:
            cubin = assemble(ptx_of(*kernel, capability), capability)
            if name:
                store.write(name, cubin)
    return cubin


def _find_carried(kernel, capability):
    """Return the cubin of a kernel that was carried from elsewhere, or None. One for 8.0 runs on all GPUs of capability 8."""
    for made_by in store.foreign_compilers():
        for each in dict.fromkeys((capability, (capability[0], 0))):
            cubin = store.read(file_of(*kernel, each, made_by))
            if cubin is not None:
                return cubin
    return None


def compilers():
    """Return a text that tells all compilers that there are here: it names the files of cubins."""
    return json.dumps([*store.VERSIONS, *toolkit()])


def file_of(function, argument_types, threads, capability, made_by):
    """Return the name of the file that keeps a cubin; None for a function that may mean something else tomorrow."""
    description = settled_description(function)
    sources = map(source_digest, ("spark_csr._cuda.atomics", *chosen().SOURCES))
    parts = description.digest, argument_types, threads, capability, *sources
    return store.file_name(function, parts, "cubin", made_by) if description.lasting else None
