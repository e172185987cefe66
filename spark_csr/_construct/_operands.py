"""Read the operands of constructors, and wrap their results."""

from spark_csr._array import is_array
from spark_csr._matrix.base import FORMATS, SparseArray, are_old, as_old, issparse, rows_of
from spark_csr._operations.form import build
from spark_csr._operations.form.transpose import transpose


def is_matrix(x):
    """Return whether `x` is a sparse matrix, an array or nested lists, rather than a number or None."""
    return issparse(x) or is_array(x) or isinstance(x, list)


def read_matrix(matrix, by_column=False):
    """Return the record of any matrix by its rows, or by its columns, and the number of its dimensions."""
    if isinstance(matrix, SparseArray):
        return rows_of(matrix, by_column), matrix.ndim
    if by_column and getattr(matrix, "format", None) == "csc":
        return build.from_anything(matrix.T)
    csr, ndim = build.from_anything(matrix)
    return (transpose(csr) if by_column else csr), ndim


def are_all_by_column(matrices):
    """Return whether all matrices are stored by columns, in which case their result is too."""
    return all(issparse(x) and x.format == "csc" for x in matrices)


def wrap(csr, format, ndim=2, by_column=False, like=()):
    """Return the matrix of a record, by columns if `by_column`, in the format asked for.

    If it is made of matrices of SciPy's old classes only, which `like` lists, it is of such a class too.
    """
    made = FORMATS["csc" if by_column else "csr"]._of(csr, ndim).asformat(format)
    return as_old(made) if are_old(like) else made
