"""Where our matrices differ from `scipy.sparse`'s on purpose, each with its reason. Nothing else differs on purpose.

The tests that make the same call on both sides pass over what is listed in `CALLS`; `ELSEWHERE` is for the reader. The pages in
`docs` show both lists.
"""

import re
from typing import NamedTuple

MISSING = {"tensordot"}
"""Public names of SciPy's classes that ours lack: a `coo_array` here has at most two dimensions."""


class Difference(NamedTuple):
    """`calls` and `where` are patterns: of a call's name, and of `"<format> <matrix, dtype or vector>"`."""

    reason: str
    calls: str
    where: str = ".*"


NUMBERS = r"(-?[\d.]+|True|1j)"

CALLS = [
    Difference(
        "NaN compares as in IEEE 754 and NumPy. In SciPy `NaN < 2` is true.",
        rf"(lt|le|gt|ge) .*|{NUMBERS} (lt|le|gt|ge)",
        ".*NaN.*",
    ),
    Difference(
        "NaN wins in `argmin` and `argmax`, as in `min`, `max` and NumPy. In SciPy a missing zero wins.", "arg.*", ".*NaN.*"
    ),
    Difference(
        "Functions such as `sqrt` of 8-bit numbers give float16, as NumPy's do. SciPy has no float16.",
        r"\w+\(\)|np\.\w+",
        ".*(bool|int8)",
    ),
    Difference("`np.sign(A)` is `A.sign()`. With a matrix of SciPy it is a ValueError.", r"np\.sign"),
    Difference("A complex number divided by 0 gives what NumPy gives.", "truediv (csr|csc|coo)|truediv itself", ".*complex.*"),
    Difference("-0.0 is a value: `1 / -0.0` is -inf in every format.", "truediv (csr|csc|coo)", "csc explicit zeros"),
    Difference("`count_nonzero` has one dtype in every format, and takes tuples of axes.", "count_nonzero.*"),
    Difference("`nonzero` returns positions in the narrowest dtype that holds them, int32 or int64.", "nonzero"),
    Difference(
        "`has_canonical_format` of a `coo_array` looks at the entries. SciPy's is False until duplicates are summed.",
        "has_canonical_format",
        "coo .*",
    ),
    Difference("Matrices have at most two dimensions.", r"A\[None\].*|@ 3-D|transpose\(axes\)", "coo .*"),
    Difference(
        "The product of a matrix and a vector is a vector, also if the matrix has one row.",
        "@ .*|vector @|dot vector",
        "coo (1xN|Nx1)",
    ),
    Difference(
        "The product with a sparse vector is always a `coo_array`, also if no entries of the operands meet.",
        "@ vector of one row",
    ),
    Difference(
        "A mask selects a dense array from a `csr_array` or `csc_array`, also if it selects nothing.", r"A\[(sparse )?mask\]"
    ),
    Difference("Floats as indices are refused. SciPy truncates arrays and lists of them.", r"A\[floats?\].*"),
    Difference(
        "If several values are set at one position the last one stays, as in NumPy.",
        r"A\[.*0\]\] = .*|A\[\[0, 1, 0\]\] = .*",
        "coo .*",
    ),
    Difference(
        "What is assigned to an empty selection must be a number, or have its shape, as in NumPy.", r"A\[\[\]\] = .*", "coo .*"
    ),
    Difference(
        "`setdiag` keeps the dtype in every format. SciPy's `coo_array` changes to the common dtype of the matrix and a list,"
        " and truncates a single number.",
        r"setdiag\((list|fractions)\)",
        r"coo (bool|u?int\d+|float32|complex64)",
    ),
]

ELSEWHERE = [
    "Index arrays are read-only, since facts about the pattern are kept with it. They may be replaced by arrays of as many"
    " entries.",
    "Index arrays are int32 where that is enough, also if int64 is given.",
    "float16 values are stored as float16 and summed in float32. The dtypes longdouble and object raise a TypeError. So do"
    " masked arrays, as data and as keys of `A[key]`.",
    "`tobsr`, `todia`, `todok` and `tolil` return SciPy's matrices, on the host.",
    "`eye_array`, `diags_array`, `kron`, `block_diag`, `tril` and `triu` give a csr_array where SciPy's give dia, bsr or coo.",
    "`random_array` draws other numbers than SciPy's. `find` returns int32 coordinates where the shape fits.",
    "`hstack` and its relatives refuse a block without rows beside a block with rows. They accept dense blocks without any"
    " sparse one, for which SciPy raises a ValueError.",
    "An index array and a slice with a step may be combined, as in `A[[0, 1], ::2]`, for which SciPy raises a ValueError. The"
    " result is sparse also if it is empty; SciPy's is then a dense array. A sparse vector may be assigned to a column.",
    "Some operations add up duplicates, the entries of one position, before they do anything else: (1) `astype` and others"
    " that convert integers, or floats to integers; (2) comparisons, `maximum`, `nonzero`, masks and others for which"
    " f(a + b) differs from f(a) + f(b); (3) `mmwrite`. SciPy converts or lists every entry. Floats are converted to other"
    " floats entry by entry.",
    "Products `@` use duplicates one by one, in the dtype of the result, as SciPy's do. To multiply their sums, call"
    " `A.sum_duplicates()` first.",
    "The mean of no elements is a ZeroDivisionError, as in SciPy. In NumPy it is NaN, with a warning.",
    "All operands of an assignment are read before anything is written: values, keys and matrices may share the memory of the"
    " matrix.",
    "`A.to_scipy()` shares arrays, and SciPy cannot write into the index arrays. For SciPy's methods that drop entries in"
    " place, use `A.to_scipy().copy()`. A matrix made of SciPy's shares its arrays too: give `copy=True` if SciPy's is changed"
    " in place later.",
    "The transpose of a `coo_array`, and `reshape` of a `csc_array` or with `order='F'`, have values of their own. SciPy shares"
    " the values.",
    "A `coo_array` keeps the order of the entries that it is given, and so do its copies, casts, transposes and products with"
    " numbers. All other operations give entries row by row. SciPy keeps the order in some of them.",
    "NumPy's functions and ufuncs give what they give for `A.toarray()`, as matrices where the result is sparse, or raise a"
    " TypeError. To NumPy a matrix of SciPy is one object, so they fail, or return an array of objects.",
    "`x += A`, and `-=`, `*=` and `@=`, write into the array `x`. With a matrix of SciPy they make a new array or matrix.",
    "SciPy's functions need `A.to_scipy()`. Only those that just multiply, such as `scipy.sparse.linalg.cg` and `eigsh`,"
    " accept our matrices. Of the methods of SciPy's matrices, operators and `dot` accept them.",
    "`mmread` returns a `csr_array`.",
    "Index arrays that overlap the data of their matrix are copied.",
    "`sum` adds the entries. SciPy's multiplies the matrix by a vector of ones, which turns a complex inf into NaN, as the"
    " product of inf and 1 + 0j is NaN in NumPy.",
    "0 * inf is NaN in a product in every format. SciPy's `coo_array` skips the zeros that it stores.",
    "A real number divided by a complex one stays complex. SciPy drops the imaginary part.",
    "`maximum` and `minimum` of two matrices keep the NaN of either. SciPy loses the NaN of one of them.",
    "`gmres` passes x to its callback, as the other solvers do.",
    "`dtype`, and `coords`, `row` and `col` of a `coo_array`, cannot be set. The first argument of the"
    " constructors can only be given by position.",
    "`hstack`, `vstack` and `block_array` of blocks in other formats than csc return a `csr_array` where SciPy returns a"
    " `coo_array`.",
    "Matrices of 2**48 rows or more are refused, since every format keeps an offset for each row.",
    "Exceptions have SciPy's types. Their messages are different, and name the offending value.",
]


def expected(call, where):
    """Whether this call is known to differ there."""
    return any(re.fullmatch(d.calls, call) and re.fullmatch(d.where, where) for d in CALLS)
