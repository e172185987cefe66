"""Arithmetic value by value: NumPy's functions and operators."""

from numpy.lib.mixins import NDArrayOperatorsMixin

from spark_csr._array import is_device_array
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase
from spark_csr._ragged.operands import align_operand, check_same_lists, is_operand


class Elementwise(NDArrayOperatorsMixin, RaggedBase):
    """`R + S`, `R < 5`, `-R`, `abs(R)`, `divmod(R, 2)`, `numpy.sqrt(R)` and all the others that NumPy calls ufuncs.

    An operand is a ragged array of the same lists, one of fewer axes whose lists are those of the outer axes, an array of one
    value for each item, or a number. What has fewer axes is repeated for all that an item or list holds; lists are never
    stretched: unlike in awkward-array, a list of one item fits no list of two. ValueError names the first list that differs.

    dtypes are NumPy's. `R += S` writes into the values of `R`: all arrays that share them see it.

    *Cost*: the ufunc on the arrays of values, and a pass that writes what must be repeated; lists are compared where two arrays
    do not share their offsets.

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

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        """NumPy's protocol: ufuncs called plainly, with `dtype` and `casting`, and with `out` of ragged arrays."""
        if method != "__call__" or ufunc.signature is not None:
            name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            raise TypeError(f"numpy.{name} is not defined for ragged arrays: use R.values, R.to_padded(), or R.map(func)")
        if "where" in options:
            raise TypeError("where= is not supported for ragged arrays: use R.map(func), or choose from R.values")
        targets = (None,) * ufunc.nout if out is None else out
        if not all(map(is_operand, inputs)) or not all(x is None or isinstance(x, RaggedBase) for x in targets):
            return NotImplemented
        deepest = max((x for x in (*inputs, *targets) if isinstance(x, RaggedBase)), key=lambda x: x.ndim)
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
        raise ValueError(f"a result of {deepest.ndim} axes does not fit into a ragged array of {target.ndim}")
    check_same_lists(deepest, target)


def _several_on_gpu(ufunc, values, targets, options):
    """The results of a function that has several, copied into the targets: CuPy takes one `out` at most."""
    results = ufunc(*values, **options)
    for result, target in zip(results, targets, strict=True):
        if target is not None:
            target.packed().values[...] = result
    return results


def _choose_outputs(ufunc, values, spare, targets, options):
    """Return where the results go: into the targets' values, or into scratch memory of an operand; None for a new array."""
    left = [x for x, written in zip(values, spare, strict=True) if written]
    if not left:
        return tuple(None if target is None else target.packed().values for target in targets)
    results = ufunc(*(x[:0] if getattr(x, "ndim", 0) else x for x in values), **options)
    rooms = []
    for result, target in zip(results if ufunc.nout > 1 else (results,), targets, strict=True):
        fits = [k for k, x in enumerate(left) if x.dtype == result.dtype]
        new = left.pop(fits[0]) if target is None and fits else None
        rooms.append(new if target is None else target.packed().values)
    return tuple(rooms)
