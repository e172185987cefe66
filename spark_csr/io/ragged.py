"""Save ragged arrays in `.npz` files, and load them.

Design: the arrays of values and offsets are entries of the file, and one more entry describes in JSON which of them make each
ragged array. Offsets that several arrays share are stored once, and are shared again when they are loaded.
"""

from __future__ import annotations

import json
import os
import zipfile
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import DTYPES, is_array, is_same_memory, to_device
from spark_csr._files import open_to_write
from spark_csr._ragged import Ragged
from spark_csr.io._errors import name_errors
from spark_csr.io._watched import open_watched

if TYPE_CHECKING:
    from spark_csr._ragged.types import Records
    from spark_csr._types import Progress

LAYOUT = "spark_csr_ragged"
"""The entry that describes the others."""


def save_ragged(file: str | os.PathLike[str] | IO[bytes], array: Ragged | Records, compressed: bool = True) -> None:
    """Save a ragged array, or a dict of ragged arrays, in an `.npz` file.

    Parameters, result and exceptions that are not listed are those of `save_npz`. See the example of `load_ragged`.

    Parameters
    ----------
    array : Ragged or dict
        The array, or records: a dict from names to ragged arrays, to arrays of one axis, or to further dicts. Arrays on a GPU
        are copied to the host first.

    Notes
    -----
    *Cost*: The function writes the values and offsets once, and compresses them. Offsets that several arrays share are written
    once. `numpy.load` reads the arrays of the file.
    """
    arrays: list[Any] = []
    layout = json.dumps(_describe(array, arrays, "array"))
    entries = {f"array_{k}": to_device(x, "cpu") for k, x in enumerate(arrays)}
    with open_to_write(file, ".npz") as target:
        (np.savez_compressed if compressed else np.savez)(target, **{LAYOUT: np.array(layout)}, **entries)


def _describe(x, arrays, name):
    """Return what JSON holds of an array or records; append the arrays of values and offsets that are new."""
    if isinstance(x, dict):
        for key in x:
            if not isinstance(key, str):
                raise TypeError(f"names of records must be strings, got {key!r} in {name}")
        return {"fields": {key: _describe(value, arrays, f"{name}[{key!r}]") for key, value in x.items()}}
    if isinstance(x, Ragged):
        packed = x.packed()
        parts: list[int] = []
        for part in (packed.values, *packed.offsets):
            parts.append(_find_or_append(part, arrays, parts))
        return {"values": parts[0], "offsets": parts[1:]}
    if is_array(x):
        return {"values": _find_or_append(Ragged(x).values, arrays)}
    raise TypeError(f"{name} must be a Ragged, an array or a dict of these, got {type(x).__name__}")


def _find_or_append(x, arrays, besides=()):
    """Return the number of an array in the list, after appending it if it is not there, or only with one of these numbers."""
    for k, known in enumerate(arrays):
        if k not in besides and x.shape == known.shape and is_same_memory(x, known):
            return k
    arrays.append(x)
    return len(arrays) - 1


def load_ragged(file: str | os.PathLike[str] | IO[bytes], *, progress: Progress = None) -> Any:
    """Load a ragged array, or a dict of ragged arrays, that `save_ragged` wrote.

    Parameters, result and exceptions that are not listed are those of `load_npz`.

    Returns
    -------
    Ragged or dict
        What was saved, on the cores. Arrays of a dict that shared offsets share them again.

    Notes
    -----
    *Cost*: The file is read once, and the offsets of every array are checked.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from spark_csr import Ragged
    >>> from spark_csr.io import load_ragged, save_ragged
    >>> pt = Ragged.from_lists([[51.0, 27.5], [], [33.0]])
    >>> file = io.BytesIO()
    >>> save_ragged(file, {"met": np.array([9, 4, 7]), "jets": {"pt": pt, "eta": pt / 50}})
    >>> _ = file.seek(0)
    >>> events = load_ragged(file)
    >>> events["met"], events["jets"]["pt"]
    (array([9, 4, 7]), Ragged([[51.0, 27.5], [], [33.0]], dtype=float64))
    """
    with name_errors(file, "an .npz file of ragged arrays"), open_watched(file, progress, "load_ragged") as archive:
        if not zipfile.is_zipfile(archive):
            raise ValueError("the file is not a zip archive")
        archive.seek(0)
        with np.load(archive, allow_pickle=False) as entries:
            if LAYOUT not in entries:
                raise ValueError("it holds no ragged arrays: read matrices with load_npz, other arrays with numpy.load")
            arrays: dict[Any, Any] = {}
            return _build(json.loads(str(entries[LAYOUT].item())), entries, arrays)


def _build(layout, entries, arrays):
    """Return the array or records that JSON describes; what was read before is shared.

    An array has a name in each ragged array once: a small file could describe many levels else, each of which takes memory.
    """
    if "fields" in layout:
        return {key: _build(value, entries, arrays) for key, value in layout["fields"].items()}
    parts = layout["values"], *layout.get("offsets", ())
    if len(set(parts)) < len(parts):
        raise ValueError(f"a ragged array names an entry twice: {', '.join(f'array_{k}' for k in parts)}")
    for k in parts:
        if k not in arrays:
            arrays[k] = _check(f"array_{k}", entries[f"array_{k}"], has_rows=k == parts[0] and "offsets" in layout)
    values = arrays[layout["values"]]
    if "offsets" not in layout:
        return values
    if parts not in arrays:
        arrays[parts] = Ragged._sharing(values, *(arrays[k] for k in layout["offsets"]))
        arrays.update(zip(layout["offsets"], arrays[parts].offsets, strict=True))  # in the dtype that they are used in
    return arrays[parts]


def _check(name, x, has_rows):
    """Return an entry of a file as an array in the byte order of this machine; NumPy returns others as bytes.

    The elements of an array of values may be rows.
    """
    if not isinstance(x, np.ndarray) or x.ndim < 1 or (x.ndim > 1 and not has_rows) or x.dtype.newbyteorder("=") not in DTYPES:
        raise ValueError(f"{name} must be an array of one axis of numbers, got {getattr(x, 'dtype', type(x).__name__)}")
    return x.astype(x.dtype.newbyteorder("="), copy=False)
