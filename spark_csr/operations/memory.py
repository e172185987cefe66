"""How much memory an operation may take beside its result, and whether there is room for the result itself."""

import contextlib
import os
import pathlib

from spark_csr._array import device_of, namespace_of
from spark_csr.config import config

SHARE = 4
"""The default budget is one part in so many of the memory that is available."""


def available(x):
    """Bytes that could be allocated now where `x` is: of the machine (or of the container's limit), or of the GPU."""
    if device_of(x) != "cpu":
        xp = namespace_of(x)
        with x.device:
            return xp.cuda.Device().mem_info[0] + xp.get_default_memory_pool().free_bytes()
    return min(_machine(), *_limits())


def _machine():
    """What the system could give without swapping; where it does not say, all that there is."""
    with contextlib.suppress(OSError), open("/proc/meminfo") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 2**62


def _limits():
    """The limits of the container, if it has one."""
    found = [2**62]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):
            found.append(int(pathlib.Path("/sys/fs/cgroup", name).read_text()))
    return found


def budget(x):
    """Bytes of scratch memory: `config.spgemm_memory`, or a share of what is available where `x` is."""
    return config.spgemm_memory or available(x) // SHARE
