"""Patterns in `.smtx` files."""

import gzip
import io

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import config, csr_array
from spark_csr.graph import Graph
from spark_csr.io import read_smtx

pytestmark = pytest.mark.usefixtures("cpu_only")


def text_of(S):
    rows = [", ".join(map(str, (*S.shape, S.nnz))), " ".join(map(str, S.indptr)), " ".join(map(str, S.indices))]
    return "\n".join(rows).encode() + b"\n"


@pytest.mark.parametrize("shape", [(0, 0), (1, 5), (5, 1), (30, 40)])
def test_patterns_of_scipy(shape, tmp_path):
    S = sp.random_array(shape, density=0.2, rng=3, format="csr")
    A = read_smtx(io.BytesIO(text_of(S)))
    assert isinstance(A, csr_array)
    assert (A.shape, A.dtype) == (shape, np.float64)
    assert A.indptr.tolist() == S.indptr.tolist()
    assert A.indices.tolist() == S.indices.tolist()
    assert A.data.tolist() == [1] * S.nnz
    (tmp_path / "a.smtx.gz").write_bytes(gzip.compress(text_of(S)))
    assert read_smtx(tmp_path / "a.smtx.gz").nnz == S.nnz


def test_graph(tmp_path):
    (tmp_path / "a.smtx").write_bytes(b"2, 2, 1\n0 1 1\n1")
    assert Graph.read(tmp_path / "a.smtx").n_edges == 1
    (tmp_path / "a.smtx").write_bytes(b"2, 3, 1\n0 1 1\n1")
    with pytest.raises(ValueError, match="a.smtx: a graph needs a square matrix"):
        Graph.read(tmp_path / "a.smtx")


@pytest.mark.parametrize(
    "text, message",
    [
        (b"", "line 1 has 0 numbers and should have 3"),
        (b"2, 3\n", "line 1 has 2 numbers"),
        (b"2, 3, x\n", "line 1 has 'x' as the number of entries"),
        (b"2, -3, 1\n0 1 1\n0\n", "line 1 has '-3' as the number of columns"),
        (b"2, 3, 1\n", "line 2 has 0 offsets and should have 3"),
        (b"2, 3, 1\n0 1\n0\n", "line 2 has 2 offsets and should have 3"),
        (b"2, 3, 1\n0 1 1\n", "line 3 has 0 columns and should have 1"),
        (b"2, 3, 1\n0 1 1\n0 1\n", "line 3 has 2 columns and should have 1"),
        (b"2, 3, 1\n0 1 1\n0\n1\n", "there are numbers after line 3"),
        (b"2, 3, 1\n0 1 1\n3\n", r"indices must lie in \[0, 3\)"),
        (b"2, 3, 1\n0 1 1\n-1\n", "indices"),
        (b"2, 3, 1\n0 2 1\n0\n", "indptr must not decrease"),
        (b"2, 3, 1\n1 1 1\n0\n", "indptr must start at 0"),
        (b"2, 3, 1\n0 0 0\n0\n", "line 2 ends with 0 and should end with 1"),
        (b"2, 3, 1\n0 1 1\n99999999999999999999\n", "line 3 has '99999999999999999999', and integers must be within"),
        (b"2, 3, 1\n0 1 a\n0\n", "line 2 has 'a', which is no integer"),
    ],
)
def test_what_is_wrong(text, message, tmp_path):
    (tmp_path / "a.smtx").write_bytes(text)
    with config(validate=False), pytest.raises(ValueError, match=f"a.smtx: this is not a .smtx file.*{message}"):
        read_smtx(tmp_path / "a.smtx")
    with pytest.raises(FileNotFoundError, match="b.smtx: no such file"):
        read_smtx(tmp_path / "b.smtx")
