"""The record of the team: what the threads tell each other, at one address that compiled code knows by name."""

import ctypes
import threading

import numba
import numpy as np

from spark_csr import _cgroups
from spark_csr._engine.numba.intrinsics.record import share

EPOCH, ACTIVE, OWNER, COST, LEAD, WOKEN, LOOKED, MAIN = 0, 16, 32, 40, 41, 42, 43, 44
"""Places in the record of the team: the number of the job, odd while it is open; how many workers take part; whether a job has
the team; what waking a worker costs; the address of `_lead`, 0 until it is loaded; when workers were woken last; when Python
handled signals last, and the thread in which it does. Places that change often are on cache lines of their own."""

JOB, BLOCK, LIMIT, WAKING, OPENED, EXPECTED, ENDED, UNSHARED = 48, 49, 50, 51, 52, 53, 54, 55
"""Places that describe the open job: its code, its arguments, how many cores may take part, whether to wake sleeping workers,
and when it was opened; until when more jobs are expected to follow; when the last job ended; and the nanoseconds of work for
which nobody was woken, in jobs that followed each other."""

HAND_OVER, SPIN, WAKE, LONGEST_WAKE, PATIENCE, RARELY = 56, 57, 58, 59, 60, 61
"""Places of numbers from `tuning`, in the order in which `publish` takes them."""

WORKERS, EACH, LOCK, THREAD, ALLOWED = 64, 32, 1, 2, 16
"""Where the workers' places begin, how many each has, and which of them are its lock, the system's number of its thread, and
the processors that it is allowed; the first says whether it sleeps. Number 0 is the thread whose job is open."""

MOST = 1 if numba.config.DISABLE_JIT else min(numba.config.NUMBA_NUM_THREADS, _cgroups.cores(), 4096)
"""How many cores a job may use: as many as Numba would, a container allows, and a machine may have, since the record has places
for each; one where nothing is compiled."""
TEAM = np.zeros(WORKERS + EACH * (MOST + 1), np.int64)
"""The record, at one address as long as the process lives; compiled code knows it by name."""
ctypes.pythonapi.Py_IncRef(ctypes.py_object(TEAM))  # a worker may read it while the interpreter ends and frees its modules
TEAM[MAIN] = threading.main_thread().ident
share(TEAM)
