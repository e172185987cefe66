"""Bad index arrays: each refused with the exception of its kind, which names the first offending value."""

import functools
import io

import numpy as np
import pytest
import scipy.sparse as sp

import spark_csr
from spark_csr import Ragged, config, coo_array, csc_array, csgraph, csr_array, load_npz
from spark_csr.graph import Frontier, Graph, bfs

COLUMNS = [0, 2, 1]
DATA = [1.0, 2, 3]


@pytest.mark.parametrize(
    "data, indices, indptr, error, message",
    [
        (DATA, COLUMNS, [0, 2, 1, 3], ValueError, r"indptr\[1\] = 2 > indptr\[2\] = 1"),
        (DATA, COLUMNS, [0, 2, 3, 1], ValueError, r"indptr\[2\] = 3 > indptr\[3\] = 1"),
        (DATA, COLUMNS, [1, 2, 3, 3], ValueError, r"indptr\[0\] = 1"),
        (DATA, COLUMNS, [-1, 2, 3, 3], ValueError, r"indptr\[0\] = -1"),
        (DATA, COLUMNS, [0, 2, 3, 4], ValueError, "ends at 4, but there are only 3"),
        (DATA, COLUMNS, [0, 2, 3], ValueError, "must have 4 entries for 3 rows, got 3"),
        (DATA, COLUMNS, [], ValueError, "must have 4 entries for 3 rows, got 0"),
        (DATA, [0, 3, 1], [0, 2, 3, 3], ValueError, r"indices must lie in \[0, 3\), got indices\[1\] = 3"),
        (DATA, [0, 2, -1], [0, 2, 3, 3], ValueError, r"indices\[2\] = -1"),
        (DATA, [-5, -2, -1], [0, 2, 3, 3], ValueError, r"indices\[0\] = -5"),
        (DATA, [0, 2**40, 1], [0, 2, 3, 3], ValueError, rf"indices\[1\] = {2**40}"),
        (DATA, np.array([0, 2**63 + 1, 1], np.uint64), [0, 2, 3, 3], ValueError, str(2**63 + 1)),
        (DATA, COLUMNS, np.array([0, 2, 3, 2**63 + 3], np.uint64), ValueError, str(2**63 + 3)),
        (DATA, np.array([0, 2, -(2**63)]), [0, 2, 3, 3], ValueError, r"indices\[2\] = -9223372036854775808"),
        (DATA, COLUMNS, [0, 2**63 - 1, 3, 3], ValueError, r"indptr\[1\] = 9223372036854775807 > indptr\[2\] = 3"),
        (DATA[:2], COLUMNS, [0, 2, 3, 3], ValueError, "equal length, got 3 and 2"),
        (DATA, COLUMNS[:2], [0, 2, 2, 2], ValueError, "equal length, got 2 and 3"),
        (DATA, [COLUMNS], [0, 2, 3, 3], ValueError, r"indices must be one-dimensional, got shape \(1, 3\)"),
        ([DATA], COLUMNS, [0, 2, 3, 3], ValueError, r"data must be one-dimensional, got shape \(1, 3\)"),
        (DATA, COLUMNS, [[0, 2, 3, 3]], ValueError, "indptr must be one-dimensional"),
        (DATA, [0.0, 2.5, 1], [0, 2, 3, 3], ValueError, r"indices must hold whole numbers .* indices\[1\] = 2.5: use"),
        (DATA, COLUMNS, [0.0, 2, np.inf, 3], ValueError, r"indptr must hold whole numbers .* indptr\[2\] = inf"),
        (DATA, [True, False, True], [0, 2, 3, 3], TypeError, "indices must hold integers, got dtype bool"),
        (DATA, [0, None, 1], [0, 2, 3, 3], ValueError, r"indices must hold whole numbers .* indices\[1\] = None"),
        (DATA, np.array([0, "2", 1], object), [0, 2, 3, 3], ValueError, r"whole numbers .* indices\[1\] = 2"),
        (DATA, [0, 2**63, 1], [0, 2, 3, 3], ValueError, "indices must"),
        (DATA, [0.0, 1e300, 1], [0, 2, 3, 3], ValueError, r"whole numbers .* indices\[1\] = 1e\+300"),
        (["a", "b", "c"], COLUMNS, [0, 2, 3, 3], TypeError, "data has dtype <U1"),
    ],
)
def test_refuses_arrays(xp, data, indices, indptr, error, message):
    arrays = [np.asarray(x) for x in (data, indices, indptr)]
    if xp is not np and all(x.dtype.kind in "iufb" for x in arrays):
        arrays = [xp.asarray(x) for x in arrays]
    with pytest.raises(error, match=message):
        csr_array(tuple(arrays), shape=(3, 3))


@pytest.mark.parametrize(
    "rows, columns, error, message",
    [
        ([0, 3, 1], COLUMNS, ValueError, r"row must lie in \[0, 3\), got row\[1\] = 3"),
        ([0, -1, 1], COLUMNS, ValueError, r"row\[1\] = -1"),
        (COLUMNS, [0, 0, 7], ValueError, r"col\[2\] = 7"),
        (COLUMNS, [0, 0, -7], ValueError, r"col\[2\] = -7"),
        (COLUMNS, [0, 0], ValueError, "equal length, got 3, 2 and 3"),
        ([0, 1], COLUMNS, ValueError, "equal length, got 2, 3 and 3"),
        ([0.0, 1, np.nan], COLUMNS, ValueError, r"row must hold whole numbers of 64 bits, got row\[2\] = nan"),
        ([COLUMNS], COLUMNS, ValueError, "row must be one-dimensional"),
        (COLUMNS, [[0, 1], [2]], ValueError, "col must be rectangular"),
    ],
)
def test_refuses_coordinates(rows, columns, error, message):
    with pytest.raises(error, match=message):
        csr_array((DATA, (rows, columns)), shape=(3, 3))


@pytest.mark.parametrize("data", [np.ones((3, 1)), np.ones((1, 3)), np.array(1.0)])
def test_refuses_data_of_other_than_one_dimension(data):
    at = np.arange(data.size)
    with pytest.raises(ValueError, match="data must be one-dimensional, got shape"):
        csr_array((data, (at, at)), shape=(3, 3))


def test_refuses_negative_coordinates_without_a_shape():
    with pytest.raises(ValueError, match=r"row\[0\] = -4|negative"):
        csr_array(([1.0, 2], ([-4, -1], [0, 1])))


def test_entries_beyond_the_last_row_are_dropped_as_scipy_does():
    A = csr_array((np.ones(5), np.array([0, 1, 2, 99, -99]), np.array([0, 1, 3])), shape=(2, 3))
    assert A.nnz == A.data.size == A.indices.size == 3
    assert A.toarray().tolist() == [[1, 0, 0], [0, 1, 1]]


def test_indices_of_no_entries_may_have_any_dtype():
    assert csr_array(([], [], [0, 0, 0]), shape=(2, 3)).nnz == 0
    assert csr_array(([], ([], [])), shape=(2, 3)).shape == (2, 3)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.int64, np.uint64])
def test_index_arrays_of_every_integer_dtype(dtype):
    A = csr_array((DATA, np.array(COLUMNS, dtype), np.array([0, 2, 3, 3], dtype)), shape=(3, 3))
    assert A.indices.dtype == A.indptr.dtype == np.int32
    assert A.toarray().tolist() == [[1, 0, 2], [0, 3, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    "dtype, length",
    [(np.int8, n) for n in (3, 128, 129, 200, 255, 256, 257, 300, 2**33)] + [(np.int16, n) for n in (32769, 2**16, 2**40)]
    + [(np.int32, n) for n in (2**31, 2**31 + 1, 2**32, 2**33)],
)  # fmt: skip
def test_refuses_negative_indices_of_narrow_dtypes(xp, dtype, length):
    """As unsigned numbers, they are below the length."""
    for worst in (-1, -2, np.iinfo(dtype).min):
        indices, indptr, data = (xp.asarray(np.array(x)) for x in ([dtype(1), dtype(worst)], [0, 2], [1.0, 2]))
        for make, shape in ((csr_array, (1, length)), (csc_array, (length, 1))):
            with pytest.raises(ValueError, match=rf"must lie in \[0, {length}\), got indices\[1\] = {worst}"):
                make((data, indices, indptr), shape=shape)
        with pytest.raises(ValueError, match=rf"must lie in \[0, {length}\), got col\[1\] = {worst}"):
            coo_array((data, (xp.zeros(2, dtype), indices)), shape=(1, length))


def test_refuses_negative_narrow_indices_at_every_door(tmp_path):
    A, five = csr_array(np.eye(300)), np.array([-5], np.int8)
    G = Graph(A)
    np.savez(tmp_path / "a.npz", indices=five, indptr=[0, 1], data=[1.0], shape=[1, 300], format=b"csr")
    calls = {
        "setting": lambda: setattr(A, "indices", np.full(300, -5, np.int8)),
        "bfs": lambda: bfs(G, np.int8(-5)),
        "frontier": lambda: Frontier.of(G, five),
        "subgraph": lambda: G.subgraph(five),
        "ragged": lambda: Ragged(five, [0, 1]).to_csr(300),
        "npz": lambda: load_npz(tmp_path / "a.npz"),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match="-5"):
            pytest.fail(f"{name} takes it: {call()}")


def broken(form, how):
    """A matrix of SciPy whose arrays do not fit, as nobody but its owner can make it."""
    S = sp.csr_array(np.array([[1.0, 0, 2, 0], [0, 3, 4, 0], [5, 0, 0, 6], [0, 7, 0, 8]])).asformat(form)
    if form == "lil":
        S.rows[1], S.data[1] = ([1], [1.0] * 3000) if how == "offsets" else (list(range(4)) * 5000, [1.0])
    elif form == "coo":
        S.coords[how == "offsets"][1] = 2**30
    else:
        (S.indptr if how == "offsets" else S.indices)[1] = 10**6
        S.has_canonical_format = S.has_sorted_indices = False  # so SciPy looks at them
    return S


TAKES_SCIPYS = {
    "csr_array": csr_array,
    "A + S": lambda S: csr_array(np.eye(4)) + S,
    "A @ S": lambda S: csr_array(np.eye(4)) @ S,
    "hstack": lambda S: spark_csr.hstack([S, S]),
    "mmwrite": lambda S: spark_csr.mmwrite(io.BytesIO(), S),
    "Graph": Graph,
    "matrix_power": lambda S: spark_csr.linalg.matrix_power(S, 2),
    **{
        name: functools.partial(lambda name, S: getattr(csgraph, name)(S), name)
        for name in ("connected_components", "dijkstra", "floyd_warshall", "laplacian", "structural_rank")
    },
}


@pytest.mark.parametrize("how", ["offsets", "indices"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil"])
@pytest.mark.parametrize("name", TAKES_SCIPYS)
def test_refuses_broken_matrices_of_scipy(name, form, how):
    """SciPy's own functions follow them, and crash or write outside of their memory."""
    S = broken(form, how)
    with pytest.raises(ValueError, match=r"1000000|1073741824|row 1 of the lil_array has"):
        TAKES_SCIPYS[name](S)


@pytest.mark.parametrize("column", [-1, 4, 10**9])
def test_refuses_columns_of_lists_beyond_the_shape(column):
    S = sp.lil_array((4, 4))
    S.rows[2].append(column)
    S.data[2].append(5.0)
    for call in (lambda: spark_csr.linalg.matrix_power(S, 2), lambda: csgraph.connected_components(S), lambda: csr_array(S)):
        with pytest.raises(ValueError, match=rf"columns must lie in \[0, 4\), got columns\[0\] = {column}"):
            call()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_takes_indices_of_the_other_byte_order(form):
    S = sp.csr_array(np.eye(4)).asformat(form)
    for name in ("row", "col") if form == "coo" else ("indices", "indptr"):
        setattr(S, name, getattr(S, name).astype(">i4"))
    assert csr_array(S).nnz == spark_csr.linalg.matrix_power(S, 2).nnz == 4
    spark_csr.mmwrite(io.BytesIO(), S)


def test_checks_can_be_skipped():
    with config(validate=False):
        A = csr_array((DATA, COLUMNS, [0, 2, 3, 3]), shape=(3, 3))
        assert (A @ np.ones(3)).tolist() == [3, 3, 0]
        csr_array((np.array(DATA), np.array([0, 2, 9]), np.array([0, 2, 3, 3])), shape=(3, 3))
    with pytest.raises(ValueError, match=r"indices\[2\] = 9"):
        csr_array((np.array(DATA), np.array([0, 2, 9]), np.array([0, 2, 3, 3])), shape=(3, 3))
