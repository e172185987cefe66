"""`Ragged`: arrays of rows of differing length, any number of axes deep. Its methods stand by kind in the files of this folder.

No two of these classes define the same name.
"""

from spark_csr._ragged.elementwise import Elementwise
from spark_csr._ragged.join import Joining
from spark_csr._ragged.lists import Lists
from spark_csr._ragged.matrices import Matrices
from spark_csr._ragged.order import Order
from spark_csr._ragged.padding import Padding
from spark_csr._ragged.reductions import RaggedReductions
from spark_csr._ragged.selection import Selection
from spark_csr._ragged.softmax import Softmax
from spark_csr._ragged.structure import Levels
from spark_csr._ragged.traversal import Traversal
from spark_csr._ragged.tuples import Tuples


class Ragged(
    Lists, Levels, Selection, Joining, Padding, Matrices, Traversal, Elementwise, RaggedReductions, Softmax, Order, Tuples
):
    """Lists of lists of numbers, of differing length, as one array of values and the offsets of the lists.

    Parameters
    ----------
    values : (n,) array
        NumPy or CuPy; bool, (u)int8..64, float16/32/64, complex64/128.
    *offsets : (m+1,) integer arrays
        From the outermost level inwards: item `i` of the array holds the lists `offsets[0][i]:offsets[0][i+1]` of the next
        level, and list `j` of the innermost level holds `values[offsets[-1][j]:offsets[-1][j+1]]`. They may start above zero
        and end before the next level does. None for an array of one axis.

    Attributes
    ----------
    values, offsets
        As given; offsets as int32 where they fit, else int64. Values may be written into; offsets are read-only. (Do not
        write into them through other references, nor on a GPU.)

    Raises
    ------
    ValueError
        For offsets that decrease, start below zero, or end behind the next level or the values: named by level and position.
    TypeError
        For dtypes, foreign objects and mixed devices.

    Notes
    -----
    *Cost*: the offsets are checked in one pass (not with `config(validate=False)`), nothing is copied. The data structure is
    that of awkward-array's and Arrow's lists of lists.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import Ragged
    >>> R = Ragged(np.array([6, 5, 5, 2, 9, 9]), np.array([0, 3, 4, 6]))
    >>> R
    Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)
    >>> R[2]
    array([9, 9])
    """
