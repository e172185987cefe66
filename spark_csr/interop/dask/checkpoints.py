"""Vectors of an iteration in files, so that it can go on where it was lost.

Design: the names of files are made of the name of the run, the iteration and the block. So no run writes into the files of
another, and `checkpoint.json` names no file: it holds what the names are made of. A run removes its own files of before, and
those that were there when it began: files of a run that began later may be about to be described.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import re
import uuid
from functools import partial

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr._array import to_device
from spark_csr._files import UNFINISHED, open_plain, replace_file
from spark_csr.interop.dask.graphs import compute, make_layer
from spark_csr.io._block_formats import map_array, write_array

OURS = re.compile(r"x-[0-9a-f]{32}-\d+-\d+\.npy")
"""Names of the files of vectors."""


def saver(folder, matrix, position):
    """Return a function that writes a vector of the states, and then says in `checkpoint.json` that it is complete.

    Without a folder it is None. Raises FileExistsError if `checkpoint.json` in the folder describes something else.
    """
    if folder is None:
        return None
    folder = pathlib.Path(folder)
    if os.path.lexists(folder / "checkpoint.json"):
        try:
            _read_description(folder / "checkpoint.json")
        except (FileNotFoundError, IsADirectoryError, ValueError) as error:
            raise FileExistsError(f"{folder} holds something else (checkpoint.json): choose another folder ({error})") from None
    folder.mkdir(parents=True, exist_ok=True)
    run, old = uuid.uuid4().hex, set(filter(_is_ours, os.listdir(folder)))

    def save(states, decision):
        iteration = decision["iteration"]
        layer = f"save-{tokenize(states.layer, states.keys, str(folder), run)}"
        files = _names(run, iteration, len(states.keys))
        rows = list(itertools.pairwise(matrix.offsets[0].tolist()))
        made = {
            (layer, i): (partial(_write, str(folder / files[i]), position, i, rows[i]), key)
            for i, key in enumerate(states.keys)
        }
        (found,) = compute(make_layer(layer, made, [states], matrix._homes))
        for error in filter(None, found):
            for name in files:
                (folder / name).unlink(missing_ok=True)
            raise error
        told = {"run": run, "iteration": iteration, "value": float(decision["value"]), "lengths": matrix.chunks[0]}
        about = folder / "checkpoint.json"
        with _name_errors(f"the description of the checkpoint was not written to {about}"), replace_file(about) as file:
            file.write(json.dumps(told).encode())
        for name in os.listdir(folder):
            of_this_run = name.startswith((f"x-{run}-", f".x-{run}-")) and _is_ours(name)
            if (of_this_run or name in old) and name not in files:  # others may be those of a run that goes on
                (folder / name).unlink(missing_ok=True)

    return save


def _is_ours(name):
    """Return whether a file has the name of a vector, or of a file that was not finished."""
    return OURS.fullmatch(name) or (name.startswith((".x-", ".checkpoint.json.")) and UNFINISHED.fullmatch(name))


def _names(run, iteration, count):
    return [f"x-{run}-{iteration}-{i}.npy" for i in range(count)]


def _write(file, position, number, rows, state):
    """Write a vector whole or not at all: whoever repeats the task writes the same. Return an exception, see `files._save`."""
    x = np.ascontiguousarray(to_device(state.vectors[position], "cpu"))
    what = f"block {number} of the checkpoint, rows {rows[0]}:{rows[1]} and {x.nbytes} bytes, was not written to {file}"
    try:
        with _name_errors(what), replace_file(file) as stream:
            write_array(stream, x)
    except OSError as error:
        return error
    return None


@contextlib.contextmanager
def _name_errors(what):
    """Let errors of the system say what was not written."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{what}: {error.strerror or error}") from error


def read_checkpoint(folder: str | os.PathLike[str]) -> da.Array:
    """Return the vector that a solver wrote last into the folder of its parameter `checkpoint`.

    Parameters
    ----------
    folder : path
        The folder, which all workers can read.

    Returns
    -------
    (n,) dask.array.Array
        The vector, for the parameter `x0` of the solver. It is read when it is computed: do so before the solver writes into
        the folder again, for example by ``x.persist()``.

    Raises
    ------
    FileNotFoundError
        If the folder has no complete checkpoint.
    ValueError
        If the checkpoint, or when the vector is computed a file, is damaged; the message names the file.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import from_csr
    >>> from spark_csr.interop.dask.linalg import cg, read_checkpoint
    >>> A, b = from_csr(poisson((20, 20)), blocks=2).persist(), np.ones(400)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = cg(A, b, maxiter=20, checkpoint=folder)
    ...     x0 = read_checkpoint(folder).persist()
    >>> cg(A, b, x0, rtol=1e-8)[1]
    0
    """
    folder = pathlib.Path(folder)
    about = folder / "checkpoint.json"
    if not about.exists():
        raise FileNotFoundError(f"{folder} has no complete checkpoint: it has no file checkpoint.json")
    run, iteration, lengths = _read_description(about)
    files = [str(folder / name) for name in _names(run, iteration, len(lengths))]
    dtype = _read(files[0], lengths[0], None).dtype
    parts = [
        da.from_delayed(dask.delayed(_read)(file, length, dtype), (length,), dtype=dtype)
        for file, length in zip(files, lengths, strict=True)
    ]
    return da.concatenate(parts)


def _read_description(about):
    """Return the run, the iteration and the lengths of the parts of a vector that a file describes."""
    try:
        with open_plain(about, encoding="utf-8") as file:
            told = json.load(file)
        run, iteration, lengths = told["run"], told["iteration"], told["lengths"]
        if not re.fullmatch("[0-9a-f]{32}", run):
            raise ValueError(f"the run {run!r} is no name that a solver gives")
        if not lengths or any(type(n) is not int or n < 0 for n in (iteration, *lengths)):
            raise ValueError(f"iteration and lengths must be integers from 0 on, got {iteration!r} and {lengths!r}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"{about}: this describes no checkpoint, or it is damaged: {error!r}") from None
    return run, iteration, lengths


def _read(file, length, dtype):
    """Return a part of a vector."""
    try:
        part = np.array(map_array(file))
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}") from error
    if part.size != length or part.dtype != (dtype or part.dtype):
        raise ValueError(f"{file} holds {part.size} numbers of {part.dtype}, and the checkpoint has {length} of {dtype} there")
    return part
