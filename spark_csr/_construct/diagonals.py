"""Make matrices from diagonals."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr._array import as_operand, device_of, is_array, namespace_for, same_device
from spark_csr._construct._operands import wrap
from spark_csr._foreign import warn_user
from spark_csr._operations.compose.diagonals import from_diagonals, one_diagonal
from spark_csr._operations.form import build, check, dtypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._types import Array, ArrayLike, DTypeLike, ShapeLike

_UNSAID = object()


@overload
def eye_array(
    m: int,
    n: int | None = ...,
    *,
    k: int = ...,
    dtype: DTypeLike = ...,
    format: Literal["csr"] | None = ...,
    device: str | None = ...,
) -> csr_array: ...
@overload
def eye_array(
    m: int, n: int | None = ..., *, k: int = ..., dtype: DTypeLike = ..., format: Literal["csc"], device: str | None = ...
) -> csc_array: ...
@overload
def eye_array(
    m: int, n: int | None = ..., *, k: int = ..., dtype: DTypeLike = ..., format: Literal["coo"], device: str | None = ...
) -> coo_array: ...
@overload
def eye_array(
    m: int, n: int | None = ..., *, k: int = ..., dtype: DTypeLike = ..., format: str | None, device: str | None = ...
) -> Any: ...
def eye_array(
    m: int, n: int | None = None, *, k: int = 0, dtype: DTypeLike = float, format: str | None = None, device: str | None = None
) -> Any:
    """Return a matrix with ones on one diagonal and no other entries.

    Parameters
    ----------
    m : int
        The number of rows.
    n : int, optional
        The number of columns. The default is `m`.
    k : int
        The diagonal: 0 is the main diagonal, positive numbers are above it and negative numbers below it.
    dtype : dtype
        The dtype of the ones. The default is float64.
    format : str, optional
        A format as `csr_array.asformat` takes it. The default is "csr".
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device to make the matrix on. The default is "cpu".

    Returns
    -------
    (m, n) csr_array
        The matrix, or a matrix of another `format`.

    Raises
    ------
    ValueError
        If the matrix has no such diagonal, or the format is unknown.
    TypeError
        If `k` is not an integer, or the dtype is not supported.
    MemoryError
        If there is not enough memory for the matrix. The message gives its size.

    Notes
    -----
    *Cost*: The function writes the result once. *Empty input*: A matrix without rows or without columns has no entries.

    Examples
    --------
    >>> from spark_csr import eye_array
    >>> eye_array(2, 3, k=1).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    m, n = int(m), int(m if n is None else n)
    k = _read_integer("k", k)
    _length_of(k, (m, n), "k")
    csr = one_diagonal(k, (m, n), dtypes.check_dtype(dtype), namespace_for(device or "cpu"))
    return wrap(build.move_to(csr, device), format)


@overload
def diags_array(
    diagonals: Sequence[ArrayLike] | Array,
    /,
    *,
    offsets: int | Sequence[int] | Array = ...,
    shape: ShapeLike | None = ...,
    format: Literal["csr"] | None = ...,
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
) -> csr_array: ...
@overload
def diags_array(
    diagonals: Sequence[ArrayLike] | Array,
    /,
    *,
    offsets: int | Sequence[int] | Array = ...,
    shape: ShapeLike | None = ...,
    format: Literal["csc"],
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
) -> csc_array: ...
@overload
def diags_array(
    diagonals: Sequence[ArrayLike] | Array,
    /,
    *,
    offsets: int | Sequence[int] | Array = ...,
    shape: ShapeLike | None = ...,
    format: Literal["coo"],
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
) -> coo_array: ...
@overload
def diags_array(
    diagonals: Sequence[ArrayLike] | Array,
    /,
    *,
    offsets: int | Sequence[int] | Array = ...,
    shape: ShapeLike | None = ...,
    format: str | None,
    dtype: DTypeLike | None = ...,
    device: str | None = ...,
) -> Any: ...
def diags_array(
    diagonals: Sequence[ArrayLike] | Array,
    /,
    *,
    offsets: int | Sequence[int] | Array = 0,
    shape: ShapeLike | None = None,
    format: str | None = None,
    dtype: Any = _UNSAID,
    device: str | None = None,
) -> Any:
    """Return a matrix made of its diagonals.

    Parameters, result and exceptions that are not listed are those of `eye_array`.

    Parameters
    ----------
    diagonals : sequence of arrays, or one sequence of numbers
        The values of each diagonal, from the top left; a single number fills a whole diagonal. With one integer as `offsets`,
        this is the diagonal itself.
    offsets : int or sequence of int
        The diagonals: 0 is the main diagonal, positive numbers are above it and negative numbers below it. Each diagonal may be
        given once, in any order.
    shape : (int, int), optional
        The shape of the matrix. By default it is square, and as large as the first diagonal needs.
    dtype : dtype, optional
        The dtype of the matrix; None means the dtype of the diagonals. If the argument is not given, diagonals that are not
        floating or complex become float64, with a FutureWarning, as in SciPy.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        The device to make the matrix on. By default it is the device of the diagonals.

    Returns
    -------
    csr_array
        The matrix, or a matrix of another `format`. Zeros on the diagonals are not stored, as in SciPy for this format.

    Raises
    ------
    ValueError
        If the numbers of diagonals and offsets differ, or a diagonal is too short, outside the shape or given twice. A diagonal
        that is too long is truncated.
    TypeError
        If offsets are not integers, or diagonals are on different devices.
    MemoryError
        If there is not enough memory for the matrix. The message gives its size.

    Notes
    -----
    *Cost*: The function reads the diagonals once and writes the entries once; if there are zeros, another pass drops them.
    *Empty input*: A matrix without rows or without columns has no entries.

    Examples
    --------
    >>> from spark_csr import diags_array
    >>> diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(3, 3)).toarray()
    array([[ 2., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  2.]])
    """
    arrays, numbers = _pair(diagonals, offsets, device)
    same_device(*arrays)
    dtype = _choose_dtype(arrays, dtype)
    if shape is None:
        shape = (arrays[0].size + abs(numbers[0]),) * 2
    rows_columns: tuple[int, ...] = check.shape_of(shape)
    if len(rows_columns) != 2:
        raise ValueError(f"shape must be two integers (rows, columns), got {rows_columns}")
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"offsets must name each diagonal once, got {numbers}")
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    values = [_truncate(arrays[i].astype(dtype, copy=False), numbers[i], rows_columns, i) for i in order]
    return wrap(from_diagonals(values, [numbers[i] for i in order], rows_columns), format)


def _pair(diagonals, offsets, device):
    """Return one array and one integer for each diagonal."""
    if np.ndim(offsets) == 0:
        if len(diagonals) and np.ndim(diagonals[0]):
            raise ValueError(f"{len(diagonals)} diagonals were given with a single offset: give offsets=[...], one for each")
        diagonals, offsets = [diagonals], [offsets]
    diagonals, offsets = list(diagonals), [_read_integer(f"offsets[{i}]", x) for i, x in enumerate(offsets)]
    if len(diagonals) != len(offsets) or not offsets:
        raise ValueError(f"give equally many diagonals and offsets, and at least one: got {len(diagonals)} and {len(offsets)}")
    given = [x for x in diagonals if is_array(x) and x.ndim]
    device = device or (device_of(given[0]) if given else None)  # numbers go where the arrays are
    arrays = []
    for i, x in enumerate(diagonals):
        x = build.as_array(x, f"diagonal {i}", device if np.ndim(x) == 0 else None)
        if x.ndim > 1:
            raise ValueError(f"diagonal {i} must be one-dimensional, got shape {x.shape}")
        arrays.append(x.reshape(-1))
    return arrays, offsets


def _read_integer(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None


def _choose_dtype(diagonals, dtype):
    """Return the dtype asked for. If none is given, do as SciPy: make other values floating, and warn that this will change."""
    own = np.result_type(*(x.dtype for x in diagonals))
    if dtype is not _UNSAID:
        return own if dtype is None else dtypes.check_dtype(dtype)
    chosen = np.dtype(np.common_type(*(np.empty(0, x.dtype) for x in diagonals)))
    if chosen != own:
        warn_user(
            f"Input has data type {own}, but the output has been cast to {chosen}. In the future, the output data type will "
            "match the input. To avoid this warning, set the `dtype` parameter to `None` to have the output dtype match the "
            "input, or set it to the desired output data type.",
            FutureWarning,
        )
    return chosen


def _length_of(offset, shape, name):
    """Return the number of positions on a diagonal; raise ValueError if the matrix has none there."""
    length = min(shape[0] + offset, shape[1] - offset, *shape)
    if length < 0:
        raise ValueError(f"{name} is out of bounds: a matrix of shape {shape} has no diagonal {offset}")
    return length


def _truncate(diagonal, offset, shape, i):
    """Return as many elements as the diagonal has, from one that may be too long; return a single number as it is."""
    length = _length_of(offset, shape, f"offsets[{i}]")
    if diagonal.size not in (1, length) and diagonal.size < length:
        raise ValueError(
            f"diagonal {i}, at offset {offset} of shape {shape}, needs {length} elements, or one for all, got {diagonal.size}"
        )
    return as_operand(diagonal[: max(length, 1)])
