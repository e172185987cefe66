"""A bridge to Dask: matrices as the chunks of its arrays, in threads and on clusters.

Import this module in programs that make Dask's arrays with such chunks: it tells Dask how to join and name chunks. Workers need
no import: there Dask finds out the size of a matrix by itself (entry point `dask.sizeof`).

An operation on an array of such chunks does what it does with a matrix: elements that are not stored stay so where SciPy leaves
them out. So if an element that is not stored is divided by 0, or multiplied by NaN or infinity, the result is 0. In an array of
dense chunks it is NaN. Operations that matrices do not have, such as `da.where`, raise an exception when the result is
computed; it says what to use instead.
"""

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError('spark_csr.interop.dask needs Dask: install it with: pip install "dask[array,distributed]"') from error

from spark_csr.interop.dask import chunks, linalg  # noqa: F401 chunks registers
from spark_csr.interop.dask.blocks import csr_blocks
from spark_csr.interop.dask.coordinates import from_coo
from spark_csr.interop.dask.describe import Description
from spark_csr.interop.dask.files import open_blocks, save_blocks
from spark_csr.interop.dask.folders import from_files
from spark_csr.interop.dask.make import from_csr, from_dask, from_delayed
from spark_csr.interop.dask.names import vertex_names
from spark_csr.interop.dask.pagerank import pagerank
from spark_csr.interop.dask.parquet import from_parquet
from spark_csr.interop.dask.products import matmul
from spark_csr.interop.dask.search import bfs, connected_components
from spark_csr.interop.dask.transposed import TransposedBlocks

__all__ = [
    "Description",
    "TransposedBlocks",
    "bfs",
    "connected_components",
    "csr_blocks",
    "from_coo",
    "from_csr",
    "from_dask",
    "from_delayed",
    "from_files",
    "from_parquet",
    "linalg",
    "matmul",
    "open_blocks",
    "pagerank",
    "save_blocks",
    "vertex_names",
]


def __dir__() -> list[str]:
    return __all__
