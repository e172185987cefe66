"""One product `A @ x`: its operand, the bytes that it must move, its check against SciPy, and its time."""

import dataclasses

import numpy as np

from spark_csr._array import parse_device, to_device
from spark_csr._cli import measure


@dataclasses.dataclass
class Result:
    """One line of the table. Times in seconds, bandwidth in bytes per second."""

    matrix: str
    rows: int
    columns: int
    nnz: int
    dtype: str
    device: str
    seconds: float
    bandwidth: float
    share_of_copy: float
    reference: str
    speedup: float
    agrees: bool


def make_operand(A, columns=None, seed=0):
    """Return a dense vector, or a matrix of `columns` columns, to multiply `A` with.

    Its dtype is that of `A`; its values are in [0, 1), or integers from 1 to 9.
    """
    rng = np.random.default_rng(seed)
    size = A.shape[1] if columns is None else (A.shape[1], columns)
    if A.dtype.kind in "iu":
        return rng.integers(1, 10, size, A.dtype)
    if A.dtype.kind == "b":
        return np.ones(size, bool)
    x = rng.random(size)
    return (x + 1j * rng.random(size) if A.dtype.kind == "c" else x).astype(A.dtype)


def bytes_moved(A, columns=1):
    """Return the bytes of a product if every array is read or written once: `nnz*(value+index) + rows*(indptr+y) + cols*x`."""
    value = A.dtype.itemsize
    return (
        A.nnz * (value + A.indices.itemsize) + A.shape[0] * (A.indptr.itemsize + columns * value) + A.shape[1] * columns * value
    )


def agree(y, expected, S, x):
    """Return whether two ways to compute `S @ x` differ by no more than rounding allows.

    NaN and infinities must be at the same positions. The bound is `2 * n * eps` times the sum of absolute products, for a row
    of `n` entries: Higham, *Accuracy and Stability of Numerical Algorithms*, 2002.
    """
    if y.shape != expected.shape or y.dtype != expected.dtype:
        return False
    with np.errstate(all="ignore"):
        same = (y == expected) | ((y != y) & (expected != expected))
        if y.dtype.kind in "biu" or same.all():
            return bool(same.all())
        entries = np.diff(S.indptr).reshape(-1, *[1] * (y.ndim - 1)) + 2
        bound = 2 * entries * np.finfo(y.dtype).eps * (abs(S) @ abs(x))
        return bool((same | ((abs(y - expected) <= bound) & np.isfinite(expected))).all())


def measure_product(name, A, device, copy_bandwidth, tick=lambda: None, rounds=5):
    """Return the `Result` of `A @ x` on a device, checked and timed beside SciPy on the cores or CuPy on a GPU.

    `tick` is called after the check, and after each of `rounds` rounds of timing.
    """
    S, x = A.to_scipy(), make_operand(A)
    expected = S @ x
    there, x_there = A.to_device(device), to_device(x, device)
    ours = there @ x_there
    right = agree(to_device(ours, "cpu"), expected, S, x)
    tick()
    if parse_device(device) is None:
        reference, functions, time_rounds = "SciPy", [lambda: A @ x, lambda: S @ x], measure.time_rounds
    else:
        from spark_csr._cli import gpu

        C = there.copy().to_cupy()  # CuPy sorts and merges in place
        reference, functions, time_rounds = "CuPy", [lambda: there @ x_there, lambda: C @ x_there], gpu.time_rounds
    seconds = time_rounds(functions, rounds=rounds, after_round=tick)
    ours = float(np.median(seconds[:, 0]))
    bandwidth = bytes_moved(A) / ours
    return Result(
        name,
        *A.shape,
        A.nnz,
        str(A.dtype),
        device,
        ours,
        bandwidth,
        bandwidth / copy_bandwidth,
        reference,
        measure.speedup(seconds, of=0, over=1),
        right,
    )


def device_copy_bandwidth(device):
    """Return the bytes per second of a copy on `device`."""
    if parse_device(device) is None:
        return measure.copy_bandwidth()
    from spark_csr._cli import gpu

    return gpu.copy_bandwidth()
