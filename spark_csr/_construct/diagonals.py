"""Matrices of diagonals."""

import operator
import warnings

import numpy as np

from spark_csr._array import as_operand, device_of, is_array, namespace_for, same_device
from spark_csr._construct._operands import wrap
from spark_csr._operations.compose.diagonals import from_diagonals, one_diagonal
from spark_csr._operations.form import build, check, dtypes

_UNSAID = object()


def eye_array(m, n=None, *, k=0, dtype=float, format=None, device=None):
    """Ones on a diagonal, and nothing else.

    Parameters
    ----------
    m, n : int
        Rows and columns; `n` is `m` unless given.
    k : int
        Which diagonal: 0 the main one, above 0 above it, below 0 below.
    dtype : dtype
        Of the ones.
    format : str, optional
        As `csr_array.asformat` takes it; default: "csr".
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        Default: "cpu".

    Returns
    -------
    (m, n) csr_array

    Raises
    ------
    ValueError
        If the matrix has no such diagonal, or the format is unknown.
    MemoryError
        If there is no room for it: named with its size.

    Notes
    -----
    *Cost*: writes the result once. *Empty input*: no rows or no columns give no entries.

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


def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=_UNSAID, device=None):
    """A matrix of its diagonals.

    Parameters
    ----------
    diagonals : sequence of arrays, or one sequence of numbers
        Their values from the top left on; a single number stands for a whole diagonal. With one integer as `offsets` the
        diagonal itself.
    offsets : int or sequence of int
        Which diagonals: 0 the main one, above 0 above it, below 0 below; each at most once, in any order.
    shape : (int, int), optional
        Default: square, and as large as the first diagonal needs.
    format : str, optional
        As `csr_array.asformat` takes it; default: "csr".
    dtype : dtype, optional
        Unless given, that of the diagonals as floating numbers, with a FutureWarning where they are none, as SciPy's; with
        None their own.
    device : {"cpu", "cuda", "cuda:1", ...}, optional
        Default: where the diagonals are.

    Returns
    -------
    csr_array
        Zeros on the diagonals are not stored, as SciPy does not in this format.

    Raises
    ------
    ValueError
        If there are more or fewer diagonals than offsets, a diagonal is too short (one too long is cut), outside the shape or
        given twice.
    TypeError
        For offsets that are no integers, and for diagonals on different devices.
    MemoryError
        If there is no room for it: named with its size.

    Notes
    -----
    *Cost*: one read of the diagonals, one write of the entries; if there are zeros, the pass that drops them. *Empty
    input*: no rows or no columns give no entries.

    Examples
    --------
    >>> from spark_csr import diags_array
    >>> diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(3, 3)).toarray()
    array([[ 2., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  2.]])
    """
    diagonals, offsets = _pair(diagonals, offsets, device)
    same_device(*diagonals)
    dtype = _choose_dtype(diagonals, dtype)
    if shape is None:
        shape = (diagonals[0].size + abs(offsets[0]),) * 2
    shape = check.shape_of(shape)
    if len(shape) != 2:
        raise ValueError(f"shape must be two integers (rows, columns), got {shape}")
    if len(set(offsets)) < len(offsets):
        raise ValueError(f"offsets must name each diagonal once, got {offsets}")
    order = sorted(range(len(offsets)), key=offsets.__getitem__)
    values = [_truncate(diagonals[i].astype(dtype, copy=False), offsets[i], shape, i) for i in order]
    return wrap(from_diagonals(values, [offsets[i] for i in order], shape), format)


def _pair(diagonals, offsets, device):
    """Return one array and one integer for each diagonal."""
    if np.ndim(offsets) == 0:
        if len(diagonals) and np.ndim(diagonals[0]):
            raise ValueError(f"{len(diagonals)} diagonals were given and a single offset: give offsets=[...], one for each")
        diagonals, offsets = [diagonals], [offsets]
    diagonals, offsets = list(diagonals), [_read_integer(f"offsets[{i}]", x) for i, x in enumerate(offsets)]
    if len(diagonals) != len(offsets) or not offsets:
        raise ValueError(f"as many diagonals as offsets, and at least one, are needed: got {len(diagonals)} and {len(offsets)}")
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
        warnings.warn(
            f"the diagonals have dtype {own}, and the matrix is given {chosen}; SciPy says that it will keep {own} in future: "
            "say dtype=None for that now, or the dtype that you want",
            FutureWarning,
            stacklevel=4,
        )
    return chosen


def _length_of(offset, shape, name):
    """Return the number of positions on a diagonal; raise ValueError if the matrix has none there."""
    length = min(shape[0] + offset, shape[1] - offset, *shape)
    if length < 0:
        raise ValueError(f"{name} must be that of a diagonal of shape {shape}, got {offset}: it is out of bounds")
    return length


def _truncate(diagonal, offset, shape, i):
    """Return the first elements of a diagonal that is too long; a single number as it is."""
    length = _length_of(offset, shape, f"offsets[{i}]")
    if diagonal.size not in (1, length) and diagonal.size < length:
        raise ValueError(
            f"diagonal {i}, at offset {offset} of shape {shape}, needs {length} entries (or one for all), got {diagonal.size}"
        )
    return as_operand(diagonal[: max(length, 1)])
