"""NCCL, by CuPy: messages from GPU to GPU, in the order of the current stream."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr.interop.mpi.agreement import agree
from spark_csr.interop.mpi.by_mpi import MpiCommunicator, import_mpi
from spark_csr.interop.mpi.communicator import Communicator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_csr._types import Array

NO_NCCL = (
    "NcclCommunicator needs CuPy with NCCL and a CUDA device for each rank; "
    "install NCCL with: pip install nvidia-nccl-cu13 (or nvidia-nccl-cu12)"
)


class NcclCommunicator(Communicator):
    """NCCL, by CuPy, between processes that MPI started: each has a GPU of its own.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm, optional
        The processes. The default is `MPI.COMM_WORLD`: all processes of the program. MPI also sends objects of Python, which is
        needed once for each matrix.

    Raises
    ------
    ImportError
        If mpi4py or CuPy's NCCL is not installed on a rank. All ranks raise.

    Notes
    -----
    When this object is made, the current device must be the GPU of this rank, and no other rank can use that GPU. Messages and
    sums are in the order of the current stream; the host waits for sums only, whose numbers are gathered on the GPU. Buffers of
    messages must be on the GPU: `prepare` raises TypeError for others.

    Examples
    --------
    >>> import cupy  # doctest: +SKIP
    >>> from spark_csr.interop.mpi import NcclCommunicator, csr_rows
    >>> cupy.cuda.Device(rank_on_this_machine).use()  # doctest: +SKIP
    >>> A = csr_rows(rows_on_gpu, NcclCommunicator())  # doctest: +SKIP
    """

    def __init__(self, comm: Any = None) -> None:
        self.objects = MpiCommunicator(import_mpi().COMM_WORLD if comm is None else comm)
        self.cupy, self.nccl, number = agree(self.objects, lambda: ({}, _import_nccl(self.rank)))
        self.channel = self.nccl.NcclCommunicator(self.size, self.objects.gather(number)[0], self.rank)

    @property
    def rank(self) -> int:
        return self.objects.rank

    @property
    def size(self) -> int:
        return self.objects.size

    def prepare(self, sends: Mapping[int, Array], receives: Mapping[int, Array]) -> NcclExchange:
        for buffer in (*sends.values(), *receives.values()):
            if not isinstance(buffer, self.cupy.ndarray):
                raise TypeError(
                    "NCCL sends arrays on a GPU: use A.to_device('cuda'), or MpiCommunicator for arrays on the cores"
                )
        return NcclExchange(self, sends, receives)

    def sum(self, values: Array) -> Array:
        if not isinstance(values, self.cupy.ndarray):
            return self.objects.sum(values)
        values = self.cupy.ascontiguousarray(values)
        gathered = self.cupy.empty((self.size, *values.shape), values.dtype)
        stream = self.cupy.cuda.get_current_stream().ptr
        self.channel.allGather(values.data.ptr, gathered.data.ptr, values.nbytes, self.nccl.NCCL_UINT8, stream)
        return np.add.accumulate(gathered.get(), axis=0)[-1]

    def gather(self, thing: Any) -> list[Any]:
        return self.objects.gather(thing)

    def swap(self, things: Sequence[Any]) -> list[Any]:
        return self.objects.swap(things)


def _import_nccl(rank):
    """Return CuPy, its NCCL, and on rank 0 the number of a new group of ranks."""
    try:
        cupy, nccl = importlib.import_module("cupy"), importlib.import_module("cupy.cuda.nccl")
        return cupy, nccl, nccl.get_unique_id() if rank == 0 else None
    except (ImportError, AttributeError) as error:
        raise ImportError(f"{NO_NCCL} ({error})") from error


class NcclExchange:
    """A group of NCCL's calls; whatever the current stream does next comes after them."""

    def __init__(self, comm: NcclCommunicator, sends: Mapping[int, Array], receives: Mapping[int, Array]) -> None:
        self.comm, self.sends, self.receives = comm, dict(sends), dict(receives)

    def start(self) -> None:
        """Send what the buffers hold when the current stream comes here, and receive."""
        nccl, channel = self.comm.nccl, self.comm.channel
        stream = self.comm.cupy.cuda.get_current_stream().ptr
        nccl.groupStart()
        for rank, x in self.receives.items():
            channel.recv(x.data.ptr, x.nbytes, nccl.NCCL_UINT8, rank, stream)
        for rank, x in self.sends.items():
            channel.send(x.data.ptr, x.nbytes, nccl.NCCL_UINT8, rank, stream)
        nccl.groupEnd()

    def wait(self) -> None:
        """Wait for nothing: the stream keeps the order."""
