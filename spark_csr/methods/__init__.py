"""The methods of matrices, by kind: each of a few lines that say which record goes into which operation, and what comes out.

No two of these classes define the same name.
"""

from spark_csr.methods.arithmetic import Arithmetic
from spark_csr.methods.assignment import Assignment
from spark_csr.methods.comparisons import Comparisons
from spark_csr.methods.conversions import Conversions
from spark_csr.methods.extremes import Extremes
from spark_csr.methods.indexing import Indexing
from spark_csr.methods.products import Products
from spark_csr.methods.reductions import Reductions
from spark_csr.methods.structure import Structure
from spark_csr.methods.unary import Unary


class Methods(Arithmetic, Comparisons, Unary, Products, Reductions, Extremes, Indexing, Assignment, Structure, Conversions):
    """What a matrix can do in any format."""
