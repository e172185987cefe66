"""Ragged arrays: awkward-array's functions, and NumPy's where a few of its lines do the same."""

import functools
import importlib

import numpy as np
from numba import njit

from peers import DIGESTS, calls, given, peer
from peers.primitives import sums

ak = functools.cache(lambda: importlib.import_module("awkward"))


def numpy_coordinates(R):
    """The coordinates of every value."""
    places = (np.arange(len(R), dtype=np.int32),)
    for level in R.offsets:
        counts = np.diff(level)
        rank = np.arange(level[-1], dtype=np.int32) - np.repeat(level[:-1], counts)
        places = (*(np.repeat(x, counts) for x in places), rank)
    return places


def of_two(value, i, j):
    return 2 * value + i - j


def of_three(value, i, j, k):
    return 2 * value + i - j + k


FUNCTIONS = {2: of_two, 3: of_three}


def _local(A):
    """An index of every axis for every value."""
    return ak().broadcast_arrays(*(ak().local_index(A, axis) for axis in range(A.ndim)))


def _inner(R):
    """Offsets of the values of each item."""
    return R.offsets[0] if R.ndim == 2 else R.offsets[1][R.offsets[0]]


def _softmax(A):
    """Step by step."""
    powers = np.exp(A - ak().max(A, axis=-1, keepdims=True))
    return powers / ak().sum(powers, axis=-1, keepdims=True)


def numpy_calls(operation, function):
    """Register a function of ours, whose arrays it reads, as NumPy's."""
    peer(operation, "numpy")(lambda *operands: functools.partial(function, *operands))


@njit
def _mapped(values, offsets):
    """`of_two` of every value and its place."""
    out = np.empty_like(values)
    for i in range(offsets.size - 1):
        for p in range(offsets[i], offsets[i + 1]):
            out[p] = 2 * values[p] + i - (p - offsets[i])
    return out


@peer("ragged map", "plain")
def mapped(R):
    if R.ndim != 2:
        raise NotImplementedError("for lists of numbers only")
    return lambda: _mapped(R.values, R.offsets[0])


calls("ragged sum inner", plain=lambda R: sums(R.values, R.offsets[-1]))
calls("ragged coordinates", ours=lambda R: R.coordinates(), awkward=_local)
numpy_calls("ragged coordinates", numpy_coordinates)
calls("ragged map", ours=lambda R: R.map(FUNCTIONS[R.ndim]), awkward=lambda A: FUNCTIONS[A.ndim](A, *_local(A)))
numpy_calls("ragged map", lambda R: FUNCTIONS[R.ndim](R.values, *numpy_coordinates(R)))
calls("ragged add per item", ours=lambda R, weights: R + weights, awkward=lambda A, weights: A + weights)
numpy_calls("ragged add per item", lambda R, weights: R.values + np.repeat(weights, np.diff(_inner(R))))

for name, at in {"inner": -1, "outer": 0}.items():
    for method in ("sum", "max", "argmin", "mean"):
        calls(
            f"ragged {method} {name}",
            ours=lambda R, method=method, at=at: getattr(R, method)(axis=at),
            awkward=lambda A, method=method, at=at: getattr(ak(), method)(A, axis=at),
        )


@peer("ragged sum inner", "numpy")
def summed(R):
    """Of lists none of which is empty."""
    starts = R.offsets[-1][:-1].astype(np.int64)
    return lambda: np.add.reduceat(R.values, starts)


def _filled(A):
    return ak().to_numpy(ak().fill_none(ak().pad_none(A, int(ak().max(ak().num(A)))), 0.0))


def _pairs(function, *operands):
    return lambda *A: ak().unzip(getattr(ak(), function)(*([list(A)] if len(A) > 1 else A), *operands))


def _running(values, offsets):
    """Running sums of every list: those of all values, less what stands before the list."""
    sums = np.cumsum(values)
    before = np.concatenate([[0], sums])[offsets[:-1]]
    return sums - np.repeat(before, np.diff(offsets))


def _running_awkward(A):
    return ak().unflatten(_running(ak().to_numpy(ak().flatten(A)), A.layout.offsets.data), ak().num(A))


calls("ragged cumsum", ours=lambda R: R.cumsum(axis=-1), awkward=_running_awkward)
numpy_calls("ragged cumsum", lambda R: _running(R.values, R.offsets[0]))
calls("ragged pick", ours=lambda R, index: R.pick(index), awkward=lambda A, index: A[np.arange(len(index)), index])
numpy_calls("ragged pick", lambda R, index: R.values[R.offsets[0][:-1] + index])
calls("ragged where", ours=lambda R, mask: np.where(mask, R, 0.0), awkward=lambda A, mask: ak().where(mask, A, 0.0))
numpy_calls("ragged where", lambda R, mask: np.where(mask.values, R.values, 0.0))


def _arrow():
    return importlib.import_module("spark_csr.interop.arrow")


@peer("ragged to Arrow", "ours")
def to_arrow(R):
    return functools.partial(_arrow().to_arrow, R)


@peer("ragged to Arrow", "awkward")
def awkward_to_arrow(R):
    A = given(R, "awkward")
    return lambda: ak().to_arrow(A)


@peer("ragged from Arrow", "ours")
def from_arrow(R):
    return functools.partial(_arrow().from_arrow, _arrow().to_arrow(R))


@peer("ragged from Arrow", "awkward")
def awkward_from_arrow(R):
    array = _arrow().to_arrow(R)
    return lambda: ak().from_arrow(array)


DIGESTS["ragged to Arrow"] = lambda library, found: _arrow().from_arrow(found)

calls("ragged softmax", ours=lambda R: R.softmax(), awkward=_softmax)
calls("ragged sort", ours=lambda R: R.sort(), awkward=lambda A: ak().sort(A, axis=-1))
calls("ragged argsort", ours=lambda R: R.argsort(), awkward=lambda A: ak().argsort(A, axis=-1))
calls("ragged topk", ours=lambda R: R.topk(3), awkward=lambda A: ak().sort(A, ascending=False)[:, :3])
calls("R[key]", ours=lambda R, key: R[key], awkward=lambda A, key: ak().to_packed(A[key]))
calls("ragged to_padded", ours=lambda R: R.to_padded(), awkward=_filled)
DIGESTS["ragged to_padded"] = lambda library, found: found[0] if isinstance(found, tuple) else found  # the mask stays
calls("ragged cartesian", ours=lambda left, right: left.cartesian(right), awkward=_pairs("cartesian"))
calls("ragged combinations", ours=lambda R: R.combinations(2), awkward=_pairs("combinations", 2))
