"""Sparse matrices in groups of HDF5, in the layouts of AnnData, 10x Genomics, binsparse and MATLAB.

Design: h5py parses the file. A layout names three datasets, and reading is one function for all of them: it reads the offsets
of a range of rows (of columns, for CSC), and then only the entries between these. What a stranger may have written is checked:
links, external files and virtual datasets are refused, since they name other files; lengths are compared before anything is
read, and index arrays after it, whatever `config.validate` is.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spark_csr._array import complex_of
from spark_csr._config import config
from spark_csr._files import open_plain, open_to_write
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csc import csc_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import binsparse, check

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS = {"csr_matrix": "csr", "csc_matrix": "csc"}
"""The format that an `encoding-type` of AnnData names."""

ROOM = 2**18
"""Bytes of descriptions that may be written between two calls of `reserve`. Not tuned."""

FAILED = re.compile(r"errno = (\d+), error message = '([^']*)'")
"""What HDF5 says of a call of the system that failed."""


def import_h5py() -> Any:
    """Return h5py; raise ImportError with the pip command."""
    try:
        return importlib.import_module("h5py")
    except ImportError as error:
        raise ImportError(f"HDF5 files need h5py: install it with: pip install h5py ({error})") from error


@contextlib.contextmanager
def open_file(file: Any) -> Iterator[Any]:
    """Open an HDF5 file to read it; Python's own error says that there is none, or that it is a folder."""
    h5py = import_h5py()
    if isinstance(file, (str, os.PathLike)):
        with open_plain(file, "rb"):
            pass
    with h5py.File(file, "r") as found:
        yield found


@contextlib.contextmanager
def create_file(file: Any, suffix: str = "", header: bytes = b"") -> Iterator[Any]:
    """Open an HDF5 file to write it, which takes its name when it is whole. A header stands before what HDF5 writes.

    Call `reserve` before anything large is written.
    """
    h5py = import_h5py()
    with open_to_write(file, suffix) as target:
        if target is not file:
            _allocate(target.fileno(), ROOM)
        try:
            with h5py.File(target if target is file else target.name, "w", userblock_size=len(header)) as made:
                reserve(made, 0)
                yield made
                _give_back(made)
        except RuntimeError as error:  # h5py raises OSError for some of the calls that failed only
            if (failed := FAILED.search(str(error))) is None:
                raise
            raise OSError(int(failed[1]), failed[2]) from error
        if header:
            target.seek(0)
            target.write(header)


def reserve(group: Any, size: int) -> None:
    """Take room on the disk for so many bytes more of the file of a group; raise OSError if there is none.

    After a write that failed, HDF5's library may end the process by a segmentation fault, so it must not meet a full disk.
    """
    file = group.file
    if file.driver == "sec2":
        _allocate(file.id.get_vfd_handle(), file.id.get_filesize() + size + size // 32 + ROOM)


def _give_back(file):
    """Cut off what was reserved and not needed; nothing is left to be written after that."""
    if file.driver == "sec2":
        file.flush()
        if stat.S_ISREG(os.fstat(file.id.get_vfd_handle()).st_mode):
            os.ftruncate(file.id.get_vfd_handle(), file.id.get_filesize())


def _allocate(descriptor, size):
    """Make a plain file so long, where the system can do so."""
    if hasattr(os, "posix_fallocate") and stat.S_ISREG(os.fstat(descriptor).st_mode):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL):
                raise


def write_dataset(group: Any, name: str, x: Any, compression: str | None = None) -> None:
    """Write an array of numbers."""
    reserve(group, x.nbytes)
    group.create_dataset(name, data=x, compression=compression if x.size else None)


def find(group: Any, path: str) -> Any:
    """Return what has a path in a group; raise ValueError if there is nothing, or if a link leads there."""
    h5py = import_h5py()
    for part in filter(None, path.split("/")):
        link = group.get(part, getlink=True) if isinstance(group, h5py.Group) else None
        if link is None:
            names = ", ".join(map(str, list(group)[:20])) if isinstance(group, h5py.Group) else "an array"
            raise ValueError(f"it has no {path}: {group.name} holds {names or 'nothing'}")
        if not isinstance(link, h5py.HardLink):
            raise ValueError(f"{path} is a link to another place or file, and links are not followed")
        group = group[part]
    return group


def find_vector(group: Any, name: str, kinds: str = "") -> Any:
    """Return a dataset of one axis, unread, whose bytes are in this file; `kinds` are those of its dtype."""
    found = find(group, name)
    if not hasattr(found, "is_virtual"):
        raise ValueError(f"{name} is no array")
    if found.is_virtual or found.external:
        raise ValueError(f"{name} lies in other files, which are not read")
    if found.shape is None or len(found.shape) != 1:
        raise ValueError(f"{name} must have one axis, got shape {found.shape}")
    if kinds and found.dtype.kind not in kinds:
        raise ValueError(f"{name} has dtype {found.dtype} and should hold {'integers' if kinds == 'iu' else 'numbers'}")
    return found


def read_vector(dataset: Any, start: int = 0, stop: int | None = None) -> Any:
    """Return a range of a dataset, in the byte order of this machine. Complex numbers of MATLAB have fields of other names."""
    x = dataset[start:stop]
    if x.dtype.names == ("real", "imag"):
        x = complex_of(x["real"], x["imag"])
    return x.astype(x.dtype.newbyteorder("="), copy=False)


def read_strings(group: Any, name: str, count: int | None = None, what: str = "") -> Any:
    """Return a NumPy array of objects, the strings of a dataset; `count`: how many there must be, `what` they are called."""
    found = find_vector(group, name)
    if import_h5py().check_string_dtype(found.dtype) is None:
        raise ValueError(f"{name} has dtype {found.dtype} and should hold strings")
    if count is not None and found.size != count:
        raise ValueError(f"there are {found.size} {what or name}, and should be {count} for the shape of the matrix")
    strings = found.asstr()[:]
    return strings if strings.dtype == object else strings.astype(object)


def read_attribute(x: Any, name: str) -> str:
    """Return an attribute that is a string; raise ValueError for others."""
    value = x.attrs.get(name)
    value = value.decode() if isinstance(value, bytes) else value
    if not isinstance(value, str):
        raise ValueError(f"the attribute {name} of {x.name} must be a string, got {str(value)[:80]!r}")
    return value


def as_sizes(name: str, value: Any) -> tuple[int, int]:
    """Return two sizes that a file holds."""
    sizes = np.asarray(value)
    if sizes.shape != (2,) or sizes.dtype.kind not in "iu":
        raise ValueError(f"{name} must be two integers, got {str(value)[:80]}")
    rows, columns = check.shape_of(sizes.tolist())
    return rows, columns


class Layout(NamedTuple):
    """A matrix in a file: its format and shape, the datasets of its index arrays and values, and how values are stored."""

    format: str
    shape: tuple[int, ...]
    index: tuple[Any, ...]
    data: Any
    description: binsparse.Description | None = None

    @property
    def entries(self) -> int:
        """The number of entries."""
        return int(self.index[-1].shape[0])

    def values(self, start: int, stop: int) -> Any:
        """Read the values of a range of entries."""
        if self.description is None:
            return read_vector(self.data, start, stop)
        return self.description.values(_Stored(self.data), start, stop)


class _Stored:
    """A dataset whose ranges are read in the byte order of this machine."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __getitem__(self, part):
        return read_vector(self.dataset, part.start, part.stop)


def layout_of(group: Any) -> Layout:
    """Return the layout of a group; raise ValueError if it holds no sparse matrix, or arrays of lengths that do not fit."""
    if hasattr(group, "is_virtual"):
        raise ValueError(f"{group.name} is a dense array of shape {group.shape}: read it by h5py")
    if "binsparse" in group.attrs:
        return _layout_of_binsparse(group)
    if "MATLAB_sparse" in group.attrs:
        return _layout_of_matlab(group)
    if "encoding-type" in group.attrs:
        kind = read_attribute(group, "encoding-type")
        if kind not in FORMATS:
            raise ValueError(f"{group.name} has the encoding-type {kind[:80]!r}, which is no sparse matrix")
        return _layout(FORMATS[kind], as_sizes("shape", group.attrs.get("shape")), group)
    if "shape" in group and "indptr" in group:
        sizes = as_sizes("shape", read_vector(find_vector(group, "shape", "iu"), 0, 3))
        return _layout("csr", sizes[::-1], group)
    raise ValueError(f"{group.name} holds no sparse matrix of AnnData, 10x Genomics, binsparse or MATLAB")


def _layout(form, shape, group, names=("indptr", "indices", "data"), description=None):
    """Return the layout of datasets with these names, offsets or rows first, after comparing their lengths."""
    *index, data = (find_vector(group, name) for name in names)
    return check_lengths(Layout(form, shape, tuple(index), data, description), names)


def check_lengths(layout: Layout, names: tuple[str, ...]) -> Layout:
    """Return a layout; raise ValueError if its arrays have other lengths or kinds of numbers than its shape and format say."""
    entries = layout.entries
    lengths = [entries] * len(layout.index)
    if layout.format != "coo":
        lengths[0] = layout.shape[layout.format == "csc"] + 1
    for name, x, wanted in zip(names[:-1], layout.index, lengths, strict=True):
        if x.shape[0] != wanted:
            raise ValueError(f"{name} has {x.shape[0]} elements and should have {wanted} for shape {layout.shape}")
        if x.dtype.kind not in "iu":
            raise ValueError(f"{name} has dtype {x.dtype} and should hold integers")
    if layout.description is not None:
        layout.description.check_values(layout.data, entries)
    elif layout.data.shape != (entries,):
        raise ValueError(f"{names[-1]} has {layout.data.shape[0]} elements and should have {entries}, one for each index")
    return layout


def _layout_of_binsparse(group):
    try:
        text = json.loads(read_attribute(group, "binsparse"))
    except RecursionError:
        raise ValueError("the descriptor is nested too deeply") from None
    found = binsparse.read_descriptor(text)
    layout = _layout(found.format, found.shape, group, (*found.names, "values"), found)
    if found.entries not in (None, layout.entries):
        raise ValueError(f"{found.names[-1]} has {layout.entries} elements and should have {found.entries}")
    return layout


def _layout_of_matlab(group):
    rows = np.asarray(group.attrs["MATLAB_sparse"])
    if rows.size != 1 or rows.dtype.kind not in "iu":
        raise ValueError(f"the attribute MATLAB_sparse must be the number of rows, got {str(rows)[:80]}")
    offsets = find_vector(group, "jc", "iu")
    shape = check.shape_of((rows.item(), max(offsets.shape[0] - 1, 0)))
    is_bool = group.attrs.get("MATLAB_class") in (b"logical", "logical")
    description = binsparse.Description("csc", (), shape, None, False, False, is_bool)
    names = ("jc", "ir", "data")
    if "ir" in group or "data" in group:
        return _layout("csc", shape, group, names, description)
    return check_lengths(Layout("csc", shape, (offsets, np.zeros(0, int)), np.zeros(0), description), names)


def read_lines(layout: Layout, start: int, stop: int) -> Any:
    """Read a range of rows of a CSR matrix as a `csr_array`, or of columns of a CSC matrix as a `csc_array`."""
    offsets = read_vector(layout.index[0], start, stop + 1)
    a, b = int(offsets[0]), int(offsets[-1])
    if not 0 <= a <= b <= layout.entries:
        raise ValueError(f"its offsets go from {a} to {b}, and there are {layout.entries} entries")
    arrays = layout.values(a, b), read_vector(layout.index[1], a, b), offsets - offsets[:1]
    with config(validate=True):
        if layout.format == "csr":
            return csr_array(arrays, shape=(stop - start, layout.shape[1]))
        return csc_array(arrays, shape=(layout.shape[0], stop - start))


def read_whole(layout: Layout) -> Any:
    """Read a matrix in its own format; a vector is a `csr_array`."""
    if layout.format != "coo":
        return read_lines(layout, 0, layout.shape[0 if layout.format == "csr" else 1])
    data, coordinates = layout.values(0, layout.entries), tuple(map(read_vector, layout.index))
    with config(validate=True):
        return (coo_array if len(coordinates) == 2 else csr_array)((data, coordinates), shape=layout.shape)
