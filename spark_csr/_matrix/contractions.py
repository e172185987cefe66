"""Products of arrays of any number of axes: sums over axes that two operands share.

Design: `dot`, `tensordot` and `@` say by labels which axes belong together, as `numpy.einsum` does, and `contract` is one
product of two folds. So stacks of matrices are not repeated to broadcast them, and no block diagonal matrix is made of them.
Cost: what the product of the folds costs, and both folds.
"""

from __future__ import annotations

import math

import numpy as np

from spark_csr._array import is_tensor, namespace_of, same_device
from spark_csr._matrix.base import issparse
from spark_csr._matrix.entries import FEW, Entries, as_matrix, axes_of, entries_of, list_coords, narrow, wrap
from spark_csr._operations.merge import operands


def as_factor(x, owner):
    """Return the operand of a product: entries, or a dense array where `owner` is; None for what is neither."""
    if issparse(x):
        return entries_of(x)
    if is_tensor(x):
        namespace_of(owner, x)  # says what to give instead
    return operands.try_dense(x, owner)


def multiply(product, a, b):
    """Return a product of two operands, of which one is sparse; NotImplemented if the other is neither sparse nor an array."""
    owner = (a if issparse(a) else b).data
    a, b = (as_factor(x, owner) for x in (a, b))
    return NotImplemented if a is None or b is None else product(a, b)


def need_arrays(product, a, b):
    """Do as `multiply`, but raise TypeError for other operands."""
    found = multiply(product, a, b)
    if found is NotImplemented:
        raise TypeError(f"a product takes sparse and dense arrays, got {type(a).__name__} and {type(b).__name__}")
    return found


def contract(a, of_a, b, of_b, out):
    """Return the sums of products of two operands, as `numpy.einsum` does, whose axes have labels: over those that `out` lacks.

    `a` are entries, `b` entries or a dense array; a label that one operand has alone is in `out`. Labels of both that are in
    `out` stand for stacks of matrices: they belong to the rows of `a`, and to what is summed over as well, where they select.
    """
    sizes = dict(zip((*of_a, *of_b), (*a.shape, *b.shape), strict=True))
    rows = [label for label in of_a if label in out]
    inner = [label for label in of_a if label in of_b]
    columns = [label for label in of_b if label not in of_a]
    shape = tuple(sizes[label] for label in rows + columns)
    order = [(rows + columns).index(label) for label in out]
    at = [[of.index(label) for label in labels] for of, labels in ((of_a, rows), (of_a, inner), (of_b, inner), (of_b, columns))]
    if not isinstance(b, Entries):
        right = b.transpose(at[2] + at[3]).reshape(*(math.prod(sizes[x] for x in labels) for labels in (inner, columns)))
        return (a.fold(*at[:2]) @ right).reshape(shape).transpose(order)
    same_device(a.data, b.data)
    (i, height), (k, depth), (other_k, _), (j, width) = map(Entries.number, (a, a, b, b), at)
    most = a.data.size + b.data.size + FEW
    i, height, row_of = narrow(i, height, most)
    both, depth, _ = narrow(namespace_of(k).concatenate([k, other_k]), depth, most)
    j, width, column_of = narrow(j, width, most)
    left = as_matrix(i, both[: k.size], a.data, (height, depth))
    product = left @ as_matrix(both[k.size :], j, b.data, (depth, width))
    if not shape:
        return product[0, 0]
    (i, j), data, _ = entries_of(product)
    coords = list_coords(row_of(i), shape[: len(rows)]) + list_coords(column_of(j), shape[len(rows) :])
    return wrap(coords, data, shape).transpose(order) if order != sorted(order) else wrap(coords, data, shape)


def multiply_factors(a, of_a, b, of_b, out):
    """Do as `contract`, whichever of the operands is dense."""
    return contract(a, of_a, b, of_b, out) if isinstance(a, Entries) else contract(b, of_b, a, of_a, out)


def matmul(a, b):
    """Return the product of two operands, of which the last two axes are matrices, as `numpy.matmul` does."""
    if not (a.ndim and b.ndim):
        raise ValueError("@ takes vectors, matrices and stacks of matrices: use A * x, as scalar operands are not allowed")
    if a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
        raise ValueError(f"dimension mismatch in @: the operands have shapes {a.shape} and {b.shape}")
    stacks = a.shape[:-2], b.shape[:-2]
    try:
        stack = np.broadcast_shapes(*stacks)
    except ValueError:
        raise ValueError(f"Batch dimensions are not broadcastable: the operands have shapes {a.shape} and {b.shape}") from None
    factors = []
    for x, own, last in zip((a, b), stacks, ("mk", "kn"), strict=True):
        labels = [*range(-len(own), 0), *(last if x.ndim > 1 else "k")]
        stays = [n for n, label in enumerate(labels) if label in ("m", "k", "n") or x.shape[n] == stack[label]]
        kept = x.take(stays) if isinstance(x, Entries) else x.reshape([x.shape[n] for n in stays])
        factors += [kept, [labels[n] for n in stays]]
    return multiply_factors(*factors, [*range(-len(stack), 0), *"m"[: a.ndim - 1], *"n"[: b.ndim - 1]])


def tensordot(a, b, axes):
    """Return the sums of products of two operands over these axes, as `numpy.tensordot` does."""
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(f"axes integer is out of bounds for operands of {a.ndim} and {b.ndim} axes, got {axes}")
        axes = range(a.ndim - axes, a.ndim), range(axes)
    elif len(axes) != 2:
        raise ValueError(f"axes must be an integer or two lists of axes, got {axes}")
    pairs = axes_of(axes[0], a.ndim), axes_of(axes[1], b.ndim)
    if [a.shape[n] for n in pairs[0]] != [b.shape[n] for n in pairs[1]]:
        raise ValueError(
            f"sizes of the corresponding axes must match: the operands have shapes {a.shape} and {b.shape}, summed over {axes}"
        )
    of_a = list(range(a.ndim))
    of_b = [pairs[0][pairs[1].index(n)] if n in pairs[1] else a.ndim + n for n in range(b.ndim)]
    out = [label for label in of_a if label not in pairs[0]] + [label for label in of_b if label >= a.ndim]
    return multiply_factors(a, of_a, b, of_b, out)
