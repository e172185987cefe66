"""`Ragged`: arrays of rows of differing length, any number of axes deep.

The methods stand by kind in the files of this folder, a base class each. No two of these classes define the same name.
"""

from spark_csr._ragged.elementwise import Elementwise
from spark_csr._ragged.functions import Functions
from spark_csr._ragged.join import Joining
from spark_csr._ragged.lists import Lists
from spark_csr._ragged.matrices import Matrices
from spark_csr._ragged.moments import Moments
from spark_csr._ragged.order import Order
from spark_csr._ragged.padding import Padding
from spark_csr._ragged.points import Points
from spark_csr._ragged.reductions import RaggedReductions
from spark_csr._ragged.running import Running
from spark_csr._ragged.selection import Selection
from spark_csr._ragged.softmax import Softmax
from spark_csr._ragged.structure import Levels
from spark_csr._ragged.traversal import Traversal
from spark_csr._ragged.tuples import Tuples


class Ragged(
    Lists,
    Levels,
    Selection,
    Points,
    Joining,
    Padding,
    Matrices,
    Traversal,
    Elementwise,
    Functions,
    RaggedReductions,
    Moments,
    Running,
    Softmax,
    Order,
    Tuples,
):
    """An array of lists of differing length, nested to any depth: one array of values and the offsets of the lists.

    Parameters
    ----------
    values : (n, ...) array or nested lists
        A NumPy or CuPy array of dtype bool, (u)int8 to (u)int64, float16, float32, float64, complex64 or complex128. If it has
        more than one axis, its rows are elements that are vectors. Without offsets it has one axis, or is nested lists, which
        `from_lists` reads.
    *offsets : (m+1,) integer arrays
        One array for each level of lists, from the outermost level inwards. Item `i` of the array holds the lists
        `offsets[0][i]:offsets[0][i+1]` of the next level, and list `j` of the innermost level holds
        `values[offsets[-1][j]:offsets[-1][j+1]]`. Offsets may start above zero, and may end before the last list of the next
        level or the last value. Without offsets the array has one axis, or those of the nested lists.
    dtype : dtype, optional
        The dtype that the values are cast to. Default: that of the array, or what `from_lists` chooses.

    Attributes
    ----------
    values : (n, ...) array
        The values as given. They may be written into.
    offsets : tuple of (m+1,) integer arrays
        The offsets, as int32 where they fit, else as int64. They are read-only, and copies of those that were given, unless
        these lie in a file that is mapped to be read. Do not write into them on a GPU, where nothing is copied or prevented.

    Raises
    ------
    ValueError
        If offsets decrease, start below zero, or end behind the next level or the values. The message names the level and the
        position.
    TypeError
        If a dtype or an object is not supported, or if the arrays are on different devices.

    Notes
    -----
    *Cost*: one pass checks the offsets (not with `config(validate=False)`). Values are copied only if they are not contiguous;
    offsets are copied on the cores. awkward-array and Arrow use the same data structure for lists of
    lists.

    Python's operators and NumPy's ufuncs work value by value: `R + S`, `R < 5`, `-R`, `abs(R)`, `divmod(R, 2)`,
    `numpy.sqrt(R)`. An operand is a ragged array with the same lists, a ragged array of fewer axes whose lists are those of the
    outer axes, an array with one value for each item, or a number. If an operand has fewer axes, its value for an item or list
    applies to everything that the item or list holds. Lists are not stretched, except along an axis that a reduction kept with
    `keepdims=True`: otherwise a list of one item does not fit a list of two. (awkward-array stretches axes of the regular
    length 1.) If lists differ, a ValueError names the first list that does. Result dtypes are NumPy's. `R += S` writes into the
    values of `R`, so all arrays that share these values change. An operation costs the ufunc on the arrays of values, a pass
    that repeats the values of operands of fewer axes, and a comparison of the lists if two arrays do not share their offsets.

    Elements that are vectors are moved whole: by indexing, `pick`, `concatenate`, `cartesian`, `combinations` and `to_padded`.
    Their shape is `R.values.shape[1:]`; `R.ndim` and `axis` count the axes of the lists only. Reductions and running sums give
    for every column what they give for an array of that column, so `R.sum(axis=-1)` is an array of one vector for each list.
    Operators and ufuncs work number by number: the other operand has elements of the same shape, or numbers, which apply to
    whole vectors. `sort`, `argsort`, `topk`, `argmin`, `argmax`, `softmax`, `map` and `to_csr` take numbers only, and say so.

    Functions of NumPy with the name of a method of `Ragged`, except `numpy.astype`, take ragged arrays too, with the
    arguments of the method and NumPy's `dtype`: `numpy.sum(R, axis=-1)`, `numpy.sort(R)`. So do `numpy.where`, `isclose`,
    `allclose`, `array_equal`, `concatenate`, `count_nonzero`, `nonzero`, `take_along_axis`, `zeros_like`, `ones_like`,
    `full_like`, `empty_like`, `ndim`, `size`, `isrealobj` and `iscomplexobj`. Other functions of NumPy raise a TypeError.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import Ragged
    >>> R = Ragged(np.array([6, 5, 5, 2, 9, 9]), np.array([0, 3, 4, 6]))
    >>> R
    Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)
    >>> R[2]
    array([9, 9])
    >>> R - [5, 2, 9]
    Ragged([[1, 0, 0], [0], [0, 0]], dtype=int64)
    """
