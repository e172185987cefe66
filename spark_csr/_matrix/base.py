"""What every format of matrix shares: the record inside of it, its attributes, and how it finds its relatives.

Design: three formats hold one record of rows. A `csr_array` is the rows; a `csc_array` holds the rows of its
transpose and says so with one flag, `_transposed`; a `coo_array` is the rows too, and shows the row of every entry. So every
operation is written once, on records, and a method only says which record goes in and which format comes out. A vector (`ndim`
1) is a record of one row. Cost: methods of a format that may be transposed read `_transposed`.
"""

import types

from spark_csr._array import contiguous, device_of, is_array, unshared
from spark_csr._current_device import methods_on_their_device
from spark_csr._operations.form import build, convert
from spark_csr._operations.form.record import ANYBODY, MAKER, MATRIX
from spark_csr._operations.form.transpose import transpose

FORMATS = {}
"""The classes by the names of their formats."""


def issparse(x):
    """Is `x` a sparse matrix, of ours or of another library?"""
    return not is_array(x) and hasattr(x, "tocsr") and hasattr(x, "nnz")


def rows_of(matrix, by_column=False):
    """The record of any sparse matrix by its rows; by its columns, if asked for."""
    if isinstance(matrix, SparseArray):
        csr, flipped = matrix._csr, matrix._transposed
    else:
        (csr, _), flipped = build.from_anything(matrix), False
    return csr if flipped == by_column else transpose(csr)


def read(arg, shape, dtype, copy, device):
    """The record of whatever a constructor is given, and how many dimensions it has."""
    if isinstance(arg, SparseArray):
        return build.from_record(rows_of(arg), arg.ndim, shape, dtype, copy, device)
    return build.from_anything(arg, shape, dtype, copy, device)


def as_ours(matrix):
    """Return a sparse matrix of another library as one of ours, in its own format if we have that, else by rows."""
    return matrix if isinstance(matrix, SparseArray) else FORMATS.get(matrix.format, FORMATS["csr"])(matrix)


@methods_on_their_device
class SparseArray:
    """A matrix around a record `_csr`, which holds it by rows, or its transpose by rows if `_transposed`.

    Whoever reads `_csr` may keep it, and hand out its arrays: from then on these are never changed in place. `_record` is the
    same, for what looks at sizes and dtypes only, and for `_operations.select.in_place`.
    """

    format = None
    ndim = 2
    maxprint = 50  # as SciPy's: how many entries `str` shows
    _transposed = False
    __array_priority__ = 102  # above CuPy's arrays (100) and matrices (101) and all of NumPy's: `x @ A` asks A
    __hash__ = None

    def __init_subclass__(cls):
        methods_on_their_device(cls)
        if cls.format:
            FORMATS[cls.format] = cls

    @property
    def _csr(self):
        return self._record.shared()

    @_csr.setter
    def _csr(self, csr):
        csr.seen_by = MATRIX if csr.seen_by == MAKER else ANYBODY
        self._record = csr

    @classmethod
    def _of(cls, csr, ndim=2):
        """A matrix around a record that is right already; with `ndim` 1 a vector, around a record of one row."""
        self = cls.__new__(cls)
        self._csr = csr
        if ndim == 1:
            self.ndim = 1
        return self

    def _like(self, csr):
        """Return a matrix of the same format around another record."""
        return self._of(csr, self.ndim)

    def _wrap_merged(self, csr):
        """Wrap the record of a merge of matrices: in the format of this one, or as csr where that is coo."""
        return FORMATS["csr" if self.format == "coo" else self.format]._of(csr, self.ndim)

    def _orient(self, dense):
        """Transpose a dense array if the record holds the transpose, to the order of the record or back."""
        return dense.T if self._transposed else dense

    def _operand(self, other):
        """The record of another sparse matrix, the way ours lies."""
        return rows_of(other, self._transposed)

    @property
    def data(self):
        """The value of every entry; may be written into."""
        return self._csr.data

    @data.setter
    def data(self, values):
        values = build.as_array(values, "data", self.device)
        if values.shape != self.data.shape:
            raise ValueError(f"data must have shape {self.data.shape}, got {values.shape}")
        values = contiguous(values)
        self._csr = self._csr.with_data(unshared(values, self._csr.indptr, self._csr.indices))

    @property
    def shape(self):
        """`(M, N)`, or `(N,)` of a vector."""
        return (self._record.shape[::-1] if self._transposed else self._record.shape)[-self.ndim :]

    @property
    def dtype(self):
        """The dtype of the values."""
        return self._record.data.dtype

    @property
    def nnz(self):
        """Stored elements, zeros among them."""
        return self._record.indices.size

    size = nnz

    @property
    def nbytes(self):
        """Bytes of the three arrays."""
        return sum(x.nbytes for x in self._record.arrays)

    @property
    def _holder(self):
        return self._record.data

    @property
    def device(self):
        """`"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._record.data)

    def to_device(self, device):
        """This matrix where it is on `device` already, else a copy there."""
        moved = build.move_to(self._csr, device)
        return self if moved is self._csr else self._like(moved)

    def copy(self):
        """A matrix with arrays of its own."""
        return self._like(self._csr.copy())

    def __getstate__(self):
        others = {name: value for name, value in vars(self).items() if name not in ("_record", "ndim")}
        return (*self._csr.arrays, self._csr.shape, self.ndim, others)

    def __setstate__(self, state):
        *arrays, shape, ndim, others = state
        self._csr = convert.from_arrays(*arrays, shape)
        vars(self).update(others)
        if ndim == 1:
            self.ndim = 1

    def __len__(self):
        raise TypeError("sparse array length is ambiguous; use A.nnz or A.shape[0]")

    def __bool__(self):
        if self._csr.shape == (1, 1):
            return bool(self.toarray().ravel()[0])
        raise ValueError("the truth value of an array with more than one element is ambiguous: use A.nnz")

    def __repr__(self):
        return (
            f"<{self.format}_array of dtype '{self.dtype}' on {self.device}, shape {self.shape}, "
            f"with {self.nnz} stored elements>"
        )

    @classmethod
    def __class_getitem__(cls, item):
        """For annotations such as `csr_array[numpy.float64]`."""
        return types.GenericAlias(cls, item)
