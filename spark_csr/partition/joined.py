"""Products of a block with rows of other blocks: the right operand is numbered anew, and not the product.

Design: a product of blocks is a block too, so its columns must be those that its rows need. They are the columns of the rows of
the right operand, as long as the left block needs each of these. Numbering them in the operand takes two passes over fewer
entries than the product has, and the product is computed with fewer columns. Cost: a pass over the entries of the left block,
which finds out whether all rows are needed; if some are not, or if there are few entries for so many columns, the product is
numbered anew by `make_block`.
"""

from __future__ import annotations

from spark_csr._array import as_operand, index_dtype
from spark_csr._construct.stack import vstack
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.record import Csr
from spark_csr.partition.block import SPARSE, WHOLE, Block, complete_chunks, flag_columns
from spark_csr.primitives.sort import gather


def multiply_rows(block, parts, offsets, own, semiring):
    """Return the block of a product, or None where `make_block` has to number its columns.

    `parts` are blocks, all rows of which are taken, and rows with the columns of the whole matrix. `offsets` are the boundaries
    of the chunks of its columns, and `own` is the chunk that is taken whole.
    """
    width, entries = int(offsets[-1]), sum(_matrix_of(part).nnz for part in parts)
    if width > SPARSE * entries or not flag_columns(block.matrix._csr, block.columns.size).all():
        return None
    operand, columns = _join(parts, offsets, own)
    return Block(block.matrix.matmul(operand, semiring=semiring), columns, offsets, block.rows)


def _matrix_of(part):
    return part.matrix if isinstance(part, Block) else part


def _join(parts, offsets, own):
    """Return the rows of all parts below each other, with columns that are numbered anew, and these columns."""
    width, xp = int(offsets[-1]), _matrix_of(parts[0])._csr.xp
    flags = xp.zeros(width, bool)
    for part in parts:
        if isinstance(part, Block):
            flags[part.columns] = True  # those without entries are of chunks that the product takes whole too
        else:
            flags |= flag_columns(part._csr, width)
    columns = complete_chunks(xp.flatnonzero(flags).astype(index_dtype(width), copy=False), offsets, own, WHOLE)
    number = xp.zeros(width, index_dtype(columns.size))
    number[columns] = xp.arange(columns.size, dtype=number.dtype)
    rows = []
    for part in parts:
        csr = _matrix_of(part)._csr
        numbers = number[part.columns] if isinstance(part, Block) else number
        indices = gather(numbers, as_operand(csr.indices))
        rows.append(csr_array._of(Csr(csr.indptr, indices, csr.data, (csr.shape[0], columns.size))))
    return rows[0] if len(rows) == 1 else vstack(rows, format="csr"), columns
