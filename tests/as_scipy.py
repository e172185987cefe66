"""The same call on our matrix and on SciPy's: what came out, in a form that can be compared.

A call is a function of a `Side`: the matrix, and makers of the other operands in the library of that side. An outcome is the
kind of the result (`csr`, `coo`, `ndarray`, `scalar`, ...), its shape, dtype and values; or the type of the exception.
"""

import contextlib
import warnings

import numpy as np
import scipy.sparse as sp

import spark_csr
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form import facts
from spark_csr._operations.form.record import Csr


class Side:
    """A library of sparse arrays, and a matrix of it."""

    def __init__(self, library, matrix, on_device=lambda x: x):
        self.library, self.A, self.on_device = library, matrix, on_device

    def sparse(self, M, form="csr"):
        """A SciPy matrix as one of this library."""
        if self.library is sp:
            return M.asformat(form)
        return getattr(spark_csr, f"{form}_array")(M, device=None).to_device(self.A.device)

    def dense(self, x):
        """An array where the matrix is."""
        return self.on_device(np.asarray(x))


def sides(M, xp=np):
    """SciPy's matrix and ours, of the same arrays and format."""
    ours = getattr(spark_csr, f"{M.format}_array")(M.copy())
    if xp is not np:
        ours = ours.to_device("cuda")
    return Side(spark_csr, ours, xp.asarray), Side(sp, M.copy())


def _host(x):
    return x.get() if hasattr(x, "get") and not isinstance(x, dict) else x


def outcome(call, side):
    """What a call gives: plain values that say everything a user could see."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return described(call(side))
        except AssertionError:
            raise
        except Exception as error:
            return type(error)


def check_facts(matrix):
    """What is noted of the order of a matrix's entries holds: else later calls search rows that are not sorted."""
    record = matrix._csr if matrix.ndim < 3 else None
    for fact in (facts.has_sorted_columns, facts.has_canonical_columns) if isinstance(record, Csr) else ():
        assert record.plans.get(fact) in (None, fact(record)), f"{fact.__name__} is noted as {record.plans[fact]}"


def described(result):
    """Kind, shape, dtype and values; of a tuple, of each of its items."""
    if isinstance(result, SparseArray):
        check_facts(result)
    if isinstance(result, SparseArray) or sp.issparse(result):
        return result.format, result.shape, result.dtype, _host(result.toarray())
    if isinstance(result, (tuple, list)):
        return [described(x) for x in result]
    result = np.intp(result) if type(result) is int else _host(result)  # SciPy's positions are now this, now that
    if isinstance(result, np.ndarray) and result.ndim:
        return "ndarray", result.shape, result.dtype, result
    if isinstance(result, (np.generic, np.ndarray)):
        return "scalar", (), result.dtype, result[()]
    return type(result).__name__, (), None, result


def assert_same(ours, theirs, exact=False):
    """The two outcomes are the same; sums may be rounded differently unless `exact`."""
    if isinstance(ours, type) or isinstance(theirs, type):
        raised = isinstance(ours, type) and isinstance(theirs, type) and (issubclass(ours, theirs) or issubclass(theirs, ours))
        assert raised, f"ours: {ours}\nSciPy's: {theirs}"
        return
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(mine, other, exact)
        return
    assert ours[:3] == theirs[:3], f"ours: {ours[:3]}, SciPy's: {theirs[:3]}"
    if theirs[2] is None or exact or theirs[2].kind not in "fc":
        np.testing.assert_array_equal(ours[3], theirs[3])
    else:
        roundings = 100 * np.finfo(theirs[2]).eps  # the terms of sums are small numbers
        np.testing.assert_allclose(ours[3], theirs[3], rtol=roundings, atol=roundings)


def compare(call, M, xp=np, exact=False):
    """Run a call on both sides; afterwards the operand is as it was, unless the call changes SciPy's too."""
    ours, theirs = sides(M, xp)
    got, expected = outcome(call, ours), outcome(call, theirs)
    assert_same(got, expected, exact)
    if not isinstance(expected, type):
        assert_same(described(ours.A), described(theirs.A), exact)


@contextlib.contextmanager
def naming(text):
    """An assertion that fails says of what."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{text}: {error}") from None
