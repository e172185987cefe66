"""Which device, driver and libraries there are, and whether the compilers make a kernel that the driver takes."""

import functools
import os
import platform
import shutil
import time
from importlib.metadata import distributions

PACKAGES = "num", "scipy", "llvm", "cu", "nvidia", "torch", "triton", "jax", "networkx", "pytest", "hypothesis", "platform"
TOOLS = "nvcc", "ptxas", "ncu", "compute-sanitizer", "cuobjdump", "nvdisasm"


def items(options):
    """The machine, then a kernel."""
    yield "versions", versions
    yield "device", device
    yield "compilers", functools.partial(compilers, options.dry_run)


def versions():
    """Of Python and of what has to do with GPUs."""
    found = {x.metadata["Name"]: x.version for x in distributions() if (x.metadata["Name"] or "").lower().startswith(PACKAGES)}
    cuda = {name: value for name, value in os.environ.items() if "CUDA" in name or "NVIDIA" in name or "SPARK_CSR" in name}
    tools = {name: path for name in TOOLS if (path := shutil.which(name))}
    return {"python": platform.python_version(), "packages": dict(sorted(found.items())), "variables": cuda, "tools": tools}


def device():
    """What CuPy says of the current one."""
    import cupy

    from spark_csr._cli import gpu

    runtime, number = cupy.cuda.runtime, cupy.cuda.Device()
    properties = runtime.getDeviceProperties(number.id)
    names = "multiProcessorCount", "l2CacheSize", "totalGlobalMem", "sharedMemPerMultiprocessor", "clockRate", "memoryClockRate"
    found = {name: properties[name] for name in names if name in properties}
    found |= {"driver": runtime.driverGetVersion(), "runtime": runtime.runtimeGetVersion()}
    return {"name": gpu.device_name(), "capability": number.compute_capability, **found}


def compilers(dry):
    """PTX and cubin of a kernel, made by what is installed here; the driver takes it."""
    import cupy
    import numpy as np

    from spark_csr._cuda.keep import is_selected
    from spark_csr._cuda.kept import count_kernel
    from spark_csr._engine.gpu import compile as compiling

    kernel, word = count_kernel(is_selected), np.uint64(1)
    arguments = (np.zeros(4, np.uint32), word, word, word, word), 4, np.zeros(3, np.int64)
    types = tuple(compiling.type_of(x) for x in arguments)
    capability = tuple(divmod(int(cupy.cuda.Device().compute_capability), 10))
    start = time.perf_counter()
    ptx = compiling.ptx_of(kernel.function, types, kernel.threads, capability)
    middle = time.perf_counter()
    cubin = compiling.assemble(ptx, capability)
    end = time.perf_counter()
    module = cupy.cuda.function.Module()
    module.load(cubin)
    module.get_function(compiling.ENTRY)
    return {"compilers": compiling.compilers(), "ptx_seconds": middle - start, "assemble_seconds": end - middle}
