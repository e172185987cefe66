"""Functions of every entry that map zero to zero. NumPy's own call these methods: `np.sin(A)` is `A.sin()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.unary import apply

if TYPE_CHECKING:
    from typing import Self


class Functions(SparseArray):
    """Functions of the array library, applied to the entries.

    Each gives a matrix of the same format and pattern, which shares the index arrays. Duplicates are summed first.
    """

    def arcsin(self) -> Self:
        """Compute the inverse sine of every entry, as `numpy.arcsin`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).arcsin().data.round(6)
        array([1.570796])
        """
        return apply(self, "arcsin")

    def arcsinh(self) -> Self:
        """Compute the inverse hyperbolic sine of every entry, as `numpy.arcsinh`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).arcsinh().data.round(6)
        array([0.881374])
        """
        return apply(self, "arcsinh")

    def arctan(self) -> Self:
        """Compute the inverse tangent of every entry, as `numpy.arctan`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).arctan().data.round(6)
        array([0.785398])
        """
        return apply(self, "arctan")

    def arctanh(self) -> Self:
        """Compute the inverse hyperbolic tangent of every entry, as `numpy.arctanh`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[0.5, 0.0]]).arctanh().data.round(6)
        array([0.549306])
        """
        return apply(self, "arctanh")

    def deg2rad(self) -> Self:
        """Convert every entry from degrees to radians, as `numpy.deg2rad`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[90.0, 0.0]]).deg2rad().data.round(6)
        array([1.570796])
        """
        return apply(self, "deg2rad")

    def expm1(self) -> Self:
        """Compute `exp(x) - 1` of every entry, as `numpy.expm1`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).expm1().data.round(6)
        array([1.718282])
        """
        return apply(self, "expm1")

    def log1p(self) -> Self:
        """Compute `log(1 + x)` of every entry, as `numpy.log1p`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).log1p().data.round(6)
        array([0.693147])
        """
        return apply(self, "log1p")

    def rad2deg(self) -> Self:
        """Convert every entry from radians to degrees, as `numpy.rad2deg`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).rad2deg().data.round(6)
        array([57.29578])
        """
        return apply(self, "rad2deg")

    def sin(self) -> Self:
        """Compute the sine of every entry, as `numpy.sin`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).sin().data.round(6)
        array([0.841471])
        """
        return apply(self, "sin")

    def sinh(self) -> Self:
        """Compute the hyperbolic sine of every entry, as `numpy.sinh`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).sinh().data.round(6)
        array([1.175201])
        """
        return apply(self, "sinh")

    def sqrt(self) -> Self:
        """Compute the square root of every entry, as `numpy.sqrt`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[4.0, 0.0, 9.0]]).sqrt().data
        array([2., 3.])
        """
        return apply(self, "sqrt")

    def tan(self) -> Self:
        """Compute the tangent of every entry, as `numpy.tan`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).tan().data.round(6)
        array([1.557408])
        """
        return apply(self, "tan")

    def tanh(self) -> Self:
        """Compute the hyperbolic tangent of every entry, as `numpy.tanh`.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1.0, 0.0]]).tanh().data.round(6)
        array([0.761594])
        """
        return apply(self, "tanh")
