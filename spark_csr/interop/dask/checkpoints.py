"""Vectors of an iteration in files, so that it can go on where it was lost."""

from __future__ import annotations

import json
import os
import pathlib
from functools import partial
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import tokenize

from spark_csr.interop.dask.graphs import compute, make_layer


def saver(folder, matrix, position):
    """Return a function that writes a vector of the states, and then says in `checkpoint.json` that it is complete.

    Without a folder it is None.
    """
    if folder is None:
        return None
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    about = folder / "checkpoint.json"

    def save(states, decision):
        iteration = decision["iteration"]
        layer = f"save-{tokenize(states.layer, states.keys, str(folder))}"
        files = [f"x-{iteration}-{i}.npy" for i in range(len(states.keys))]
        made = {(layer, i): (partial(_write, str(folder / files[i]), position), key) for i, key in enumerate(states.keys)}
        compute(make_layer(layer, made, [states], matrix._homes))
        before = json.loads(about.read_text())["files"] if about.exists() else []
        told = {"iteration": iteration, "value": float(decision["value"]), "lengths": matrix.chunks[0], "files": files}
        partly = folder / "checkpoint.json.part"
        partly.write_text(json.dumps(told))
        os.replace(partly, about)
        for name in set(before) - set(files):
            (folder / name).unlink(missing_ok=True)

    return save


def _write(file, position, state):
    """Write a vector to a file of another name, which is then renamed: whoever repeats the task writes the same."""
    partly = f"{file}.{os.getpid()}.part"
    with open(partly, "wb") as stream:
        np.save(stream, state.vectors[position])
    os.replace(partly, file)


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
    told: dict[str, Any] = json.loads(about.read_text())
    dtype = np.load(folder / told["files"][0], mmap_mode="r").dtype
    parts = [
        da.from_delayed(dask.delayed(np.load)(str(folder / name)), (length,), dtype=dtype)
        for name, length in zip(told["files"], told["lengths"], strict=True)
    ]
    return da.concatenate(parts)
