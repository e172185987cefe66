"""How many threads each rank uses, so that the ranks of a machine do not take the cores from each other."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

from spark_csr import _cgroups
from spark_csr._config import config

if TYPE_CHECKING:
    from spark_csr.interop.mpi.communicator import Communicator


def fair_threads(comm: Communicator) -> int | None:
    """Return the cores that this rank may run on divided by the ranks that may run on them; `config.threads` if that is set.

    A launcher that gives each rank cores of its own says so by the affinity of the processes.
    """
    mine = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset(range(os.cpu_count() or 1))
    here = platform.node(), mine
    sharing = comm.gather(here).count(here)
    if config.threads is not None:
        return config.threads
    return max(1, min(len(mine), _cgroups.cores()) // sharing) if sharing > 1 else None
