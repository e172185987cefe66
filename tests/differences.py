"""Where our matrices differ from `scipy.sparse`'s on purpose, each with its reason. Nothing else differs on purpose.

The tests that make the same call on both sides pass over what is listed in `CALLS`; `ELSEWHERE` is for the reader. The pages in
`docs` show both lists.
"""

import re
from typing import NamedTuple


class Difference(NamedTuple):
    """`calls` and `where` are patterns: of a call's name, and of `"<format> <matrix, dtype or vector>"`."""

    reason: str
    calls: str
    where: str = ".*"


NUMBERS = r"(-?[\d.]+|True|1j)"

CALLS = [
    Difference(
        "`<`, `<=`, `>` and `>=` are False for NaN, as in NumPy. In SciPy some are True, such as `A < 2` where `A` has NaN.",
        rf"(lt|le|gt|ge) .*|{NUMBERS} (lt|le|gt|ge)",
        ".*NaN.*",
    ),
    Difference(
        "`argmin` and `argmax` return the position of the first NaN, as NumPy's do. If a row or column has both NaN"
        " and elements that are not stored, SciPy's return the position of the first of these elements.",
        "arg.*",
        ".*NaN.*",
    ),
    Difference(
        "Functions such as `sqrt` of int8, uint8 and bool give float16, as NumPy's do. SciPy's matrices cannot hold float16.",
        r"\w+\(\)|np\.\w+",
        ".*(bool|int8)",
    ),
    Difference(
        "`sum` with an integer `dtype` casts each entry first. SciPy before 1.18 casts the sums of rows and columns, which"
        " differs for fractions, and for NaN and inf, which have no integers.",
        r"sum\(int8\)",
        ".*NaN.*",
    ),
    Difference("`np.sign(A)` returns `A.sign()`. For a matrix of SciPy it raises a ValueError.", r"np\.sign"),
    Difference(
        "If a complex element of a sparse matrix is divided by 0, the result is that of NumPy, such as inf. SciPy's is NaN.",
        "truediv (csr|csc|coo)|truediv itself",
        ".*complex.*",
    ),
    Difference(
        "A complex64 matrix that is divided by a `numpy.int8`, or by another integer of up to 16 bits, stays complex64, as an"
        " array of NumPy does. SciPy's becomes complex128.",
        "truediv 3",
        ".*complex64",
    ),
    Difference(
        "A stored -0.0 keeps its sign in a division: 1 divided by it is -inf in every format.",
        "truediv (csr|csc|coo)",
        "csc explicit zeros",
    ),
    Difference(
        "`count_nonzero` returns the same dtype in every format, and accepts a tuple as `axis`. In SciPy the dtype depends on"
        " the format, and a tuple raises a TypeError.",
        "count_nonzero.*",
    ),
    Difference(
        "`nonzero` returns rows, and columns, as int32 if their number fits, else as int64. SciPy's keeps the"
        " dtype of its index arrays.",
        "nonzero",
    ),
    Difference(
        "`has_canonical_format` of a `coo_array` is True whenever its entries are in canonical order. In SciPy it may stay"
        " False until `sum_duplicates` is called, as for a matrix that is made of coordinates.",
        "has_canonical_format",
        "coo .*",
    ),
    Difference(
        "`transpose` of a matrix takes no other `axes` than `(1, 0)`. That of SciPy's `coo_array` takes `(0, 1)`, and returns a"
        " copy of the matrix. (Both take all orders of three axes or more.)",
        r"transpose\(axes\)",
        "coo .*",
    ),
    Difference(
        "`A @ X` of an `X` of three dimensions or more multiplies a stack of matrices, as `numpy.matmul` does. For SciPy's"
        " `csr_array` and `csc_array` it raises a ValueError.",
        "@ 3-D",
    ),
    Difference(
        "The product of a matrix and a dense vector is a vector, also if it has one element. For a matrix of two dimensions,"
        " SciPy's `coo_array` then returns a number.",
        "@ .*|vector @|dot vector",
        "coo (1xN|Nx1)",
    ),
    Difference(
        "The product with a sparse vector is a `coo_array`, also if it has no entries. SciPy then returns a `csr_array`,"
        " or raises a ValueError if the matrix is a `csc_array`.",
        "@ vector of one row",
    ),
    Difference(
        "`A[mask]` of a `csr_array` or `csc_array` is a dense array, also if the mask selects nothing. SciPy then returns a"
        " sparse array.",
        r"A\[(sparse )?mask\]",
    ),
    Difference(
        "Arrays and lists of floats as indices must hold whole numbers. SciPy truncates others to integers.", r"A\[floats?\].*"
    ),
    Difference(
        "If one assignment sets several values at one position, the last one stays, as in NumPy. In SciPy's `coo_array` the"
        " first one stays.",
        r"A\[.*0\]\] = .*|A\[\[0, 1, 0\]\] = .*",
        "coo .*",
    ),
    Difference(
        "A value that is assigned to an empty selection must be a number, or broadcast to its shape, as in NumPy. SciPy's"
        " `coo_array` accepts an empty list or vector too.",
        r"A\[\[\]\] = .*",
        "coo .*",
    ),
    Difference(
        "`setdiag` keeps the dtype of the matrix in every format. SciPy's `coo_array` changes to the common dtype of the matrix"
        " and the values, if these are a list or an array.",
        r"setdiag\((list|fractions)\)",
        r"coo (bool|u?int\d+|float32|complex64)",
    ),
]

ELSEWHERE = [
    "Index arrays that change in place are checked before the next use of the matrix; wrong ones raise a ValueError. While an"
    " array that `A.indices`, `A.indptr`, `A.row`, `A.col` or `A.coords` returned lives, each use reads the index arrays once"
    " more. Those of matrices on a GPU must not be changed.",
    "Index arrays are int32 if that is enough, also if you give int64.",
    "Most methods of a `coo_array` arrange its entries by rows first, and so do those of a tall `csc_array` that combine two"
    " matrices. They need an offset for each row: a matrix of 2**31 rows takes 8 or 16 GiB, and more rows raise a MemoryError,"
    " where SciPy's need memory for the entries only. `A.row`, `A.col`, `A.data` and `transpose` need no more.",
    "Elements of a `coo_array` of three axes or more cannot be assigned, and its index arrays cannot be written into. Those of"
    " SciPy's can. `random_array` makes matrices and vectors only.",
    "`count_nonzero` of a `coo_array` of three axes or more counts along one axis or several. SciPy's counts something else"
    " there.",
    "Sums and differences of arrays of three axes or more have their entries in order and without duplicates. SciPy's hold the"
    " entries of both arrays. Operations number positions along some axes, which must be fewer than 2**63, or they raise a"
    " ValueError.",
    "float16 values are stored as float16 and summed in float32. SciPy refuses float16. The dtypes longdouble and object raise"
    " a TypeError. Masked arrays raise a TypeError, as data and as keys of `A[key]`.",
    "`tobsr`, `todia`, `todok` and `tolil` return SciPy's matrices, in the memory of the host.",
    "`eye_array`, `diags_array`, `random_array` and `kron` return a `csr_array` where SciPy's return a matrix in"
    " DIA, COO or BSR format. `hstack`, `vstack` and `block_array` return a `csr_array` of blocks in several formats, SciPy's"
    " a matrix in COO format.",
    "`random_array` draws other numbers than SciPy's from the same `rng`.",
    "`find` returns rows, and columns, as int32 if their number fits, else as int64.",
    "`hstack`, `vstack` and `block_array` accept dense blocks without any sparse block. SciPy's then raise a ValueError. A"
    " block without rows beside a block with rows, or one without columns above one with columns, raises a ValueError here."
    " SciPy's functions accept it in COO format.",
    "The reductions of a matrix, such as `A.sum`, have a parameter `keepdims`, as NumPy's. SciPy's do not have it.",
    "A key can have an index array and a slice with a step, as `A[[0, 1], ::2]` has. SciPy's `csr_array` raises a"
    " ValueError for it, or returns a dense array if the index array is empty. Here the result is a sparse matrix.",
    "A sparse vector can be assigned to a column. SciPy's `csr_array` and `csc_array` raise a ValueError.",
    "An ellipsis that stands for no axis keeps index arrays and integers apart, as in NumPy: `A[:, [0, 1], ..., 0]` of three"
    " axes has the chosen rows first. SciPy's arrays have them where the arrays stand.",
    "An assignment by an index array of two dimensions beside a slice, as `A[[[0, 1], [2, 3]], :2] = 5`, raises an IndexError,"
    " as reading does. SciPy's matrices write it to other elements than NumPy's, if the widths fit, or raise a ValueError.",
    "Duplicates are several entries at one position. The following operations add up duplicates first: (1) `astype` to another"
    " dtype, in the old one; (2) operations for which f(a + b) differs from f(a) + f(b), such as"
    " comparisons, `maximum`, `nonzero` and masks; (3) `mmwrite`. SciPy does so for comparisons and"
    " `maximum`; its `astype` adds them up in the new dtype, and its `nonzero` and masks list each duplicate.",
    "Products `@`, `sum`, `mean`, `var` and `std` take duplicates one by one, in the dtype in which they add: two True at one"
    " position are 2, as in SciPy for each row or column. To take their sums, call `A.sum_duplicates()` first. SciPy's `sum`"
    " does so first if there is a `dtype` or no axis.",
    "With `dtype`, `mean` casts the entries first, on every axis, as NumPy's does. SciPy's casts the result.",
    "Sums of columns are computed in float64 if the entries are floats of less, and so are products in which more than 4096"
    " numbers are added to each element of the result. `var` and `std`, which SciPy's matrices do not have, are computed in 64"
    " bits.",
    "As in SciPy, and unlike NumPy, the mean of no elements raises a ZeroDivisionError.",
    "An assignment reads all operands before it writes anything. So its values and keys can share memory with the matrix.",
    "`A.to_scipy()` shares its arrays with `A` if `A` is canonical, and SciPy cannot write into shared index arrays. Before you"
    " call SciPy's methods that drop entries in place, such as `eliminate_zeros` and `resize`, make a copy:"
    " `A.to_scipy().copy()`.",
    "`csr_array(S)` of a canonical matrix `S` of SciPy in CSR format shares the arrays of `S`, except index arrays that are"
    " int64 where int32 is enough. So does `csc_array(S)` in CSC format. Give `copy=True` if you change `S` in place later.",
    "The transpose of a `coo_array`, and `reshape` of a `csc_array`, of a `coo_array` that is made of coordinates, or with"
    " `order='F'`, copy the values. SciPy's share them.",
    "A `coo_array` keeps its entries in the order in which you give them. `copy`, `astype`,"
    " `transpose`, `conj`, `real`, `imag`, `-A`, products with numbers, `tocoo`, `to_scipy` and `save_npz` keep that order too,"
    " unless `astype` or the product adds up duplicates. Other operations may return the entries row by row. SciPy keeps the"
    " order in some of these, such as `reshape`, slices and quotients.",
    "NumPy's functions and ufuncs return for `A` what they return for `A.toarray()`, as a matrix if the result is sparse, or"
    " raise an exception, mostly a TypeError. Those that combine `A` with a number do what SciPy's operators do, and leave out"
    " what is not stored: `np.multiply(A, nan)`, `np.divide(A, 0)` and `np.power(A, -1)` have no NaN or infinity there, nor has"
    " `np.kron` of a matrix with NaN. For a matrix `S` of SciPy, some functions call its methods, such as `np.sin(S)`"
    " and `np.sum(S)`. Most others treat `S` as one object: they fail, or return an array of objects.",
    "`x += A`, `x -= A`, `x *= A` and `x @= A` write into the array `x`. With a matrix of SciPy, `x` becomes a new array or"
    " matrix.",
    "SciPy's own functions, those that are imported from SciPy, need `A.to_scipy()`; those that are looked up in this package,"
    " such as `spark_csr.csgraph.laplacian`, do not. Only functions that use nothing but products with the matrix, such as"
    " `scipy.sparse.linalg.cg` and `eigsh`, accept matrices of this package. Operators of SciPy's matrices accept them too,"
    " and so does the method `dot`, except that of SciPy's `coo_array`. Other methods do not.",
    "`load_npz` refuses files whose index arrays, offsets of diagonals or shapes hold no integers. SciPy's makes integers of"
    " them: of 0.5 it makes 0, and of NaN the least integer.",
    "A `bsr_array` of SciPy is converted only if its blocks fill the matrix and its offsets do not decrease. SciPy does not"
    " look at the offsets if the last of them is 0, and its conversion then writes outside of its arrays.",
    "`mmread` returns a `csr_array`. SciPy's returns a matrix in COO format, or a NumPy array if the file holds a dense one.",
    "`mmread` reads the exponents of Fortran's double precision, as in 1.5D2, and refuses a line that holds anything else than"
    " the numbers that the header names, such as 1_000 or 0x10. SciPy's reads the beginning of a number, and 1.5D2 as 1.5.",
    "If an index array shares memory with the values of its matrix, it is copied.",
    "`sum` adds the entries. SciPy's multiplies the matrix by a vector of ones in some formats and axes, which turns a complex"
    " inf into NaN.",
    "0 * inf is NaN in a product in every format. In the product of SciPy's `coo_array` with a dense matrix of several columns,"
    " stored zeros are skipped.",
    "Entries are divided. SciPy multiplies by the reciprocal of a number or of a dense array, in the dtype of this, which is"
    " rounded twice: of a 49 divided by 49 it is not 1. Dtypes are those of SciPy's results.",
    "A real matrix divided by a complex sparse matrix gives a complex result. SciPy drops the imaginary part.",
    "`linalg.norm` has the dtypes of SciPy 1.18, float64 for most. Before that, SciPy's `norm` computes and returns most norms"
    " in the dtype of the matrix, in which integers wrap. With `ord=0` the counts are those of `count_nonzero`, in one dtype."
    " With a negative `ord`, missing elements of a row or column are zeros, as in NumPy; SciPy's passes over them. Squares of"
    " very large or small values are in range, bools have norms, and `ord=2` has a result for matrices of any shape.",
    "If one of two elements is NaN, `maximum` and `minimum` return NaN. In SciPy, for two sparse matrices, that"
    " depends on which of them is NaN.",
    "`linalg.eigsh`, `eigs`, `svds`, `lobpcg` and the factorisations compute in float64 for integers and bools, and in the"
    " common dtype of all operands. SciPy's refuse integers, compute with some of them in float32, or round vectors to the"
    " dtype of an operand.",
    "`linalg.expm_multiply` takes any `start` and `stop`, as -1 and -2 or equal ones, for which SciPy's result is wrong.",
    "`linalg.minres` stops when the residual is small. SciPy's takes the norm of the right-hand side for that of the matrix and"
    " returns something else for `b * 1e8`, with `info` 0. Ours takes `x0` together with `shift`, where SciPy's solves another"
    " system, and its `check=True` finds asymmetry at any scale.",
    "Solvers of linear systems, least squares, eigenvalues and singular values scale their operands near 1 first. SciPy's break"
    " down or return other numbers, some without a word, if these are small or large: `bicg`, `bicgstab` and `cgs` for `b` of"
    " 1e-12, `lsmr` for matrices of 1e-8, `lobpcg` for matrices below its tolerance, `eigsh`, `eigs`, `svds` and `lsqr` for"
    " matrices of 1e-50.",
    "`linalg.inv` of one row is a matrix, SciPy's an array. `svds` with `solver='propack'` finds zeros beyond the rank."
    " With `which='SM'` it finds the smallest singular values also of matrices with more rows than columns, and raises a"
    " LinAlgError if PROPACK invents some.",
    "`bool(A)` of one row and one column is that of the element. SciPy's says whether there is an entry, which may be 0.",
    "Iterative solvers compute in the common dtype of all operands, of `x0` too.",
    "`minres` solves complex systems if SciPy 1.18 is installed. Before that, SciPy's drops imaginary parts; here a TypeError"
    " is raised.",
    "The attribute `dtype` cannot be set. Arrays that are assigned to `A.data`, `A.indices`, `A.indptr`, `A.row`, `A.col` or"
    " `A.coords` are checked when their lengths fit each other, and all that needs the matrix before raises a ValueError. In"
    " SciPy, an array that is too short makes methods read memory that lies behind it.",
    "The product `v @ w` of two sparse vectors is a number of NumPy. SciPy's is an array without dimensions.",
    "`eye`, `identity`, `diags`, `spdiags`, `random` and `rand` return a `coo_array`, or a `csr_array` where SciPy's return a"
    " matrix in DIA format. SciPy's return matrices of its old classes, for which `*` is the matrix product: write `@`. What is"
    " made of such old matrices only, as by `tril(M)`, `vstack([M, M])` or `linalg.inv(M)`, is an old matrix, as in SciPy; but"
    " `load_npz` and `mmread` return matrices of this package.",
    "`cg` stops with `info` -1 and the `x` found so far where a step cannot be computed, as may be if the matrix is not"
    " positive definite. SciPy's divides by zero then, and counts all its iterations.",
    "`atol=None` is 0 in `cg`, `bicg`, `bicgstab`, `cgs`, `gmres` and `lgmres`, as is the default. SciPy's raise a ValueError.",
    "A number of iterations below 1, such as `maxiter=0`, raises a ValueError. Most of SciPy's solvers then return `x0` with an"
    " `info` of 0, which means success.",
    "Give the first argument of the constructors by position: SciPy's keyword `arg1` is not accepted.",
    "`hstack`, `vstack` and `block_array` return a `csr_array` where SciPy's return a `coo_array`.",
    "A `csr_array` keeps an offset for each row, a `csc_array` for each column. Most operations on a `coo_array` compute an"
    " offset for each row, and so do those of a `csc_array` whose results are by row or by coordinates, such as `tocoo`,"
    " `nonzero`, `argmin` and `kron`: a MemoryError is raised if these do not fit. SciPy's `coo_array` needs no offsets.",
    "Exceptions have the types of SciPy's exceptions. Their messages are different, and name the offending value.",
]


def expected(call, where):
    """Whether this call is known to differ there."""
    return any(re.fullmatch(d.calls, call) and re.fullmatch(d.where, where) for d in CALLS)
