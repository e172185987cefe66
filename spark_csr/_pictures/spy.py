"""`spy`: the pattern of a matrix of any size as a picture."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import to_device
from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.reduce.cells import count_cells
from spark_csr._pictures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike


def spy(A: MatrixLike | ArrayLike, ax: Axes | None = None, *, resolution: int = 512, **options: Any) -> AxesImage:
    """Draw how the stored entries of a matrix are distributed, on matplotlib axes.

    Parameters
    ----------
    A : (m, n) sparse matrix or array_like
        A matrix of this package, of SciPy or of CuPy, or another argument of `csr_array`. A vector is drawn as one row.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: the current axes of `matplotlib.pyplot`.
    resolution : int, default 512
        The largest number of cells along the longer side of the picture.
    **options
        Further arguments of `Axes.imshow`, such as `cmap` and `norm`. By default the picture has shades of blue, whose depth
        grows with the square root of the density.

    Returns
    -------
    matplotlib.image.AxesImage
        The picture. Its array holds the density of each cell, the number of its entries divided by that of its positions, and
        is masked for cells without entries.

    Raises
    ------
    ValueError
        If `resolution` is below 1, or the matrix has no rows or no columns.
    ImportError
        If matplotlib is not installed.

    Notes
    -----
    *Cost*: one pass over the indices, in parallel, on the device of the matrix. Then the host reads the counts of at most
    `resolution**2` cells. A cell covers as many rows as columns. Stored zeros and duplicates count.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from spark_csr import spy
    >>> from spark_csr.gallery import poisson
    >>> image = spy(poisson((30, 30)), Figure().subplots(), resolution=100)
    >>> image.get_array().shape
    (100, 100)
    """
    resolution = operator.index(resolution)
    if resolution < 1:
        raise ValueError(f"resolution must be at least 1, got {resolution}")
    matrix = A if isinstance(A, SparseArray) else csr_array(A)
    csr = matrix._csr
    if not min(csr.shape):
        raise ValueError(f"a matrix of shape {matrix.shape} has nothing to draw: it needs a row and a column")
    cell = -(-max(csr.shape) // resolution)
    counts = to_device(count_cells(csr, cell, cell), "cpu")
    down, across = (_extents(size, cell) for size in csr.shape)
    share = np.ma.masked_equal(counts, 0) / (down[:, None] * across)
    if matrix._transposed:
        share = share.T
    rows, columns = (1, *matrix.shape)[-2:]
    if ax is None:
        ax = style.import_matplotlib("pyplot").gca()
    defaults = {"cmap": style.make_colormap(), "interpolation": "nearest", "aspect": "equal"}
    if not options.keys() & {"norm", "vmin", "vmax"}:
        most = float(share.max()) if csr.indices.size else 1.0
        defaults["norm"] = style.import_matplotlib("colors").PowerNorm(0.5, vmin=0, vmax=most)
    extent = (-0.5, cell * share.shape[1] - 0.5, cell * share.shape[0] - 0.5, -0.5)
    image = ax.imshow(share, **{"extent": extent, **defaults, **options})
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.xaxis.tick_top()
    return image


def _extents(size, cell):
    """Return how many rows, or columns, each cell covers: the last one may cover fewer."""
    edges = np.minimum(np.arange(-(-size // cell) + 1) * cell, size)
    return np.diff(edges).astype(float)
