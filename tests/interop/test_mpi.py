"""Matrices spread over the ranks of an MPI program, which `mpiexec` starts: `mpi_program` has the checks that ranks make."""

import doctest
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import poisson
from spark_csr.interop import mpi
from spark_csr.interop.mpi import by_mpi, petsc
from spark_csr.interop.mpi.by_nccl import NcclCommunicator

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = pathlib.Path(__file__).with_name("mpi_program.py")
CHECKS = [name for name in vars(importlib.import_module("interop.mpi_program")) if name.startswith("check_")]

# Both MPIs, as root and with more ranks than cores.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


def launcher():
    """The program that starts ranks; packages of pip have it beside Python."""
    beside = pathlib.Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else shutil.which("mpiexec")


needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or launcher() is None or SIMULATED,
    reason="needs mpi4py and an MPI: pip install mpi4py mpich",
)


def run(*command, **variables):
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, **ENVIRONMENT, "PYTHONPATH": search, **variables}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=[*(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2)), 3])
def outcomes(request):
    """What went wrong on any rank, by the names of the checks."""
    lines = run(launcher(), "-n", str(request.param), sys.executable, "-m", "mpi4py", PROGRAM).splitlines()
    return dict(json.loads(line) for line in lines if line.startswith("["))


@needs_mpi
@pytest.mark.parametrize("check", CHECKS)
def test_on_ranks(outcomes, check):
    assert not outcomes[check], outcomes[check]


@needs_mpi
def test_doctests():
    names = ["", ".communicator", ".by_mpi", ".by_nccl", ".pagerank", ".rows", ".solvers", ".transposed"]
    code = (
        "import doctest, importlib, sys\n"
        "sys.exit(sum(doctest.testmod(importlib.import_module(name)).failed for name in sys.argv[1:]))"
    )
    run(sys.executable, "-c", code, *("spark_csr.interop.mpi" + name for name in names))
    finder = doctest.DocTestFinder()
    assert all(finder.find(importlib.import_module("spark_csr.interop.mpi" + name)) for name in names)


@needs_mpi
def test_the_script_that_compares_runs():
    script = ROOT / "asv_benchmarks" / "compare_mpi.py"
    sizes = "5", "--iterations", "3", "--rounds", "1"
    lines = run(launcher(), "-n", "2", sys.executable, "-m", "mpi4py", script, *sizes).splitlines()
    assert lines[1] == "125 rows, 725 entries"
    assert sum(line.endswith(" ms") for line in lines) >= 5


@needs_mpi
def test_arrays_on_a_gpu_go_by_way_of_the_host():
    pytest.importorskip("numba_cuda", reason="needs numba-cuda, for the stand-in for CuPy: pip install numba-cuda[cu13]")
    lines = run(launcher(), "-n", "2", sys.executable, "-m", "mpi4py", PROGRAM, "stand-in", SPARK_CSR_PTX="1").splitlines()
    assert [json.loads(line) for line in lines if line.startswith("[")] == [["on_gpu", ""]]


def test_importing_the_bridge_imports_no_mpi():
    code = "import sys, spark_csr.interop.mpi; sys.exit(any(n.split('.')[0] in ('mpi4py', 'petsc4py') for n in sys.modules))"
    run(sys.executable, "-c", code)


def test_without_mpi_the_pip_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    with pytest.raises(ImportError, match=r'pip install "spark-csr\[mpi\]" mpich'):
        mpi.csr_rows(poisson((3,)))
    with pytest.raises(ImportError, match=r'pip install "spark-csr\[mpi\]" mpich'):
        NcclCommunicator()


def test_what_is_no_communicator_is_refused():
    with pytest.raises(TypeError, match="comm must be a communicator of mpi4py, or a Communicator, got int: use"):
        mpi.csr_rows(poisson((3,)), 7)


class Alone:
    """A communicator of one rank, without MPI."""

    rank, size = 0, 1

    def prepare(self, sends, receives):
        assert not sends
        assert not receives
        return types.SimpleNamespace(start=lambda: None, wait=lambda: None)

    def sum(self, values):
        return np.asarray(values.get() if hasattr(values, "get") else values)

    def gather(self, thing):
        return [thing]

    def swap(self, things):
        return list(things)


def test_any_object_with_these_methods_is_a_communicator(xp, to_numpy):
    A = poisson((6, 5))
    on_device = csr_array((xp.asarray(A.data), xp.asarray(A.indices), xp.asarray(A.indptr)), shape=A.shape)
    B = mpi.csr_rows(on_device, Alone())
    assert B.device == on_device.device
    x = np.arange(30.0)
    np.testing.assert_array_equal(to_numpy(B @ xp.asarray(x)), A.to_scipy() @ x)
    np.testing.assert_array_equal(to_numpy(B.T @ xp.asarray(x)), A.to_scipy() @ x)
    y, info = mpi.cg(B, xp.asarray(x), rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(to_numpy(B.gather(B @ y)), x, atol=1e-6)
    ranks = mpi.pagerank(mpi.csr_rows(abs(on_device), Alone()))
    np.testing.assert_allclose(to_numpy(ranks).sum(), 1)


class FakePetsc:
    """What `to_petsc` uses of petsc4py, keeping what it is given."""

    IntType, ScalarType = np.int32, np.float64

    def Mat(self):
        self.assembled = False
        return self

    def createAIJ(self, size, csr, comm):
        self.size, self.csr = size, csr
        return self

    def assemble(self):
        self.assembled = True


@pytest.fixture
def fake(monkeypatch):
    fake = FakePetsc()
    monkeypatch.setitem(sys.modules, "petsc4py", types.ModuleType("petsc4py"))
    monkeypatch.setitem(sys.modules, "petsc4py.PETSc", fake)
    return fake


def test_to_petsc_gives_canonical_rows_with_global_columns(fake):
    A = csr_array((np.array([1.0, 2, 4, 8]), np.array([2, 0, 2, 1]), np.array([0, 3, 4, 4])), shape=(3, 3))
    mat = mpi.csr_rows(A, Alone()).to_petsc()
    assert mat is fake
    assert mat.assembled
    assert mat.size == ((3, 3), (3, 3))
    indptr, indices, data = mat.csr
    assert {indptr.dtype, indices.dtype} == {np.dtype(np.int32)}
    assert indices.tolist() == [0, 2, 1]
    np.testing.assert_array_equal(sp.csr_array((data, indices, indptr), shape=(3, 3)).toarray(), A.toarray())
    assert A.nnz == 4


def test_what_petsc_was_not_built_for_is_refused(fake, monkeypatch):
    with pytest.raises(TypeError, match="PETSc was built for float64, and the matrix has complex128"):
        mpi.csr_rows(poisson((3,)).astype(complex), Alone()).to_petsc()
    monkeypatch.setattr(fake, "IntType", np.int8, raising=False)
    with pytest.raises(TypeError, match="indices of 8 bits, and 200 does not fit: build it with --with-64-bit-indices"):
        mpi.csr_rows(csr_array((200, 200)), Alone()).to_petsc()


def test_without_petsc_the_pip_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "petsc4py.PETSc", None)
    with pytest.raises(ImportError, match="to_petsc needs petsc4py: install it with: pip install petsc petsc4py"):
        petsc.to_petsc(mpi.csr_rows(poisson((3,)), Alone()))


class FakeChannel:
    """What is asked of NCCL, as rank 0 of two; both ranks have the same numbers to gather."""

    mailbox = types.SimpleNamespace(sent=None, wanted=None)

    def __init__(self, size, number, rank):
        self.rank = rank
        assert number == "number"

    def send(self, pointer, count, kind, peer, stream):
        self.mailbox.sent = self.rank, peer, pointer, count

    def recv(self, pointer, count, kind, peer, stream):
        self.mailbox.wanted = self.rank, peer, pointer, count

    def allGather(self, source, target, count, kind, stream):
        for rank in range(2):
            memory(target + rank * count, count)[:] = memory(source, count)


def memory(pointer, count):
    return np.ctypeslib.as_array((np.ctypeslib.ctypes.c_uint8 * count).from_address(pointer))


class HostArray(np.ndarray):
    """An array of NumPy that looks like CuPy's where NCCL looks."""

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.ctypes.data)

    def get(self):
        return np.asarray(self)


def as_fake(x):
    return np.ascontiguousarray(x).view(HostArray)


def test_nccl_sends_bytes_between_pointers_in_one_group(monkeypatch):
    calls = []
    nccl = types.SimpleNamespace(
        get_unique_id=lambda: "number",
        NcclCommunicator=FakeChannel,
        NCCL_UINT8=1,
        groupStart=lambda: calls.append("start"),
        groupEnd=lambda: calls.append("end"),
    )
    stream = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=0))
    cupy = types.SimpleNamespace(
        ndarray=HostArray, cuda=stream, ascontiguousarray=as_fake, empty=lambda shape, dtype: as_fake(np.empty(shape, dtype))
    )
    comm = NcclCommunicator.__new__(NcclCommunicator)
    comm.objects = types.SimpleNamespace(rank=0, size=2)
    comm.cupy, comm.nccl, comm.channel = cupy, nccl, FakeChannel(2, "number", 0)
    sent, received = as_fake([1.0, 2, 3]), as_fake(np.zeros(2, np.float32))
    exchange = comm.prepare({1: sent}, {1: received})
    exchange.start()
    exchange.wait()
    assert calls == ["start", "end"]
    assert FakeChannel.mailbox.sent == (0, 1, sent.data.ptr, 24)
    assert FakeChannel.mailbox.wanted == (0, 1, received.data.ptr, 8)
    assert comm.sum(as_fake([1.5, 2])).tolist() == [3, 4]
    with pytest.raises(TypeError, match="NCCL sends arrays on a GPU"):
        comm.prepare({1: np.zeros(1)}, {})


def test_nccl_takes_no_rows_of_several_devices():
    """A rank without a GPU would raise when messages are prepared, and the others wait for it."""
    comm = NcclCommunicator.__new__(NcclCommunicator)
    comm.cupy = types.SimpleNamespace(ndarray=HostArray)
    comm.objects = types.SimpleNamespace(
        rank=0, size=2, sum=lambda values: 2 * values, gather=lambda thing: [thing, (*thing[:3], "cuda")]
    )
    with pytest.raises(TypeError, match="devices differ: cpu on rank 0, cuda on rank 1: NCCL needs cuda on all"):
        mpi.csr_rows(poisson((3,)), comm)


def test_sums_are_added_in_the_order_of_the_ranks():
    class Gathers:
        rank, size = 0, 3

        def Allgather(self, mine, all_of_them):
            all_of_them[:] = [[1e16], [-1e16], [1.0]]

    comm = by_mpi.MpiCommunicator.__new__(by_mpi.MpiCommunicator)
    comm.comm, comm._rank, comm._size = Gathers(), 0, 3
    assert comm.sum(np.array([1e16])).tolist() == [1.0]
