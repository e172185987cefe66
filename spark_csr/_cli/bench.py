"""The command `bench FILE...`: `A @ x` on the user's own matrices."""

import dataclasses
import json
import os

import numpy as np

from spark_csr._cli import table
from spark_csr._cli.demo import ROUNDS, heading
from spark_csr._cli.errors import CommandError, check_device, one_line
from spark_csr._cli.progress import Progress
from spark_csr._cli.time_product import device_copy_bandwidth, measure_product
from spark_csr.io import load_npz, mmread

READERS = {".npz": load_npz, ".mtx": mmread, ".mtx.gz": mmread, ".mtx.bz2": mmread}


def run(options):
    """Print a table, or JSON with the fields of `Result` for each file."""
    check_device(options.device)
    readers = [reader_of(path) for path in options.files]
    found = []
    with Progress(1 + len(options.files) * (2 + ROUNDS)) as progress:
        progress.say("measuring the bandwidth of a copy")
        copy = device_copy_bandwidth(options.device)
        progress.tick()
        for path, read in zip(options.files, readers, strict=True):
            name = os.path.basename(path)
            progress.say(f"{name}: reading")
            A = load(path, read, options.dtype)
            progress.tick()
            progress.say(f"{name}: checking and timing (the first call compiles)")
            found.append(measure_product(name, A, options.device, copy, progress.tick, ROUNDS))
    if options.json:
        print(json.dumps([dataclasses.asdict(r) for r in found], indent=2))
    else:
        print(heading(options.device, copy))
        print(table.format_results(found))
    return 0 if all(r.agrees for r in found) else 1


def reader_of(path):
    """Return the function that reads files of this name; raise a `CommandError` if there is none, or no such file."""
    for ending, reader in READERS.items():
        if path.lower().endswith(ending):
            if not os.path.exists(path):
                raise CommandError(f"{path}: no such file")
            return reader
    raise CommandError(f"{path}: unknown file format: use one of {', '.join(READERS)}")


def load(path, read, dtype):
    """Return the matrix in a file, with values of `dtype` if one is given."""
    try:
        A = read(path).tocsr()
    except (ValueError, TypeError, MemoryError, OSError) as error:
        text = one_line(error)
        raise CommandError(text if path in text else f"{path}: {text}") from None
    if dtype is None:
        return A if A.dtype != np.float16 else A.astype(np.float32)  # SciPy cannot multiply float16
    if not np.can_cast(A.dtype, dtype, "same_kind"):
        raise CommandError(f"{path}: the dtype {A.dtype} cannot be converted to --dtype {dtype} without loss")
    cast = A.astype(dtype, copy=False)
    if cast.dtype.kind == "i" and not np.array_equal(cast.data, A.data):
        raise CommandError(f"{path}: some values cannot be converted to --dtype {dtype} without loss")
    return cast
