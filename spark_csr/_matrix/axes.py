"""The axis along which a matrix is reduced, given as in SciPy."""

from spark_csr._array import namespace_of
from spark_csr._operations.reduce.sums import count_elements
from spark_csr.primitives import _check


def axis_of_record(matrix, axis):
    """Return the axis of the record that is reduced, or None for both."""
    axis = _normalize_axis(axis, matrix.ndim)
    return axis if axis is None or not matrix._transposed else 1 - axis


def axis_of_mean(matrix, axis):
    """Return `axis_of_record`; raise ZeroDivisionError, as SciPy, if there are no elements along the axis."""
    of_record = axis_of_record(matrix, axis)
    if not count_elements(matrix._csr, of_record):
        raise ZeroDivisionError(f"the mean of no elements: the matrix has shape {matrix.shape}")
    return of_record


def keep_dims(matrix, axis, result, keepdims):
    """Return a reduction of a matrix with an extent of 1 where an axis was reduced, if `keepdims` is set."""
    if not keepdims:
        return result
    axis = _normalize_axis(axis, matrix.ndim)
    shape = tuple(1 if axis in (None, n) else extent for n, extent in enumerate(matrix.shape))
    return (result if hasattr(result, "reshape") else namespace_of(matrix._holder).asarray(result)).reshape(shape)


def _normalize_axis(axis, ndim):
    """Return the axis as 0 or 1; None where all axes are reduced."""
    if axis is None:
        return None
    if type(axis) is int and 0 <= axis < ndim:  # what most calls give
        return axis if ndim > 1 else None
    if isinstance(axis, tuple) and not axis:
        raise ValueError("sparse does not accept 0D axis (): use A.toarray() for a dense array, A.copy() for a sparse one")
    given = axis if isinstance(axis, tuple) else (axis,)
    axes = {_check.axis(n, ndim) for n in given}
    if len(axes) < len(given):
        raise ValueError(f"duplicate value in axis: got {axis}")
    return None if len(axes) == ndim else axes.pop()
