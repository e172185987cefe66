"""Linear systems scaled near 1 by powers of two, which round nothing.

Solvers compare with numbers that do not scale with the operands, and square what may be out of range then.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import is_array, to_host_scalar
from spark_csr.linalg.krylov import length

if TYPE_CHECKING:
    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array

NEAR_ONE = 0.5, 2.0**20
"""A matrix is not scaled if its product with a vector of length 1 has a length in this range. Not tuned."""


LOOKED_AT, FAR = 4096, 100
"""How many entries of a matrix are looked at, and from which power of two on it is scaled. Not tuned."""


def find_largest(b: Array) -> float:
    """Return the largest magnitude of an element; 0 if there is none."""
    return float(to_host_scalar(abs(b).max())) if b.size else 0.0


def of_largest(size: float) -> float:
    """Return the power of two that brings a magnitude to between 0.5 and 1; 1 for zero, infinity and NaN."""
    return 2.0 ** -min(max(math.frexp(size)[1], -1000), 1000) if 0 < size < math.inf else 1.0


def of_vector(b: Array) -> float:
    """Return the power of two that brings the largest element to between 0.5 and 1; see `of_largest`."""
    return of_largest(find_largest(b))


def far_below(factor: float, dtype: np.dtype[Any]) -> float:
    """Return a factor such that what `factor` scales near 1 becomes tiny, but its squares do not vanish."""
    return max(factor * float(np.finfo(dtype).eps) ** 2, float(np.finfo(dtype).smallest_subnormal) * 2.0**14)


def of_operator(A: OperatorLike, b: Array, adjoint: bool = False) -> float:
    """Return the power of two that a matrix or operator is multiplied by, from its product, or its adjoint's, with `b`.

    The solver is to say what is wrong with operands of other types and shapes; nothing is multiplied then.
    """
    if b.size != (getattr(A, "shape", None) or (-1,))[0 if adjoint else -1]:
        return 1.0
    b = scale(b, of_vector(b))
    product = A @ b if not adjoint else A.rmatvec(b) if hasattr(A, "rmatvec") else A.conj().T @ b
    size, of_product = length(b), of_vector(product)
    ratio = length(scale(product, of_product)) / size / of_product if size else 1.0
    return 1.0 if NEAR_ONE[0] <= ratio < NEAR_ONE[1] else of_largest(ratio)


def find_largest_entry(A: Any) -> float:
    """Return the largest magnitude of some entries of a matrix, or of its values; 0 for an operator, and for integers."""
    data = A if is_array(A) else getattr(A, "data", None)
    if not is_array(data) or data.dtype.kind not in "fc":
        return 0.0
    return find_largest(data.ravel()[:: max(data.size // LOOKED_AT, 1)])


def of_largest_entry(size: float) -> float:
    """Return the power of two that a matrix is multiplied by if entries of that magnitude have squares out of range."""
    factor = of_largest(size)
    return factor if abs(math.log2(factor)) > FAR else 1.0


def of_entries(A: Any) -> float:
    """Return the power of two that a matrix is multiplied by if entries are so large or small that squares are out of range.

    It looks at some entries, so it costs much less than a product. An operator is not scaled.
    """
    return of_largest_entry(find_largest_entry(A))


def scale_solution(x: Any, of_matrix: float, of_right: float) -> Any:
    """Return `x * of_matrix / of_right`: the solution for operands that were multiplied by these powers of two.

    No step on the way leaves the range of the dtype if the result does not.
    """
    exponent = round(math.log2(of_matrix) - math.log2(of_right))
    dtype = np.dtype(getattr(x, "dtype", None) or float)
    most = int(np.finfo(dtype if dtype.kind in "fc" else float).maxexp) - 1
    while exponent:
        step = max(min(exponent, most), -most)
        x, exponent = x * 2.0**step, exponent - step
    return x


def scale(x: Any, factor: float) -> Any:
    """Return a number, an array, a matrix, an operator or all of a list multiplied by a power of two; None remains None.

    The dtype need not have that power, such as that which brings the subnormal numbers of 32 bits near 1.
    """
    if factor == 1 or x is None:
        return x
    if isinstance(x, np.generic):
        x = x.item()  # in float16 and float32 the product may leave the range
    return [scale(item, factor) for item in x] if isinstance(x, list) else scale_solution(x, factor, 1.0)
