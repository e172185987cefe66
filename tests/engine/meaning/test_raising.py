"""Functions that raise: the exception arrives, whichever core it comes from; divisions by zero are none."""

import numba
import numpy as np
import pytest

from spark_csr import Monoid, Ragged, Semiring, csr_array
from spark_csr import _ops as ops
from spark_csr import primitives as p
from spark_csr._engine.meaning import can_raise
from spark_csr.graph import Frontier, Graph, advance
from spark_csr.graph import for_each as for_each_item

pytestmark = pytest.mark.usefixtures("cpu_only")

MANY = 200_000
PLACES = [0, 60_000, 140_000, MANY - 1]


def _quotient(a, b):
    return a / b


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("at", PLACES)
def test_division_by_zero_is_numpys(at, compiled):
    x = np.ones(MANY)
    x[at] = 0
    expected = np.where(x == 0, np.inf, 1)
    quotient = numba.njit(_quotient) if compiled else _quotient
    A = csr_array((np.ones(MANY), np.arange(MANY), np.arange(MANY + 1)))
    ring = Semiring("sum", quotient)
    np.testing.assert_array_equal(A.matmul(x, semiring=ring), expected)
    np.testing.assert_array_equal(A.matmul(np.stack([x, x], axis=1), semiring=ring), np.stack([expected] * 2, axis=1))
    B = csr_array((x, np.arange(MANY), np.arange(MANY + 1)))
    np.testing.assert_array_equal(A.matmul(B, semiring=ring).data, expected)
    inverse = numba.njit(lambda v, i, j: 1 / v) if compiled else lambda v, i, j: 1 / v
    np.testing.assert_array_equal(Ragged(x, np.array([0, MANY])).map(inverse).values, expected)
    np.testing.assert_array_equal(p.map_where(numba.njit(lambda v: 1 / v), x, x < 2), expected)
    out = np.full(MANY, 7.0)
    p.for_each(MANY, _invert, x, out)
    np.testing.assert_array_equal(out, expected)


@numba.njit
def _invert(i, x, out):
    out[i] = 1 / x[i]


class Unfit(Exception):
    """What the functions of these tests raise."""


def _refuse(value, i, j):
    if value == 0:
        raise Unfit("value")
    return value


def _refuse_item(item, x):
    if x[item] == 0:
        raise Unfit("item")


def _refuse_edge(src, dst, edge, weight):
    if weight == 0:
        raise AssertionError("weight")
    return True


@numba.njit
def _refuse_index(i, x, out):
    if x[i] == 0:
        raise Unfit("index")
    out[i] = 1


@numba.njit
def _look_up(i, x, out):
    out[i] = (1, 2, 3)[3 if x[i] == 0 else 1]


@numba.njit
def _checked(a):
    if a == 0:
        raise Unfit("helper")
    return a


def _largest_checked(a, b):
    return max(a, _checked(b))


def _through_a_list(value, i, j):
    values = [value]
    if value == 0:
        values.pop()
    return values.pop()


@pytest.mark.parametrize("at", PLACES)
def test_exceptions_arrive(at):
    x = np.ones(MANY)
    x[at] = 0
    R, G = Ragged(x, np.array([0, MANY])), Graph(csr_array((x, np.arange(MANY), np.arange(MANY + 1)), shape=(MANY, MANY)))
    with pytest.raises(Unfit, match="value"):
        R.map(_refuse)
    with pytest.raises(Unfit, match="item"):
        for_each_item(Frontier.all(G), _refuse_item, (x,))
    with pytest.raises(AssertionError):
        advance(G, Frontier.all(G), _refuse_edge)
    with pytest.raises(Unfit, match="index"):
        p.for_each(MANY, _refuse_index, x, np.zeros(MANY))
    with pytest.raises(IndexError):
        p.for_each(MANY, _look_up, x, np.zeros(MANY))
    with pytest.raises(Unfit, match="helper"):
        p.inclusive_scan(x, Monoid(_largest_checked, 1))
    with pytest.raises(Unfit, match="helper"):
        G.matrix.matmul(np.zeros(MANY), semiring=Semiring("sum", _largest_checked))
    with pytest.raises(IndexError):
        R.map(_through_a_list)


def test_half_precision_raises_too():
    A = csr_array((np.ones(MANY, np.float16), np.arange(MANY) % 1000, np.arange(0, MANY + 1, 20)), shape=(MANY // 20, 1000))
    with pytest.raises(IndexError):
        A.matmul(np.zeros(1000, np.float16), semiring=Semiring("sum", _second_through_a_list))


def _second_through_a_list(a, b):
    values = [b]
    if b == 0:
        values.pop()
    return values.pop()


def test_an_exception_is_of_the_class_that_the_function_means():
    for _ in range(2):
        scope = {"__name__": "__main__"}
        exec("class E(Exception): pass\ndef f(v, i, j):\n    if v == 0: raise E()\n    return v", scope)
        with pytest.raises(scope["E"]):
            Ragged(np.zeros(3), np.array([0, 3])).map(scope["f"])


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_named_operators_do_not_raise(dtype):
    for monoid in ops.MONOIDS.values():
        monoid.identity_for(dtype)
        assert not can_raise(monoid.op), monoid
    for ring in ops.SEMIRINGS.values():
        ring.result_dtype(dtype)
        assert not can_raise(ring.multiply), ring


def test_functions_that_do_not_raise_run_on_all_cores(monkeypatch):
    from spark_csr._cpu import foreach

    cores, cores_for = [], foreach.cores_for
    monkeypatch.setattr(foreach, "cores_for", lambda kernel: cores.append(cores_for(kernel)) or cores[-1])
    R = Ragged(np.ones(MANY), np.array([0, MANY]))
    R.map(lambda v, i, j: v / 3 + i % 2)
    R.map(_refuse)
    assert cores == [numba.config.NUMBA_NUM_THREADS, 1]


@pytest.mark.parametrize(
    "func",
    [
        numba.jit(forceobj=True)(lambda v, i, j: v),
        lambda v, i, j: np.float16(v),
        lambda v, i, j: "text",
    ],
    ids=["object mode", "float16", "text"],
)
def test_what_is_no_kernel_is_a_type_error(func):
    with pytest.raises(TypeError, match="func must"):
        Ragged(np.ones(3), np.array([0, 3])).map(func)


async def _later(v, i, j):
    return v


def _one_by_one(v, i, j):
    yield v


@pytest.mark.parametrize("func", [_later, _one_by_one])
def test_coroutines_and_generators_are_refused(func):
    with pytest.raises(TypeError, match="func must return a number"):
        Ragged(np.ones(3), np.array([0, 3])).map(func)
