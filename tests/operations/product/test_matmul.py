"""`@` and `matmul`: semirings, the user's own operators, `out=`, and what they refuse."""

import numpy as np
import pytest

import battery
import dtypes
import oracles
from spark_csr import Monoid, Semiring, coo_array, csc_array, csr_array

pytestmark = pytest.mark.usefixtures("small_tiles")


def larger_magnitude(a, b):
    return a if abs(a) >= abs(b) else b


def distance(a, x):
    return abs(a - x)


SOME = ["power law", "duplicates", "explicit zeros", "middle rows empty", "row of several tiles"]


RINGS = ["min_plus", "max_plus", "max_times", "any_pair", "or_and"]


# Products with a matrix take the same operators: two rings suffice, with identities of different kinds.
@pytest.mark.parametrize(
    "ring, columns", [*((ring, None) for ring in RINGS), ("min_plus", 2), pytest.param("or_and", 2, marks=dtypes.RARE)]
)
@pytest.mark.parametrize("name", SOME)
def test_semirings(xp, to_numpy, name, ring, columns):
    A = battery.build(xp, name)
    x = battery.operand(A.shape[1], columns)
    got = to_numpy(A.matmul(xp.asarray(x), semiring=ring))
    expected = oracles.product(battery.BATTERY[name], x, ring)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("ring", ["min_plus", "max_plus"])
def test_semirings_of_integers(xp, to_numpy, ring):
    """An empty row gives the end of the range; NaN and infinity are not there to help."""
    got = to_numpy(csr_array(xp.asarray([[2, 0, 3], [0, 0, 0]])).matmul(xp.asarray([10, 20, 30]), semiring=ring))
    info = np.iinfo(np.int64)
    assert got.tolist() == ([12, info.max] if ring == "min_plus" else [33, info.min])


def overflowing(pattern):
    """Return an int8 matrix whose elements and products take the whole range, all of them stored."""
    rng = np.random.default_rng(0)
    i, j = {
        "similar rows": (np.repeat(np.arange(300), 5), rng.integers(0, 300, 1500)),
        "rows of any length": ((300 * rng.random(1500) ** 3).astype(int), rng.integers(0, 300, 1500)),
        "shifted rows": (np.repeat(np.arange(1, 299), 3), (np.arange(1, 299)[:, None] + [-1, 0, 1]).ravel()),
    }[pattern]
    i, j = np.unique(np.stack([i, j]), axis=1)
    return i, j, rng.integers(-128, 128, i.size).astype(np.int8)


LEAST_SUM = Semiring("min", lambda a, x: a + x, name="least_sum")
FORMS = {
    "vector": lambda A, x, ring: A.matmul(x[:, 0], semiring=ring)[:, None],
    "matrix": lambda A, x, ring: A.matmul(x, semiring=ring),
    "transposed": lambda A, x, ring: A.tocsc().matmul(x[:, 0], semiring=ring)[:, None],
    "transposed matrix": lambda A, x, ring: A.tocsc().matmul(x, semiring=ring),
    "sparse": lambda A, x, ring: A.matmul(csr_array(x), semiring=ring).toarray(),
}


@pytest.mark.parametrize("form", dtypes.some(FORMS, ["vector"]))
@pytest.mark.parametrize("pattern", ["similar rows", "rows of any length", "shifted rows"])
@pytest.mark.parametrize("ring", dtypes.some(["max_times", LEAST_SUM], ["max_times"]))
def test_products_overflow_in_the_dtype_of_the_result(xp, to_numpy, form, pattern, ring):
    """Numba adds two int8 in int64, whose least sum is another than that of NumPy's int8. Of semirings with names, the least
    integer is -infinity, and other products end at the ends of the range."""
    i, j, data = overflowing(pattern)
    x = np.random.default_rng(1).integers(1, 128, (300, 2)).astype(np.int8)
    A = csr_array((xp.asarray(data), (xp.asarray(i), xp.asarray(j))), shape=(300, 300))
    bounded = np.where(data == -128, -128, np.clip(data.astype(int) * x[j].T, -128, 127)).T
    products = bounded if ring == "max_times" else data[:, None] + x[j]
    combine = np.maximum if ring == "max_times" else np.minimum
    wanted = [combine.reduce(products[i == row], axis=0) for row in np.unique(i)]
    got = to_numpy(FORMS[form](A, xp.asarray(x), ring))
    assert got.dtype == np.int8
    np.testing.assert_array_equal(got[np.unique(i)], np.array(wanted)[:, : got.shape[1]])


def test_own_semiring(xp, to_numpy):
    ring = Semiring(Monoid(larger_magnitude, 0), distance)
    dense = np.array([[1.0, 0, -7], [0, 0, 0], [2, 2, 2]])
    got = to_numpy(csr_array(xp.asarray(dense)).matmul(xp.asarray([1.0, 5, 3]), semiring=ring))
    assert got.tolist() == [10, 0, 3]
    assert repr(ring) == "Semiring(larger_magnitude_distance)"


@pytest.mark.parametrize("ring", ["plus_times", "min_plus"])
def test_nan_and_inf_pass_through(xp, to_numpy, ring):
    A = battery.build(xp, "NaN and inf")
    x = np.array([1.0, np.inf, -2])
    with np.errstate(invalid="ignore"):
        expected = oracles.product(battery.BATTERY["NaN and inf"], x, ring)
    np.testing.assert_array_equal(to_numpy(A.matmul(xp.asarray(x), semiring=ring)), expected)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("columns", [None, 1, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_out(xp, to_numpy, dtype, columns, transposed):
    A = battery.build(xp, "middle rows empty", dtype)
    B = A.T if transposed else A
    x = xp.asarray(battery.operand(B.shape[1], columns, dtype))
    expected = B @ x
    out = xp.full(expected.shape, 99, dtype)
    assert B.matmul(x, out=out) is out
    np.testing.assert_array_equal(to_numpy(out), to_numpy(expected))


def test_out_of_or_and_is_bool(xp, to_numpy):
    A = battery.build(xp, "duplicates")
    out = xp.zeros(A.shape[0], bool)
    A.matmul(xp.asarray(battery.operand(3)), semiring="or_and", out=out)
    np.testing.assert_array_equal(to_numpy(out), oracles.product(battery.BATTERY["duplicates"], battery.operand(3), "or_and"))


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("stack", [(2,), (2, 3), (0,), (2, 0)], ids=str)
def test_stacks_of_matrices_are_multiplied_as_numpy_does(xp, to_numpy, form, stack):
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 3, (3, 4)).astype(float)
    A, X, Y = form(xp.asarray(dense)), rng.integers(-9, 9, (*stack, 4, 2)), rng.integers(-9, 9, (*stack, 2, 3))
    for got, expected in ((A @ xp.asarray(X), dense @ X), (xp.asarray(Y) @ A, Y @ dense)):
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(to_numpy(got), expected)
    out = xp.empty((*stack, 3, 2))
    assert A.matmul(xp.asarray(X), out=out) is out
    np.testing.assert_array_equal(to_numpy(out), dense @ X)
    vector = coo_array(xp.asarray(dense[0]))
    np.testing.assert_array_equal(to_numpy(vector @ xp.asarray(X)), dense[0] @ X)
    np.testing.assert_array_equal(to_numpy(xp.asarray(X.swapaxes(-1, -2)) @ vector), X.swapaxes(-1, -2) @ dense[0])


def test_dot_of_a_stack_is_refused_as_its_axes_have_another_order():
    for call in (A.dot, lambda X: np.dot(A, X)):
        with pytest.raises(ValueError, match=r"got shape \(2, 3, 1\): use A @ X for a stack"):
            call(np.ones((2, 3, 1)))
    for X in (np.arange(6.0).reshape(2, 3, 1), coo_array(np.arange(6.0).reshape(2, 3, 1))):
        found, dense = np.tensordot(A, X, ((1,), (1,))), getattr(X, "toarray", lambda X=X: X)()
        np.testing.assert_array_equal(
            getattr(found, "toarray", lambda found=found: found)(), np.tensordot(A.toarray(), dense, (1, 1))
        )


A = csr_array(np.array([[1.0, 0, 2], [0, 3, 0]]))


@pytest.mark.parametrize(
    "operand, error, message",
    [
        (np.ones(2), ValueError, r"matrix has shape \(2, 3\), the operand \(2,\); .* 3 rows"),
        (np.ones((2, 3)), ValueError, r"matrix has shape \(2, 3\), the operand \(2, 3\)"),
        (np.ones((3, 2, 1)), ValueError, r"the operand \(3, 2, 1\); the operand needs 3 rows"),
        (np.ones(()), ValueError, "scalar"),
        (2.0, ValueError, "scalar"),
        ([[1, 2], [3]], ValueError, "inhomogeneous|rectangular"),
        (np.array([None] * 3), TypeError, "object"),
        (["a", "b", "c"], TypeError, "dtype <U1"),
        (np.ones(3, "datetime64[s]"), TypeError, "datetime64"),
        (np.ones(3, np.longdouble), TypeError, "longdouble|float128"),
        (np.ones(3, "f8,f8"), TypeError, "dtype"),
    ],
)
def test_refuses_operands(operand, error, message):
    for product in (lambda x: A @ x, A.matmul):
        with pytest.raises(error, match=message):
            product(operand)


@pytest.mark.parametrize("operand", [np.ones(3), np.ones((2, 3)), 2.0, np.array([None] * 2), ["a", "b"]])
def test_refuses_operands_from_the_left(operand):
    with pytest.raises((ValueError, TypeError)):
        operand @ A


@pytest.mark.parametrize("operand", [object(), None, "abc"])
def test_refuses_what_is_no_dense_operand(operand):
    with pytest.raises((TypeError, ValueError)):
        A @ operand


@pytest.mark.parametrize(
    "out, error, message",
    [
        (np.empty(3), ValueError, r"out must have shape \(2,\)"),
        (np.empty((2, 1)), ValueError, r"got shape \(2, 1\)"),
        (np.empty(2, np.float32), ValueError, "dtype float64, got shape .* dtype float32"),
        (np.empty(4)[::2], ValueError, "C order"),
        ([0.0, 0], TypeError, "out must be a NumPy or CuPy array, got list"),
        (A.data[:2], ValueError, "shares memory"),
    ],
)
def test_refuses_out(out, error, message):
    with pytest.raises(error, match=message):
        A.matmul(np.ones(3), out=out)


def test_refuses_out_that_is_read_only():
    out = np.empty(2)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only|writeable"):
        A.matmul(np.ones(3), out=out)


def test_refuses_out_that_is_the_operand():
    x = np.ones(3)
    with pytest.raises(ValueError, match="shares memory"):
        A.matmul(x, out=x[:2])


def test_refuses_out_that_is_the_pattern():
    counts = csr_array(np.array([[1, 0, 2], [0, 3, 0]], np.int32))
    with pytest.raises(ValueError, match="out shares memory with an operand"):
        counts.matmul(np.ones(3, np.int32), out=counts.indices[:2])


@pytest.mark.parametrize("ring", ["plus", None, 3, np.add])
def test_refuses_unknown_semirings(ring):
    with pytest.raises(TypeError if callable(ring) else ValueError, match=r"semiring .*Semiring\(add, multiply\), or "):
        A.matmul(np.ones(3), semiring=ring)


@pytest.mark.parametrize("ring", ["min_plus", "max_plus", "max_times"])
def test_refuses_to_order_complex_numbers(ring):
    with pytest.raises(TypeError, match="needs an order, and complex128 has none"):
        A.matmul(np.ones(3, complex), semiring=ring)


INTEGER_RINGS = [
    pytest.param(ring, np.dtype(char), id=f"{ring} {char}", marks=() if char in usual else dtypes.RARE)
    for ring, usual in (("min_plus", "qB"), ("max_plus", "qB"), ("max_times", "q"))
    for char in "bBhHiIqQ"
]


def ends_of(ring, dtype):
    """The least and the largest integer, and that which stands for an infinity."""
    ends = np.iinfo(dtype)
    return int(ends.min), int(ends.max), int(ends.max if ring == "min_plus" else ends.min)


@pytest.mark.parametrize("ring, dtype", INTEGER_RINGS)
def test_integers_end_at_the_ends_of_their_range(cpu_only, ring, dtype):
    """As exact integers do that are cut off there: whole numbers near roots of the ends are factors of such products."""
    if ring == "max_plus" and dtype.kind == "u":
        with pytest.raises(TypeError, match=f"'max_plus' needs a value for -infinity, and {dtype} has none: use A.astype"):
            csr_array(np.eye(2, dtype=dtype)).matmul(np.ones(2, dtype), semiring=ring)
        return
    least, largest, infinity = ends_of(ring, dtype)
    root = int(largest**0.5)
    some = {k + d for k in (least, least // 2, -root, 0, root, largest // 3, largest // 2, largest) for d in (-1, 0, 1, 2)}
    values = sorted(value for value in some if least <= value <= largest)
    A = csr_array((np.array(values, dtype), (np.arange(len(values)), np.zeros(len(values), int))), shape=(len(values), 1))
    for x in values:
        with np.errstate(over="ignore"):  # without Numba, NumPy's own integers warn
            found = A.matmul(np.array([x], dtype), semiring=ring).tolist()
        exact = [value * x if ring == "max_times" else value + x for value in values]
        bounded = [min(max(value, least), largest) for value in exact]
        assert found == [infinity if infinity in (x, v) else y for v, y in zip(values, bounded, strict=True)]


def test_integer_infinity_absorbs(xp, to_numpy):
    """An unreachable vertex stays unreachable: nothing overflows."""
    for ring, dtype in (("min_plus", np.int64), ("min_plus", np.uint8), ("max_plus", np.int64), ("max_times", np.int64)):
        infinity = ends_of(ring, dtype)[2]
        G = csr_array(tuple(map(xp.asarray, (np.array([1, 2], dtype), np.array([1, 2]), np.array([0, 1, 2, 2])))), shape=(3, 3))
        once = G.matmul(xp.asarray([5, 5, 5], dtype), semiring=ring)
        assert to_numpy(once).tolist() == [*((5, 10) if ring == "max_times" else (6, 7)), infinity]
        assert to_numpy(G.matmul(once, semiring=ring)).tolist() == [10 if ring == "max_times" else 8, infinity, infinity]


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_matrices_of_numpy_are_arrays():
    C = csr_array([[1.0, 2], [3, 4]])
    assert (C @ np.matrix([[1.0], [2.0]])).tolist() == [[5], [11]]


@pytest.mark.parametrize(
    "product, error, message",
    [
        (lambda C: C @ np.ma.array([1.0, 2], mask=[0, 1]), TypeError, "mask would be lost"),
        (lambda C: C.matmul(np.ones(2), out=np.ma.array([1.0, 2])), TypeError, "got MaskedArray"),
        (lambda C: np.ones((3, 5)) @ C, ValueError, r"operand has shape \(3, 5\), the matrix \(2, 2\); .* needs 2 columns"),
        (lambda C: C.toarray(out=[1]), ValueError, "got list"),
    ],
)
def test_what_does_not_multiply_says_what_to_do(product, error, message):
    with pytest.raises(error, match=message):
        product(csr_array([[1.0, 2], [3, 4]]))


def test_sums_of_integers_stop_at_the_largest():
    largest = np.iinfo(np.int32).max
    A = csr_array(np.array([[1, 1]], np.int32))
    assert A.matmul(np.array([largest, largest], np.int32), semiring="min_plus").tolist() == [largest]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_long_sums_of_products_keep_their_digits(cpu_only, dtype):
    """Added one by one in 32 bits, a million of them are low by some thousandths."""
    n = 1 << 20
    value = np.dtype(dtype).type(0.03125 + 2**-10)
    A = csr_array((np.full(n, value), np.zeros(n, np.int32), np.arange(n + 1, dtype=np.int32)), shape=(n, 1))
    ones = np.full(n, 2**-6, dtype)
    rtol = 1e-3 if dtype == "float16" else 1e-7
    row = csr_array((A.data, np.arange(n, dtype=np.int32), np.array([0, n], np.int32)), shape=(1, n))
    for got in (A.T @ ones, ones @ A, (A.T @ np.stack([ones] * 4, axis=1))[0], row @ ones):
        assert got.dtype == dtype
        np.testing.assert_allclose(got, float(value) * 2**14, rtol=rtol)
    square = (A * np.dtype(dtype).type(2**-4)).T @ A
    assert square.dtype == dtype
    np.testing.assert_allclose(square.toarray(), float(value) ** 2 * 2**16, rtol=rtol)
