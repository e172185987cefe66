"""MPI, by mpi4py.

Design: an exchange is persistent requests. Sums are gathered and added in the order of the ranks: MPI lets a reduction add in
any order, and then the last bits, and with them the number of iterations, could differ between runs, even between ranks. Cost:
a sum sends a number to each rank from each rank.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_device_array, namespace_of, to_device
from spark_csr.interop.mpi.communicator import Communicator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_csr._types import Array

NO_MPI = 'spark_csr.interop.mpi needs mpi4py and an MPI: install them with: pip install "spark-csr[mpi]" mpich'


class MpiCommunicator(Communicator):
    """MPI, by mpi4py.

    See the example of `Communicator`.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The processes. By default all of the program: `MPI.COMM_WORLD`.

    Notes
    -----
    All ranks must make this object. Messages go through a duplicate of `comm`, one for each `comm`, so that they are not taken
    for messages of the program. Arrays on a GPU are sent by way of the host, whether or not the MPI could send them itself;
    `NcclCommunicator` sends them from GPU to GPU.
    """

    def __init__(self, comm: Any = None) -> None:
        self.mpi = import_mpi()
        self.comm = _duplicate(self.mpi, self.mpi.COMM_WORLD if comm is None else comm)
        self._rank, self._size = int(self.comm.rank), int(self.comm.size)

    @property
    def rank(self) -> int:
        return self._rank

    @property
    def size(self) -> int:
        return self._size

    def prepare(self, sends: Mapping[int, Array], receives: Mapping[int, Array]) -> MpiExchange:
        return MpiExchange(self.mpi, self.comm, sends, receives)

    def sum(self, values: Array) -> Array:
        values = np.ascontiguousarray(to_device(values, "cpu"))
        if self.size == 1:
            return values
        gathered = np.empty((self.size, *values.shape), values.dtype)
        self.comm.Allgather(values, gathered)
        return np.add.accumulate(gathered, axis=0)[-1]

    def gather(self, thing: Any) -> list[Any]:
        return self.comm.allgather(thing)

    def swap(self, things: Sequence[Any]) -> list[Any]:
        return self.comm.alltoall(list(things))


class MpiExchange:
    """Persistent requests of MPI; the buffers of arrays on a GPU have copies on the host."""

    def __init__(self, mpi, comm, sends, receives):
        self.mpi, self.requests = mpi, []
        self.sends = [(x, x if isinstance(x, np.ndarray) else np.empty(x.shape, x.dtype)) for x in sends.values()]
        self.receives = [(x, x if isinstance(x, np.ndarray) else np.empty(x.shape, x.dtype)) for x in receives.values()]
        self.copies = [(x, host) for x, host in self.sends if is_device_array(x)]
        self.returns = [(x, host) for x, host in self.receives if is_device_array(x)]
        self.requests = [
            *(comm.Recv_init(_bytes(host), rank) for rank, (_, host) in zip(receives, self.receives, strict=True)),
            *(comm.Send_init(_bytes(host), rank) for rank, (_, host) in zip(sends, self.sends, strict=True)),
        ]

    def start(self):
        """Start to send what the buffers hold, and to receive."""
        for x, host in self.copies:
            x.get(out=host)
        if self.requests:
            self.mpi.Prequest.Startall(self.requests)

    def wait(self):
        """Wait until all is sent and received."""
        if self.requests:
            self.mpi.Request.Waitall(self.requests)
        for x, host in self.returns:
            x.set(host)

    def __del__(self):
        if not self.mpi.Is_finalized():
            for request in self.requests:
                request.Free()


def _bytes(x):
    """Return the bytes of a contiguous array: MPI has no name for every dtype, float16 for one."""
    assert x.flags.c_contiguous, "a message's buffer must be contiguous"
    return x.reshape(-1).view(np.uint8)


def _duplicate(mpi, comm):
    """Return the duplicate of a communicator that is kept with it, and freed with it."""
    key = _key(mpi)
    found = comm.Get_attr(key)
    if found is None:
        found = comm.Dup()
        comm.Set_attr(key, found)
    return found


@functools.cache
def _key(mpi):
    """Return MPI's name for the duplicates that are kept with communicators."""
    return mpi.Comm.Create_keyval(delete_fn=lambda comm, key, duplicate: duplicate.Free())


def import_mpi() -> Any:
    """Return `mpi4py.MPI`, which starts MPI when it is first imported; raise ImportError with the pip command."""
    try:
        return importlib.import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:  # mpi4py raises RuntimeError where it finds no MPI
        raise ImportError(f"{NO_MPI} ({error})") from error


def as_communicator(comm: Any) -> Communicator:
    """Return what `csr_rows` was given as a `Communicator`; raise TypeError for anything else."""
    if comm is None or hasattr(comm, "Get_rank"):
        return MpiCommunicator(comm)
    if all(hasattr(comm, name) for name in ("prepare", "sum", "gather", "swap", "rank", "size")):
        return comm
    raise TypeError(f"comm must be a communicator of mpi4py, or a Communicator, got {type(comm).__name__}: use MPI.COMM_WORLD")


def inner(comm: Communicator, *pairs: tuple[Array, Array]) -> Array:
    """Return the inner products of pairs of vectors in parts, `x.conj() @ y`, in one sum over all ranks."""
    xp = namespace_of(pairs[0][0])
    parts = [xp.vdot(x, y) for x, y in pairs]
    return comm.sum(np.asarray(parts) if xp is np else xp.stack(parts))
