"""The two ways in which a block is a folder: `.npy` files, which are mapped into memory, and a group of Zarr, compressed.

A format writes arrays and attributes into a folder, and reads them again. `npy` keeps attributes in `block.json` and those of
all blocks in `blocks.json`; `zarr` keeps both in `zarr.json`, where AnnData finds those that it reads a sparse matrix by.
"""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

import numpy as np

NO_ZARR = "this format needs zarr 3: install it with: pip install 'zarr>=3', or use format='npy'"

CHUNK = 2**20
"""Elements of a chunk of Zarr, which is compressed by itself. Not tuned."""


class Npy:
    """Uncompressed arrays in files of NumPy."""

    name, index = "npy", "blocks.json"

    @staticmethod
    def write(folder: str, arrays: dict[str, Any], attributes: dict[str, Any], compressed: bool) -> None:
        """Write arrays and attributes into a new folder."""
        os.mkdir(folder)
        for name, x in arrays.items():
            np.save(os.path.join(folder, f"{name}.npy"), x, allow_pickle=False)
        _write_json(os.path.join(folder, "block.json"), attributes)

    @staticmethod
    def attributes(folder: str) -> dict[str, Any]:
        """Return the attributes of a block."""
        return _read_json(os.path.join(folder, "block.json"))

    @staticmethod
    def arrays(folder: str) -> dict[str, Any]:
        """Return the arrays of a block, mapped from their files: nothing is read yet."""
        names = ("indptr", "indices", "data")
        return {name: _map(os.path.join(folder, f"{name}.npy")) for name in names}

    @staticmethod
    def write_index(folder: str, attributes: dict[str, Any]) -> None:
        """Write the attributes of all blocks."""
        _write_json(os.path.join(folder, "blocks.json"), attributes)

    @staticmethod
    def read_index(folder: str) -> dict[str, Any]:
        """Return the attributes of all blocks."""
        return _read_json(os.path.join(folder, "blocks.json"))


class Zarr:
    """A group of Zarr version 3 with the attributes of AnnData's sparse matrices."""

    name, index = "zarr", "zarr.json"

    @staticmethod
    def write(folder: str, arrays: dict[str, Any], attributes: dict[str, Any], compressed: bool) -> None:
        """Write arrays and attributes into a new group."""
        group = import_zarr().create_group(store=folder, attributes=attributes)
        for name, x in arrays.items():
            options = {} if compressed else {"compressors": None}
            made = group.create_array(name, shape=x.shape, dtype=x.dtype, chunks=(max(1, min(CHUNK, x.size)),), **options)
            if x.size:
                made[:] = x

    @staticmethod
    def attributes(folder: str) -> dict[str, Any]:
        """Return the attributes of a block."""
        return dict(_read_json(os.path.join(folder, "zarr.json"))["attributes"])

    @staticmethod
    def arrays(folder: str) -> dict[str, Any]:
        """Return the arrays of a block: parts are read and decompressed when they are indexed."""
        group = import_zarr().open_group(store=folder, mode="r")
        return {name: group[name] for name in ("indptr", "indices", "data")}

    @staticmethod
    def write_index(folder: str, attributes: dict[str, Any]) -> None:
        """Write the attributes of all blocks: those of a group that holds the groups of the blocks."""
        parts = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        _write_json(os.path.join(folder, "zarr.json"), parts)

    @staticmethod
    def read_index(folder: str) -> dict[str, Any]:
        """Return the attributes of all blocks."""
        return dict(_read_json(os.path.join(folder, "zarr.json"))["attributes"])


FORMATS: dict[str, Any] = {kind.name: kind for kind in (Npy, Zarr)}


def format_named(name: str | None, folder: str) -> Any:
    """Return a format by its name; by default that which the name of the folder says: Zarr for `.zarr`."""
    if name is None:
        name = "zarr" if folder.rstrip("/\\").endswith(".zarr") else "npy"
    if name not in FORMATS:
        raise ValueError(f"format must be 'npy' or 'zarr', got {name!r}")
    return FORMATS[name]


def import_zarr() -> Any:
    """Return zarr; raise ImportError with the pip command."""
    try:
        zarr = importlib.import_module("zarr")
    except ImportError as error:
        raise ImportError(f"{NO_ZARR} ({error})") from error
    if int(zarr.__version__.partition(".")[0]) < 3:
        raise ImportError(f"{NO_ZARR} (zarr {zarr.__version__} is installed)")
    return zarr


def _map(path):
    """Return the array of a file of NumPy; an empty array, which cannot be mapped, is read."""
    with open(path, "rb") as file:
        version = np.lib.format.read_magic(file)
        shape, _, dtype = getattr(np.lib.format, f"read_array_header_{version[0]}_0")(file)
        start = file.tell()
    wanted = start + dtype.itemsize * int(np.prod(shape))
    if os.path.getsize(path) != wanted:
        raise ValueError(f"{os.path.basename(path)} has {os.path.getsize(path)} bytes and should have {wanted}")
    return np.load(path, mmap_mode="r" if np.prod(shape) else None, allow_pickle=False)


def _write_json(path, attributes):
    """Write a file under another name first, so that it is whole when it is there."""
    temporary = f"{path}.{os.getpid()}.new"
    with open(temporary, "w") as file:
        json.dump(attributes, file, indent=1)
    os.replace(temporary, path)


def _read_json(path):
    with open(path) as file:
        return json.load(file)
