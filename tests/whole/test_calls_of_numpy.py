"""Calls of NumPy's functions, generated from their signatures: a matrix gives what the dense array gives, or both raise.

The same holds for ragged arrays whose lists have one length. Every function of the tables `FUNCTIONS` and `HANDLERS` gets
values of each of its parameters, right and wrong ones: axes out of range, bools as axes and indices, wrong shapes, limits that
are None. If NumPy raises an exception, ours is of the same type. `DIFFERENCES` lists all else.
"""

import inspect
import operator
import re
import warnings

import numpy as np
import pytest

from spark_csr import Ragged, coo_array, csc_array, csr_array
from spark_csr._array import SIMULATED
from spark_csr._matrix.protocols import FUNCTIONS
from spark_csr._ragged.functions import HANDLERS

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="arguments are checked in the same way on a GPU"),
    pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="older functions have no signatures"),
]

AXES = [None, 0, 1, -1, -2, 2, -3, 5, True, np.True_, 1.0, "x", np.int64(1), np.array(0), [0], (), (0,), (-1,), (0, 1), (1, -2)]
AXES += [(0, 0), (0, -2), (5,), (True,), (0, 5), (0.0,)]
ONE_AXIS = [0, 1, -1, -2, 2, -3, 5, True, 1.0, None, "x"]
PAIRS = [None, 0, 1, 2, 3, -1, True, 1.0, "x", (0, 1), (1, 0), (-1, 0), (0, 0), (1,), (0, 5), (5, 0), (True, False), (0, 1, 2)]
PAIRS += [([5], [0]), ([0], [0]), ([1], [0]), ([-1], [-2]), ([0, 1], [0, 1]), ([0, 1], [1, 0]), ([True], [0]), ((), ())]
PAIRS += [([0, 0], [0, 1]), ([0], [0, 1]), ([0.0], [0])]
SHAPES = [(), (2,), (3, 2), (2, 3), 6, -1, (-1, 2), (4, 4), (2, -1), (-1, -1), (2.0, 3), "x", True, (0, 3), [2, 3], (1, 2, 3)]
LIMITS = [None, 0, -1, 1, -1.5, 300, -300, np.nan, "x", np.float32(-1), True, [0], np.zeros(3), 2**70, 1j, np.array(0)]
INDICES = [0, -1, 2, 9, -9, True, None, 1.0, "x", [0], [1, 0, 1], [True, False], [0.0, 1.0], [], [[0, 1], [1, 0]], [9], [-1, 0]]
INDICES += [np.array([True, True]), np.array([1], np.uint8), slice(0, 1), (0, 1), ..., np.int8(1)]

VALUES = {
    "axis": AXES,
    "axis1": ONE_AXIS,
    "axis2": ONE_AXIS,
    "axes": PAIRS,
    "dtype": [None, float, np.float32, "i8", np.complex64, bool, "nonsense"],
    "out": [None, np.zeros(3), np.zeros(2), np.zeros((2, 3)), np.zeros(()), np.zeros(3, np.int8), 1.0, "x"],
    "keepdims": [False, True, 0, 1, None],
    "initial": [0, 1, None],
    "where": [True, False, np.array([True, False, True])],
    "ddof": [0, 1, 2, 7, 0.5, True, None, "x"],
    "correction": [0, 1],
    "mean": [0.0],
    "offset": [0, 1, -1, 7, -7, 1.0, True, None, "x"],
    "order": ["C", "F", "K", "A", "x", None, 1],
    "indices": INDICES,
    "mode": ["raise", "wrap", "clip", "x"],
    "decimals": [0, 1, -1, None, 1.0, True, "x"],
    "subok": [True, False],
    "shape": SHAPES,
    "copy": [None, True, False],
    "device": [None, "cpu", "x"],
    "equal_nan": [False, True],
    "casting": ["same_kind", "no", "unsafe", "x"],
    "ord": [None, 0, 1, np.inf, 3, "fro", "x", 1.5],
    **dict.fromkeys(("a_min", "a_max", "min", "max"), LIMITS),
    "kind": [None, "stable"],
    "stable": [None, True],
    "descending": [False],
    "rtol": [1e-5, 1.0, 0],
    "atol": [1e-8, 1.0, 0],
    "fill_value": [0, 1, 2.5, "x", None, True],
}
"""Values of the parameters that are options, by name."""

NO = r"(refused|other exception, \w+):"
NO_MEANING = "out initial where correction mean axis1 axis2 mode device descending casting subok order equal_nan"
DIFFERENCES = {
    rf"{NO} \w+ \w+\(.*\b({NO_MEANING.replace(' ', '|')})=.*": "options that have no meaning are refused",
    rf"{NO} matrix trace\(.*dtype=.*": "the same",
    rf"{NO} .*(axis|axes|axis1|axis2|decimals)=.*(True|np\.True_).*": "a bool is no axis",
    rf"{NO} .*norm\(.*axis=1\.0.*": "a float is no axis",
    r"accepted: .*keepdims=None.*": "keepdims is any truth value",
    rf"{NO} \w+ \w+\(.*axis=\(\).*": "as in SciPy, no axis at all is refused",
    rf"{NO} matrix (mean|std|var)\(.*(\[0, 3\]|\[3, 0\])": "as in SciPy",
    r"(accepted|other exception, \w+): matrix arg(max|min)\(.*axis=\(.*": "SciPy's methods take a tuple",
    rf"{NO} matrix ravel\(order=('K'|'A'|None|1)\).*": "order is 'C' or 'F'",
    r"refused: matrix transpose\(axes=\((0, 1|-2, -1)\)\) .*": "as in SciPy, axes are exchanged or not given",
    rf"{NO} matrix take\(.*indices=(1\.0|'x'|\[0\.0, 1\.0\]).*": "floats and text are no indices",
    r"refused: matrix take\(.*indices=\[\[.*axis=.*": "more than two axes",
    rf"{NO} matrix (reshape|zeros_like|ones_like)\(.*shape=(\(\)|\(1, 2, 3\)).*": "a matrix has one or two axes",
    r"refused: matrix tensordot\(axes=(0|-1|\(\(\), \(\)\))\).*": "more than two axes",
    rf"{NO} matrix clip\(.*": "the result is not sparse",
    rf"{NO} matrix norm\(.*(\[0, 3\]|\[3, 0\])": "norms of no elements, of which SciPy has none",
    r"other dtype: matrix norm\(ord=0.*": "a count is an integer",
    r"other dtype: matrix norm\(.* of float32.*": "norms have SciPy's dtype, float64",
    r"other dtype: matrix (nonzero|where)\(\).*": "indices are int32 where that is enough",
    r"(other \w+|refused|accepted): (matrix|ragged) (std|var)\(.*dtype=.*": "the dtype is that of the result",
    r"refused: matrix i(add|sub|truediv|pow)\(\).*": "operators of SciPy's matrices",
    r"refused: ragged \w+\(.*axis=.*": "one axis after the other is reduced, and lists are sorted along the innermost one",
    rf"{NO} ragged (a?max|a?min|(arg)?(sort|max|min))\(.* of complex64.*": "complex numbers have no order",
    r"other dtype: ragged (arg(min|max|sort)|nonzero|where)\(.*": "indices are int32 where that is enough",
    r"accepted: ragged (arg)?sort\(.*(kind|stable)=.*": "all sorts are stable",
    r".*: ragged (isclose|allclose)\(.*": "operands need the same lists, or one value for each item",
    r".*: ragged clip\(.*(float64\[3\]|=\[0\]).*": "the same",
    rf"{NO} ragged (size\(.*axis|\w+_like\(.*shape)=.*": "lists have no one length",
    rf"{NO} ragged full_like\(fill_value=('x'|2\.5|None).*": "the value must fit the dtype",
}
"""How outcomes may differ: patterns of the lines that `check` makes, each with the reason."""

REQUIRED = {np.take: "indices", np.reshape: "shape", np.full_like: "fill_value"}
"""Options that a function cannot do without."""

OF_TWO = {np.dot, np.tensordot, np.kron, np.array_equal, np.isclose, np.allclose}
JOINS = {np.concatenate, np.hstack, np.vstack}
OTHER_OPERANDS = {np.result_type, np.can_cast, np.broadcast_to, np.take_along_axis, np.empty_like}
"""Functions whose operands are of another kind, or whose result is not defined: other tests call them."""

IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.imatmul, operator.itruediv, operator.ipow]


def _sparse_array(rng, shape, dtype):
    """Small integers in any dtype, of which half are 0."""
    x = rng.integers(-4, 5, shape) * (rng.random(shape) < 0.5)
    kind = np.dtype(dtype).kind
    return (abs(x) if kind in "bu" else x * (1 + 1j) if kind == "c" else x).astype(dtype)


_KINDS = [((2, 3), float), ((3, 3), float), ((2, 3), np.int8), ((2, 3), bool), ((3, 2), np.complex64), ((1, 3), np.float32)]
_KINDS += [
    ((2, 1), float),
    ((3,), float),
    ((3,), np.int8),
    ((1,), float),
    ((1, 1), np.int64),
    ((0, 3), float),
    ((3, 0), np.uint8),
]
OPERANDS = [_sparse_array(np.random.default_rng(1), shape, dtype) for shape, dtype in _KINDS]

FORMATS = {1: (csr_array, coo_array), 2: (csr_array, csc_array, coo_array)}


def as_matrix(x, rng):
    """An array as a matrix or vector in any format; others, such as numbers, as they are."""
    if not isinstance(x, np.ndarray) or x.ndim not in FORMATS:
        return x
    return FORMATS[x.ndim][rng.integers(len(FORMATS[x.ndim]))](x.copy())


def as_ragged(x, rng):
    """An array as lists of one length; others as they are."""
    if not isinstance(x, np.ndarray) or x.ndim not in FORMATS:
        return x
    return Ragged(x.copy()) if x.ndim == 1 else Ragged(x.ravel(), np.arange(x.shape[0] + 1) * x.shape[1])


def calls_of(function, rng, several):
    """Options of calls: every value of each parameter alone, then combinations of several, drawn at random."""
    named = {name: VALUES[name] for name in inspect.signature(function).parameters if name in VALUES}
    if function in (np.cumsum, np.cumprod):
        named["out"] = [None]  # for an array without dimensions, NumPy 2.4 ends the process
    required = REQUIRED.get(function)
    first = {required: named[required][0]} if required else {}
    yield first
    for name, values in named.items():
        for value in values:
            yield first | {name: value}
    for _ in range(several if len(named) > 1 else 0):
        chosen = [name for name in named if name == required or rng.random() < 0.5]
        yield {name: named[name][rng.integers(len(named[name]))] for name in chosen}


def plain(result):
    """A result as arrays."""
    if isinstance(result, (tuple, list)):
        return [plain(x) for x in result]
    if isinstance(result, Ragged):
        return np.array(result.to_lists(), result.dtype)
    return np.asarray(result.toarray() if hasattr(result, "toarray") else result)


def outcome(function, operands, options):
    """The result of a call as arrays, or the exception."""
    options = {name: x.copy() if isinstance(x, np.ndarray) else x for name, x in options.items()}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return plain(function(*operands, **options))
        except Exception as error:
            return error


def compare(ours, theirs):
    """What differs between two outcomes, or None."""
    if isinstance(ours, Exception) and isinstance(theirs, Exception):
        related = isinstance(ours, type(theirs)) or (isinstance(ours, TypeError) and isinstance(theirs, TypeError))
        return None if related else f"other exception, {type(ours).__name__}"
    if isinstance(ours, Exception):
        return "refused"
    if isinstance(theirs, Exception):
        return "accepted"
    if isinstance(ours, list) or isinstance(theirs, list):
        return next(filter(None, map(compare, ours, theirs)), None)
    if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return "other shape" if ours.shape != theirs.shape else "other dtype"
    close = np.allclose(ours, theirs, rtol=1e-5, equal_nan=True) if ours.dtype.kind in "fc" else np.array_equal(ours, theirs)
    return None if close else "other values"


def describe(x):
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else repr(x)


def check(function, ours, theirs, options, kind):
    """Return a line that says how the outcomes differ, if they do and this is not listed."""
    found = compare(outcome(function, ours, options), outcome(function, theirs, options))
    if found is None or (found.startswith("other exception") and _has_several_faults(function, theirs, options)):
        return None
    given = ", ".join(f"{name}={describe(value)}" for name, value in options.items())
    operands = theirs[0] if isinstance(theirs[0], list) else theirs
    line = f"{found}: {kind} {function.__name__}({given}) of {', '.join(map(describe, operands))}"
    return None if any(re.fullmatch(pattern, line) for pattern in DIFFERENCES) else line


def _has_several_faults(function, operands, options):
    """Whether NumPy refuses the call without any one of its options too: which fault is found first is left open."""
    fewer = [{other: options[other] for other in options if other != name} for name in options if name not in REQUIRED.values()]
    return any(isinstance(outcome(function, operands, one), Exception) for one in fewer)


def all_checks(table, convert, kind):
    """The arguments of `check` for all calls of the functions of a table."""
    rng = np.random.default_rng(7)
    operands = OPERANDS if kind == "matrix" else [x for x in OPERANDS if x.size]
    for function in table:
        if function in OTHER_OPERANDS:
            continue
        for options in calls_of(function, rng, 30):
            if function not in OF_TWO | JOINS:
                for x in operands if len(options) <= 1 else rng.choice(len(operands), 3):
                    x = operands[x] if not isinstance(x, np.ndarray) else x
                    yield function, [convert(x, rng)], [x], options, kind
                continue
            for _ in range(20):
                dense = [operands[rng.integers(len(operands))] for _ in range(2)]
                which = rng.integers(1, 4) if kind == "matrix" else 3  # one of them, or both
                mixed = [convert(x, rng) if which >> at & 1 else x for at, x in enumerate(dense)]
                packed = ([mixed], [dense]) if function in JOINS else (mixed, dense)
                yield function, *packed, options, kind


def run(checks, step):
    lines = [line for at, arguments in enumerate(checks) if at % step == 0 and (line := check(*arguments))]
    assert not lines, f"{len(lines)} calls:\n" + "\n".join(lines)


SOME = [pytest.param(401, id="some"), pytest.param(4, id="many", marks=pytest.mark.slow)]


@pytest.mark.parametrize("step", SOME)
def test_matrices(step):
    run(all_checks(FUNCTIONS, as_matrix, "matrix"), step)


@pytest.mark.parametrize("step", SOME)
def test_ragged_arrays(step):
    run(all_checks(HANDLERS, as_ragged, "ragged"), step)


@pytest.mark.parametrize("step", [pytest.param(31, id="some"), pytest.param(3, id="more", marks=pytest.mark.slow)])
def test_operators_in_place(step):
    """A matrix on the right must not be broadcast into the array on the left, nor cast to integers."""

    def checks():
        rng = np.random.default_rng(3)
        for change in IN_PLACE:

            def on_copy(x, y, change=change):
                try:
                    return change(x.copy(), y)
                except (ValueError, NotImplementedError) as error:  # what SciPy's matrices raise; NumPy's cast may fail first
                    raise TypeError from error

            on_copy.__name__ = change.__name__
            for x in OPERANDS:
                for y in OPERANDS:
                    yield on_copy, [x, as_matrix(y, rng)], [x, y], {}, "matrix"

    run(checks(), step)


def test_every_parameter_has_values():
    """Parameters that NumPy adds to a function need values here."""
    operands = {"a", "b", "x", "y", "val", "a1", "a2", "arrays", "tup", "condition", "prototype", "kwargs"}
    for function in {*FUNCTIONS, *HANDLERS} - OTHER_OPERANDS:
        assert not set(inspect.signature(function).parameters) - set(VALUES) - operands
