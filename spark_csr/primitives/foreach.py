"""Run a function for every index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import HOST_STANDS_FOR_DEVICE, SIMULATED, goes_to_gpu, is_array, is_misplaced, same_device
from spark_csr._dispatch import backend_of
from spark_csr._engine import current
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from collections.abc import Callable


def for_each(n: int, body: Callable[..., Any], *arrays: Any) -> None:
    """Run `body(i, *arrays)` for each `i` in `range(n)`, in parallel.

    Parameters
    ----------
    n : int
        The number of indices.
    body : function
        An `@numba.njit` function of the index and the arrays. It must write only elements that no call for another index
        writes, unless all calls write the same value. It must not read or write outside of the arrays: nothing else checks
        this.
    *arrays : arrays and numbers
        Arguments of the body after the index: at least one array, and all arrays NumPy's or all CuPy's. CuPy arrays must have
        one axis and be contiguous. Python numbers arrive as int64 or float64.

    Raises
    ------
    TypeError
        If `body` is not an `@numba.njit` function, or the arrays are of different kinds or devices.
    ValueError
        If `n` is negative, no array is given, or a CuPy array has several axes, is not contiguous or is not aligned to the size
        of its elements.

    Notes
    -----
    *Cost*: The reads and writes of the body. On a GPU there are one launch and no host read. *Order*: The order is undefined.
    *Empty input*: Nothing runs.

    The body is compiled once for each combination of dtypes and kept on disk. Divisions by zero give what they give in NumPy.
    A body that can raise an exception runs on one core, and the exception reaches the caller; on a GPU exceptions are lost.

    Examples
    --------
    >>> import numpy as np, numba
    >>> from spark_csr.primitives import for_each
    >>> @numba.njit
    ... def square(i, x, out):
    ...     out[i] = x[i] * x[i]
    >>> x, out = np.array([1, 2, 3]), np.empty(3, int)
    >>> for_each(3, square, x, out)
    >>> out
    array([1, 4, 9])
    """
    n, body, backend = _check_arguments(n, body, arrays)
    backend.for_each(n, body, *arrays)


def _check_arguments(n, body, arrays):
    """Check the arguments of `for_each`; return the number of indices, the body as it is now, and the backend."""
    n = count_of("n", n)
    if not hasattr(body, "py_func") and not SIMULATED:  # under the simulator @njit leaves functions as they are
        raise TypeError(f"body must be an @numba.njit function, got {body!r}: decorate it")
    owner = None
    for x in arrays:  # nothing more is asked of NumPy's arrays: most calls are short
        if type(x) is np.ndarray:
            owner = x
        elif type(x) is not int:
            owner = None
            break
    if owner is None or HOST_STANDS_FOR_DEVICE:
        owner = _check_owners([x for x in arrays if is_array(x)])
    return n, current(body), backend_of(owner)


def _check_owners(arrays):
    """Return one of the arrays; raise TypeError or ValueError where `for_each` does not take them."""
    if not arrays:
        raise ValueError("for_each needs at least one array, which determines the device to run on: pass one")
    same_device(*arrays)
    for x in arrays:
        if goes_to_gpu(x) and not (x.ndim == 1 and x.flags.c_contiguous):
            raise ValueError(
                f"for_each takes contiguous arrays of one axis on a GPU, got one of shape {x.shape} and strides {x.strides}: "
                f"pass cupy.ascontiguousarray(x).ravel()"
            )
        if is_misplaced(x):
            raise ValueError(
                f"for_each takes arrays whose elements lie at multiples of their size on a GPU, got one of {x.dtype} at "
                f"address {x.data.ptr}: pass x.copy()"
            )
    return arrays[0]


def for_each_tile(n: int, body: Callable[..., Any], *arrays: Any) -> None:
    """Run `body(start, stop, *arrays)` for tiles of `range(n)`, in parallel.

    This is `for_each` for a body that looks something up once for many adjacent indices. The body is given unsigned numbers
    `start < stop`: some thousand indices on the cores, one on a GPU. *Cost*, *Order* and *Empty input* are those of `for_each`.
    """
    n, body, backend = _check_arguments(n, body, arrays)
    backend.for_each_tile(n, body, *arrays)


def for_few(n: int, work: int, body: Callable[..., Any], *arrays: Any) -> None:
    """Run `body(i, *arrays)` for each `i` in `range(n)`, in parallel, where `n` is small and each index is much work.

    This is `for_each` with a tile for every index. `work` says about how many steps all indices take together: if they are few,
    one core does them. On a GPU each index is one thread.
    """
    n, body, backend = _check_arguments(n, body, arrays)
    backend.for_few(n, work, body, *arrays)
