"""Kernels that Python calls through C functions of their own: which arguments they take, and what they do with others."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
from numba.core.errors import TypingError

from interrupts import interrupt_step
from spark_csr._engine import store
from spark_csr._engine.kernel import Kernel
from spark_csr._engine.numba import machine_code

pytestmark = pytest.mark.usefixtures("cpu_only")


def _tell(x):
    """Return what arrived, in numbers: the size of an array, the sum of a tuple, or the value."""
    return x


def _first_and_size(x):
    return x.flat[0], x.size, x.shape[0], x.strides[0]


def _fill(out, value):
    for i in range(out.size):
        out[i] = value


def _sum_of_both(given, out):
    out[0] = given[0].sum() + given[1].sum()


@pytest.fixture(scope="module")
def tell():
    return Kernel(_tell)


@pytest.mark.parametrize(
    "value",
    [0, -5, 2**62, -(2**63), 2**63, 2**64 - 1, True, False, 1.5, -0.0, 3 + 4j, None, (1, 2.5), (1, (True, None, 2)), ()],
    ids=repr,
)
def test_python_values(tell, value):
    found = tell(value)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("code", "?bBhHiIlLqQfd")
def test_numpy_scalars(tell, code):
    value = np.dtype(code).type(1)
    found = tell(value)
    assert found == 1
    assert type(found) is {"b": bool, "i": int, "u": int, "f": float}[np.dtype(code).kind]


@pytest.mark.parametrize("code", "FD")
def test_complex_scalars_are_taken(code):
    real = Kernel(lambda x: x.real + 2 * x.imag)
    assert real(np.dtype(code).type(3 + 4j)) == 11


@pytest.mark.parametrize("code", "?bBhHiIlLqQfd")
def test_arrays_of_every_dtype(code):
    kernel = Kernel(_first_and_size)
    x = np.ones(5, code)
    assert kernel(x) == (1, 5, 5, x.itemsize)


def test_every_layout():
    kernel, x = Kernel(_first_and_size), np.arange(24.0).reshape(4, 6)
    for view in (x, x.T, x[::2, ::3], x[:, 1:2], x[0], x[:, 0], x[::-1], x[:0], x[None], np.float64(3)[None]):
        expected = view.flat[0] if view.size else kernel(view)[0], view.size, view.shape[0], view.strides[0]
        assert kernel(view) == expected


def test_read_only_arrays_subclasses_and_maps(tmp_path):
    kernel, x = Kernel(_first_and_size), np.arange(3.0)
    frozen = x.copy()
    frozen.flags.writeable = False
    np.save(tmp_path / "x.npy", x)
    for array in (frozen, x.view(np.matrix).A1, np.load(tmp_path / "x.npy", mmap_mode="r"), x.view(np.recarray)):
        assert kernel(array) == (0, 3, 3, 8)


def test_arrays_that_are_only_read_have_one_kernel():
    kernel, x = Kernel(_sum_of_both, reads=("given",)), np.arange(3.0)
    frozen = x.copy()
    frozen.flags.writeable = False
    outs = [np.zeros(1) for _ in range(3)]
    for given, out in zip(((x, x), (frozen, x), (frozen, frozen)), outs, strict=True):
        kernel(given, out)
    assert [float(out[0]) for out in outs] == [6, 6, 6]
    assert len(kernel._known) == 1
    with pytest.raises(TypingError, match="[Cc]annot modify readonly array"):
        Kernel(_fill, reads=("out",))(x, 1.0)


def test_unaligned_arrays():
    x = np.zeros(33, np.uint8)[1:].view(np.float64)
    assert not x.flags.aligned
    assert Kernel(_first_and_size)(x)[1] == 4


def test_types_take_turns():
    kernel = Kernel(_fill)
    for _ in range(3):
        for dtype, value in ((np.float64, 1.5), (np.int32, 7), (np.float32, 2.0), (np.int64, -3), (bool, True)):
            out = np.zeros(4, dtype)
            kernel(out, value)
            assert (out == value).all()


def test_wrong_arguments():
    kernel = Kernel(_fill)
    kernel(np.zeros(3), 1.0)
    with pytest.raises(TypeError):
        kernel(np.zeros(3))
    with pytest.raises(TypeError):
        kernel(np.zeros(3), 1.0, 2)
    with pytest.raises(Exception, match=r"(?i)unicode|str"):
        kernel(np.zeros(3), "text")
    with pytest.raises(Exception, match=r"(?i)byte|dtype|unsupported"):
        kernel(np.zeros(3, np.dtype(float).newbyteorder()), 1.0)


def test_exceptions():
    def pick(x, i):
        if i >= x.size:
            raise IndexError("no such element")
        return x[i]

    kernel = Kernel(pick)
    assert kernel(np.ones(3), 1) == 1
    with pytest.raises(IndexError, match="no such element"):
        kernel(np.ones(3), 3)
    assert kernel(np.ones(3), 2) == 1


def test_exceptions_that_are_not_foreseen():
    divide = Kernel(lambda a, b: a // b)
    assert divide(7, 2) == 3
    with pytest.raises(ZeroDivisionError):
        divide(7, 0)


def test_results_that_only_numba_returns(monkeypatch):
    double, asked = Kernel(lambda x: x * 2), []
    original = Kernel._make_for
    monkeypatch.setattr(Kernel, "_make_for", lambda self, signature: (asked.append(signature), original(self, signature))[1])
    for _ in range(3):
        assert double(np.ones(3)).tolist() == [2, 2, 2]
        assert double(4) == 8
    assert len(asked) == 2


def test_references_are_not_lost():
    kernel, x, scale = Kernel(_fill), np.zeros(1000), 1.5
    kernel(x, scale)
    gc.collect()
    counts = sys.getrefcount(x), sys.getrefcount(scale), sys.getrefcount(None)
    for _ in range(1000):
        assert kernel(x, scale) is None
    now = sys.getrefcount(x), sys.getrefcount(scale), sys.getrefcount(None)
    assert max(abs(a - b) for a, b in zip(counts, now, strict=True)) < 50


def test_other_threads_run_meanwhile():
    """A kernel that waits for another thread's write ends only if it does not hold the interpreter's lock."""

    def wait(flags):
        count = 0
        while flags[0] == 0 and count < 10**11:
            count += 1 + flags[1]
        return flags[0]

    kernel, flags = Kernel(wait), np.zeros(2, np.int64)
    flags[0] = 1
    kernel(flags)
    flags[0] = 0
    timer = threading.Timer(0.1, flags.__setitem__, (0, 5))
    timer.start()
    timer.join()
    assert kernel(flags) == 5


def test_many_threads_call_first_at_once():
    kernel, results = Kernel(_first_and_size), []

    def call(dtype):
        results.append(kernel(np.ones(4, dtype)) == (1, 4, 4, np.dtype(dtype).itemsize))

    threads = [threading.Thread(target=call, args=(dtype,)) for dtype in ("f8", "f4", "i8", "i4") * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 16


SCRIPT = """
import numpy as np
from spark_csr._engine import store
from spark_csr import csr_array
written = []
original, store.write = store.write, lambda name, content: (written.append(name), original(name, content))
A = csr_array(np.eye(3))
assert (A @ np.ones(3)).tolist() == [1, 1, 1]
print(len([name for name in written if name.endswith(".object")]))
"""


@pytest.mark.parametrize("step", ["make", "load"])
def test_ctrl_c_is_answered_when_a_kernel_is_complete(monkeypatch, step):
    """Machine code that were left before it is kept for ever would be freed while the linker still knows it."""
    monkeypatch.setattr(store, "read", lambda name: None)
    kernel = Kernel(lambda x: x + 1)
    interrupt_step(monkeypatch, machine_code, step, lambda: kernel(1))
    assert kernel(1) == 2


def test_machine_code_is_kept_and_mended(tmp_path):
    environment = {"SPARK_CSR_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": "", "PYTHONPATH": ":".join(sys.path)}

    def compiled_now():
        return int(subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, check=True).stdout)

    assert compiled_now() > 0
    assert compiled_now() == 0
    damaged = [file for file in tmp_path.rglob("*.object") if file.name.startswith("reduce_tiles")]
    for file in damaged:
        file.write_bytes(file.read_bytes()[:-100])
    assert damaged
    assert compiled_now() == len(damaged)
    assert store  # the module that keeps it
