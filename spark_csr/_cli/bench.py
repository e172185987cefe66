"""The command `bench`: `A @ x` on the user's own matrices, or on generated matrices of many sizes."""

import dataclasses
import importlib.util
import json
import os

import numpy as np

from spark_csr._cli import plot, sizes, table
from spark_csr._cli.demo import ROUNDS, heading
from spark_csr._cli.errors import CommandError, check_device, one_line
from spark_csr._cli.progress import Progress
from spark_csr._cli.time_product import device_copy_bandwidth, measure_product
from spark_csr.io import load_npz, mmread

PICTURE = "spark_csr_bench.png"
"""Where products over sizes are drawn if nobody says where."""

READERS = {".npz": load_npz, ".mtx": mmread, ".mtx.gz": mmread, ".mtx.bz2": mmread}


def run(options):
    """Print a table, or JSON with the fields of `Result` for each file."""
    check_device(options.device)
    if not options.files and not options.plot and not options.json and importlib.util.find_spec("matplotlib"):
        options.plot = PICTURE
        if os.path.exists(PICTURE):
            raise CommandError(f"{PICTURE} is here already: give --plot PICTURE, which is written over")
    if options.plot:
        plot.check(options.plot)
    if not options.files:
        return run_sizes(options)
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
    if options.plot:
        plot.draw(found, copy, options.plot)
        announce(options)
    return 0 if all(r.agrees for r in found) else 1


def run_sizes(options):
    """Time products of generated matrices over their sizes, print a table, or JSON, and draw it if matplotlib is here."""
    dtype, found = options.dtype or "float64", []
    with Progress(1 + len(sizes.SIDES)) as progress:
        progress.say("measuring the bandwidth of a copy")
        copy = device_copy_bandwidth(options.device)
        progress.tick()
        for side in sizes.SIDES:
            progress.say(f"Laplacian of {side}^3 points (the first call compiles)")
            found += sizes.measure_size(side, options.device, dtype, ROUNDS)
            progress.tick()
    if options.json:
        print(json.dumps([dataclasses.asdict(timing) for timing in found], indent=2))
    else:
        print(f"y = A @ x on {options.device}, {dtype}, {found[0].matrix}; a copy runs at {copy / 1e9:.1f} GB/s here\n")
        print(table.format_sizes(found))
    if options.plot:
        plot.draw_sizes(found, copy, options.plot)
        announce(options)
    return 0 if all(timing.agrees for timing in found) else 1


def announce(options):
    """Say where the picture is, but not in the middle of JSON."""
    if not options.json:
        print(f"drawn in {options.plot}")


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
