"""Matrices to and from JAX's sparse arrays, BCOO and BCSR, and arrays by DLPack.

Arrays of JAX cannot be changed, so arrays that `from_jax` returns are read-only. JAX shares the memory of an array of another
library if it is aligned to 64 bytes; otherwise JAX copies the array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spark_csr._array import is_array, namespace_of, refuse_masked, to_host_scalar
from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.dtypes import dtype_of

try:
    import jax
    from jax.experimental import sparse
except ImportError as error:
    raise ImportError("spark_csr.interop.jax needs JAX: install it with: pip install jax") from error

if TYPE_CHECKING:
    from spark_csr._matrix.types import Matrix
    from spark_csr._types import Array

__all__ = ["from_jax", "to_jax"]


def __dir__() -> list[str]:
    return __all__


def from_jax(x: Any) -> csr_array | coo_array | Array:
    """Return a sparse array of JAX as a matrix, or a dense one as an array.

    Parameters
    ----------
    x : BCOO, BCSR or jax.Array
        A sparse array without batch axes and dense axes, or a dense array of any shape.

    Returns
    -------
    coo_array, csr_array or array
        For a BCOO, a `coo_array` with its entries in their order, with duplicates; for a BCSR, a `csr_array`; for a dense
        array, a NumPy array, or a CuPy array if it is on a GPU. The memory of the values is shared.

    Raises
    ------
    TypeError
        If `x` is not an array of JAX, or has a dtype that NumPy does not have, such as bfloat16.
    ValueError
        If a sparse array has batch axes or dense axes.

    Notes
    -----
    Inside of functions that `jax.jit` or `jax.grad` traces, arrays have no values: convert arrays before you call such a
    function. JAX may pad a sparse array with entries whose indices are out of range; they are left out. *Cost*: the indices of
    a BCOO are copied and checked.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from jax.experimental import sparse
    >>> from spark_csr.interop.jax import from_jax
    >>> from_jax(sparse.BCOO.fromdense(jnp.array([[1, 0, 2], [0, 3, 0]])))
    <coo_array of dtype 'int32' on cpu, shape (2, 3), with 3 stored elements>
    """
    if isinstance(x, jax.Array):
        return _as_array(x)
    if not isinstance(x, (sparse.BCOO, sparse.BCSR)):
        given = f"{type(x).__module__}.{type(x).__name__}"
        raise TypeError(f"x must be a BCOO, a BCSR or a jax.Array, got {given}: use spark_csr.csr_array(x)")
    if x.n_batch or x.n_dense:
        raise ValueError(f"x has {x.n_batch} axes of batches and {x.n_dense} dense ones: use x.update_layout(n_batch=0)")
    data, shape = _as_array(x.data), x.shape
    if isinstance(x, sparse.BCSR):
        indptr, indices = _as_array(x.indptr)[: shape[0] + 1], _as_array(x.indices)
        stored = to_host_scalar(indptr[-1])
        return csr_array((data[:stored], indices[:stored], indptr), shape=shape)
    coords = _as_array(x.indices)
    inside = (coords < namespace_of(coords).asarray(shape)).all(axis=1)
    if not to_host_scalar(inside.all()):
        coords, data = coords[inside], data[inside]
    return coo_array((data, tuple(coords.T)), shape=shape)


def _as_array(x):
    """Return a dense array of JAX as an array that shares its memory."""
    if isinstance(x, jax.core.Tracer):
        raise TypeError("x is traced by jax.jit or jax.grad, so it has no values: call from_jax outside of the function")
    if not isinstance(x.dtype, np.dtype):
        raise TypeError(f"x has dtype {x.dtype}, which NumPy does not have: use jax.random.key_data(x)")
    dtype_of(x, "x")
    if x.device.platform == "cpu":
        return np.from_dlpack(x)
    import cupy

    return cupy.from_dlpack(x)


def to_jax(A: Matrix | Array, format: Literal["bcoo", "bcsr"] = "bcoo") -> Any:
    """Return a matrix as a sparse array of JAX, or an array as a dense one.

    Parameters
    ----------
    A : csr_array, csc_array, coo_array or array
        The matrix, or an array of NumPy or CuPy.
    format : {"bcoo", "bcsr"}
        The format of a sparse result.

    Returns
    -------
    BCOO, BCSR or jax.Array
        An array on the device of `A`. A BCOO has the entries of a `coo_array` in their order, and the entries of other matrices
        row by row.

    Raises
    ------
    TypeError
        If `A` is neither a matrix of this package nor an array, or if JAX would change its dtype.
    ValueError
        If `format` is unknown, or if a BCSR is asked for and `A` has one dimension.

    Notes
    -----
    JAX has numbers of 64 bits only if you call `jax.config.update("jax_enable_x64", True)` first. Do not change the values of
    `A` later: JAX may share their memory. *Cost*: indices are copied; values are copied unless their memory is aligned to 64
    bytes.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.interop.jax import to_jax
    >>> B = to_jax(csr_array([[1, 0, 2], [0, 3, 0]]).astype("float32"))
    >>> B
    BCOO(float32[2, 3], nse=3)
    >>> B.todense()
    Array([[1., 0., 2.],
           [0., 3., 0.]], dtype=float32)
    """
    if format not in ("bcoo", "bcsr"):
        raise ValueError(f"format must be 'bcoo' or 'bcsr', got {format!r}")
    if is_array(A):
        return _as_jax(A, "A")
    if not isinstance(A, SparseArray):
        raise TypeError(f"A must be a matrix of this package, or an array, got {type(A).__name__}: use csr_array(A)")
    matrix: Any = A
    if format == "bcsr":
        if A.ndim == 1:
            raise ValueError("a BCSR has rows and columns: use A.reshape((1, -1)), or format='bcoo'")
        csr = matrix.tocsr()
        arrays = _as_jax(csr.data, "A"), _as_jax(_narrow(csr.indices), "indices"), _as_jax(_narrow(csr.indptr), "indptr")
        facts = {"indices_sorted": bool(csr.has_sorted_indices), "unique_indices": bool(csr.has_canonical_format)}
        return sparse.BCSR(arrays, shape=A.shape, **facts)
    coo = matrix.tocoo()
    coords = namespace_of(coo.data).stack([_narrow(x) for x in coo.coords], axis=1)
    return sparse.BCOO((_as_jax(coo.data, "A"), _as_jax(coords, "indices")), shape=A.shape)


def _narrow(indices):
    """Return indices as int32 where they fit, since JAX has no others by default."""
    fits = not indices.size or to_host_scalar(indices.max()) < 2**31
    return indices.astype(np.int32) if fits else indices


def _as_jax(x, name):
    """Return an array of JAX with the memory of `x`, or with a copy of it."""
    refuse_masked(name, x)
    x = x.astype(dtype_of(x, name), copy=False)
    if jax.dtypes.canonicalize_dtype(x.dtype) != x.dtype:
        advice = f"jax.config.update('jax_enable_x64', True), or {name}.astype(...)"
        raise TypeError(f"{name} has dtype {x.dtype}, which JAX would change to one of 32 bits: use {advice}")
    if isinstance(x, np.ndarray) and not (x.flags.writeable and x.flags.c_contiguous):
        x = x.copy()  # DLPack before version 1 cannot say that an array is read-only
    return jax.dlpack.from_dlpack(x)
