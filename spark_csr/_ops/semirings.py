"""Semirings: the two operators of a matrix product."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._holes import INTEGER_INFINITY
from spark_csr._ops.checks import check_compiles, check_function, freeze_operator
from spark_csr._ops.monoids import Monoid, look_up, monoid
from spark_csr._ops.scalars import logical_and, pair, plus, times
from spark_csr._specialise import inline

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import DTypeLike, MonoidLike, SemiringLike


def _sum_of_present(a, b):
    return a + b if a != INTEGER_INFINITY and b != INTEGER_INFINITY else INTEGER_INFINITY


@functools.cache
def _plus_unless_missing(missing):
    return inline(_sum_of_present, INTEGER_INFINITY=missing)


class Semiring:
    """The two operators of a matrix product: `y[i]` combines, by `add`, `multiply(A[i, j], x[j])` for all entries of row i.

    Parameters
    ----------
    add : Monoid or str
        The commutative monoid that combines the products of a row. Its identity is the result for a row without entries.
    multiply : function
        A Python function or lambda `multiply(a, x)` of two scalars of the dtype of the result. Like the operator of a `Monoid`,
        it must not use local variables of an enclosing function.
    name : str, optional
        The name that `repr` shows. The default is made of the names of `add` and `multiply`.

    Attributes
    ----------
    add : Monoid
        The monoid that combines products.
    name : str
        The name that `repr` shows.

    Raises
    ------
    TypeError
        If `multiply` is not a Python function of two arguments, or uses local variables of an enclosing function.
    ValueError
        If `add` is not the name of a monoid.

    Notes
    -----
    Functions that take a semiring also take a name: "plus_times", "min_plus", "max_plus", "max_times", "any_pair" or "or_and".
    The dtype of the result is `numpy.result_type(A, x)`, or bool for "or_and". Products are computed in this dtype, those of
    float16 in float32. In "min_plus" of signed integers, the largest integer of the dtype stands for infinity: a sum with it is
    this integer again. In "max_plus" of signed integers, the smallest integer stands for -infinity in the same way. Source:
    Kepner & Gilbert, *Graph Algorithms in the Language of Linear Algebra*, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import Semiring, csr_array
    >>> farthest = Semiring("max", lambda a, x: abs(a - x), name="farthest")
    >>> csr_array([[1, 0, 2], [3, 4, 5]]).matmul(np.array([1, 10, 100]), semiring=farthest)
    array([98, 95])
    """

    add: Monoid
    name: str

    def __init__(self, add: MonoidLike, multiply: Callable[[Any, Any], Any], *, name: str | None = None) -> None:
        self.add = add if isinstance(add, Monoid) else monoid(add)
        self._given = check_function(multiply, "a semiring's multiply")
        self.name = name or f"{self.add.name}_{multiply.__name__}"

    @property
    def multiply(self) -> Any:
        """The function that multiplies, with its present meaning, as a function compiled by `numba.njit`.

        Examples
        --------
        >>> from spark_csr import Semiring
        >>> Semiring("max", lambda a, x: a - x).multiply(5, 3)
        2
        """
        return freeze_operator(self._given)

    def freeze(self) -> Semiring:
        """Return a semiring that keeps the present meaning of its functions, even if these change later.

        Returns
        -------
        Semiring
            A semiring of the same name. It is the same object for all semirings that have this meaning and this name.

        Examples
        --------
        >>> from spark_csr import Semiring
        >>> gap = Semiring("max", lambda a, x: a - x, name="gap")
        >>> gap.freeze() is gap.freeze()
        True
        """
        known = self.add.freeze(), freeze_operator(self._given), self.name
        return _semirings.get(known) or _semirings.setdefault(known, _FixedSemiring(*known))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same meaning: the same name, equal monoids, and equal functions."""
        return self.freeze() is other.freeze() if isinstance(other, Semiring) else NotImplemented

    def __hash__(self) -> int:
        return object.__hash__(self.freeze())

    def result_dtype(self, *dtypes: DTypeLike) -> np.dtype[Any]:
        """Return the dtype of the result of a product, given the dtypes of the operands.

        Parameters
        ----------
        *dtypes : dtype
            The dtypes of the operands.

        Returns
        -------
        numpy.dtype
            `numpy.result_type(*dtypes)`, or bool for "or_and".

        Raises
        ------
        TypeError
            If `multiply` does not compile for that dtype.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Semiring
        >>> Semiring("max", lambda a, x: a - x).result_dtype(np.int32, np.float32)
        dtype('float64')
        """
        result = np.dtype(bool) if self is SEMIRINGS["or_and"] else np.result_type(*dtypes)
        check_compiles(self.multiply, result)
        return result

    def multiply_for(self, dtype: np.dtype[Any]) -> Any:
        """Return the function that multiplies scalars of a dtype.

        Parameters
        ----------
        dtype : numpy.dtype
            The dtype of the result.

        Returns
        -------
        function
            `multiply`, except for "min_plus" and "max_plus" of signed integers. For these two, a function that returns the
            identity if one of its arguments is the identity, which stands for an infinity.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Semiring
        >>> Semiring("max", lambda a, x: a - x).multiply_for(np.dtype(float))(5.0, 3.0)
        2.0
        """
        if self not in (SEMIRINGS["min_plus"], SEMIRINGS["max_plus"]) or dtype.kind != "i":
            return self.multiply
        return _plus_unless_missing(self.add.identity_for(dtype).item())

    def __repr__(self) -> str:
        return f"Semiring({self.name})"


_semirings: dict[Any, Semiring] = {}
"""The semirings that kernels are made of, by monoid, function and name."""


class _FixedSemiring(Semiring):
    """A semiring that never changes, and is equal to itself only."""

    multiply = None  # instead of the property

    def __init__(self, add, multiply, name):
        self.add, self.name = add, name
        self.multiply = self._given = multiply
        self._results = {}

    def result_dtype(self, *dtypes: DTypeLike) -> np.dtype[Any]:
        """Return the dtype of a product of operands of the given dtypes from a table, as every product asks for it."""
        found = self._results.get(dtypes)
        if found is None:
            found = self._results[dtypes] = super().result_dtype(*dtypes)
        return found

    def freeze(self):
        """Return the semiring itself."""
        return self

    __eq__, __hash__ = object.__eq__, object.__hash__


SEMIRINGS = {
    "plus_times": Semiring("sum", times, name="plus_times").freeze(),
    "min_plus": Semiring("min", plus, name="min_plus").freeze(),
    "max_plus": Semiring("max", plus, name="max_plus").freeze(),
    "max_times": Semiring("max", times, name="max_times").freeze(),
    "any_pair": Semiring("any", pair, name="any_pair").freeze(),
    "or_and": Semiring("any", logical_and, name="or_and").freeze(),
}


def semiring(ring: SemiringLike) -> Semiring:
    """Return a `Semiring` as it is now, or the semiring of a name; raise ValueError for an unknown name."""
    return look_up(Semiring, SEMIRINGS, ring)


PLUS_TIMES = SEMIRINGS["plus_times"]
