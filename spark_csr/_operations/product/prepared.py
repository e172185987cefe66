"""What the dense products of one pattern and one pair of dtypes share, found when the first of them needs it."""

import numpy as np

from spark_csr._array import is_misplaced
from spark_csr._operations.form.dtypes import computed_dtype


def make_product(xp, launch, shape, result, either_order=False, dtype=None):
    """Return a function of `(data, x, out)` that calls `launch(data, x, y)`.

    `x` is given in the dtype that is computed in, that of the result unless `dtype` is given, and in C order, or in Fortran
    order too with `either_order`. `y` has `shape`; it is `out` where that has the computed dtype. The function returns the sums
    in the dtype `result`, in `out` if given.
    """
    dtype = computed_dtype(result) if dtype is None else dtype
    exact, on_gpu = result == dtype, xp is not np

    def product(data, x, out):
        flags = x.flags
        if x.dtype != dtype or not (flags.c_contiguous or (either_order and flags.f_contiguous)):
            x = xp.ascontiguousarray(x, dtype=dtype)
        if on_gpu and is_misplaced(x):
            x = x.copy()
        direct = exact and out is not None
        y = out if direct else xp.empty(shape, dtype)
        launch(data, x, y)
        return y if direct or (exact and out is None) else finish(y, result, out)

    return product


def finish(y, result, out):
    """Return `y` in the dtype `result`, in `out` where the caller gave one."""
    if out is None:
        return y.astype(result, copy=False)
    out[...] = y
    return out
