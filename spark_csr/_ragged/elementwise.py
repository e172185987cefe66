"""Arithmetic value by value: NumPy's ufuncs and Python's operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from numpy.lib.mixins import NDArrayOperatorsMixin

from spark_csr._array import is_device_array
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase
from spark_csr._ragged.operands import align_operand, check_same_lists, find_deepest, is_operand

if TYPE_CHECKING:
    import numpy as np


class Elementwise(NDArrayOperatorsMixin, RaggedBase):
    """Ufuncs and operators; the docstring of `Ragged` says what they accept.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import Ragged
    >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 9]])
    >>> R - [5, 6, 7]
    Ragged([[1, 0, 0], [], [2, 2]], dtype=int64)
    >>> np.maximum(R, 6) > 6
    Ragged([[False, False, False], [], [True, True]], dtype=bool)
    """

    if TYPE_CHECKING:  # NumPy annotates these with Any

        def __lt__(self, other: Any) -> Self: ...
        def __le__(self, other: Any) -> Self: ...
        def __gt__(self, other: Any) -> Self: ...
        def __ge__(self, other: Any) -> Self: ...
        def __add__(self, other: Any) -> Self: ...
        def __radd__(self, other: Any) -> Self: ...
        def __sub__(self, other: Any) -> Self: ...
        def __rsub__(self, other: Any) -> Self: ...
        def __mul__(self, other: Any) -> Self: ...
        def __rmul__(self, other: Any) -> Self: ...
        def __truediv__(self, other: Any) -> Self: ...
        def __rtruediv__(self, other: Any) -> Self: ...
        def __floordiv__(self, other: Any) -> Self: ...
        def __rfloordiv__(self, other: Any) -> Self: ...
        def __mod__(self, other: Any) -> Self: ...
        def __rmod__(self, other: Any) -> Self: ...
        def __pow__(self, other: Any) -> Self: ...
        def __rpow__(self, other: Any) -> Self: ...
        def __and__(self, other: Any) -> Self: ...
        def __rand__(self, other: Any) -> Self: ...
        def __or__(self, other: Any) -> Self: ...
        def __ror__(self, other: Any) -> Self: ...
        def __xor__(self, other: Any) -> Self: ...
        def __rxor__(self, other: Any) -> Self: ...
        def __lshift__(self, other: Any) -> Self: ...
        def __rshift__(self, other: Any) -> Self: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __abs__(self) -> Self: ...
        def __invert__(self) -> Self: ...

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] | None = None, **options: Any
    ) -> Any:
        """Apply a ufunc value by value: NumPy's protocol for calls with `dtype`, `casting`, and `out` of ragged arrays.

        Parameters
        ----------
        ufunc : numpy.ufunc
            The function to apply.
        method : str
            How NumPy was asked to call it; only "__call__" is supported.
        *inputs : Ragged, array_like or scalar
            The operands.
        out : tuple of Ragged or None, optional
            The arrays that the results are written into.
        **options
            The options `dtype` and `casting` of the ufunc.

        Returns
        -------
        Ragged or tuple of Ragged
            One array for each output of the ufunc, with the lists of the operand of most axes.

        Raises
        ------
        TypeError
            If the ufunc has a core signature (`numpy.matmul`), for methods such as `reduce`, and for `where=`.
        ValueError
            If the lists of the operands differ; the message names the first that does.
        """
        if method != "__call__" or ufunc.signature is not None:
            name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            raise TypeError(f"numpy.{name} is not defined for ragged arrays: use R.values, R.to_padded(), or R.map(func)")
        if "where" in options:
            raise TypeError("where= is not supported for ragged arrays: use R.map(func), or numpy.where with R.values")
        targets = (None,) * ufunc.nout if out is None else out
        if not all(map(is_operand, inputs)) or not all(x is None or isinstance(x, RaggedBase) for x in targets):
            return NotImplemented
        deepest = find_deepest((*inputs, *targets))
        for target in targets:
            if target is not None:
                _check_target(target, deepest)
        values, spare = zip(*(align_operand(x, deepest) for x in inputs), strict=True)
        if ufunc.nout > 1 and any(map(is_device_array, values)):
            results = _several_on_gpu(ufunc, values, targets, options)
        else:
            results = ufunc(*values, out=_choose_outputs(ufunc, values, spare, targets, options), **options)
        results = [
            deepest._with(as_array(result, "the result", None)) if target is None else target
            for result, target in zip(results if ufunc.nout > 1 else (results,), targets, strict=True)
        ]
        return tuple(results) if ufunc.nout > 1 else results[0]


def _check_target(target, deepest):
    if target.ndim != deepest.ndim:
        raise ValueError(f"a result of {deepest.ndim} axes does not fit into a ragged array of {target.ndim} axes")
    check_same_lists(deepest, target)


def _several_on_gpu(ufunc, values, targets, options):
    """Return the results of a ufunc that has several, copied into the targets: CuPy takes one `out` at most."""
    results = ufunc(*values, **options)
    for result, target in zip(results, targets, strict=True):
        if target is not None:
            target.packed().values[...] = result
    return results


def _choose_outputs(ufunc, values, spare, targets, options):
    """Return the arrays to write into: the values of targets, or scratch memory of an operand; None stands for a new array."""
    left = [x for x, written in zip(values, spare, strict=True) if written]
    if not left:
        return tuple(None if target is None else target.packed().values for target in targets)
    results = ufunc(*(x[:0] if getattr(x, "ndim", 0) else x for x in values), **options)
    rooms = []
    for result, target in zip(results if ufunc.nout > 1 else (results,), targets, strict=True):
        fits = [k for k, x in enumerate(left) if (x.dtype, x.shape[1:]) == (result.dtype, result.shape[1:])]
        new = left.pop(fits[0]) if target is None and fits else None
        rooms.append(new if target is None else target.packed().values)
    return tuple(rooms)
