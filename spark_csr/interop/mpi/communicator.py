"""`Communicator`: what this package asks of MPI, NCCL or another library that connects processes.

Design: an exchange has fixed buffers and is prepared once, so that an iteration only starts it and waits for it. A sum has the
same bits on every rank: solvers decide by it when to stop, and must decide the same.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spark_csr._types import Array


class Exchange(Protocol):
    """Messages between fixed buffers, any number of times."""

    def start(self) -> None:
        """Start to send what the buffers hold, and to receive."""

    def wait(self) -> None:
        """Wait until all is sent and received; on a GPU, until the current stream may read it."""


class Communicator(abc.ABC):
    """What connects the processes of a program, which are numbered by their ranks.

    `csr_rows` takes any object with these members, or a communicator of mpi4py.

    Attributes
    ----------
    rank : int
        The number of this process.
    size : int
        The number of processes.

    Examples
    --------
    >>> import numpy as np
    >>> from mpi4py import MPI
    >>> from spark_csr.interop.mpi import Communicator, MpiCommunicator
    >>> comm: Communicator = MpiCommunicator(MPI.COMM_SELF)
    >>> comm.rank, comm.size, comm.gather("a"), comm.swap(["b"]), comm.sum(np.ones(2))
    (0, 1, ['a'], ['b'], array([1., 1.]))
    >>> received = np.zeros(2)
    >>> exchange = comm.prepare({0: np.array([1.0, 2])}, {0: received})
    >>> exchange.start()
    >>> exchange.wait()
    >>> received
    array([1., 2.])
    """

    @property
    @abc.abstractmethod
    def rank(self) -> int:
        """The number of this process."""

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """The number of processes."""

    @abc.abstractmethod
    def prepare(self, sends: Mapping[int, Array], receives: Mapping[int, Array]) -> Exchange:
        """Prepare messages from and to contiguous buffers.

        Parameters
        ----------
        sends, receives : dict from int to array
            The buffers by the ranks that they go to and come from. They are used in place, and are not moved.

        Returns
        -------
        Exchange
            An object whose method `start` starts to send what the buffers hold, and whose method `wait` waits until all is sent
            and received; on a GPU, until the current stream may read it. They are called in turn, any number of times.
        """

    @abc.abstractmethod
    def sum(self, values: Array) -> Array:
        """Compute the sum of a few numbers over all ranks.

        Parameters
        ----------
        values : (k,) array
            The numbers of this rank, on the device of the matrix; as many on every rank, and of the same dtype.

        Returns
        -------
        (k,) NumPy array
            The sums. They must have the same bits on every rank: solvers decide by them when to stop.
        """

    @abc.abstractmethod
    def gather(self, thing: Any) -> list[Any]:
        """Collect an object of every rank on all ranks.

        Parameters
        ----------
        thing : object
            The object of this rank, which can be pickled.

        Returns
        -------
        list
            The objects, by rank.
        """

    @abc.abstractmethod
    def swap(self, things: Sequence[Any]) -> list[Any]:
        """Send an object to every rank.

        Parameters
        ----------
        things : sequence
            An object for each rank, which can be pickled.

        Returns
        -------
        list
            What each rank sent to this one, by rank.
        """
