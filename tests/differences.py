"""Where our matrices differ from `scipy.sparse`'s on purpose, each with its reason. Nothing else differs.

The tests that make the same call on both sides pass over what is listed in `CALLS`; `ELSEWHERE` is for the reader.
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
        "NaN compares as in IEEE 754 and NumPy; SciPy calls NaN < 2 true",
        rf"(lt|le|gt|ge) .*|{NUMBERS} (lt|le|gt|ge)",
        ".*NaN.*",
    ),
    Difference("NaN wins in argmin and argmax, as in min, max and NumPy; SciPy lets a missing zero win", "arg.*", ".*NaN.*"),
    Difference("functions of 8-bit numbers are float16, as NumPy's; SciPy has no float16", r"\w+\(\)|np\.\w+", ".*(bool|int8)"),
    Difference("complex / 0 is NumPy's", "truediv (csr|csc|coo)|truediv itself", ".*complex.*"),
    Difference("-0.0 is a value: 1 / -0.0 is -inf in every format", "truediv (csr|csc|coo)", "csc explicit zeros"),
    Difference("counts have one dtype, and take tuples of axes", "count_nonzero.*"),
    Difference("positions have the dtype that they need", "nonzero"),
    Difference("entries of a coo_array always ascend, those of one position are summed", "has_canonical_format", "coo .*"),
    Difference("arrays have at most two dimensions", r"A\[None\].*|@ 3-D|transpose\(axes\)", "coo .*"),
    Difference("a product of a matrix and a vector is a vector, also of one row", "@ .*|vector @|dot vector", "coo (1xN|Nx1)"),
    Difference("a sparse product with a vector is a coo_array, whether entries meet or not", "@ vector of one row"),
    Difference("what a mask picks is a dense array, whether it picks something or not", r"A\[(sparse )?mask\]"),
    Difference("floats are no positions; SciPy cuts them off", r"A\[floats?\].*"),
    Difference(
        "of several values for one position the last stays, as in NumPy", r"A\[.*0\]\] = .*|A\[\[0, 1, 0\]\] = .*", "coo .*"
    ),
    Difference("nothing may be set to a number", r"A\[\[\]\] = .*", "coo .*"),
    Difference(
        "setdiag keeps the dtype in every format: of lists, SciPy's coo_array takes the dtype of both, and truncates numbers",
        r"setdiag\((list|fractions)\)",
        r"coo (bool|u?int\d+|float32|complex64)",
    ),
]

ELSEWHERE = [
    "Index arrays are read-only: what is learnt about a pattern is kept. They may be replaced by others of as many entries.",
    "Index arrays are int32 where that is enough, also if int64 is given.",
    "float16 is stored, and summed in float32; longdouble and object are a TypeError, as are masked arrays, also as keys.",
    "`tobsr`, `todia`, `todok` and `tolil` give SciPy's matrices, on the host.",
    "`eye_array`, `diags_array`, `kron`, `block_diag`, `tril`, `triu` give a csr_array where SciPy gives dia, bsr or coo.",
    "`random_array` draws another stream than SciPy's; `find` gives int32 coordinates where the shape fits.",
    "Blocks of no rows beside blocks of some are refused; dense blocks alone are accepted.",
    "`A[[0, 1], ::2]` works, and is sparse where it picks nothing; a sparse vector may be set into a column.",
    "Entries of one position are summed in the dtype of the matrix, as `toarray` sums them, before integers change their"
    " dtype or floats become integers (`A.astype`, sums with dense arrays, products with numbers, blocks side by side, sums),"
    " and before whatever tells a sum from its terms (functions, comparisons, `maximum`, `nonzero`, masks), and before"
    " `mmwrite` writes them. SciPy casts or lists each entry. Floats are converted to other floats entry by entry.",
    "Products `@` take the entries of one position one by one, in the dtype of the result, as SciPy's do: call"
    " `A.sum_duplicates()` first for the products of `A.toarray()`.",
    "The mean of no elements is a ZeroDivisionError, as SciPy's; NumPy's is NaN, with a warning.",
    "What is set is read before anything is written: values, keys and matrices may share the memory of the matrix.",
    "`A.to_scipy()` shares arrays, with index arrays that SciPy cannot write into: call SciPy's methods that drop entries"
    " in place on `A.to_scipy().copy()`. A matrix made of SciPy's shares its arrays too: give `copy=True` if SciPy's is changed"
    " in place later.",
    "Values are copied where entries must be sorted into rows: the transpose of a `coo_array`, `reshape` of a `csc_array` or"
    " with `order='F'`. SciPy's keep entries in any order, and share the values.",
    "Index arrays that overlap the data of their matrix are copied.",
    "Sums are sums: SciPy's products with ones make NaN of complex inf, whose product with 1 + 0j NumPy calls NaN.",
    "0 * inf is NaN in a product, whatever the format; SciPy's coo_array passes over the zeros that it stores.",
    "real / complex stays complex: SciPy drops the imaginary part.",
    "maximum and minimum of two matrices keep NaN of either side; SciPy loses one side's.",
    "`gmres` hands x to its callback, as the other solvers do.",
    "Index arrays, `dtype` and `has_canonical_format` cannot be set; the constructors' first argument has no name of its own.",
    "`hstack`, `vstack` and `block_array` of blocks in other formats than csc give a csr_array where SciPy gives a coo_array.",
    "Matrices of 2**48 rows or more are refused: every format keeps an offset for each row.",
    "Exceptions are of SciPy's types, with messages of our own that name the offending value.",
]


def expected(call, where):
    """Whether this call is known to differ there."""
    return any(re.fullmatch(d.calls, call) and re.fullmatch(d.where, where) for d in CALLS)
