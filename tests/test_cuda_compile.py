"""Kernels become cubins without a GPU: what arguments become parameters, what the checks notice, which cubins are kept.

Every kernel that a test launches in the mode of compiled kernels passes the same checks (`ptx/cubin.py`) for two capabilities.
"""

import re

import numpy as np
import pytest

from spark_csr._array import SIMULATED

if SIMULATED:
    pytest.skip("compiles for the real target", allow_module_level=True)
pytest.importorskip("cuda.core", reason="needs numba-cuda and cuda-core: pip install 'numba-cuda[cu13]'")
pytest.importorskip("numba_cuda", reason="needs numba-cuda: pip install 'numba-cuda[cu13]'")

from numba import from_dtype
from numba.core.errors import TypingError

from interrupts import interrupt_step
from ptx import cubin
from spark_csr._engine.copies import specialise
from spark_csr._engine.gpu import compile as compiling
from spark_csr._engine.gpu.compile import type_of
from spark_csr._engine.gpu.target import (
    cuda,
    fetch_add,
    fetch_max,
    load_once,
    load_volatile,
    load_wide,
    store_volatile,
    store_wide,
)
from spark_csr._engine.holes import WIDTH, shared_scalar
from spark_csr._engine.numba.intrinsics.ballots import lanes_alike

X, N, K = np.zeros(3), np.zeros(3, np.int64), 1


def compiled(function, *args, views=False, threads=128):
    """Return the argument types and the PTX of a function that is launched with `args`."""
    argument_types = tuple(type_of(x, views) for x in args)
    return argument_types, compiling.ptx_of(function, argument_types, threads, (9, 0))


def check(function, *args, threads=128):
    """Compile a function and check it as the kernels that tests launch are checked."""
    argument_types, ptx = compiled(function, *args, threads=threads)
    cubin.check(ptx, compiling.assemble, argument_types, threads, (9, 0))


def parameters(ptx):
    """Return how many parameters a kernel has."""
    return len(re.findall(r"\.param \.", ptx))


def _quotients(x, n, k):
    for i in range(9):
        total = 0.0
        for j in range(9):
            total += x[n[i] // (n[j] + k)] * x[n[j] // (n[i] + k)]
        x[i] = total


def _store(x, k):
    x[0] = k


def _sum_of_pairs(pair, k, out):
    out[k] = pair[0][k] + pair[1][k]


def _first_of_views(pair, k, out):
    out[0] = pair[0][0] + pair[1][k]


def test_routines_of_the_assembler_are_looked_at_too():
    """64-bit division is one: it stands before the kernel, with fewer registers."""
    _, ptx = compiled(_quotients, X, N, K)
    found = compiling.assemble(ptx, (9, 0))
    registers = cubin.values_of(found, cubin.REGISTERS)
    assert len(registers) == len(cubin.values_of(found, cubin.FRAME_SIZE)) == 2
    assert cubin.attribute(found, cubin.REGISTERS) == max(registers) > min(registers)


def test_every_pointer_is_one_parameter():
    argument_types, ptx = compiled(_sum_of_pairs, (X, X), K, X)
    assert parameters(ptx) == 4
    assert [size for kind in argument_types for size in cubin.sizes(kind)] == [8] * 4


def test_a_view_is_seven_parameters():
    """Handles, size, element size, pointer, shape, stride: the order in which a launch passes them."""
    argument_types, ptx = compiled(_first_of_views, (X, X), K, X, views=True)
    assert parameters(ptx) == 7 + 7 + 1 + 7
    assert [size for kind in argument_types for size in cubin.sizes(kind)] == [8] * 22


def test_a_complex_number_is_two_parameters():
    argument_types, ptx = compiled(_store, np.zeros(1, np.complex64), np.complex64(2j))
    assert parameters(ptx) == 3
    assert [size for kind in argument_types for size in cubin.sizes(kind)] == [8, 4, 4]


def _uses_local_memory(x, k):
    memory = cuda.local.array(32, np.float64)
    for i in range(32):
        memory[i] = x[i]
    x[0] = memory[k]


def _spills():
    """Return a kernel that holds more numbers at a time than 1024 threads of a block have registers for."""
    names = [f"v{i}" for i in range(40)]
    lines = [f"    {name} = x[{i} * k]" for i, name in enumerate(names)]
    lines += ["    syncthreads()"] + [f"    x[{i} * k + 1] = {name}" for i, name in enumerate(names)]
    namespace = {"syncthreads": cuda.syncthreads}
    exec("def kernel(x, k):\n" + "\n".join(lines), namespace)
    return namespace["kernel"]


def test_the_checks_accept_a_kernel_and_refuse_planted_faults():
    check(_sum_of_pairs, (X, X), K, X)
    check(_spills(), X, K)
    with pytest.raises(AssertionError, match="spill"):
        check(_spills(), X, K, threads=1024)
    with pytest.raises(AssertionError, match="local memory"):
        check(_uses_local_memory, X, K)
    argument_types, ptx = compiled(_sum_of_pairs, (X, X), K, X)
    for wrong in (argument_types[:-1], (*argument_types, argument_types[-1]), argument_types[::-1][:1] * 3):
        with pytest.raises(AssertionError, match="other parameters"):
            cubin.check(ptx, compiling.assemble, wrong, 128, (9, 0))
    with pytest.raises(AssertionError, match="not inlined"):
        cubin.check(ptx + "call", compiling.assemble, argument_types, 128, (9, 0))


def test_a_kernel_is_checked_for_every_capability():
    """It is compiled once, and what is returned is for the capability that was asked for."""
    compiled_for, assembled = [], []

    def ptx_of(function, argument_types, threads, capability):
        compiled_for.append(capability)
        return compiling.ptx_of(function, argument_types, threads, capability)

    def assemble(ptx, capability):
        assembled.append(capability)
        return compiling.assemble(ptx, capability)

    argument_types, _ = compiled(_sum_of_pairs, (X, X), K, X)
    found = cubin.checked(ptx_of, assemble)(_sum_of_pairs, argument_types, 128, (8, 0))
    assert compiled_for == [(8, 0)]
    assert assembled == cubin.CAPABILITIES
    assert ".target sm_80" in found


def test_the_text_of_a_kernel_is_the_same_for_every_capability():
    """But for the line that names it: so it suffices to compile a kernel once, and to assemble it for each."""
    argument_types, ptx = compiled(_quotients, X, N, K)
    older = compiling.ptx_of(_quotients, argument_types, 128, (8, 0))
    without_counters = [re.sub("//.*|.*NumbaEnv.*", "", text) for text in (ptx, cubin.retarget(ptx, (8, 0)), older)]
    assert without_counters[0] != without_counters[1] == without_counters[2]


def test_what_an_older_capability_does_not_have_is_refused():
    _, ptx = compiled(_store, np.zeros(1), 1.0)
    newer = ptx.replace("ret;", "griddepcontrol.wait;\n\tret;")
    compiling.assemble(newer, (9, 0))
    with pytest.raises(Exception, match="sm_90"):
        cubin.check_registers(cubin.retarget(newer, (8, 0)), compiling.assemble, 128, (8, 0))


def test_arguments_are_flattened_in_the_order_of_parameters():
    from spark_csr._engine.numba.parameters import look_over

    def parameters(*args, views=False):
        found = []
        look_over(args, views, found, [])
        return found

    x, y = np.zeros(3, np.float32), np.zeros(5)
    flat = parameters((x, y), 7, np.int32(2), 0.5)
    assert flat[0] is x
    assert flat[1] is y
    assert [(type(n), n) for n in flat[2:]] == [(int, 7), (np.int32, 2), (float, 0.5)]
    parts = parameters(2j, np.complex64(1 + 3j))
    assert [(type(n), n) for n in parts] == [(float, 0), (float, 2), (np.float32, 1), (np.float32, 3)]
    assert [part if part is not x else "pointer" for part in parameters(x, views=True)] == [0, 0, 3, 4, "pointer", 3, 4]


def _copy_once(x, k, out):
    out[0] = load_once(x, np.int64(k))


@pytest.mark.parametrize("dtype, suffix", [("?", "b8"), ("i1", "b8"), ("u2", "b16"), ("i4", "b32"), ("i8", "b64")])
def test_integers_are_read_once(dtype, suffix):
    check(_copy_once, np.zeros(3, dtype), K, np.zeros(3, dtype))
    assert f"ld.global.cs.nc.{suffix}" in compiled(_copy_once, np.zeros(3, dtype), K, np.zeros(3, dtype))[1]


@pytest.mark.parametrize("dtype, suffix, loads", [("f4", "f32", 1), ("f8", "f64", 1), ("c8", "f32", 2), ("c16", "f64", 2)])
def test_floats_are_read_once(dtype, suffix, loads):
    check(_copy_once, np.zeros(3, dtype), K, np.zeros(3, dtype))
    _, ptx = compiled(_copy_once, np.zeros(3, dtype), K, np.zeros(3, dtype))
    assert ptx.count("ld.global") == ptx.count(f"ld.global.cs.nc.{suffix}") == loads


def _count(counts, k, out):
    out[0] = fetch_add(counts, np.int64(k), np.int64(3))
    out[1] = fetch_max(counts, np.int64(k), np.int64(9))


def test_counters_change_in_one_step():
    check(_count, N, K, N)
    _, ptx = compiled(_count, N, K, N)
    assert [re.findall(rf"atom\.global\.{name}", ptx) != [] for name in ("add", "max")] == [True, True]
    assert parameters(ptx) == 3


def test_counters_are_of_the_value_s_type():
    with pytest.raises(TypingError):
        compiled(_count, N.astype(np.int32), K, N)


def _copy_wide(x, k, out):
    own = cuda.local.array(WIDTH, shared_scalar)
    load_wide(x, np.uint32(k), own, np.uint64(0), WIDTH)
    store_wide(out, np.uint64(k), np.uint64(2), own, WIDTH)


@pytest.mark.parametrize(
    "dtype, vector, suffix", [("f8", 2, "v2.f64"), ("i8", 2, "v2.u64"), ("f4", 2, "v2.f32"), ("f4", 4, "v4.f32")]
)
def test_neighbours_are_moved_at_once(dtype, vector, suffix):
    """By one load and one store, and through registers: no local memory is used."""
    kernel = specialise(_copy_wide, WIDTH=vector, shared_scalar=from_dtype(np.dtype(dtype)))
    args = np.zeros(8, dtype), K, np.zeros(8, dtype)
    check(kernel, *args)
    _, ptx = compiled(kernel, *args)
    assert ptx.count("ld.global") == ptx.count(f"ld.global.nc.{suffix}") == 1
    assert ptx.count("st.global") == ptx.count(f"st.global.{suffix}") == 1


def _talk(x, k):
    while load_volatile(x, np.int64(k)) == 0:
        pass
    store_volatile(x, np.int64(1), fetch_add(x, np.int64(0), x[2]))


@pytest.mark.parametrize("dtype, bits", [("u4", 32), ("u8", 64)])
def test_words_that_blocks_share_are_read_again_and_again(dtype, bits):
    """The load stays in its loop, and nothing is answered by the first cache."""
    words = np.zeros(3, dtype)
    check(_talk, words, K)
    _, ptx = compiled(_talk, words, K)
    loop = ptx[ptx.index("$L__BB0_1:") :]
    assert f"ld.volatile.global.b{bits}" in loop[: loop.index("bra")]
    assert ptx.count(f"st.volatile.global.b{bits}") == ptx.count(f"atom.global.add.u{bits}") == 1


def _alike(x, k, out):
    out[0] = lanes_alike(np.uint32(x[k]), 3)


def test_lanes_alike_take_a_ballot_for_each_bit():
    """`primitives.sort` tells whether it finds the right lanes."""
    words = np.zeros(3, np.uint32)
    check(_alike, words, K, words)
    assert compiled(_alike, words, K, words)[1].count("vote.sync.ballot") == 3


@pytest.fixture
def compilations(tmp_path, monkeypatch):
    """How often something was compiled, with kernels kept in a folder of their own."""
    from spark_csr._engine import store

    seen = []
    monkeypatch.setattr(store, "folders", lambda: (tmp_path,))
    monkeypatch.setattr(compiling, "ptx_of", lambda function, *_: seen.append(function) or function.__name__)
    monkeypatch.setattr(compiling, "assemble", lambda ptx, capability: f"{ptx} for {capability}".encode())
    return seen


def _kernel(x):
    x[0] = 1


def _kernel_of_nobody_knows_what(x):
    x[0] = UNKNOWN


UNKNOWN = object()


def test_cubins_are_kept_and_damaged_ones_compiled_anew(tmp_path, compilations):
    from spark_csr._engine.gpu.compile import cubin_of

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


def test_cubins_of_other_compilers_are_found(tmp_path, monkeypatch, compilations):
    """They were carried from elsewhere, with a file that tells which compilers made them."""
    from spark_csr._engine import store

    folder, theirs = tmp_path / "kernels", '["numba-cuda", "0.1"]'
    monkeypatch.setattr(store, "folders", lambda: (folder,))
    store.carry(tmp_path, compiling.file_of(_kernel, (), 32, (8, 0), theirs), b"carried", theirs)
    assert compiling.cubin_of(_kernel, (), 32, (8, 0)) == compiling.cubin_of(_kernel, (), 32, (8, 6)) == b"carried"
    assert compiling.cubin_of(_kernel, (), 32, (9, 0)) == b"_kernel for (9, 0)"
    assert compiling.cubin_of(_kernel, (), 32, (8, 0), anew=True) == b"_kernel for (8, 0)"
    assert compiling.cubin_of(_kernel, (), 32, (8, 0)) == b"_kernel for (8, 0)"  # what was compiled here comes first
    assert len(compilations) == 2


def test_ctrl_c_is_answered_when_a_cubin_is_kept(monkeypatch, compilations):
    interrupt_step(monkeypatch, compiling, "assemble", lambda: compiling.cubin_of(_kernel, (), 32, (8, 0)))
    assert compilations == [_kernel]


def test_cubins_that_no_other_process_can_know_are_not_kept(tmp_path, compilations):
    from spark_csr._engine.gpu.compile import cubin_of

    for _ in range(2):
        cubin_of(_kernel_of_nobody_knows_what, (), 32, (8, 0))
    assert len(compilations) == 2
    assert list(tmp_path.iterdir()) == []


def test_one_thread_compiles_at_a_time():
    """While a kernel is compiled, all threads are told of a pretended device."""
    import threading
    import time

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
        patch.setattr(compiling.store, "folders", lambda: ())
        patch.setattr(compiling.store, "_warned", True)
        threads = [threading.Thread(target=compiling.cubin_of, args=(_kernel, (), k, (8, 0))) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == [1] * 4
