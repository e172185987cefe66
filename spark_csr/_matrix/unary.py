"""Signs, rounding and parts of every entry. NumPy's own call these methods: `np.floor(A)` is `A.floor()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._array import contiguous, namespace_of
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form.canonical import without_duplicates
from spark_csr._operations.merge import elementwise

if TYPE_CHECKING:
    from typing import Self


def apply(matrix, name):
    """Apply the array library's function of that name to the entries of a matrix, whose duplicates are summed first."""
    function = getattr(namespace_of(matrix.data), name)
    return matrix._like(elementwise.map_values(function, without_duplicates(matrix._csr)))


class Unary(SparseArray):
    """Each method gives a matrix of the same format with the same pattern, whose index arrays are shared."""

    def ceil(self) -> Self:
        """Round every entry up to an integer, as `numpy.ceil`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.5, 0.0, -1.5]]).ceil().data
        array([ 2., -1.])
        """
        return apply(self, "ceil")

    def floor(self) -> Self:
        """Round every entry down to an integer, as `numpy.floor`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.5, 0.0, -1.5]]).floor().data
        array([ 1., -2.])
        """
        return apply(self, "floor")

    def rint(self) -> Self:
        """Round every entry to the nearest integer, as `numpy.rint`; halves go to the even one.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.5, 0.0, 2.5]]).rint().data
        array([2., 2.])
        """
        return apply(self, "rint")

    def sign(self) -> Self:
        """Return the sign of every entry, as `numpy.sign`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.5, 0.0, -1.5]]).sign().data
        array([ 1., -1.])
        """
        return apply(self, "sign")

    def trunc(self) -> Self:
        """Drop the fraction of every entry, as `numpy.trunc`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.5, 0.0, -1.5]]).trunc().data
        array([ 1., -1.])
        """
        return apply(self, "trunc")

    def __abs__(self) -> Self:
        """Return the absolute value of every entry."""
        return apply(self, "absolute")

    def __round__(self, ndigits: int = 0) -> Self:
        """Round every entry to `ndigits` decimals."""
        csr = without_duplicates(self._csr)
        return self._like(elementwise.map_values(lambda data: namespace_of(data).around(data, ndigits), csr))

    def __neg__(self) -> Self:
        """Negate every entry; bools cannot be negated."""
        if self.dtype == bool:
            raise NotImplementedError("negating a boolean sparse array is not supported: use A.astype(int) first")
        record = self._held
        return self._like(record.with_data(-record.data))

    def conjugate(self, copy: bool = True) -> Self:
        """Return the complex conjugate of every entry.

        Parameters
        ----------
        copy : bool, default True
            Whether a real matrix is copied. Otherwise it is returned as it is.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1 + 2j, 0]]).conjugate().data
        array([1.-2.j])
        """
        if self.dtype.kind == "c":
            record = self._held
            return self._like(record.with_data(record.data.conj()))
        return self.copy() if copy else self

    conj = conjugate

    @property
    def real(self) -> Self:
        """The real parts, with the same pattern; a real matrix shares its values with the result."""
        return self._part("real")

    @property
    def imag(self) -> Self:
        """The imaginary parts, with the same pattern; the values are zeros for a real matrix."""
        return self._part("imag")

    def _part(self, name):
        record = self._held
        part = contiguous(getattr(record.data, name))
        writeable = getattr(part.flags, "writeable", True)  # NumPy's zeros are not
        return self._like(record.with_data(part if writeable else part.copy()))
