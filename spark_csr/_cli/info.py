"""The command `info`: the hardware and software that this installation runs on."""

import importlib.metadata
import importlib.util
import os
import platform

from spark_csr._cli import measure
from spark_csr._engine import cores_for

PACKAGES = ("numpy", "scipy", "numba", "numba-cuda", "cupy", "cupy-cuda12x", "cupy-cuda13x", "matplotlib")


def run(options):
    """Print one fact per line."""
    for name, value in [*versions(), *processor(), *devices()]:
        print(f"{name + ':':<18} {value}")
    return 0


def versions():
    """Yield the versions of this package, of Python, and of the libraries that are installed."""
    from spark_csr import __version__

    yield "spark_csr", __version__
    yield "python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    for package in PACKAGES:
        try:
            yield package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue


def processor():
    """Yield the number of cores, how many of them kernels may use, and the measured bandwidths."""
    read = measure.read_bandwidth()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield "cpu", f"{_processor_name()}, {cores} cores"
    yield "threads", f"kernels use up to {cores_for(measure.add_up)} cores"
    yield "read bandwidth", f"{read / 1e9:.1f} GB/s"
    yield "copy bandwidth", f"{measure.copy_bandwidth() / 1e9:.1f} GB/s (read and written together)"


def devices():
    """Yield the GPUs that CuPy finds, or the reason why it finds none."""
    if importlib.util.find_spec("cupy") is None:
        yield "gpu", 'no GPU can be used, because CuPy is not installed: pip install cupy-cuda13x "numba-cuda[cu13]"'
        return
    try:
        from spark_csr._cli import gpu

        cupy = gpu.cupy_module()
        for number in range(cupy.cuda.runtime.getDeviceCount()):
            with cupy.cuda.Device(number) as device:
                free, total = device.mem_info
                memory = f"{total / 2**30:.0f} GiB ({free / 2**30:.0f} free)"
                yield f"cuda:{number}", f"{gpu.device_name()}, compute capability {device.compute_capability}, {memory}"
                yield "  copy bandwidth", f"{gpu.copy_bandwidth(256) / 1e9:.0f} GB/s (read and written together)"
    except Exception as error:  # a driver that is missing or too old raises many kinds of exceptions
        yield "gpu", f"no GPU can be used: {' '.join(str(error).split())}"


def _processor_name():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
