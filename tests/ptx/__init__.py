"""Execute compiled CUDA kernels without a GPU: the PTX that numba-cuda makes, lane by lane, with checks and counters.

`assemble` and `load` stand for the assembler and the driver's loader, `launch` runs a program on memory of this process:
warps of 32 lanes, shuffles, barriers, atomics and shared memory as on a device, in a schedule that a seed decides. An access
outside of its array, a read of unwritten shared memory, a race, a wrong mask or a deadlock raises `Finding`. `machine/` holds
the interpreter in C++, which says what the model is, what it costs and what it cannot see.
"""

import pickle

from .build import available, source_digest
from .encode import UnknownPtx
from .found import Finding
from .naming import name_of
from .parse import Program
from .record import collected, counters, findings, merge, report, table, total
from .run import Buffer, launch
from .settings import options

__all__ = [
    "Buffer",
    "Finding",
    "Program",
    "UnknownPtx",
    "assemble",
    "available",
    "collected",
    "counters",
    "findings",
    "launch",
    "load",
    "merge",
    "name_of",
    "options",
    "report",
    "table",
    "total",
]


def assemble(text, capability=None):
    """Return the program of PTX text, as bytes that `load` takes. The capability is in the text."""
    return pickle.dumps((source_digest(), text, Program(text)))


def load(code):
    """Return the program that `assemble` made; one that another version of this package made is parsed anew."""
    digest, text, program = pickle.loads(code)
    return program if digest == source_digest() else Program(text)
