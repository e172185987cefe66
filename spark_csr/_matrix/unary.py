"""Functions of every entry that leave zero zero. NumPy's own call these methods: `np.sin(A)` is `A.sin()`."""

from spark_csr._array import contiguous, namespace_of
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.merge import elementwise


def _of_every_entry(name):
    """The method that applies the array library's function of that name."""

    def method(self):
        function = getattr(namespace_of(self.data), name)
        return self._like(elementwise.map_values(function, sum_duplicates(self._csr)))

    method.__name__ = name
    method.__qualname__ = f"Unary.{name}"
    method.__doc__ = f"`numpy.{name}` of every entry, with the same pattern; entries of one position are summed first."
    return method


class Unary(SparseArray):
    """Each gives a matrix of the same format with the same pattern, whose arrays are shared."""

    arcsin = _of_every_entry("arcsin")
    arcsinh = _of_every_entry("arcsinh")
    arctan = _of_every_entry("arctan")
    arctanh = _of_every_entry("arctanh")
    ceil = _of_every_entry("ceil")
    deg2rad = _of_every_entry("deg2rad")
    expm1 = _of_every_entry("expm1")
    floor = _of_every_entry("floor")
    log1p = _of_every_entry("log1p")
    rad2deg = _of_every_entry("rad2deg")
    rint = _of_every_entry("rint")
    sign = _of_every_entry("sign")
    sin = _of_every_entry("sin")
    sinh = _of_every_entry("sinh")
    sqrt = _of_every_entry("sqrt")
    tan = _of_every_entry("tan")
    tanh = _of_every_entry("tanh")
    trunc = _of_every_entry("trunc")
    __abs__ = _of_every_entry("absolute")

    def __round__(self, ndigits=0):
        csr = sum_duplicates(self._csr)
        return self._like(elementwise.map_values(lambda data: namespace_of(data).around(data, ndigits), csr))

    def __neg__(self):
        if self.dtype == bool:
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._like(self._csr.with_data(-self.data))

    def conjugate(self, copy=True):
        """The complex conjugate; of a real matrix a copy, or with `copy=False` the matrix itself."""
        if self.dtype.kind == "c":
            return self._like(self._csr.with_data(self.data.conj()))
        return self.copy() if copy else self

    conj = conjugate

    @property
    def real(self):
        """The real parts; of a real matrix the matrix, with values shared."""
        return self._part("real")

    @property
    def imag(self):
        """The imaginary parts, with the same pattern; of a real matrix zeros."""
        return self._part("imag")

    def _part(self, name):
        part = getattr(self.data, name)
        part = contiguous(part)
        writeable = getattr(part.flags, "writeable", True)  # NumPy's zeros are not
        return self._like(self._csr.with_data(part if writeable else part.copy()))
