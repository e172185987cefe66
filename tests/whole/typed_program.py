"""A user's program for type checkers: `mypy` and `pyright` read it with every check on, and it runs as well.

What a method returns is stated by `assert_type`; lines that must be refused carry the name of the error, so that a checker
complains where it accepts them.
"""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import spark_csr
from spark_csr import coo_array, csc_array, csr_array

Array = npt.NDArray[Any]


def attributes(A: csr_array) -> None:
    assert_type(A.shape, tuple[int, ...])
    assert_type(A.dtype, np.dtype[Any])
    assert_type(A.nnz, int)
    assert_type(A.size, int)
    assert_type(A.nbytes, int)
    assert_type(A.ndim, int)
    assert_type(A.device, str)
    assert_type(A.format, str)
    assert_type(A.data, Array)
    assert_type(A.indices, Array)
    assert_type(A.indptr, Array)
    assert_type(A.has_canonical_format, bool)
    assert_type(A.has_sorted_indices, bool)
    assert_type(A.real, csr_array)
    assert_type(spark_csr.issparse(A), bool)
    assert_type(bool(A.nnz), bool)
    A.data = np.ones(A.nnz)


def formats(A: csr_array) -> None:
    assert_type(A.T, csc_array)
    assert_type(A.T.T, csr_array)
    assert_type(A.transpose(), csc_array)
    assert_type(A.tocoo(), coo_array)
    assert_type(A.tocoo().T, coo_array)
    assert_type(A.tocoo().coords, tuple[Array, ...])
    assert_type(A.tocsc(), csc_array)
    assert_type(A.tocsc().tocsr(), csr_array)
    assert_type(A.asformat("csc"), csc_array)
    assert_type(A.asformat("array"), Array)
    assert_type(A.toarray(), Array)
    assert_type(A.toarray(order="F"), Array)
    assert_type(A.astype(np.float32), csr_array)
    assert_type(A.astype("complex128").imag, csr_array)
    assert_type(A.copy(), csr_array)
    assert_type(A.to_device("cpu"), csr_array)
    assert_type(A.sorted_indices(), csr_array)


def arithmetic(A: csr_array, x: Array) -> None:
    dense = A.toarray()
    assert_type(A + A, csr_array)
    assert_type(A - A.T, csr_array)
    assert_type(A.T + A, csc_array)
    assert_type(A.tocoo() + A, csr_array)
    assert_type(A + dense, Array)
    assert_type(A + 0, csr_array)
    assert_type(2 * A, csr_array)
    assert_type(A * 2.5, csr_array)
    assert_type(A * A, csr_array)
    assert_type(A * x, coo_array)
    assert_type(A / 2, csr_array)
    assert_type(A / A, Array)
    assert_type(-A, csr_array)
    assert_type(abs(A), csr_array)
    assert_type(A**2, csr_array)
    assert_type(A.power(2), csr_array)
    assert_type(A.multiply(A), csr_array)
    assert_type(A.tocoo().multiply(3), coo_array)
    assert_type(A.sqrt(), csr_array)
    assert_type(A.T.sin(), csc_array)
    assert_type(A.maximum(0), csr_array)
    assert_type(A.minimum(A.T), csr_array)
    assert_type(A > 1, csr_array)
    assert_type(A.T < A, csc_array)
    assert_type(A.copy() >= dense, Array)
    scaled = A.copy()
    scaled *= 2
    assert_type(scaled, csr_array)


def products(A: csr_array, x: Array) -> None:
    assert_type(A @ x, Array)
    assert_type(A @ [1.0, 2.0, 3.0], Array)
    assert_type(A @ A, csr_array)
    assert_type(A.T @ A, csc_array)
    assert_type(A.tocoo() @ A, csr_array)
    assert_type(A.dot(x), Array)
    assert_type(A.dot(A), csr_array)
    assert_type(A.matmul(x, semiring="min_plus", out=np.zeros(3)), Array)
    assert_type(A.matmul(A, semiring="plus_times", mask=A), csr_array)
    assert_type(A.matvec(x), Array)
    assert_type(A.rmatvec(x), Array)


def reductions(A: csr_array) -> None:
    assert_type(A.sum(axis=0), Array)
    assert_type(A.mean(1), Array)
    assert_type(A.sum(axis=-1, dtype=np.float32), Array)
    assert_type(A.count_nonzero(axis=1), Array)
    assert_type(A.max(axis=0), coo_array)
    assert_type(A.nanmin(axis=0, explicit=True), coo_array)
    assert_type(A.argmax(axis=1), Array)
    assert_type(A.argmin(), int)
    assert_type(A.diagonal(), Array)
    total: float = A.sum()
    greatest: float = A.max()
    assert total >= greatest


def indexing(A: csr_array) -> None:
    element: float = A[0, 1]
    assert element == A[np.int64(0), 1]
    assert_type(A[1:], csr_array)
    assert_type(A[:, 1:2], csr_array)
    assert_type(A[0, :], coo_array)
    assert_type(A.T[:, 0], coo_array)
    rows = [row.toarray() for row in A]
    assert len(rows) == A.shape[0]
    A[0, 0] = 3.0
    A[1, :] = A[0, :]
    A.setdiag([1.0, 2.0])
    A.resize(3, 3)
    assert_type(A.nonzero(), tuple[Array, ...])


def refused(A: csr_array) -> None:
    """Do not run: every line is an error of types."""
    A.asformat(3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    A.sum(axis="rows")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    A.nnz = 3  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    print(A.tocoo().indptr)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    csr_array(A, shap=(3, 3))  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def construction() -> csr_array:
    dense = np.array([[1.0, 0, 2], [3, 4, 5], [0, 0, 6]])
    rows, columns = np.array([0, 1]), np.array([2, 1])
    csr_array((3, 3), dtype=bool)
    csr_array((np.ones(2), (rows, columns)), shape=(3, 3), device="cpu")
    csc_array([[1, 0], [0, 2]], dtype=np.float32)
    coo_array(csr_array(dense), copy=True)
    return csr_array(dense)


if __name__ == "__main__":
    attributes(construction())
    formats(construction())
    arithmetic(construction(), np.ones(3))
    products(construction(), np.ones(3))
    reductions(construction())
    indexing(construction())
