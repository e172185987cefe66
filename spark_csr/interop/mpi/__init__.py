"""Matrices whose rows are distributed over the ranks (processes) of an MPI program: products, `cg`, `pagerank`, and PETSc.

`csr_rows` is a matrix of which each rank has some rows, `transposed_rows` its transpose; `MpiCommunicator` and
`NcclCommunicator` are the methods of a `Communicator` by MPI and by NCCL. Importing this module does not import mpi4py. If a
matrix is made without a communicator, mpi4py is imported then, and starts MPI.

Examples
--------
`mpiexec -n 4 python -m mpi4py program.py` runs this on four ranks, `python program.py` on one:

>>> from spark_csr.gallery import poisson
>>> from spark_csr.interop import mpi
>>> A = mpi.csr_rows(poisson((30, 30)))
>>> x, info = mpi.cg(A, A.ones(), rtol=1e-8)
>>> info
0
"""

from spark_csr._current_device import functions_on_their_device
from spark_csr.interop.mpi.by_mpi import MpiCommunicator
from spark_csr.interop.mpi.by_nccl import NcclCommunicator
from spark_csr.interop.mpi.communicator import Communicator
from spark_csr.interop.mpi.pagerank import pagerank
from spark_csr.interop.mpi.rows import csr_rows
from spark_csr.interop.mpi.solvers import cg
from spark_csr.interop.mpi.transposed import transposed_rows

__all__ = ["Communicator", "MpiCommunicator", "NcclCommunicator", "cg", "csr_rows", "pagerank", "transposed_rows"]

functions_on_their_device(globals(), __all__)


def __dir__() -> list[str]:
    return __all__
