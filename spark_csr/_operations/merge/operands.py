"""What stands beside a matrix in arithmetic: a scalar, or what can be made a dense array."""

import numpy as np

from spark_csr._array import is_array, namespace_of, refuse_masked, same_device, to_host_scalar
from spark_csr._operations.form import dtypes


def is_scalar(x):
    """Return whether `x` is a number of Python or NumPy, or an array without dimensions."""
    return np.isscalar(x) or (is_array(x) and x.ndim == 0)


def as_scalar(x):
    """Return `x` as a number: an array without dimensions becomes a scalar of NumPy, which takes part in promotion as the array
    did."""
    return x.dtype.type(to_host_scalar(x)) if is_array(x) else x


def try_dense(x, owner):
    """Return `x` as an array where `owner` is, or None if it cannot be one: another object may know what to do."""
    refuse_masked("the operand", x)
    if not is_array(x):
        x = np.asarray(x)
        if x.ndim == 0 and x.dtype == object:
            return None
        x = namespace_of(owner).asarray(x)
    x = np.asarray(x) if isinstance(x, np.ndarray) else x
    same_device(owner, x)
    return x.astype(dtypes.dtype_of(x, "the operand"), copy=False)
