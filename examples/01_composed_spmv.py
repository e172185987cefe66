"""
The steps of A @ x
==================

Compute `A @ x` step by step: rows by right flood, gather, multiply, segmented scan, the last entry of every row.

Run it with ``python examples/01_composed_spmv.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/steps.svg"

import numpy as np

from spark_csr import csr_array, spmv_composed
from spark_csr.primitives import head_flags_from_offsets, inclusive_scan, right_flood, segmented_scan

#      [a, 0, b]       [x]       a=1 b=2 c=3 d=4 e=5 f=6
#  A = [c, d, e]   x = [y]       x=1 y=10 z=100
#      [0, 0, f]       [z]
A = csr_array([[1, 0, 2], [3, 4, 5], [0, 0, 6]])
x = np.array([1, 10, 100])


def show(name, array):
    print(f"{name:<42}{array}")


def main():
    show("data     [a b | c d e | f]", A.data)
    show("indices  column of each entry", A.indices)
    show("indptr   where each row starts", A.indptr)

    # No row of this matrix is empty. `spmv_composed` accepts empty rows too; here they would share the start of another row.
    is_start = head_flags_from_offsets(A.indptr).astype(bool)
    starts = np.zeros(A.nnz, A.indptr.dtype)
    starts[A.indptr[:-1]] = np.arange(A.shape[0])
    show("row ids at the start of each row", starts)

    # The 0 at the start of row 0 is the number of that row; the other zeros are missing. The mask tells them apart.
    rows = right_flood(starts, is_start)
    show("right flood: row of every entry", rows)

    gathered = x[A.indices]
    show("gather   [x z | x y z | z]", gathered)

    products = A.data * gathered
    show("multiply [ax bz | cx dy ez | fz]", products)

    show("(for comparison: a scan across rows)", inclusive_scan(products))
    sums = segmented_scan(products, head_flags=is_start)
    show("segmented sum-scan", sums)

    is_last = np.append(rows[1:] != rows[:-1], True)
    y = np.zeros(A.shape[0], sums.dtype)
    y[rows[is_last]] = sums[is_last]
    show("last of each row [ax+bz, cx+dy+ez, fz]", y)

    show("spmv_composed(A, x)", spmv_composed(A, x))
    show("A @ x, in one pass over the matrix", A @ x)
    assert np.array_equal(y, A @ x)
    assert np.array_equal(y, spmv_composed(A, x))
    print("all three agree")


# %%
# Run the program:

if __name__ == "__main__":
    main()
