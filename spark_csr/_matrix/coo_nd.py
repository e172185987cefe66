"""`coo_array` of three axes or more: the methods that such an array has, by those of matrices.

Design: entries are *folded* into a matrix, whose rows are the positions along some axes, and whose columns are those along the
others, both numbered in C order. The methods of matrices compute with the fold, and what they return is unfolded. So there are
no kernels here, and dtypes, exceptions and devices are those of matrices. A record by rows has an array as long as the matrix
has rows, and shapes may be huge. So as many of the first axes are rows as give few rows (`FEW`); where an operation says which
axes are the rows, and these are too many, the rows that have entries are numbered anew. Methods that look at the values alone
see them as a vector. What has no meaning for three axes is refused by `REFUSED`; anything else that asks such an array for a
record of rows gets the same exception. Cost: a fold is made anew by every operation, and sorted by most.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import (
    as_positions,
    contiguous,
    device_of,
    index_dtype,
    is_array,
    namespace_for,
    namespace_of,
    read_only,
    to_device,
    to_host_scalar,
)
from spark_csr._matrix.base import as_ours, issparse
from spark_csr._matrix.contractions import matmul, multiply, need_arrays, tensordot
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.entries import (
    FEW,
    Entries,
    as_matrix,
    as_vector,
    axes_of,
    check_entries,
    entries_of,
    list_coords,
    narrow,
    number_within,
    select_positions,
    wrap,
)
from spark_csr._matrix.reductions import dtype_of_sum, write_out
from spark_csr._matrix.structure import resolve_shape
from spark_csr._operations.form import build, check, dtypes
from spark_csr._operations.merge import elementwise, operands
from spark_csr._operations.select import keys
from spark_csr.primitives.compact import compact
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Literal, NoReturn

    from spark_csr._types import Array, ArrayLike, DTypeLike


def read(arg, shape, dtype, copy, device):
    """Return the argument of a constructor, which has three axes or more, as an array of this package."""
    dtype = None if dtype is None else dtypes.check_dtype(dtype)
    shape = None if shape is None else check.shape_of(shape, check.MOST_AXES)
    if isinstance(arg, coo_nd):
        made = arg
    elif isinstance(arg, tuple):
        made = coo_nd._make(_read_tuple(arg, shape, dtype, device))
    elif issparse(arg):
        if not hasattr(arg, "coords") or getattr(arg, "fill_value", 0) != 0:
            raise TypeError(f"an array of {arg.ndim} axes must be given by coordinates, with missing elements 0, got {arg!r}")
        made = coo_nd._make(_read_tuple((arg.data, arg.coords), check.shape_of(arg.shape, check.MOST_AXES), None, device))
    else:
        dense = build.as_array(arg, "the array", device)
        coords = dense.nonzero()
        made = coo_nd._make(Entries(coords, dense[coords], dense.shape), True)
    if shape is not None and shape != made.shape:
        raise ValueError(f"inconsistent shapes: shape {shape} was asked for, but the array has shape {made.shape}")
    made = made if device is None else made.to_device(device)
    return made if dtype is None and not copy else made.astype(made.dtype if dtype is None else dtype, copy=copy)


def _read_tuple(arg, shape, dtype, device):
    """Return the entries of `(data, coords)`, or of a shape none."""
    if build.is_shape(arg):
        xp, sizes = namespace_for(device or "cpu"), check.shape_of(arg, check.MOST_AXES)
        return Entries((xp.empty(0, np.int32),) * len(arg), xp.empty(0, dtype or np.float64), sizes)
    data = build.as_data(arg[0], dtype, device)
    coords = [build.as_indices(x, f"coords[{n}]", device) for n, x in enumerate(arg[1])]
    return check_entries(coords, data, shape)


def like_matrices(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method with the name, the signature and the docstring of that of matrices."""
    function = getattr(coo_array, name)
    return functools.wraps(function)(method)


def of_values(name, keeps=False):
    """Return the method that applies a method of vectors to the values, see `coo_nd._map`."""
    return like_matrices(name, lambda self, *args, **options: self._map(operator.methodcaller(name, *args, **options), keeps))


def of_folds(name):
    """Return the method that applies a method of matrices to a fold and to that of the operand, see `coo_nd._merge_with`."""
    return like_matrices(name, lambda self, other, *args: self._merge_with(name, other, *args))


def along_axes(name):
    """Return the method that applies a reduction of matrices along any axes, see `coo_nd._reduce`."""
    signature = inspect.signature(getattr(coo_array, name))

    def method(self, *args, **options):
        options = signature.bind(self, *args, **options).arguments
        return self._reduce(name, **{key: x for key, x in options.items() if key != "self"})

    return like_matrices(name, method)


def refused(name, instead):
    """Return a method that raises ValueError, and says what to do."""

    def method(self, *args, **options):
        raise ValueError(f"A.{name} needs a matrix, and the array has shape {self.shape}: use {instead}")

    return like_matrices(name, method)


FUNCTIONS = """arcsin arcsinh arctan arctanh ceil deg2rad expm1 floor log1p rad2deg rint sign sin sinh sqrt tan tanh trunc power
    __pow__ __abs__ __round__"""
"""Methods of the values, of which duplicates are summed first."""

KEEPING = "conj conjugate __neg__"
"""Methods of the values that keep duplicates."""

SUMS = ("__add__", "__radd__", "__sub__", "__rsub__")
"""Methods that broadcast a dense operand to the shape of the array."""

MERGES = "__add__ __radd__ __sub__ __rsub__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ ewise_add ewise_mult"

REDUCTIONS = "mean var std mean_var max min nanmax nanmin argmax argmin count_nonzero"

WRITING = ("sum", "mean", "var", "std")
"""Reductions that write into `out`."""

SPARSE_RESULTS = ("max", "min", "nanmax", "nanmin")
"""Reductions whose results are sparse: rows without entries need not be there."""

MATRICES_ONLY = """apply diagonal select setdiag to_cupy to_tuple tobsr tocsc tocsr todia todok tolil trace __binsparse__
    __binsparse_descriptor__"""

REFUSED = {
    "resize": "coo_array((data, coords), shape=shape) to make another array",
    "__setitem__": "coo_array((data, coords), shape=shape) to make another array",
    "matmat": "A @ x",
    "matmul": "A @ x",
    "matvec": "A @ x",
    "rmatmat": "x @ A.conj()",
    "rmatvec": "x @ A.conj()",
    "to_torch": "torch.sparse_coo_tensor(numpy.stack(A.coords), A.data, A.shape)",
}
REFUSED |= dict.fromkeys(MATRICES_ONLY.split(), "A.reshape(m, n) first")
"""Methods that arrays of three axes or more do not have, and what to use instead."""

DENSE: dict[str, Callable[..., Any]] = {
    name: getattr(operator, name) for name in ("__add__", "__sub__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
}
DENSE |= {"__radd__": operator.add, "__rsub__": lambda a, b: b - a}
DENSE |= {"maximum": lambda a, b: namespace_of(a).maximum(a, b), "minimum": lambda a, b: namespace_of(a).minimum(a, b)}
"""What a method of `MERGES` does with a dense operand, on the right."""


class coo_nd(coo_array):
    """A `coo_array` of three axes or more, which `coo_array` makes of such arguments."""

    _entries: Entries
    _is_canonical: bool | None

    for _name in FUNCTIONS.split():
        locals()[_name] = of_values(_name)
    for _name in KEEPING.split():
        locals()[_name] = of_values(_name, keeps=True)
    for _name in MERGES.split():
        locals()[_name] = of_folds(_name)
    for _name in REDUCTIONS.split():
        locals()[_name] = along_axes(_name)
    for _name, _instead in REFUSED.items():
        locals()[_name] = refused(_name, _instead)
    del _name, _instead

    def __init__(self, arg, shape=None, dtype=None, copy=False, *, device=None, maxprint=None):
        made = read(arg, shape, dtype, copy, device)
        self._entries, self._is_canonical = made._entries, made._is_canonical
        if maxprint is not None:
            self.maxprint = maxprint

    @classmethod
    def _make(cls, entries, is_canonical=None):
        """Return an array of entries that are known to be valid; `is_canonical` is None where that is not known."""
        self = cls.__new__(cls)
        dtype = index_dtype(max(entries.shape))
        self._entries = entries._replace(coords=tuple(x.astype(dtype, copy=False) for x in entries.coords))
        self._is_canonical = is_canonical
        return self

    @property
    def _record(self) -> NoReturn:
        """Raise the exception of whatever needs the record of a matrix."""
        raise ValueError(f"this needs a matrix, and the array has shape {self.shape}: use A.reshape(m, n) first")

    @property
    def _holder(self):
        return self._entries.data

    @property
    def coords(self) -> tuple[Array, ...]:
        """The coordinates of the entries: one index array for each axis, which cannot be written into.

        Assign other arrays of the same length to replace them, which are copied and checked as by the constructor.
        """
        return tuple(map(read_only, self._entries.coords))

    @coords.setter
    def coords(self, arrays: Sequence[ArrayLike]) -> None:
        arrays = [build.as_indices(x, f"coords[{n}]", self.device) for n, x in enumerate(arrays)]
        self._entries, self._is_canonical = check_entries(arrays, self.data, self.shape), None

    @property
    def data(self) -> Array:
        """The values of the entries, a 1-D array that may be written into, or replaced by another one of the same length."""
        return self._entries.data

    @data.setter
    def data(self, values: ArrayLike) -> None:
        values = contiguous(build.as_array(values, "data", self.device))
        if values.shape != (self.nnz,):
            raise ValueError(
                f"data must have shape {(self.nnz,)}, got {values.shape}: use coo_array((data, coords), shape=A.shape)"
            )
        self._entries = self._entries._replace(data=values)

    @property
    def row(self) -> Array:
        """The coordinates along the last axis but one."""
        return self.coords[-2]

    @row.setter
    def row(self, rows: ArrayLike) -> None:
        self.coords = (*self._entries.coords[:-2], rows, self._entries.coords[-1])

    @property
    def col(self) -> Array:
        """The coordinates along the last axis."""
        return self.coords[-1]

    @col.setter
    def col(self, columns: ArrayLike) -> None:
        self.coords = (*self._entries.coords[:-1], columns)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._entries.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._entries.shape

    _shape = shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self._entries.data.dtype

    @property
    def nnz(self) -> int:
        """The number of entries, stored zeros and duplicates included."""
        return self._entries.data.size

    size = nnz

    @property
    def nbytes(self) -> int:
        """The number of bytes of the index arrays and the values."""
        return self.data.nbytes + sum(x.nbytes for x in self._entries.coords)

    @property
    def device(self) -> str:
        """The device of the arrays: `"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._entries.data)

    @property
    def has_canonical_format(self) -> bool:
        """Whether the entries ascend by their coordinates and there are no duplicates; it may be set, as of a matrix."""
        if self._is_canonical is None:
            ascends = namespace_of(self.data).zeros(max(self.nnz - 1, 0), bool)
            for x in reversed(self._entries.coords):
                ascends = (x[:-1] < x[1:]) | ((x[:-1] == x[1:]) & ascends)
            self._is_canonical = to_host_scalar(ascends.all())
        return self._is_canonical

    @has_canonical_format.setter
    def has_canonical_format(self, known: bool) -> None:
        self._is_canonical = True if known else None

    def sum_duplicates(self) -> None:
        summed = self._summed()
        self._entries, self._is_canonical = summed._entries, True

    def _summed(self):
        """Return this array if its entries are canonical, else one with the same elements whose entries are."""
        if self.has_canonical_format:
            return self
        matrix, sizes = self._fold()
        matrix.sum_duplicates()
        return self._unfold(matrix, sizes)

    def eliminate_zeros(self) -> None:
        coords, data, shape = self._entries
        nonzero = data != 0
        self._entries = Entries(tuple(compact(x, nonzero) for x in coords), compact(data, nonzero), shape)

    def copy(self) -> coo_nd:
        coords, data, shape = self._entries
        return self._make(Entries(tuple(x.copy() for x in coords), data.copy(), shape), self._is_canonical)

    def tocoo(self, copy: bool = False) -> coo_nd:
        return self.copy() if copy else self

    def to_device(self, device: str) -> coo_nd:
        *coords, data = (to_device(x, device) for x in (*self._entries.coords, self.data))
        return self if data is self.data else self._make(Entries(tuple(coords), data, self.shape), self._is_canonical)

    def __getstate__(self) -> tuple[Any, ...]:
        return tuple(self._entries), {name: x for name, x in vars(self).items() if name != "_entries"}

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        (coords, data, shape), others = state
        self._entries = check_entries(coords, data, shape, copy=False)
        vars(self).update(others)

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array with more than one element is ambiguous: use A.nnz")

    def _lines(self, start, stop):
        *coords, values = (to_device(x[start:stop], "cpu") for x in (*self._entries.coords, self.data))
        places = zip(*(x.tolist() for x in coords), strict=True)
        return "\n".join(f"  {at}\t{value}" for at, value in zip(places, values, strict=True))

    def _as_foreign(self, module, kind, copy=False):
        if kind == "matrix":
            raise ValueError(f"old matrices have two axes, and the array has shape {self.shape}: use A.reshape(m, n) first")
        coords, data, shape = self.copy()._entries if copy else self._entries
        half = data.dtype == np.float16  # SciPy's coordinates hold float16, but refuse it when they are made
        make = importlib.import_module(module).coo_array
        entries = make((data.view(np.uint16) if half else data, tuple(x.copy() for x in coords)), shape=shape)
        if half:
            entries.data = data
        return entries

    def _fold(self, *others):
        """Return this array as a matrix, with few rows for it and the others, and the sizes of the axes that are its rows, and
        of those that are its columns."""
        most, rows, k = FEW + max(x.nnz for x in (self, *others)), 1, 0
        while k < self.ndim - 1 and rows * self.shape[k] <= most:
            rows *= self.shape[k]
            k += 1
        return self._entries.fold(range(k), range(k, self.ndim)), (self.shape[:k], self.shape[k:])

    def _unfold(self, matrix, sizes):
        """Return what a method of a fold has given, a sparse or a dense matrix, in the shape of this array."""
        if not issparse(matrix):
            return matrix.reshape(self.shape)
        (rows, columns), data, _ = entries_of(matrix)
        coords = list_coords(rows, sizes[0]) + list_coords(columns, sizes[1])
        return self._make(Entries(tuple(coords), data, self.shape))

    def _map(self, function, keeps=False):
        """Return what a function gives for a vector of the values; duplicates are summed first unless `keeps`."""
        array = self if keeps else self._summed()
        found = function(as_vector(array.data))
        if isinstance(found, tuple):  # as `numpy.modf` gives
            return tuple(map(array._with_values, found))
        return array._with_values(found)

    def _with_values(self, vector):
        """Return this array with the values of a vector, which may lack some of them."""
        if vector.nnz == self.nnz:
            return self._make(self._entries._replace(data=vector.data), self._is_canonical)
        (kept,), data, _ = entries_of(vector)
        return self._make(Entries(tuple(gather(x, kept) for x in self._entries.coords), data, self.shape), self._is_canonical)

    def _merge_with(self, name, other, *args):
        """Return what a method of matrices gives for this array and another of its shape, a number, or a dense array."""
        if issparse(other):
            if other.shape != self.shape:
                if name in ("__eq__", "__ne__"):
                    return name == "__ne__"
                raise ValueError(f"inconsistent shapes: the array has shape {self.shape}, the operand {other.shape}")
            other = as_ours(other)
            (matrix, sizes), (operand, _) = self._fold(other), other._fold(self)
            return self._unfold(getattr(matrix, name)(operand, *args), sizes)
        if operands.is_scalar(other) or name not in DENSE:
            matrix, sizes = self._fold()
            return self._unfold(getattr(matrix, name)(other, *args), sizes)
        is_sum = name in SUMS
        dense = operands.try_dense(other, self.data)
        if dense is None or (is_sum and not is_array(other)):
            return NotImplemented
        return DENSE[name](self.toarray(), namespace_of(dense).broadcast_to(dense, self.shape) if is_sum else dense)

    def _larger_or_smaller(self, name, sign, other):
        found = self._merge_with(name, other)
        if found is NotImplemented:
            raise NotImplementedError(f"{name} with an unrecognized array type is not supported, got {type(other).__name__}")
        return found

    def multiply(self, other: Any) -> Any:
        if issparse(other):
            return self._merge_with("multiply", other)
        if operands.is_scalar(other):
            return self._map(operator.methodcaller("multiply", other), keeps=self.dtype.kind in "fc")
        return self._meet(operator.mul, other)

    __mul__ = __rmul__ = multiply

    def __truediv__(self, other: Any) -> Any:
        if issparse(other):
            return self._merge_with("__truediv__", other)
        if operands.is_scalar(other):
            return self._map(operator.methodcaller("__truediv__", other))
        return self._meet(elementwise.divide, other)

    def _meet(self, function, other):
        """Return the product with a dense array of the same shape, or the quotient, which is read at the entries only."""
        dense = operands.try_dense(other, self.data)
        if dense is None:
            return NotImplemented
        if dense.shape != self.shape:
            raise ValueError(f"inconsistent shapes: the array has shape {self.shape}, the operand {dense.shape}")
        array = self._summed()
        found = function(array.data, dense[tuple(map(as_positions, array._entries.coords))])
        data = found.astype(dtypes.dtype_of(found, "the result"), copy=False)
        return self._make(array._entries._replace(data=data), True)

    def astype(self, dtype: DTypeLike, casting: str = "unsafe", copy: bool = True) -> coo_nd:
        if dtypes.check_dtype(dtype) == self.dtype:
            return self.copy() if copy else self
        return self._map(operator.methodcaller("astype", dtype, casting))

    @property
    def real(self) -> coo_nd:
        """The real parts, as an array of the same entries."""
        return self._map(operator.attrgetter("real"), keeps=True)

    @property
    def imag(self) -> coo_nd:
        """The imaginary parts, as an array of the same entries."""
        return self._map(operator.attrgetter("imag"), keeps=True)

    def __matmul__(self, other: Any) -> Any:
        return multiply(matmul, self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return multiply(matmul, other, self)

    def dot(self, other: Any) -> Any:
        return self * other if operands.is_scalar(other) else self._dot(self, other)

    @staticmethod
    def _dot(a, b):
        return need_arrays(lambda a, b: tensordot(a, b, ([-1], [max(b.ndim - 2, 0)])), a, b)

    @staticmethod
    def _tensordot(a, b, axes):
        return need_arrays(functools.partial(tensordot, axes=axes), a, b)

    @staticmethod
    def _select(matrix, key):
        """Return the elements of a matrix that a key with `None` selects, which leads to three axes or more."""
        return coo_nd._make(entries_of(matrix))[key]

    def transpose(self, axes: Sequence[int] | None = None, copy: bool = False) -> Any:
        """Return the array with its axes in another order: the reverse one, unless `axes` gives it.

        Parameters
        ----------
        axes : tuple of ints, optional
            For each axis of the result, the number of the axis of this array that it is.
        copy : bool, default False
            Whether to copy the arrays.

        Returns
        -------
        coo_array
            The array, whose entries are in the order of this one; it shares the values unless `copy` is True.

        Raises
        ------
        ValueError
            If `axes` does not name each axis once.

        Examples
        --------
        >>> from spark_csr import coo_array
        >>> coo_array((2, 3, 4)).transpose((1, 0, 2)).shape
        (3, 2, 4)
        """
        order = list(range(self.ndim))[::-1] if axes is None else axes_of(tuple(axes), self.ndim)
        if len(order) != self.ndim:
            raise ValueError(f"axes must name each of the {self.ndim} axes once, got {axes}")
        turned = self._make(self._entries.take(order))
        return turned.copy() if copy else turned

    @property
    def mT(self) -> coo_nd:
        """The array with its last two axes exchanged."""
        return self.transpose((*range(self.ndim - 2), -1, -2))

    def reshape(self, *shape: int | Sequence[int], order: Literal["C", "F"] = "C", copy: bool = False) -> Any:
        """Lay the elements out in another shape of the same size.

        Parameters, result and exceptions are those of `csr_array.reshape`, but the entries keep their order. *Cost*: a few
        passes over the coordinates.
        """
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C' or 'F', got {order!r}")
        sizes = resolve_shape(shape, math.prod(self.shape))
        if sizes == self.shape:
            return self.copy() if copy else self
        return self._lay_out(self, sizes, order, copy)

    @staticmethod
    def _lay_out(matrix, shape, order, copy):
        """Return the elements of a sparse matrix or array in another shape of as many, whose entries are in the same order."""
        entries, step = entries_of(matrix), 1 if order == "C" else -1
        numbers, _ = entries.number(range(entries.ndim)[::step])
        data = entries.data.copy() if copy else entries.data
        return wrap(list_coords(numbers, shape[::step])[::step], data, shape)

    def toarray(self, order: Literal["C", "F"] | None = None, out: Array | None = None) -> Array:
        return self._give_dense(self._fold()[0].toarray().reshape(self.shape), order, out)

    def nonzero(self) -> tuple[Array, ...]:
        coords, data, _ = self._summed()._entries
        nonzero = data != 0
        return tuple(compact(x, nonzero) for x in coords)

    def sum(self, axis: Any = None, dtype: DTypeLike | None = None, out: Array | None = None, *, keepdims: bool = False) -> Any:
        return self._reduce("sum", axis, out, keepdims, dtype=dtype_of_sum(self, dtype, out))

    def _reduce(self, name, axis=None, out=None, keepdims=False, **options):
        """Return what a reduction of matrices gives along some axes: of the rows of a fold, whose rows are the other axes."""
        if isinstance(axis, tuple) and not axis:
            raise ValueError("sparse does not accept 0D axis (): use A.toarray() for a dense array, A.copy() for a sparse one")
        if out is not None and name not in WRITING:
            options["out"] = out  # which is refused
        axes = list(range(self.ndim)) if axis is None else axes_of(axis, self.ndim)
        kept = [n for n in range(self.ndim) if n not in axes]
        shape = tuple(1 if n in axes else size for n, size in enumerate(self.shape) if keepdims or n not in axes)
        if not kept:
            matrix, options = as_vector(self.data) if name == "sum" else self._fold()[0], options | {"axis": None}
        else:
            (rows, height), (columns, width) = map(self._entries.number, (kept, axes))
            row_of = None
            if name in SPARSE_RESULTS:
                rows, height, row_of = narrow(rows, height, self.nnz + FEW)
            matrix, options = as_matrix(rows, columns, self.data, (height, width)), options | {"axis": 1}
        found = getattr(matrix, name)(**options)
        if issparse(found):
            (at,), data, _ = entries_of(found)
            return wrap(list_coords(row_of(at), shape), data, shape)
        if shape:
            several = isinstance(found, tuple)
            found = [namespace_of(self.data).asarray(x).reshape(shape) for x in (found if several else (found,))]
            found = tuple(found) if several else found[0]
        return write_out(found, out if name in WRITING else None)

    def __getitem__(self, key: Any) -> Any:
        index, slots, block, front = keys.resolve(key, self.shape, self.data)
        keep = namespace_of(self.data).ones(self.nnz, bool)
        along, sizes, asked = [], [], []
        for k, x, size in zip(index, self._entries.coords, self.shape, strict=True):
            if isinstance(k, int):
                keep &= x == k
            elif isinstance(k, slice):
                chosen = range(size)[k]
                low, high = sorted((chosen[0], chosen[-1])) if chosen else (0, -1)
                if high - low < size - 1:
                    keep &= (x >= low) & (x <= high)
                if abs(chosen.step) > 1 and high > low:
                    keep &= (x - low) % abs(chosen.step) == 0
                along.append((x, chosen))
                sizes.append(len(chosen))
            else:
                asked.append((k, x, size))
        data = compact(self.data, keep)
        along = [number_within(compact(x, keep), chosen) for x, chosen in along]
        in_block = []
        if asked:
            wanted, given, extents = zip(*asked, strict=True)
            given = Entries(tuple(compact(x, keep) for x in given), data, extents)
            in_block, along, data = select_positions(given, wanted, Entries(tuple(along), data, tuple(sizes)), block)
        zeros, found = namespace_of(data).zeros(data.size, np.int32), iter(along)
        axes = [(zeros.copy(), 1) if size is None else (next(found), size) for size in slots]
        axes[front:front] = zip(in_block, block, strict=True)
        if not axes:
            return as_matrix(zeros, zeros, data, (1, 1))[0, 0]
        return wrap([x for x, _ in axes], data, tuple(size for _, size in axes))

    def __iter__(self) -> Iterator[Any]:
        for i in range(self.shape[0]):
            yield self[i]


coo_array._many_axes = coo_nd
