"""How much memory an operation may take beside its result, and whether there is room for the result itself."""

import psutil

from spark_csr import _cgroups
from spark_csr._array import device_of, free_on_gpu, namespace_of
from spark_csr._config import config
from spark_csr.primitives._memory import allocate_array

SHARE = 4
"""The default budget is one part in so many of the memory that is available."""

SMALL = 1 << 26
"""Bytes that are taken without asking: asking takes longer than a small product."""


PAGE = 4096
"""Bytes that the system hands out at once. One core asks for those of a result before all cores fill it: two that asked
together took 100 ms instead of 40 for a product of 5 million entries, more often than not (EPYC, virtual, 2026-11)."""

PIECE = 1 << 26
"""Items whose pages are asked for at once: Ctrl-C is answered in between."""


def available_memory(x):
    """Return the bytes that could be allocated now where `x` is: of the machine without swapping, or of its container, or of
    the GPU."""
    if device_of(x) != "cpu":
        return free_on_gpu(x)
    return min(psutil.virtual_memory().available, _cgroups.free_bytes())


def scratch_budget(x, wanted):
    """Return the bytes of scratch memory for an operation that could use `wanted`: `config.spgemm_memory`, or a share of what
    is available where `x` is."""
    if config.spgemm_memory is not None:
        return config.spgemm_memory
    return SMALL if wanted <= SMALL else max(available_memory(x) // SHARE, SMALL)


def has_room(x, size):
    """Return whether there is room for so many bytes that are kept where `x` is: a small number, or a share of what is
    available."""
    return size <= SMALL or size <= available_memory(x) // SHARE


def size_error(entries, size, free, about=""):
    """Return the exception for a result that does not fit into memory."""
    return MemoryError(
        f"the product has {about}{entries:,} entries, which need {size / 2**30:,.1f} GiB; {free / 2**30:,.1f} GiB are available"
    )


def allocate_entries(x, entries, index_dtype, dtype):
    """Allocate the columns and values of a result where `x` is; raise MemoryError if they are larger than what is available."""
    size = entries * (index_dtype.itemsize + dtype.itemsize)
    if size > SMALL and size > (free := available_memory(x)):
        raise size_error(entries, size, free)
    xp = namespace_of(x)
    indices = allocate_array(xp, entries, index_dtype, f"the columns of {entries:,} entries")
    data = allocate_array(xp, entries, dtype, f"the values of {entries:,} entries")
    if device_of(x) == "cpu":
        for out in (indices, data):
            for start in range(0, out.size, PIECE):
                out[start : start + PIECE : PAGE // out.itemsize] = 0
    return indices, data
