"""The methods of matrices, by kind: each of a few lines that say which record goes into which operation, and what comes out.

No two of these classes define the same name.
"""

from spark_csr._matrix.arithmetic import Arithmetic
from spark_csr._matrix.assignment import Assignment
from spark_csr._matrix.canonical import Canonical
from spark_csr._matrix.comparisons import Comparisons
from spark_csr._matrix.conversions import Conversions
from spark_csr._matrix.display import Display
from spark_csr._matrix.entrywise import Entrywise
from spark_csr._matrix.extremes import Extremes
from spark_csr._matrix.formats import Formats
from spark_csr._matrix.functions import Functions
from spark_csr._matrix.indexing import Indexing
from spark_csr._matrix.products import Products
from spark_csr._matrix.protocols import Protocols
from spark_csr._matrix.reductions import Reductions
from spark_csr._matrix.structure import Shapes
from spark_csr._matrix.unary import Unary


class Methods(
    Arithmetic,
    Comparisons,
    Unary,
    Functions,
    Entrywise,
    Products,
    Reductions,
    Extremes,
    Indexing,
    Assignment,
    Canonical,
    Shapes,
    Formats,
    Conversions,
    Display,
    Protocols,
):
    """What a matrix can do in any format."""
