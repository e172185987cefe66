"""`agree`: what may differ between ranks is compared before messages depend on it, so that all ranks raise the same exception.

Design: ranks first exchange a digest of what they were given, in a sum of four numbers, and the texts themselves only if these
differ. Otherwise messages of another dtype or length would be taken for numbers, or be waited for. Cost: one small message to
and from each rank, in every call of a public function but not in its iterations.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from spark_csr._array import device_of, is_array, refuse_masked
from spark_csr._operations.form import dtypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array
    from spark_csr.interop.mpi.communicator import Communicator
    from spark_csr.interop.mpi.rows import csr_rows

T = TypeVar("T")

KINDS = (
    *(FileNotFoundError, PermissionError, OSError, ImportError, MemoryError, NotImplementedError, RuntimeError, TypeError),
    *(ValueError, IndexError, KeyError, AttributeError, ArithmeticError),
)
"""What may go wrong on one rank, the special kinds first."""


def agree(comm: Communicator, read: Callable[[], tuple[dict[str, str], T]]) -> T:
    """Call `read`, and return the second thing that it returns, once all ranks know that none raised an exception.

    The first thing that it returns has texts by names, which must be the same on all ranks. Otherwise all ranks raise: the
    exception of the first rank that raised one, or ValueError that names what differs. `read` sends nothing.
    """
    wrong, told, found, cause = _attempt(read)
    same = _tell_the_same(comm, repr((wrong, told)))
    if not same or wrong:
        raise _find_problem([(wrong, told)] if same else comm.gather((wrong, told))) from cause
    return found


def collect(comm: Communicator, read: Callable[[], tuple[dict[str, str], T]]) -> list[T]:
    """Return, on all ranks, the second thing that `read` returns on each of them, by rank; raise exceptions as `agree` does."""
    *mine, cause = _attempt(read)
    ranks = comm.gather(mine)
    problem = _find_problem([(wrong, told) for wrong, told, _ in ranks])
    if problem is not None:
        raise problem from cause
    return [found for *_, found in ranks]


def _attempt(read):
    """Return what was wrong, what `read` returns, and its exception."""
    try:
        return None, *read(), None
    except Exception as error:
        return _describe(error), {}, None, error


def _describe(error):
    kind = next((kind for kind in KINDS if isinstance(error, kind)), RuntimeError)
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return kind, text if isinstance(error, KINDS) else f"{type(error).__name__}: {text}"


def _find_problem(ranks):
    """Return the exception to raise, which is the same on all ranks; None if there is no problem."""
    for rank, (wrong, _) in enumerate(ranks):
        if wrong is not None:
            return wrong[0](f"{wrong[1]} (on rank {rank})")
    for name, first in ranks[0][1].items():
        for rank, (_, told) in enumerate(ranks):
            if told[name] != first:
                return ValueError(f"{name} differs between ranks: {first} on rank 0, {told[name]} on rank {rank}")
    return None


def _tell_the_same(comm, told):
    """Return, on all ranks alike, whether all tell the same: then two marks of it have no variance."""
    if comm.size == 1:
        return True
    sums = comm.sum(np.array(_marks(told), np.int64)).tolist()
    return all(comm.size * squares == total * total for total, squares in zip(sums[:2], sums[2:], strict=True))


@functools.lru_cache
def _marks(told):
    """Return two marks of a text, and their squares. Most calls of a program tell what was told before."""
    digest = hashlib.sha256(told.encode(errors="backslashreplace")).digest()
    marks = [int.from_bytes(digest[k : k + 3]) for k in (0, 3)]
    return *marks, *(mark * mark for mark in marks)


_name = functools.cache(str)
"""The name of a dtype: NumPy takes microseconds to find it."""


def check_part(name: str, x: Any, offsets: Array, A: csr_rows) -> None:
    """Raise an exception on all ranks unless `x` is on each its part of one vector, or of one matrix of a few columns.

    *Cost*: a sum of four numbers over all ranks.
    """
    agree(A.comm, lambda: ({name: tell_part(name, x, offsets, A)}, None))


def tell_part(
    name: str, x: Any, offsets: Array | None, A: csr_rows, *, axes: int = 2, optional: bool = False, anywhere: bool = False
) -> str:
    """Return the dtype and the number of columns of this rank's part of a vector, for `agree`.

    Raise an exception if it is no such part. The length is checked if there are offsets, and the device unless the part can be
    `anywhere`.
    """
    if optional and x is None:
        return "None"
    if not is_array(x) or not (anywhere or device_of(x) == A.device):
        found = f"{type(x).__name__} of shape {x.shape} on {device_of(x)}" if is_array(x) else type(x).__name__
        where = "" if anywhere else f" on {A.device}"
        raise TypeError(f"{name} must be this rank's part of a vector, an array{where}, got {found}")
    refuse_masked(name, x)
    dtypes.dtype_of(x, name)
    if not 1 <= x.ndim <= axes:
        raise ValueError(f"{name} must have one axis{' or two' * (axes - 1)}, got shape {x.shape}")
    size = x.shape[0] if offsets is None else part_length(offsets, A.comm)
    if x.shape[0] != size:
        raise ValueError(f"{name} must have {size} elements, got shape {x.shape}: give this rank's part alone")
    return f"{_name(x.dtype)} of {x.shape[1] if x.ndim > 1 else 'no'} columns"


def part_length(offsets: Array, comm: Communicator) -> int:
    """Return the length of this rank's part of a vector."""
    return int(offsets[comm.rank + 1] - offsets[comm.rank])


def tell_function(name: str, function: Any) -> str:
    """Return whether an optional function is given, for `agree`; raise TypeError for what cannot be called."""
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function, got {type(function).__name__}")
    return "None" if function is None else "a function"
