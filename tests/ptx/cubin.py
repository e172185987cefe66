"""What the assembler says of a kernel: registers, stack, and whether its parameters are those that a launch passes."""

import re
import struct

import numpy as np
from numba import types
from numba.np.numpy_support import as_dtype

from spark_csr._engine.gpu.compile import ENTRY
from spark_csr._engine.gpu.compiler import chosen

from .parse import Program

CAPABILITIES = [(8, 0), (9, 0)]
REGISTERS, FRAME_SIZE = 0x2F, 0x11
"""Records of a cubin's section `.nv.info`: (symbol, value), one for the kernel and one for each routine of the assembler's
own that it calls, as 64-bit division is."""

REGISTER_FILE = 65536
"""Registers of a multiprocessor, which the threads of a block share."""


def section(cubin, wanted):
    """Return the bytes of a section of an ELF file."""
    table = struct.unpack_from("<Q", cubin, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    for name, _, _, _, start, length in headers:
        at = headers[names][4] + name
        if cubin[at : cubin.index(0, at)].decode() == wanted:
            return cubin[start : start + length]
    raise KeyError(wanted)


def values_of(cubin, record):
    """Return the value of a record for every routine in the cubin."""
    info, at, found = section(cubin, ".nv.info"), 0, []
    while at < len(info):
        form, kind, size = struct.unpack_from("<BBH", info, at)
        if form == 4 and kind == record:
            found.append(struct.unpack_from("<II", info, at + 4)[1])
        at += 4 + (size if form == 4 else 0)
    return found


def attribute(cubin, record):
    """Return the largest value of a record; it must be there."""
    return max(values_of(cubin, record))


def sizes(kind):
    """Return the bytes of each parameter that an argument of this Numba type becomes: what a launch passes one by one."""
    if isinstance(kind, types.BaseTuple):
        return [size for part in kind for size in sizes(part)]
    if isinstance(kind, types.Array):
        return [8] * len(chosen().parts_of_array(np.empty(1)))
    if isinstance(kind, types.Complex):
        return [kind.bitwidth // 16] * 2
    return [8 if isinstance(kind, types.CPointer) else as_dtype(kind).itemsize]


def check(ptx, assemble, argument_types, threads, capability):
    """Raise AssertionError unless a kernel takes what a launch passes, spills nothing and fits into a multiprocessor."""
    check_text(ptx, argument_types)
    check_registers(ptx, assemble, threads, capability)


def check_text(ptx, argument_types):
    """Raise AssertionError unless PTX text takes what a launch passes, and needs no memory of single threads."""
    assert f".visible .entry {ENTRY}(" in ptx, "the entry has another name than the one that is loaded"
    found = [int(bits) // 8 for bits in re.findall(r"\.param \.[busf](\d+)", ptx[: ptx.index("{")])]
    assert found == [size for kind in argument_types for size in sizes(kind)], "a launch passes other parameters"
    assert [size for _, size in Program(ptx).parameters] == found, "the parser found other parameters"
    assert ".local" not in ptx, "the kernel uses local memory"
    assert not re.search(r"\bcall\b", ptx), "a device function was not inlined"


def check_registers(ptx, assemble, threads, capability):
    """Return the cubin of PTX text for this capability; AssertionError unless it spills nothing and a block fits."""
    assert ".target sm_{}{}".format(*capability) in ptx
    cubin = assemble(ptx, capability)
    assert attribute(cubin, FRAME_SIZE) == 0, "registers spill to the stack"
    assert attribute(cubin, REGISTERS) * threads <= REGISTER_FILE, "a block needs more registers than there are"
    return cubin


def retarget(ptx, capability):
    """Return PTX text for another capability: numba-cuda writes the same text for all of them, but for the line that names it.
    The assembler refuses what the capability does not have.
    """
    return re.sub(r"(?m)^\.target sm_\d+", ".target sm_{}{}".format(*capability), ptx, count=1)


def checked(ptx_of, assemble, record=None):
    """Return `ptx_of` that checks the kernel for every capability first. `record` is called with each cubin that is made."""

    def ptx_and_check(function, argument_types, threads, capability):
        ptx = ptx_of(function, argument_types, threads, capability)
        check_text(ptx, argument_types)
        for each in CAPABILITIES:
            cubin = check_registers(retarget(ptx, each), assemble, threads, each)
            if record is not None:
                record(cubin, function, argument_types, threads, each)
        return ptx

    return ptx_and_check
