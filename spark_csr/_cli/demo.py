"""The command `demo`: `A @ x` on generated matrices of common patterns, checked and timed."""

from spark_csr import gallery
from spark_csr._array import parse_device
from spark_csr._cli import plot, table
from spark_csr._cli.errors import check_device
from spark_csr._cli.progress import Progress
from spark_csr._cli.time_product import device_copy_bandwidth, measure_product

ROUNDS = 5

SIZES = {
    "small": {"side": 12, "scale": 9, "rows": 1000},
    "medium": {"side": 100, "scale": 18, "rows": 500_000},
    "large": {"side": 256, "scale": 22, "rows": 4_000_000},
}


def matrices(size, dtype):
    """Return pairs of a name and a function that makes the matrix."""
    side, scale, rows = size["side"], size["scale"], size["rows"]
    return [
        (f"Poisson {side}^3", lambda: gallery.poisson((side,) * 3, dtype)),
        (f"R-MAT scale {scale}", lambda: gallery.rmat(scale, dtype=dtype)),
        ("uniform, 16 a row", lambda: gallery.uniform(rows, rows, 16, dtype=dtype)),
    ]


def run(options):
    """Print the table; draw it if that is asked for."""
    check_device(options.device)
    if options.plot:
        plot.check(options.plot)
    work = matrices(SIZES[options.size], options.dtype)
    found = []
    with Progress(1 + len(work) * (2 + ROUNDS)) as progress:
        progress.say("measuring the bandwidth of a copy")
        copy = device_copy_bandwidth(options.device)
        progress.tick()
        for name, make in work:
            progress.say(f"{name}: generating")
            A = make()
            progress.tick()
            progress.say(f"{name}: checking and timing (the first call compiles)")
            found.append(measure_product(name, A, options.device, copy, progress.tick, ROUNDS))
    print(heading(options.device, copy))
    print(table.format_results(found))
    if options.plot:
        plot.draw(found, copy, options.plot)
        print(f"drawn in {options.plot}")
    return 0 if all(r.agrees for r in found) else 1


def heading(device, copy):
    """Return a text that says what the columns mean on this machine."""
    reference = "SciPy" if parse_device(device) is None else "CuPy"
    return (
        f"y = A @ x on {device}. A copy of memory runs at {copy / 1e9:.1f} GB/s here; 'of copy' compares with that.\n"
        f"'vs {reference}' is the speed-up over {reference}; 'check' compares the result with SciPy's.\n"
    )
