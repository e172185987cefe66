"""What every format of matrix shares: the record inside of it, its attributes, and how it finds its relatives.

Design: three formats hold one record of rows. A `csr_array` is the rows; a `csc_array` holds the rows of its
transpose and says so with one flag, `_transposed`; a `coo_array` is the rows too, and shows the row of every entry, or it holds
`Coordinates`, which are arranged by rows when its `_csr` is asked for. So every operation is written once, on records, and a
method only says which record goes in and which format comes out. A vector (`ndim` 1) is a record of one row. Cost: methods of a
format that may be transposed read `_transposed`.
"""

from __future__ import annotations

import contextlib
import sys
import types
from typing import TYPE_CHECKING, Any

from spark_csr import _absent
from spark_csr._array import contiguous, copy_if_shared, device_of, is_array, is_device_array
from spark_csr._current_device import methods_on_their_device
from spark_csr._operations.form import build, convert, shown
from spark_csr._operations.form.record import ANYBODY, MAKER, MATRICES, MATRIX
from spark_csr._operations.form.shown import Shown
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.form.unfinished import Unfinished

if TYPE_CHECKING:
    from typing import ClassVar, NoReturn, Self

    import numpy as np

    from spark_csr._types import Array, ArrayLike

try:
    from scipy._lib._sparse import SparseABC as _SPARSE
except ImportError:  # before SciPy 1.17, `scipy.sparse.issparse` knows the classes of SciPy alone
    _SPARSE = None

FORMATS: dict[str, Any] = {}
"""The classes by the names of their formats."""


def issparse(x: object) -> bool:
    """Return whether `x` is a sparse matrix or vector, of this package or of another library.

    Parameters
    ----------
    x : object
        Any object.

    Returns
    -------
    bool
        True for `csr_array`, `csc_array` and `coo_array`, and for the sparse arrays and matrices of SciPy, CuPy and PyData.
        Dense arrays and numbers give False.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, issparse
    >>> issparse(csr_array((2, 3))), issparse(np.zeros((2, 3)))
    (True, False)
    """
    return not is_array(x) and hasattr(x, "nnz") and (hasattr(x, "tocsr") or hasattr(x, "to_scipy_sparse"))


def rows_of(matrix, by_column=False):
    """Return the record of any sparse matrix by its rows, or by its columns if `by_column` is set."""
    if isinstance(matrix, SparseArray):
        csr, flipped = matrix._csr, matrix._transposed
    else:
        (csr, _), flipped = build.from_anything(matrix), False
    return csr if flipped == by_column else transpose(csr)


def keep_pattern(csr, given):
    """Return a record to keep, with index arrays of its own if `given`, whose record it was, is a matrix of another library.

    Methods of such a matrix sort and drop entries in place.
    """
    return csr if isinstance(given, SparseArray) or not hasattr(given, "tocsr") else csr.copy_of_pattern()


def read(arg, shape, dtype, copy, device):
    """Return the record of the argument of a constructor, and its number of dimensions; the duplicates of a `coo_array` are
    summed."""
    if isinstance(arg, SparseArray):
        csr = arg.tocsr()._csr if arg.format == "coo" else rows_of(arg)
        return build.from_record(csr, arg.ndim, shape, dtype, copy, device)
    return build.from_anything(arg, shape, dtype, copy, device)


def as_ours(matrix):
    """Return a sparse matrix of another library as one of this package: in its own format if it is here, else by rows."""
    return matrix if isinstance(matrix, SparseArray) else FORMATS.get(getattr(matrix, "format", "csr"), FORMATS["csr"])(matrix)


def are_old(matrices):
    """Return whether there are sparse matrices among these objects, and all are of SciPy's old classes, whose `*` is the matrix
    product."""
    sparse = [x for x in matrices if issparse(x)]
    return bool(sparse) and all(isinstance(x, getattr(sys.modules.get("scipy.sparse"), "spmatrix", ())) for x in sparse)


def as_old(found):
    """Return a sparse matrix as one of SciPy's old classes, whose arrays may be written into; anything else as it is."""
    if not issparse(found):
        return found
    if isinstance(found, SparseArray):
        return found.to_scipy(copy=True, matrix=True)
    return getattr(sys.modules["scipy.sparse"], f"{found.format}_matrix")(found, copy=True)


def in_blocks_as(other, found, blocksize):
    """Return the result of an operator whose left operand is `other`: in SciPy's BSR format if that is, as SciPy does."""
    return found.tobsr(blocksize) if getattr(other, "format", None) == "bsr" else found


def say_not_dense(matrix):
    """Return the end of a sentence: that a matrix is not a dense array, and what to give to a function that wants one."""
    name, library = ("scipy", "SciPy") if matrix.device == "cpu" else ("cupy", "CuPy")
    other = f"A.to_{name}() for a matrix of {library} that shares the values"
    return f"not a dense array: use {other}, or A.toarray() for a dense copy"


_hint = _absent.hint_at(_absent.MATRIX)


def _is_private_to_scipy(matrix, name):
    """Return whether SciPy's class of this format has an attribute that its functions may ask this matrix for."""
    scipys = getattr(sys.modules.get("scipy.sparse"), f"{matrix.format}_array", None)
    if _SPARSE is None or scipys is None or not hasattr(scipys, name):
        return False
    if matrix.device != "cpu":
        raise AttributeError(f"SciPy computes on the host, and this matrix is on {matrix.device}: use A.to_scipy()")
    return True


class _Fixed:
    """The format of a class, which its objects show and cannot change."""

    def __init__(self, value):
        self.value = value

    def __get__(self, matrix, kind=None):
        return self.value

    def __set__(self, matrix, value):
        raise AttributeError(f"the format of a {self.value}_array cannot be set: use A.asformat({value!r})")


@methods_on_their_device
class SparseArray:
    """A matrix around a record `_csr`, which holds it by rows, or its transpose by rows if `_transposed`.

    Code that reads `_csr` may keep the record and hand out its arrays: from then on these are never changed in place.
    `_record` is the same record, for code that looks at sizes and dtypes only, and for `_operations.select.in_place`.
    `_lent` is for products, which hand out nothing. `_common` is for the transpose, which holds the same record.
    `_held` is for code that takes the entries in any order: those of a `coo_array` may be in the order they were given in.
    """

    format: ClassVar[str] = ""
    _ndim = 2
    maxprint: int = 50  # as SciPy's: how many entries `str` shows
    _transposed = False
    __array_priority__ = 102  # above CuPy's arrays (100) and matrices (101) and all of NumPy's: `x @ A` asks A
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    if not TYPE_CHECKING:  # type checkers would accept any name

        def __getattr__(self, name):
            """Return what SciPy's functions ask a matrix for in private, from a matrix of SciPy; else raise with a hint."""
            if not name.startswith("__") and name.startswith("_") and _is_private_to_scipy(self, name):
                return getattr(self.to_scipy(), name)
            return _hint(self, name)

    def __init_subclass__(cls) -> None:
        methods_on_their_device(cls)
        if "format" in vars(cls):
            FORMATS[cls.format] = cls
            cls.format = _Fixed(cls.format)  # type: ignore[assignment]

    @property
    def _csr(self):
        return self._record.share()

    @_csr.setter
    def _csr(self, csr):
        csr.seen_by = {MAKER: MATRIX, MATRICES: MATRICES}.get(csr.seen_by, ANYBODY)
        before = vars(self).get("_record")
        self._record = before.follow(csr) if isinstance(before, Shown) else csr

    @property
    def _lent(self):
        return self._record.lend()

    @property
    def _common(self):
        if isinstance(self._record, Shown):
            return self._record.common()
        self._record.lend()
        return self._record

    @property
    def _held(self):
        return self._record.share()

    @property
    def _given(self):
        """The record, for code that returns or replaces its values: while a user sets arrays, these need not fit each other."""
        return self._record if isinstance(self._record, (Shown, Unfinished)) else self._held

    def _show(self, number):
        """Return the first or the second index array of the record, for a user who may write into it."""
        if is_device_array(self._record.data):
            return self._given.arrays[number]
        with shown.lock:
            if not isinstance(self._record, (Shown, Unfinished)):
                self._record = Shown(self._held)
            return self._record.show(number)

    def _has_handed_out(self, x, number):
        """Return whether `x` is the first or the second index array itself, which need not be set."""
        return isinstance(self._record, (Shown, Unfinished)) and self._record.has_handed_out(x, number)

    def _set_arrays(self, make, arrays, fit):
        """Replace the arrays by others, of which `make` makes a record: now if they fit each other, else when it is used."""
        unfinished = Unfinished(self, make, arrays, self._record)
        if fit:
            unfinished.share()
        else:
            self._record = unfinished

    @classmethod
    def _of(cls, csr, ndim=2):
        """Return a matrix around a valid record; with `ndim` 1 a vector, around a record of one row."""
        self = cls.__new__(cls)
        self._csr = csr
        if ndim == 1:
            self._ndim = 1
        return self

    def _hold(self, csr, ndim, maxprint=None):
        """Take another record, of `ndim` dimensions, and set how many entries `str` shows, if that is given."""
        self._csr = csr
        self._ndim = ndim
        if maxprint is not None:
            self.maxprint = maxprint

    def _like(self, csr):
        """Return a matrix of the same format around another record."""
        return self._of(csr, self.ndim)

    def _wrap_merged(self, csr):
        """Wrap the record of a merge of matrices: in the format of this one, or as csr if this one is coo."""
        return FORMATS["csr" if self.format == "coo" else self.format]._of(csr, self.ndim)

    def _orient(self, dense):
        """Transpose a dense array if the record holds the transpose, to the order of the record or back."""
        return dense.T if self._transposed else dense

    def _operand(self, other):
        """Return the record of another sparse matrix, by rows or by columns as this one."""
        return rows_of(other, self._transposed)

    @property
    def data(self) -> Array:
        """The values of the entries, a 1-D array that may be written into.

        Assign an array to replace the values and their dtype; it is moved to the device of the matrix. If it has another
        length, set the index arrays too: until they fit, all that needs the matrix raises a ValueError.
        """
        return self._given.data

    @data.setter
    def data(self, values: ArrayLike) -> None:
        values, record = contiguous(build.as_array(values, "data", self.device)), self._given
        if values.ndim != 1:
            raise ValueError(f"data must be one-dimensional, got shape {values.shape}")
        values = copy_if_shared(values, *record.arrays[:2])
        if values.size == record.indices.size and not isinstance(record, Unfinished):
            self._record = record.with_data(values)
        else:
            self._replace(data=values)

    @property
    def ndim(self) -> int:
        """The number of dimensions: 2, or 1 of a vector."""
        return self._ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape `(M, N)` of a matrix, or `(N,)` of a vector."""
        return (self._record.shape[::-1] if self._transposed else self._record.shape)[-self._ndim :]

    _shape = shape
    """What SciPy's functions ask for; some set it, which raises an AttributeError here."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self._record.data.dtype

    @property
    def nnz(self) -> int:
        """The number of entries, stored zeros and duplicates included."""
        if isinstance(self._record, Shown):  # offsets that were written into may end earlier
            with contextlib.suppress(ValueError):
                self._record.lend()
        return self._record.indices.size

    size = nnz

    @property
    def nbytes(self) -> int:
        """The number of bytes of the three arrays of the matrix."""
        return sum(x.nbytes for x in self._record.arrays)

    @property
    def _holder(self):
        return self._record.data

    @property
    def device(self) -> str:
        """The device of the arrays: `"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._record.data)

    def to_device(self, device: str) -> Self:
        """Return the matrix on another device.

        Parameters
        ----------
        device : {"cpu", "cuda", "cuda:1", ...}
            The device of the result; `"cuda"` is the current GPU.

        Returns
        -------
        csr_array, csc_array or coo_array
            This matrix if it is on `device` already, else a copy of the same format.

        Raises
        ------
        RuntimeError
            If a GPU is asked for and there is none.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2]])
        >>> A.to_device("cpu") is A
        True
        """
        record = self._held
        moved = build.move_to(record, device)
        return self if moved is record else self._like(moved)

    def copy(self) -> Self:
        """Copy the matrix and all its arrays.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format that shares no memory with this one.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2]])
        >>> B = A.copy()
        >>> B.data[0] = 5
        >>> A.toarray(), B.toarray()
        (array([[1, 0, 2]]), array([[5, 0, 2]]))
        """
        return self._like(self._held.copy())

    def __getstate__(self) -> tuple[Any, ...]:
        others = {name: value for name, value in vars(self).items() if name not in ("_record", "_ndim")}
        return (*self._csr.arrays, self._csr.shape, self.ndim, others)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *arrays, shape, ndim, others = state
        self._csr = convert.from_arrays(*arrays, shape)
        vars(self).update(others)
        if ndim == 1:
            self._ndim = 1

    def __len__(self) -> NoReturn:
        raise TypeError("sparse array length is ambiguous; use A.nnz or A.shape[0], or A.to_torch() to make a tensor")

    def __bool__(self) -> bool:
        if self.shape in ((1,), (1, 1)):
            return bool(self.toarray().ravel()[0])
        raise ValueError("the truth value of an array with more than one element is ambiguous: use A.nnz")

    def __repr__(self) -> str:
        return (
            f"<{self.format}_array of dtype '{self.dtype}' on {self.device}, shape {self.shape}, "
            f"with {self.nnz} stored elements>"
        )

    @classmethod
    def __class_getitem__(cls, item: Any) -> types.GenericAlias:
        """Return an alias for annotations such as `csr_array[numpy.float64]`."""
        return types.GenericAlias(cls, item)


if _SPARSE is not None:  # `scipy.sparse.issparse` is true for matrices of this package
    _SPARSE.register(SparseArray)
