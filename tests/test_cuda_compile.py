"""Every CUDA kernel x dtype becomes PTX and a cubin with no GPU in the machine, and spills nothing.

The simulator accepts what the real target refuses, so this check is not optional where numba-cuda is installed.
"""

import re
import struct

import numpy as np
import pytest

from spark_csr._array import SIMULATED

if SIMULATED:
    pytest.skip("compiles for the real target", allow_module_level=True)
pytest.importorskip("cuda.core", reason="needs numba-cuda and cuda-core: pip install 'numba-cuda[cu13]'")
pytest.importorskip("numba_cuda", reason="needs numba-cuda: pip install 'numba-cuda[cu13]'")

import cuda_catalogue
from spark_csr._cuda.compile import ENTRY, assemble, ptx_of

KERNELS = {name: (kernel, argument_types) for name, kernel, argument_types in cuda_catalogue.everything()}
CAPABILITIES = [(8, 0), (9, 0)]
REGISTERS, FRAME_SIZE = b"\x04\x2f\x08\x00", b"\x04\x11\x08\x00"
"""Records of a cubin's `.nv.info`: (symbol, value), one pair for the kernel and one for each routine of the assembler's own
that it calls, as 64-bit division is."""


def attribute(cubin, record):
    """The largest value of a record of the cubin; it must be there."""
    return max(struct.unpack("<II", cubin[found.end() : found.end() + 8])[1] for found in re.finditer(re.escape(record), cubin))


@pytest.mark.parametrize("capability", CAPABILITIES, ids=["sm_80", "sm_90"])
@pytest.mark.parametrize("name", KERNELS)
def test_compiles_without_spills_or_local_memory(name, capability):
    kernel, argument_types = KERNELS[name]
    ptx = ptx_of(kernel.function, argument_types, kernel.threads, capability)
    assert f".visible .entry {ENTRY}(" in ptx
    assert ".local" not in ptx
    assert not re.search(r"\bcall\b", ptx), "a device function was not inlined"
    cubin = assemble(ptx, capability)
    assert attribute(cubin, FRAME_SIZE) == 0, "registers spill to the stack"
    assert attribute(cubin, REGISTERS) * kernel.threads <= 65536


def test_every_pointer_is_one_parameter():
    kernel, argument_types = KERNELS["spmv_tiles-plus_times-float64-int32"]
    ptx = ptx_of(kernel.function, argument_types, kernel.threads, (9, 0))
    assert len(re.findall(r"\.param \.", ptx)) == 3 + 2 + 1 + 2


def test_a_view_is_seven_parameters():
    """Handles, size, element size, pointer, shape, stride: the order in which a launch passes them."""
    name = next(name for name in KERNELS if name.startswith("for_each-cut"))
    kernel, argument_types = KERNELS[name]
    ptx = ptx_of(kernel.function, argument_types, kernel.threads, (9, 0))
    assert len(re.findall(r"\.param \.", ptx)) == 1 + 7 + 1 + 1 + 7


def test_arguments_are_flattened_in_the_order_of_parameters():
    from spark_csr._cuda.launch import _as_views, _flat

    x, y = np.zeros(3, np.float32), np.zeros(5)
    flat = list(_flat(((x, y), 7, np.int32(2), 0.5)))
    assert flat[0] is x
    assert flat[1] is y
    assert [(n.dtype, n.item()) for n in flat[2:]] == [(np.int64, 7), (np.int32, 2), (np.float64, 0.5)]
    assert [part if part is not x else "pointer" for part in _as_views((x,))] == [0, 0, 3, 4, "pointer", 3, 4]
