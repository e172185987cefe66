"""Every CUDA kernel x dtype becomes PTX and a cubin with no GPU in the machine, and spills nothing.

The simulator accepts what the real target refuses, so this check is not optional where numba-cuda is installed.
"""

import importlib
import re
import struct

import numpy as np
import pytest
from numba import types
from numba.np.numpy_support import as_dtype

from spark_csr._array import SIMULATED

if SIMULATED:
    pytest.skip("compiles for the real target", allow_module_level=True)
pytest.importorskip("cuda.core", reason="needs numba-cuda and cuda-core: pip install 'numba-cuda[cu13]'")
pytest.importorskip("numba_cuda", reason="needs numba-cuda: pip install 'numba-cuda[cu13]'")

import cuda_catalogue
import ptx_mode
from ptx import Program, available
from spark_csr._cuda.compile import ENTRY, assemble, ptx_of

KERNELS = {name: (kernel, argument_types) for name, kernel, argument_types in cuda_catalogue.everything()}
CAPABILITIES = [(8, 0), (9, 0)]
REGISTERS, FRAME_SIZE = 0x2F, 0x11
"""Records of a cubin's section `.nv.info`: (symbol, value), one for the kernel and one for each routine of the assembler's
own that it calls, as 64-bit division is."""


def section(cubin, wanted):
    """The bytes of a section of an ELF file."""
    table = struct.unpack_from("<Q", cubin, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + i * size) for i in range(count)]
    for name, _, _, _, start, length in headers:
        at = headers[names][4] + name
        if cubin[at : cubin.index(0, at)].decode() == wanted:
            return cubin[start : start + length]
    raise KeyError(wanted)


def values_of(cubin, record):
    """The value of a record for every routine in the cubin."""
    info, at, found = section(cubin, ".nv.info"), 0, []
    while at < len(info):
        form, kind, size = struct.unpack_from("<BBH", info, at)
        if form == 4 and kind == record:
            found.append(struct.unpack_from("<II", info, at + 4)[1])
        at += 4 + (size if form == 4 else 0)
    return found


def attribute(cubin, record):
    """The largest value of a record; it must be there."""
    return max(values_of(cubin, record))


@pytest.fixture(scope="module", autouse=True)
def one_front_end():
    """Numba types and lowers a kernel once for both capabilities, which only the code generator behind it tells apart."""
    compiler = importlib.import_module("numba.cuda.compiler")
    name = "_compile_pyfunc_with_fixup"
    front_end, last = getattr(compiler, name, None), {}

    def remembered(function, signature, *args, cc=None, **options):
        key = function, signature, *args, *sorted(options.items(), key=str)
        if key not in last:
            last.clear()
            last[key] = front_end(function, signature, *args, cc=cc, **options)
        return last[key]

    with pytest.MonkeyPatch.context() as patch:
        if front_end:  # a private name of numba-cuda: without it, everything is typed twice
            patch.setattr(compiler, name, remembered)
        yield


def _sizes(kind):
    """Return the bytes of each parameter that an argument of this type becomes: what `launch` passes one by one."""
    if isinstance(kind, types.BaseTuple):
        return [size for part in kind for size in _sizes(part)]
    if isinstance(kind, types.Array):
        return [8] * 7
    if isinstance(kind, types.Complex):
        return [kind.bitwidth // 16] * 2
    return [8 if isinstance(kind, types.CPointer) else as_dtype(kind).itemsize]


@pytest.mark.parametrize("name", KERNELS)
def test_compiles_without_spills_or_local_memory(name):
    kernel, argument_types = KERNELS[name]
    for capability in CAPABILITIES:
        ptx = ptx_of(kernel.function, argument_types, kernel.threads, capability)
        assert ".target sm_{}{}".format(*capability) in ptx
        assert f".visible .entry {ENTRY}(" in ptx
        found = [int(bits) // 8 for bits in re.findall(r"\.param \.[busf](\d+)", ptx[: ptx.index("{")])]
        assert found == [size for kind in argument_types for size in _sizes(kind)], "a launch passes other parameters"
        assert ".local" not in ptx
        assert not re.search(r"\bcall\b", ptx), "a device function was not inlined"
        if available() and capability == CAPABILITIES[-1]:
            assert [size for _, size in Program(ptx).parameters] == found  # and the interpreter knows all its instructions
            ptx_mode.keep(kernel.function, argument_types, kernel.threads, capability, ptx)
        cubin = assemble(ptx, capability)
        assert attribute(cubin, FRAME_SIZE) == 0, "registers spill to the stack"
        assert attribute(cubin, REGISTERS) * kernel.threads <= 65536


def test_routines_of_the_assembler_are_looked_at_too():
    """64-bit division is one: it stands before the kernel, with fewer registers."""
    kernel, argument_types = KERNELS["product-int32-int32"]
    cubin = assemble(ptx_of(kernel.function, argument_types, kernel.threads, (9, 0)), (9, 0))
    registers = values_of(cubin, REGISTERS)
    assert len(registers) == len(values_of(cubin, FRAME_SIZE)) == 2
    assert attribute(cubin, REGISTERS) == max(registers) > min(registers)


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
    from spark_csr._cuda.launch import _look_over

    def parameters(*args, views=False):
        found = []
        _look_over(args, views, found, [])
        return found

    x, y = np.zeros(3, np.float32), np.zeros(5)
    flat = parameters((x, y), 7, np.int32(2), 0.5)
    assert flat[0] is x
    assert flat[1] is y
    assert [(type(n), n) for n in flat[2:]] == [(int, 7), (np.int32, 2), (float, 0.5)]
    parts = parameters(2j, np.complex64(1 + 3j))
    assert [(type(n), n) for n in parts] == [(float, 0), (float, 2), (np.float32, 1), (np.float32, 3)]
    assert [part if part is not x else "pointer" for part in parameters(x, views=True)] == [0, 0, 3, 4, "pointer", 3, 4]


@pytest.fixture
def compilations(tmp_path, monkeypatch):
    """How often something was compiled, with kernels kept in a folder of their own."""
    from spark_csr import _kept
    from spark_csr._cuda import compile as compiling

    seen = []
    monkeypatch.setattr(_kept, "folders", lambda: (tmp_path,))
    monkeypatch.setattr(compiling, "ptx_of", lambda function, *_: seen.append(function) or function.__name__)
    monkeypatch.setattr(compiling, "assemble", lambda ptx, capability: f"{ptx} for {capability}".encode())
    return seen


def _kernel(x):
    x[0] = 1


def _kernel_of_nobody_knows_what(x):
    x[0] = UNKNOWN


UNKNOWN = object()


def test_cubins_are_kept_and_damaged_ones_compiled_anew(tmp_path, compilations):
    from spark_csr._cuda.compile import cubin_of

    wanted = cubin_of(_kernel, (), 32, (8, 0))
    assert wanted == b"_kernel for (8, 0)"
    assert cubin_of(_kernel, (), 32, (8, 0)) == wanted
    assert len(compilations) == 1
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    for damaged in (b"", content[:-1], content + b"x", content.replace(b"(8", b"(9")):
        file.write_bytes(damaged)
        assert cubin_of(_kernel, (), 32, (8, 0)) == wanted
        assert file.read_bytes() == content
    assert len(compilations) == 5
    assert cubin_of(_kernel, (), 64, (8, 0)) == cubin_of(_kernel, (np.int32,), 32, (8, 0)) == wanted
    assert cubin_of(_kernel, (), 32, (9, 0)) != wanted
    assert len(list(tmp_path.iterdir())) == 4


def test_cubins_that_no_other_process_can_know_are_not_kept(tmp_path, compilations):
    from spark_csr._cuda.compile import cubin_of

    for _ in range(2):
        cubin_of(_kernel_of_nobody_knows_what, (), 32, (8, 0))
    assert len(compilations) == 2
    assert list(tmp_path.iterdir()) == []


def test_one_thread_compiles_at_a_time():
    """While a kernel is compiled, all threads are told of a pretended device."""
    import threading
    import time

    from spark_csr._cuda import compile as compiling

    inside, most = [], []

    def slow(*_):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.01)
        inside.pop()
        return ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "ptx_of", slow)
        patch.setattr(compiling, "assemble", lambda *_: b"")
        patch.setattr(compiling._kept, "folders", lambda: ())
        patch.setattr(compiling._kept, "_warned", True)
        threads = [threading.Thread(target=compiling.cubin_of, args=(_kernel, (), k, (8, 0))) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == [1] * 4
