"""`A @ x` and `A @ X`: matrices of every kind, large ones first, irregular ones, real ones, then small ones."""

import functools

import numpy as np

from rows import irregular, scaled, sized
from spark_csr import gallery
from spark_csr._cli.time_product import bytes_moved, make_operand
from timing import Row


def arguments(parser):
    """What is multiplied."""
    parser.add_argument("--columns", type=lambda text: [int(part) for part in text.split(",")], help="1,4,8: 1 is a vector")
    parser.add_argument("--order", choices="CF", default="C", help="the order of X in memory")
    parser.add_argument("--transposed", action="store_true", help="multiply with A.T")
    parser.add_argument("--matrices", metavar="FOLDER", help="real matrices, files of scipy.sparse.save_npz")


def matrices(options):
    """(name, maker, columns to multiply with): a maker takes a dtype."""
    size, many = functools.partial(sized, options), [1, 32]
    side, rows = size(100, 3), size(1_000_000)
    yield f"Poisson {side}^3", lambda t: gallery.poisson((side,) * 3, t), many
    yield "R-MAT", lambda t: gallery.rmat(scaled(options, 18), dtype=t), many
    yield "uniform x 10", lambda t: gallery.uniform(size(200_000), size(200_000), 10, dtype=t), many
    yield "uniform x 16", lambda t: gallery.uniform(rows, rows, 16, dtype=t), many
    yield "banded x 9", lambda t: gallery.banded(rows, 9, dtype=t), many
    yield "banded x 81", lambda t: gallery.banded(rows // 6, 81, dtype=t), many
    yield "one dense row", lambda t: gallery.one_dense_row(rows, rows, dtype=t), many
    for name, make in irregular.generated(options):
        yield name, make, [1]
    for name, make in irregular.from_folder(options.matrices):
        yield name, make, many
    for n in (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000):
        yield f"uniform {n}^2 x 10", lambda t, n=n: gallery.uniform(n, n, 10, dtype=t), [1]
    for n, band in ((1_000, 1), (20_000, 1), (10_000, 3), (3_000, 11), (200, 199)):
        yield f"banded {n} x {band}", lambda t, n=n, band=band: gallery.banded(n, band, dtype=t), [1]
    for side2 in (10, 30, 100, 300):
        yield f"Poisson {side2}^2", lambda t, side2=side2: gallery.poisson((side2,) * 2, t), [1]


def rows(options):
    """A row for every matrix, dtype and number of columns."""
    for name, make, columns in matrices(options):
        for dtype in (np.float64, np.float32):
            kept = functools.cache(functools.partial(make, dtype))
            for k in options.columns or columns:
                title = f"{name}{'.T' if options.transposed else ''}, {np.dtype(dtype)}"
                title += f", {k} columns {options.order}" if k > 1 else ""
                yield Row(
                    title,
                    "A @ x",
                    functools.partial(_operands, kept, k, options),
                    1.0,
                    lambda A, x: bytes_moved(A, x.size // x.shape[0]),
                    ("scipy", "cupy"),
                )


def _operands(make, columns, options):
    A = make().T if options.transposed else make()
    return A, np.asarray(make_operand(A, None if columns == 1 else columns), order=options.order)
