"""Which kernels run: those for the cores or those for the GPU. Decided by where the arrays are, at every call."""

import importlib

import numpy as np

from spark_csr._array import HOST_STANDS_FOR_DEVICE, namespace_of

_loaded = {}


def backend_of(*arrays):
    """Return the module `spark_csr._cpu` or `spark_csr._cuda`, imported when first needed."""
    name = "spark_csr._cpu" if namespace_of(*arrays) is np and not HOST_STANDS_FOR_DEVICE else "spark_csr._cuda"
    return _loaded.get(name) or _loaded.setdefault(name, importlib.import_module(name))
