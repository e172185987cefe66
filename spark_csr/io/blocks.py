"""Save a matrix in a folder of blocks, and open it: `save_blocks`, `open_blocks`, and the steps that several processes share.

Design: a block is written under another name and renamed, and the file that describes all blocks is written last. So what is
there is whole: a process that ends in the middle leaves nothing that could be taken for a matrix, and a block that two
processes write is that of one of them. A block that is replaced is found under a third name for a moment. A matrix that
replaces another has blocks of other names, which its description holds; so the old one is there, and can be read, until the new
description takes the place of the old. Nothing is flushed to the disk by force: this does not protect from a loss of power.
Cost: both matrices are on the disk for a while.

Several processes may save matrices in one folder at once; then one of the matrices is whole in the end. Each process has a file
of its own, its claim, which becomes the description when it is renamed, and blocks whose names have a suffix of their own. When
a process has described its matrix, it removes what was in the folder when it began. It removes claims first: so whoever it
takes for a process that was ended, but which still runs, cannot describe blocks that are being removed, and raises.

Only what this package has written is removed: folders that have the name of a block and its mark, and hold nothing but its
parts.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import uuid
import zlib
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import to_device
from spark_csr._files import open_new
from spark_csr._matrix.base import SparseArray
from spark_csr._matrix.csr import csr_array
from spark_csr.io._block_formats import (
    BLOCK,
    CLAIM,
    FORMATS,
    MARK,
    UNFINISHED,
    format_named,
    holds_block,
    import_zarr,
    remove_block,
)
from spark_csr.io._errors import explain_fault
from spark_csr.io.block_files import VERSION, BlockFiles, block_path, find_block, read_attributes
from spark_csr.partition import balanced_offsets
from spark_csr.partition.balance import as_offsets
from spark_csr.primitives._check import integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike

KIND = "spark_csr blocks"
"""What files of this package say that they describe."""

BLOCK_BYTES = 2**28
"""How large blocks are by default."""


def save_blocks(
    folder: str | os.PathLike[str],
    A: MatrixLike | Iterable[MatrixLike],
    blocks: int | ArrayLike | None = None,
    *,
    format: str | None = None,
    compressed: bool = True,
    overwrite: bool = False,
) -> None:
    """Save a matrix in a folder, in blocks of rows that can be read separately.

    See the example of `BlockFiles`.

    Parameters
    ----------
    folder : str or path
        The folder, which is made if there is none.
    A : (m, n) sparse matrix, or iterable of these
        The matrix, or an iterable of its blocks, such as a generator. A matrix on a GPU is copied to the host.
    blocks : int or (blocks + 1,) array_like of int, optional
        The number of blocks, or the offsets of their rows. Given their number, blocks have about equally many entries plus
        rows. By default each block has about 256 MB. If `A` is an iterable of blocks, this parameter is ignored.
    format : {"npy", "zarr"}, optional
        "npy" writes uncompressed files of NumPy, which are mapped into memory when they are read. "zarr" writes groups of Zarr,
        which AnnData reads too. The default is "zarr" if the name of the folder ends with `.zarr`, else "npy".
    compressed : bool, default True
        Whether to compress the arrays of Zarr. Files of NumPy are never compressed.
    overwrite : bool, default False
        Whether to replace a matrix that is in the folder. `A` may read from that matrix: it is removed when the new one is
        whole. If an exception is raised, it stays as it was.

    Raises
    ------
    FileExistsError
        If the folder holds a matrix and `overwrite` is False, if something else has the name of a block, or if another process
        has saved a matrix in the folder meanwhile. The message says which of these it is.
    ValueError
        If blocks have different numbers of columns or dtypes, or if the offsets do not fit.
    TypeError
        If `A` is neither a sparse matrix nor an iterable of sparse matrices.
    OSError
        If a block cannot be written. The message names it.

    Notes
    -----
    *Cost*: the arrays are written once; one block at a time is copied in memory. The offsets of rows are int64 in the files. If
    many processes write one matrix, each saves its blocks by `save_block`, and in the end one process calls `finish_blocks`. If
    several processes call `save_blocks` for one folder at once, one of their matrices is there in the end.
    """
    name = os.fspath(folder)
    kind = format_named(format, name)
    if kind.name == "zarr":
        import_zarr()
    with replace_matrix(name, kind, overwrite) as (suffix, written):
        for number, rows in enumerate(_cut(A, blocks)):
            written.append(block_path(name, number, suffix))
            write_block(name, number, rows, kind, compressed, suffix)


@contextlib.contextmanager
def replace_matrix(folder, kind, overwrite):
    """Yield the suffix for the blocks of a new matrix, and a list for their paths; then describe it, and remove what was there.

    After an exception the new blocks are removed. Raises FileExistsError if the folder holds what may not be replaced.
    """
    os.makedirs(folder, exist_ok=True)
    old, paths = _read_indices(folder, overwrite), _paths_by_suffix(folder)
    suffix, written = _claim(folder, kind), []
    claim = _path_of_claim(folder, suffix)
    try:
        yield suffix, written
        index = describe_blocks(folder, len(written), kind, suffix)
        _read_indices(folder, overwrite)
        kind.write_index(folder, index, claim)
    except BaseException as error:
        is_stopped = isinstance(error, FileNotFoundError) and not os.path.exists(claim)
        _remove_matrix(folder, suffix, written)
        if is_stopped:
            raise FileExistsError(f"{folder}: another process has saved a matrix here meanwhile, so this one was not") from None
        raise
    for other, index in old.items():
        if other is not kind:
            _remove_index(other, folder, index)
    for other in paths.keys() - {suffix}:
        _remove_matrix(folder, other, paths[other])
    _remove_unfinished(folder, suffix)


def _path_of_claim(folder, suffix):
    """Return the file that becomes the description of a new matrix."""
    return os.path.join(folder, f".blocks{suffix}.claim")


def _claim(folder, kind):
    """Return the suffix of a new matrix after making its claim: "" if there is no matrix, and if nobody else has that claim."""
    with contextlib.suppress(FileExistsError):
        with open_new(_path_of_claim(folder, "")):
            pass
        if not _read_indices(folder):  # now: whoever had the claim before may have described a matrix
            return ""
        with contextlib.suppress(FileNotFoundError):
            os.remove(_path_of_claim(folder, ""))
    suffix = f"-{uuid.uuid4().hex}"
    with open_new(_path_of_claim(folder, suffix), like=os.path.join(folder, kind.index)):
        return suffix


def _remove_index(kind, folder, index):
    """Remove a description unless another process has replaced it. It is moved first, so that no other one is removed."""
    path, moved = os.path.join(folder, kind.index), _path_of_claim(folder, f"-{uuid.uuid4().hex}")
    with contextlib.suppress(FileNotFoundError):
        if _read_index(kind, folder) == index:
            os.rename(path, moved)
            if kind.read_index(moved) == index or os.path.lexists(path):
                os.remove(moved)
            else:
                os.rename(moved, path)


def _paths_by_suffix(folder):
    """Return the paths of blocks, whole and unfinished, and of claims, by the suffix of their matrix."""
    found: dict[str, list[str]] = {}
    for name in os.listdir(folder):
        for match in filter(None, (pattern.fullmatch(name) for pattern in (BLOCK, UNFINISHED, CLAIM))):
            found.setdefault(match[1] or "", []).append(os.path.join(folder, name))
    return found


def _remove_matrix(folder, suffix, paths):
    """Remove blocks, unless a description has them; nobody can describe them any more then."""
    with contextlib.suppress(OSError):
        with contextlib.suppress(FileNotFoundError):
            os.remove(_path_of_claim(folder, suffix))
        if suffix not in [index.get("suffix", "") for index in _read_indices(folder).values()]:
            for path in paths:
                remove_block(path)


def remove_late_block(folder, number, suffix):
    """Remove a block if its matrix was given up while it was written."""
    if not os.path.exists(_path_of_claim(folder, suffix)):
        _remove_matrix(folder, suffix, [block_path(folder, number, suffix)])


def _remove_unfinished(folder, suffix):
    """Remove what processes left that ended while they wrote blocks of a matrix."""
    for path in _paths_by_suffix(folder).get(suffix, ()):
        if UNFINISHED.fullmatch(os.path.basename(path)):
            moved = f"{path.removesuffix('.old')[:-32]}{uuid.uuid4().hex}"  # a process that still writes there misses its files
            with contextlib.suppress(OSError):
                os.rename(path, moved)
            remove_block(moved)


def _read_indices(folder, overwrite=True):
    """Return the descriptions in a folder by their formats: two if a process was stopped while it replaced one by the other.

    Raises FileExistsError if one describes something else, or if there is one and `overwrite` is False.
    """
    found = {kind: index for kind in FORMATS.values() if (index := _read_index(kind, folder)) is not None}
    if found and not overwrite:
        raise FileExistsError(f"{folder} holds a matrix: use overwrite=True to replace it")
    return found


def _read_index(kind, folder):
    """Return the description of a matrix, None if there is none; raise FileExistsError if the file describes something else."""
    path = os.path.join(folder, kind.index)
    if not os.path.lexists(path):
        return None
    try:
        index = kind.read_index(path)
        if index.get("encoding-type") == KIND:
            return index
    except FileNotFoundError:
        if not os.path.lexists(path):  # another process removed it
            return None
    except (ValueError, KeyError):
        pass
    raise FileExistsError(f"{folder} holds something else ({kind.index}): choose another folder")


def _suffix(folder, kind):
    """Return the suffix of the blocks that the matrix in a folder has, "" if there is none.

    If the description may be whole but cannot be read now, the OSError is raised: a block under another name would be lost.
    """
    try:
        return BlockFiles(folder, kind.name, kind.read_index(os.path.join(folder, kind.index)))._attributes.get("suffix", "")
    except (ValueError, KeyError, FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""


def _cut(A, blocks):
    """Yield the blocks of a matrix, or those that are given."""
    if not (isinstance(A, SparseArray) or hasattr(A, "tocsr")):
        try:
            parts = iter(A)
        except TypeError:
            raise TypeError(f"A must be a sparse matrix or an iterable of these, got {type(A).__name__}") from None
        yield from parts
        return
    matrix = csr_array(A)
    if blocks is None:
        blocks = max(1, -(-int(matrix.nbytes) // BLOCK_BYTES))
    if np.ndim(blocks) == 0 and not hasattr(blocks, "__index__"):
        raise TypeError(f"blocks must be an integer or offsets, got {blocks!r}")
    offsets = balanced_offsets(matrix.indptr, blocks) if np.ndim(blocks) == 0 else as_offsets("blocks", blocks, matrix.shape[0])
    cuts = offsets.tolist()
    for i in range(len(cuts) - 1):
        yield matrix[cuts[i] : cuts[i + 1]]


def save_block(
    folder: str | os.PathLike[str], number: int, rows: MatrixLike, *, format: str | None = None, compressed: bool = True
) -> None:
    """Save one block of a matrix. When all blocks are saved, call `finish_blocks`.

    Parameters, result and exceptions that are not listed are those of `save_blocks`; all blocks of a matrix must have one
    format. Nothing is left of a block that cannot be written.

    Parameters
    ----------
    number : int
        The number of the block, from 0 on, in the order of the rows.
    rows : (m, n) sparse matrix
        The rows of the block, with the columns of the whole matrix.

    Notes
    -----
    Any process can save any block at any time. If the block is there already, it is replaced as a whole.

    Examples
    --------
    >>> import tempfile
    >>> from spark_csr import gallery, io
    >>> A = gallery.poisson((8,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.save_block(folder, 1, A[5:])
    ...     io.save_block(folder, 0, A[:5])
    ...     io.finish_blocks(folder, 2)
    ...     io.open_blocks(folder).offsets
    array([0, 5, 8])
    """
    number = integer("number", number)
    if number < 0:
        raise ValueError(f"number must be 0 or more, got {number}")
    name = os.fspath(folder)
    kind = format_named(format, name)
    write_block(name, number, rows, kind, compressed, _suffix(name, kind))


def write_block(folder, number, rows, kind, compressed, suffix):
    """Write one block, whole or not at all."""
    if not (isinstance(rows, SparseArray) or hasattr(rows, "tocsr")):
        raise TypeError(f"block {number} must be a sparse matrix, got {type(rows).__name__}: use csr_array(...)")
    matrix = csr_array(rows)
    indptr, indices, data = (to_device(x, "cpu") for x in (matrix.indptr, matrix.indices, matrix.data))
    arrays = {"indptr": indptr.astype(np.int64), "indices": np.ascontiguousarray(indices), "data": np.ascontiguousarray(data)}
    attributes = {
        **MARK,
        "encoding-type": "csr_matrix",
        "encoding-version": "0.1.0",
        "shape": list(map(int, matrix.shape)),
        "dtype": matrix.dtype.name,
        "nnz": int(matrix.nnz),
        "crc32": {key: zlib.crc32(x.view(np.uint8)) for key, x in arrays.items()},
    }
    os.makedirs(folder, exist_ok=True)
    path = block_path(folder, number, suffix)
    temporary = os.path.join(folder, f".{os.path.basename(path)}.{uuid.uuid4().hex}")
    try:
        kind.write(temporary, arrays, attributes, compressed)
        # Zarr makes folders again that another process has removed, with descriptions that say nothing.
        if not kind.parts.issubset(os.listdir(temporary)) or kind.attributes(temporary) != attributes:
            raise FileNotFoundError(errno.ENOENT, "another process has called finish_blocks, which removed what was written")
        _move_into_place(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        size = sum(x.nbytes for x in arrays.values())
        what = f"block {number} of {folder}, {matrix.shape[0]} rows and {size} bytes,"
        raise OSError(error.errno, f"{what} was not written: {error.strerror or error}") from error
    finally:
        remove_block(temporary)


def _move_into_place(temporary, path):
    """Rename a folder, and move away the block that has the name already; another process may do the same at the same time."""
    for _ in range(100):
        try:
            os.rename(temporary, path)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
        else:
            return
        there = _identity(path)
        if holds_block(path):
            if _swap(temporary, path):
                return
        elif there is not None and there == _identity(path):
            raise FileExistsError(errno.EEXIST, f"{path} is no block of this package, or is damaged: move it away")
    raise OSError(errno.EBUSY, f"{path} is written by other processes again and again")


def _identity(path):
    """Return what tells a file or folder from another one that has the name later; None if there is none."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_ctime_ns


def _swap(temporary, path):
    """Rename a folder to the name of a block that is there, and remove that block; return False if another process did so.

    Between the two steps the old block is found under a third name, see `find_block`.
    """
    old = f"{temporary}.old"
    try:
        os.rename(path, old)
    except FileNotFoundError:
        return False
    try:
        os.rename(temporary, path)
    except OSError:
        if not os.path.isdir(path):
            os.rename(old, path)
            raise
        remove_block(old)
        return False
    remove_block(old)
    return True


def finish_blocks(folder: str | os.PathLike[str], blocks: int, *, format: str | None = None) -> None:
    """Write the file that describes all blocks that were saved, so that `open_blocks` can open the folder.

    Parameters, result and exceptions that are not listed are those of `save_blocks`. See the example of `save_block`.

    Parameters
    ----------
    blocks : int
        The number of blocks.

    Raises
    ------
    FileNotFoundError
        If a block is missing. The message names it.
    ValueError
        If there are no blocks, if they have different numbers of columns or dtypes, or if the description of one is damaged.
        The message names the block and its file.
    FileExistsError
        If the folder holds a description of something else.

    Notes
    -----
    If processes ended while they wrote blocks, the blocks that they left unfinished are removed. *Cost*: a small file of every
    block is read.
    """
    name = os.fspath(folder)
    kind = format_named(format, name)
    _read_index(kind, name)
    suffix = _suffix(name, kind)
    kind.write_index(name, describe_blocks(name, blocks, kind, suffix))
    _remove_unfinished(name, suffix)  # now: the description of before may have needed them


def describe_blocks(folder, blocks, kind, suffix):
    """Return the description of a matrix of blocks that were saved."""
    if blocks < 1:
        raise ValueError(f"a matrix must have at least one block, got {blocks}")
    found = []
    for number in range(blocks):
        path = block_path(folder, number, suffix)
        if (old := find_block(folder, number, suffix)) != path:
            os.rename(old, path)
        advice = f"save it with save_block(folder, {number}, rows)"
        try:
            attributes = read_attributes(kind, path)
            found.append((attributes["dtype"], attributes["shape"][1], attributes["shape"][0], attributes["nnz"]))
        except FileNotFoundError:
            raise FileNotFoundError(f"{folder}: block {number} of {blocks} is missing: {advice}") from None
        except ValueError as error:
            raise ValueError(f"{folder}: block {number} of {blocks} is damaged: {error}; {advice}") from None
        for what, first, this in zip(("dtype", "columns"), found[0], found[-1], strict=False):
            if this != first:
                raise ValueError(f"{folder}: {what} differ: {first} in block 0, {this} in block {number}")
    offsets = list(itertools.accumulate((rows for _, _, rows, _ in found), initial=0))
    index = {
        "encoding-type": KIND,
        "version": VERSION,
        "shape": [offsets[-1], found[0][1]],
        "dtype": found[0][0],
        "row_offsets": offsets,
        "nnz": [nnz for *_, nnz in found],
        **({"suffix": suffix} if suffix else {}),
    }
    try:
        BlockFiles(folder, kind.name, index)
    except ValueError as error:
        raise ValueError(f"{folder}: its {blocks} blocks make no matrix: {error}") from None
    return index


def open_blocks(folder: str | os.PathLike[str]) -> BlockFiles:
    """Open a matrix that `save_blocks` saved. Only the description of its blocks is read.

    See the example of `BlockFiles`.

    Parameters
    ----------
    folder : str or path
        The folder.

    Returns
    -------
    BlockFiles
        The matrix in files: `files[i]` reads block `i`, and `files.rows(start, stop)` reads any range of rows.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, if it holds no matrix, or if `finish_blocks` was not called.
    ValueError
        If the description is damaged, or was written by a later version of this package.
    """
    name = os.fspath(folder)
    for kind in FORMATS.values():
        path = os.path.join(name, kind.index)
        if not os.path.isfile(path):
            continue
        try:
            attributes = kind.read_index(path)
            if attributes["encoding-type"] != KIND:
                raise ValueError(f"its encoding-type is {attributes['encoding-type']!r}")
            version = attributes["version"]
            if type(version) is not int:
                raise ValueError(f"its version is {version!r}")
            if version <= VERSION:
                return BlockFiles(name, kind.name, attributes)
        except PermissionError:
            raise
        except Exception as error:
            if (fault := explain_fault(error, path)) is not None:
                raise fault from error
            raise ValueError(f"{path}: this describes no blocks of a matrix, or it is damaged: {error!r}") from error
        raise ValueError(f"{path}: it has version {version}, and this spark_csr reads {VERSION}: install a later one")
    if os.path.isdir(name):
        raise FileNotFoundError(f"{name} holds no blocks of a matrix, or they were not finished: see finish_blocks")
    raise FileNotFoundError(f"{name}: no such folder")
