"""What kind an array is, device names, index dtypes."""

import os
import subprocess
import sys

import numpy as np
import pytest

from namespaces import CUPY
from spark_csr import Ragged, _array, csr_array

without_gpu = pytest.mark.skipif(CUPY is not None, reason="this machine has a GPU")
A = csr_array(np.eye(2))


@without_gpu
@pytest.mark.parametrize(
    "call",
    [
        lambda: A.to_device("cuda"),
        lambda: A.to_device("cuda:1"),
        lambda: A.to_cupy(),
        lambda: csr_array(np.eye(2), device="cuda"),
        lambda: csr_array((2, 2), device="cuda"),
        lambda: csr_array((np.ones(1), ([0], [0])), device="cuda:0"),
    ],
)
def test_a_gpu_where_there_is_none(call):
    with pytest.raises(RuntimeError, match=r"needs a CUDA device and its driver, .*: pip install cupy-cuda13x"):
        call()


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "", "CPU", 0, ("cpu",)])
def test_unknown_devices(device):
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda' or 'cuda:<number>', got"):
        A.to_device(device)
    with pytest.raises(ValueError, match="device must be"):
        csr_array(np.eye(2), device=device)


@pytest.mark.gpu
@pytest.mark.skipif(CUPY is None, reason="needs CuPy and a CUDA device")
def test_to_a_gpu_and_back():
    there = A.to_device("cuda")
    assert there.device.startswith("cuda:")
    assert there.to_device("cuda") is there
    assert there.to_device("cpu").data.tolist() == A.data.tolist()
    with pytest.raises(TypeError, match="numpy.*cupy|cupy.*numpy"):
        there @ np.ones(2)


@pytest.mark.gpu
@pytest.mark.skipif(CUPY is None, reason="needs CuPy and a CUDA device")
def test_a_gpu_that_is_not_there():
    with pytest.raises(RuntimeError, match="this machine has"):
        A.to_device("cuda:99")


def test_foreign_arrays_are_refused():
    with pytest.raises(TypeError, match=r"got numpy.ndarray and builtins.list; make an array with numpy.asarray\(x\)"):
        _array.namespace_of(np.ones(1), [1])


def test_index_dtype_changes_where_int32_ends():
    assert _array.index_dtype(0) == np.int32
    assert _array.index_dtype(2**31 - 1) == np.int32
    assert _array.index_dtype(2**31) == np.int64


@pytest.mark.parametrize("dtype", _array.DTYPES, ids=str)
def test_by_width_keeps_the_bits(dtype):
    x = np.arange(4).astype(dtype)
    seen = _array.by_width(x)
    assert seen.dtype.itemsize == dtype.itemsize
    assert seen.tobytes() == x.tobytes()


@pytest.mark.parametrize("base_writeable", [True, False])
@pytest.mark.parametrize("part", ["x[:]", "x[1:]", "x[::2]", "x.reshape(2, 4)", "x.view('f4')", "x.view('i8')", "x[:0]"])
def test_operands_seem_writeable_and_stay_where_they_are(part, base_writeable):
    """Kernels only read them; what is not contiguous is copied."""
    x = np.arange(8.0)
    x.flags.writeable = base_writeable
    given = eval(part, {"x": x})
    given.flags.writeable = False
    operand = _array.as_operand(given)
    assert operand.flags.writeable
    assert operand.flags.c_contiguous
    assert (operand.dtype, operand.shape) == (given.dtype, given.shape)
    np.testing.assert_array_equal(operand, given)
    assert np.shares_memory(operand, x) == (given.size > 0 and given.flags.c_contiguous)
    assert not given.flags.writeable


def test_importing_needs_no_cuda_library(cpu_only):
    code = (
        "import sys, spark_csr, spark_csr.primitives\n"
        "found = {'cupy', 'cupyx', 'torch', 'numba_cuda', 'spark_csr._cuda'} & set(sys.modules)\n"
        "sys.exit(f'imported: {found}' if found else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Tensor:
    """Another library's, around an array."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)


@without_gpu
def test_a_tensor_on_a_gpu_where_there_is_none():
    tensor = Tensor(np.ones(2))
    for call in (lambda: csr_array((tensor, [0, 1], [0, 2])), lambda: Ragged(tensor, [0, 2])):
        with pytest.raises(RuntimeError, match="pip install cupy"):
            call()


@pytest.mark.gpu
@pytest.mark.skipif(CUPY is None, reason="needs CuPy and a CUDA device")
def test_a_tensor_on_a_gpu_is_shared():
    x = CUPY.ones(2)
    assert Ragged(Tensor(x), CUPY.asarray([0, 2])).values.data.ptr == x.data.ptr


def test_a_tensor_on_the_cores_is_shared():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    values, offsets = torch.arange(3.0), torch.tensor([0, 1, 3])
    R = Ragged(values, offsets)
    values[0] = 7
    assert R.to_lists() == [[7], [1, 2]]
    A = csr_array((values, torch.tensor([0, 1, 0]), offsets))
    values[0] = 8
    assert A.toarray().tolist() == [[8, 0], [2, 1]]


def test_the_same_memory(xp):
    x = xp.arange(6)
    assert _array.is_same_memory(x, x)
    assert _array.is_same_memory(x, x[:])
    assert not _array.is_same_memory(x, x[:5])
    assert not _array.is_same_memory(x, x.copy())
    assert not _array.is_same_memory(x[:5], x[1:])
    assert not _array.is_same_memory(x, x.view(np.uint64))
    assert xp is np or not _array.is_same_memory(x, np.arange(6))


WITHOUT_MEMORY = """
import _testcapi
import numpy as np
from spark_csr._array import as_positions
x, index = np.zeros(50), np.arange(3, dtype=np.int32)
for k in range(1, 30):
    _testcapi.set_nomemory(k, k + 1)
    try:
        x[as_positions(index)] = 1
    except MemoryError:
        pass
    finally:
        _testcapi.remove_mem_hooks()
print("alive")
"""


def test_positions_are_converted_where_an_exception_tells_of_too_little_memory():
    """NumPy ends the process if it converts them itself."""
    pytest.importorskip("_testcapi", reason="needs a Python that was built with its tests")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, "-c", WITHOUT_MEMORY], env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "alive", (run.returncode, run.stderr)
