"""What `@` accepts, and which product it means."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import is_array, namespace_of, overlaps, refuse_masked, same_device
from spark_csr._operations.form import dtypes
from spark_csr._operations.product.spmm import spmm
from spark_csr._operations.product.spmv import spmv
from spark_csr._operations.product.spmv_transposed import multiply_transposed


def matmul(csr, x, ring=ops.PLUS_TIMES, out=None, *, transposed=False):
    """Return `A @ x`, or `A.T @ x`, for an `x` of any kind and one axis or more; see `csr_array.matmul` for the contract."""
    x = as_operand(x, csr.data)
    inner = csr.shape[0 if transposed else 1]
    check_dimensions(x)
    if x.shape[max(x.ndim - 2, 0)] != inner:
        shape = csr.shape[::-1] if transposed else csr.shape
        shapes = f"the matrix has shape {shape}, the operand {x.shape}"
        raise ValueError(f"dimension mismatch in @: {shapes}; the operand needs {inner} rows")
    if out is None and x.ndim < 3:
        return _multiply(csr, x, ring, None, transposed)
    shape = *x.shape[:-2], csr.shape[1 if transposed else 0], *x.shape[max(x.ndim - 1, 1) :]
    dtype = ring.result_dtype(csr.data.dtype, x.dtype)
    if out is None:
        out = namespace_of(x).empty(shape, dtype)
    else:
        check_output(out, shape, dtype, csr, x)
    if x.ndim < 3:
        return _multiply(csr, x, ring, out, transposed)
    for at in np.ndindex(x.shape[:-2]):
        _multiply(csr, x[at], ring, out[at], transposed)
    return out


def _multiply(csr, x, ring, out, transposed):
    """Return the product with a vector or a matrix."""
    if transposed:
        return multiply_transposed(csr, x, ring, out)
    return (spmv if x.ndim == 1 else spmm)(csr, x, ring, out)


def is_operand(x):
    """Return whether `x` can be made an array. Other objects may define their own product."""
    return hasattr(x, "__array__") or is_array(x) or isinstance(x, (list, tuple, int, float, complex))


def as_operand(x, owner):
    """Return `x` as an array where `owner` is; lists become arrays, foreign objects and dtypes raise TypeError."""
    kind = type(x)
    if kind is type(owner):  # most are; in a small product every look counts
        if kind is not np.ndarray and x.data.device_id != owner.data.device_id:
            same_device(owner, x)  # says so
        dtype = dtypes.dtype_of(x, "the operand of @")
        return x if dtype is x.dtype else x.astype(dtype)
    refuse_masked("the operand of @", x)
    if isinstance(x, np.ndarray):
        x = np.asarray(x)
    elif not is_array(x):
        x = namespace_of(owner).asarray(x)
    dtype = dtypes.dtype_of(x, "the operand of @")
    same_device(owner, x)
    return x if dtype is x.dtype else x.astype(dtype)


def check_dimensions(x):
    """Raise ValueError unless the operand of a product has an axis."""
    if not x.ndim:
        raise ValueError("@ takes vectors, matrices and stacks of matrices: use A * x, as scalar operands are not allowed")


def check_output(out, shape, dtype, csr, *operands):
    """Check that `out` is what a new result would be, and shares no memory with what is read while it is written."""
    owner, kind = csr.data, type(out)
    if kind is not type(owner) or (kind is not np.ndarray and out.data.device_id != owner.data.device_id):
        if not is_array(out) or isinstance(out, (np.ma.MaskedArray, np.matrix)):
            raise TypeError(f"out must be a NumPy or CuPy array, got {kind.__name__}")
        same_device(owner, out)
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"out must have shape {shape} and dtype {dtype}, got shape {out.shape} and dtype {out.dtype}")
    flags = out.flags
    if not flags.c_contiguous:
        raise ValueError("out must be in C order: use numpy.empty(shape, dtype)")
    if not getattr(flags, "writeable", True):
        raise ValueError("out must be writeable, got a read-only array")
    if overlaps(out, *operands, *csr.arrays):
        raise ValueError("out shares memory with an operand, which is still read while out is written: use another array")
