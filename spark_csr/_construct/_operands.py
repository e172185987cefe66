"""What constructors take, and what they give back."""

from spark_csr._array import is_array
from spark_csr._matrix.base import FORMATS, SparseArray, issparse, rows_of
from spark_csr._operations.form import build
from spark_csr._operations.form.transpose import transpose


def is_matrix(x):
    """A sparse matrix, an array, or nested lists: not a number, nor None."""
    return issparse(x) or is_array(x) or isinstance(x, list)


def read_matrix(matrix, by_column=False):
    """Return the record of any matrix by its rows, or by its columns; and how many dimensions it has."""
    if isinstance(matrix, SparseArray):
        return rows_of(matrix, by_column), matrix.ndim
    if by_column and getattr(matrix, "format", None) == "csc":
        return build.from_anything(matrix.T)
    csr, ndim = build.from_anything(matrix)
    return (transpose(csr) if by_column else csr), ndim


def are_all_by_column(matrices):
    """Whether all are stored by columns, so that their result should be."""
    return all(issparse(x) and x.format == "csc" for x in matrices)


def wrap(csr, format, ndim=2, by_column=False):
    """Return the matrix around a record, of columns if so, in the format asked for."""
    return FORMATS["csc" if by_column else "csr"]._of(csr, ndim).asformat(format)
