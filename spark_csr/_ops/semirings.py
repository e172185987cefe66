"""Semirings: the two operators of a matrix product."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from spark_csr._engine import inline
from spark_csr._engine.holes import Hole, scalar
from spark_csr._ops.checks import check_compiles, check_function, freeze_operator
from spark_csr._ops.monoids import Monoid, MonoidLike, look_up, monoid
from spark_csr._ops.scalars import flip_arguments, logical_and, pair, plus, times

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import DTypeLike

INTEGER_INFINITY = Hole(
    "INTEGER_INFINITY: int",
    "The infinity of a semiring of integers. What the semiring makes of it and any number is the infinity again.",
)
LEAST_INTEGER = Hole("LEAST_INTEGER: int", "The least integer of the dtype that a semiring of integers computes in.")
LARGEST_INTEGER = Hole("LARGEST_INTEGER: int", "The largest integer of that dtype.")


def _bounded_sum(a, b):
    if a == INTEGER_INFINITY or b == INTEGER_INFINITY:
        return scalar(INTEGER_INFINITY)
    if b > 0:
        return scalar(LARGEST_INTEGER) if a > LARGEST_INTEGER - b else scalar(a + b)
    return scalar(LEAST_INTEGER) if a < LEAST_INTEGER - b else scalar(a + b)


def _bounded_unsigned_sum(a, b):
    return scalar(a + b) if a <= LARGEST_INTEGER - b else scalar(LARGEST_INTEGER)


def _bounded_product(a, b):
    """A product that wraps is off by the number of integers of the dtype, four times what it is compared with."""
    if a == INTEGER_INFINITY or b == INTEGER_INFINITY:
        return scalar(INTEGER_INFINITY)
    product, estimate = scalar(a * b), np.float64(a) * np.float64(b)
    if abs(estimate - np.float64(product)) < np.float64(LARGEST_INTEGER) * 0.25:
        return product
    return scalar(LARGEST_INTEGER) if estimate > 0 else scalar(LEAST_INTEGER)


@functools.cache
def _bounded(function, infinity, dtype):
    """Return a `multiply` of integers whose results stay in the range of the dtype."""
    ends = np.iinfo(dtype)
    return inline(
        function, scalar=dtype.type, INTEGER_INFINITY=infinity, LEAST_INTEGER=int(ends.min), LARGEST_INTEGER=int(ends.max)
    )


SemiringLike: TypeAlias = "str | Semiring"
"""A `Semiring` or the name of one."""


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
    float16 in float32.

    In "min_plus", "max_plus" and "max_times" of integers, the result of a row without entries stands for an infinity: it is the
    largest integer of the dtype in "min_plus", and the least one in the other two, which for unsigned "max_times" is 0. A sum
    or product with this integer is the same integer again. Other sums and products that do not fit the dtype become its
    largest or least integer. "max_plus" of unsigned integers and bools is refused, since none of these could stand for
    -infinity. In "plus_times", integers wrap as in NumPy.

    Source: Kepner & Gilbert, *Graph Algorithms in the Language of Linear Algebra*, 2011.

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
            If `multiply` does not compile for that dtype, or if the dtype has no value that the semiring needs.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Semiring
        >>> Semiring("max", lambda a, x: a - x).result_dtype(np.int32, np.float32)
        dtype('float64')
        """
        result = np.dtype(bool) if self is SEMIRINGS["or_and"] else np.dtype(np.result_type(*dtypes).str)  # longlong is int64
        if self is SEMIRINGS["max_plus"] and result.kind in "bu":
            raise TypeError(f"'max_plus' needs a value for -infinity, and {result} has none: use A.astype(numpy.int64)")
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
            `multiply`, except for "min_plus", "max_plus" and "max_times" of integers. For these, a function that returns the
            identity if one of its arguments is the identity, which stands for an infinity, and whose other results stay in the
            range of the dtype.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Semiring
        >>> Semiring("max", lambda a, x: a - x).multiply_for(np.dtype(float))(5.0, 3.0)
        2.0
        """
        if dtype.kind not in "iu" or self not in (SEMIRINGS["min_plus"], SEMIRINGS["max_plus"], SEMIRINGS["max_times"]):
            return self.multiply
        total = _bounded_sum if dtype.kind == "i" else _bounded_unsigned_sum
        function = _bounded_product if self is SEMIRINGS["max_times"] else total
        return _bounded(function, self.add.identity_for(dtype).item(), dtype)

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


def exchange_factors(ring: Semiring) -> Semiring:
    """Return the semiring in which the product of `b` and `a` is that of `a` and `b` here: for products of transposes."""
    if ring in SEMIRINGS.values():
        return ring
    known = ring.add, flip_arguments(ring.multiply), ring.name
    return _semirings.get(known) or _semirings.setdefault(known, _FixedSemiring(*known))


PLUS_TIMES = SEMIRINGS["plus_times"]
