"""The two ways in which a block is a folder: `.npy` files, which are mapped into memory, and a group of Zarr, compressed.

A format writes arrays and attributes into a folder, and reads them again. `npy` keeps attributes in `block.json` and those of
all blocks in `blocks.json`; `zarr` keeps both in `zarr.json`, where AnnData finds those that it reads a sparse matrix by.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import re
import shutil
from typing import Any

import numpy as np

from spark_csr._files import open_plain, replace_file

NO_ZARR = "this format needs zarr 3: install it with: pip install 'zarr>=3', or use format='npy'"

CHUNK = 2**20
"""Elements of a chunk of Zarr, which is compressed by itself. Not tuned."""

ARRAYS = ("indptr", "indices", "data")

MARK = {"spark_csr": "block"}
"""What the attributes of a block have, by which it is told from a group of Zarr of somebody else."""

UNFINISHED = re.compile(r"\.block-\d{6,}(-[0-9a-f]{32})?\.[0-9a-f]{32}(\.old)?")
"""Names of blocks whose writing was stopped."""

ZARRS_UNFINISHED = re.compile(r"zarr\.[0-9a-f]{32}\.partial")
"""Names of descriptions that Zarr did not finish."""

ZARRS_PART = re.compile(rf"zarr\.json|{ZARRS_UNFINISHED.pattern}|c[/\\]\d+(\.[0-9a-f]{{32}}\.partial)?")
"""Files of an array of Zarr with one axis."""

BLOCK = re.compile(r"block-\d{6,}(-[0-9a-f]{32})?")
"""Names of blocks, and the suffix that those of a matrix have which replaced another."""

CLAIM = re.compile(r"\.blocks(-[0-9a-f]{32})?\.claim")
"""Names of files that become the description of a matrix."""


class Npy:
    """Uncompressed arrays in files of NumPy."""

    name, index, description = "npy", "blocks.json", "block.json"
    parts = frozenset(("block.json", *(f"{name}.npy" for name in ARRAYS)))

    @staticmethod
    def write(folder: str, arrays: dict[str, Any], attributes: dict[str, Any], compressed: bool) -> None:
        """Write arrays and attributes into a new folder."""
        os.mkdir(folder)
        for name, x in arrays.items():
            with open(os.path.join(folder, f"{name}.npy"), "xb") as file:
                write_array(file, x)
        with open(os.path.join(folder, "block.json"), "w") as file:
            json.dump(attributes, file, indent=1)

    @staticmethod
    def has_own_parts(folder: str, names: set[str]) -> bool:
        """Return whether the parts of a block are plain files."""
        return all(os.path.isfile(os.path.join(folder, name)) for name in names)

    @staticmethod
    def attributes(folder: str) -> dict[str, Any]:
        """Return the attributes of a block."""
        return _read_json(os.path.join(folder, "block.json"))

    @staticmethod
    def arrays(folder: str) -> dict[str, Any]:
        """Return the arrays of a block, mapped from their files: nothing is read yet."""
        return {name: map_array(os.path.join(folder, f"{name}.npy")) for name in ARRAYS}

    @staticmethod
    def write_index(folder: str, attributes: dict[str, Any], claim: str | None = None) -> None:
        """Write the attributes of all blocks."""
        _write_json(os.path.join(folder, "blocks.json"), attributes, claim)

    @staticmethod
    def read_index(path: str) -> dict[str, Any]:
        """Return the attributes of all blocks."""
        return _read_json(path)


class Zarr:
    """A group of Zarr version 3 with the attributes of AnnData's sparse matrices."""

    name, index, description = "zarr", "zarr.json", "zarr.json"
    parts = frozenset(("zarr.json", *ARRAYS))

    @staticmethod
    def write(folder: str, arrays: dict[str, Any], attributes: dict[str, Any], compressed: bool) -> None:
        """Write arrays and attributes into a new group."""
        zarr = import_zarr()
        zarr.create_group(store=folder, attributes=attributes)
        for name, x in arrays.items():
            options = {"chunks": (max(1, min(CHUNK, x.size)),), **({} if compressed else {"compressors": None})}
            part = os.path.join(folder, name)  # within a group, Zarr goes on to write the group's description when this fails
            with zarr.config.set({"array.write_empty_chunks": True}):  # a chunk that is missing is lost, and never zeros
                made = zarr.create_array(store=part, shape=x.shape, dtype=x.dtype, **options)
            for start in range(0, x.size, CHUNK):  # Zarr goes on to write the others of several chunks when one has failed
                made[start : start + CHUNK] = x[start : start + CHUNK]

    @staticmethod
    def has_own_parts(folder: str, names: set[str]) -> bool:
        """Return whether the arrays of a block are folders with nothing but descriptions and chunks in them."""
        arrays = [os.path.join(folder, name) for name in names & set(ARRAYS)]
        if os.path.isdir(os.path.join(folder, "zarr.json")) or not all(map(os.path.isdir, arrays)):
            return False
        parts = (
            os.path.relpath(os.path.join(root, name), x) for x in arrays for root, _, files in os.walk(x) for name in files
        )
        return all(map(ZARRS_PART.fullmatch, parts))

    @staticmethod
    def attributes(folder: str) -> dict[str, Any]:
        """Return the attributes of a block."""
        return _attributes_of_group(os.path.join(folder, "zarr.json"))

    @staticmethod
    def arrays(folder: str) -> dict[str, Any]:
        """Return the arrays of a block: parts are read and decompressed when they are indexed."""
        zarr = import_zarr()
        group = zarr.open_group(store=folder, mode="r", zarr_format=3)  # version 2 may hold pickled objects
        try:
            with zarr.config.set({"array.read_missing_chunks": False}):
                return {name: group[name] for name in ARRAYS}
        except KeyError as error:
            raise FileNotFoundError(f"{folder}: {error}") from None

    @staticmethod
    def write_index(folder: str, attributes: dict[str, Any], claim: str | None = None) -> None:
        """Write the attributes of all blocks: those of a group that holds the groups of the blocks."""
        parts = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        _write_json(os.path.join(folder, "zarr.json"), parts, claim)

    @staticmethod
    def read_index(path: str) -> dict[str, Any]:
        """Return the attributes of all blocks."""
        return _attributes_of_group(path)


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


def write_array(file, x):
    """Write a contiguous array in NumPy's format. If that fails, the OSError has a number, which `numpy.save` loses."""
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(x))
    file.write(x)


def map_array(path):
    """Return the array of a file of NumPy; an empty array, which cannot be mapped, is read."""
    with open_plain(path, "rb") as file:
        try:
            version = np.lib.format.read_magic(file)
            shape, _, dtype = getattr(np.lib.format, f"read_array_header_{version[0]}_0")(file)
        except Exception as error:  # NumPy raises errors of Python's parser too
            raise ValueError(f"{os.path.basename(path)} has no header of NumPy's format: {error}") from error
        start = file.tell()
    if len(shape) != 1 or dtype.kind not in "biufc":
        raise ValueError(f"{os.path.basename(path)} has shape {shape} and dtype {dtype} and should be a vector of numbers")
    wanted = start + dtype.itemsize * math.prod(shape)
    if os.path.getsize(path) != wanted:
        raise ValueError(f"{os.path.basename(path)} has {os.path.getsize(path)} bytes and should have {wanted}")
    return np.load(path, mmap_mode="r" if shape[0] else None, allow_pickle=False)


def remove_block(path):
    """Remove the folder of a block, if nothing else is in it; another process may do the same.

    Its description goes last: what is left if this fails, or if the process ends meanwhile, is still known as a block.
    """
    if not holds_block(path):
        return
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(path), key=[kind.description for kind in FORMATS.values()].__contains__):
            part = os.path.join(path, name)
            if os.path.isdir(part):
                shutil.rmtree(part)
            else:
                os.remove(part)
        os.rmdir(path)


def holds_block(path):
    """Return whether a path is the folder of a block: its attributes have the mark, or it has the name of an unfinished one, or
    it is empty; and nothing in it is no part of a block.
    """
    if os.path.islink(path):
        return False
    try:
        names = {name for name in os.listdir(path) if not ZARRS_UNFINISHED.fullmatch(name)}
        kinds = [kind for kind in FORMATS.values() if names <= kind.parts and kind.has_own_parts(path, names)]
        if kinds and (not names or UNFINISHED.fullmatch(os.path.basename(path))):
            return True
        return any(kind.attributes(path).items() >= MARK.items() for kind in kinds if kind.description in names)
    except (OSError, ValueError, KeyError):
        return False


def _write_json(path, attributes, claim):
    """Write a file whole or not at all. A claim is the file that is renamed; without it FileNotFoundError is raised."""
    content = json.dumps(attributes, indent=1).encode()
    if claim is None:
        with replace_file(path) as file:
            file.write(content)
    else:
        with open(claim, "r+b") as file:
            file.write(content)
        os.replace(claim, path)


def _attributes_of_group(path):
    attributes = _read_json(path)["attributes"]
    if type(attributes) is not dict:
        raise ValueError(f"its attributes are {attributes!r} and should be a dict")
    return attributes


def _read_json(path):
    """Return the dict that a file describes."""
    with open_plain(path, encoding="utf-8") as file:
        try:
            found = json.load(file)
        except RecursionError:
            raise ValueError(f"{os.path.basename(path)} is nested too deeply") from None
    if type(found) is not dict:
        raise ValueError(f"{os.path.basename(path)} holds {type(found).__name__} and should hold a dict")
    return found
