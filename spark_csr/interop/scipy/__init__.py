"""Use all cores in code that exists: SciPy's own matrices compute with the kernels of this package, and nothing else changes.

`patch` puts functions of this package in the places of those that do the work in `scipy.sparse`: products, conversions, sums of
rows, slices of rows, components and distances of graphs, `cg` and `gmres`. Classes, formats, dtypes, shapes, warnings and
exceptions stay SciPy's. What is small, of an unusual dtype or layout, or not faster here goes to SciPy's own function, always;
`report` says what did and why.

- `patch`, `unpatch`: switch this on and off for the process
- `patched`: switch it on for a block of code
- `report`: count what was computed here, and what SciPy computed and why
- ``python -m spark_csr run program.py``, ``python -m spark_csr run -m module``: run a program with the patch, and the processes
  that it starts
- ``%load_ext spark_csr``: the same in IPython and Jupyter

Examples
--------
>>> import scipy.sparse
>>> from spark_csr.interop.scipy import patched
>>> A = scipy.sparse.eye_array(3, format="csr")
>>> with patched():
...     print(type(A @ A).__name__, (A @ [1.0, 2, 3]).tolist())
csr_array [1.0, 2.0, 3.0]
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from spark_csr.interop.scipy import _forms, _graphs, _products, _solvers, _switch  # noqa: F401 they list what stands in for what
from spark_csr.interop.scipy._switch import ABSENT, STATE, SUBSTITUTES, bind, unbind

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Report", "patch", "patched", "report", "unpatch"]

_blocks, _stays = 0, False


def patch() -> None:
    """Let SciPy's matrices compute with the kernels of this package from now on.

    Calling it again changes nothing.

    Notes
    -----
    *Cost*: some milliseconds. The first call of a function for a dtype may wait until its kernel is compiled; it is then kept
    on disk. A call that is too small to gain takes about 0.2 microseconds longer. From which size on calls gain is measured
    once, when the first call of at least 8192 entries is made; the environment variable ``SPARK_CSR_PATCH_FROM`` gives a number
    of entries instead.

    *Results* have the same classes, shapes, dtypes and patterns. Sums of floats may differ in their last bits, since they are
    added in another order: that of a row does not depend on the number of threads. Rows of products `A @ B` are sorted, which
    SciPy's are not. Arrays may be written into between two calls: no plan is kept with a matrix, but for products of a CSC
    matrix with eight vectors or more, whose copy by rows is compared with its arrays first. Column indices that are out of
    range are found by conversions, which leave such matrices to SciPy; a product reads them, as SciPy's does.

    Functions are replaced in all modules that have imported them. Modules that compute in their own C or Cython code, such as
    those of scikit-learn's KMeans, are not affected.
    """
    global _stays
    with _switch.lock:
        _stays = True
        bind()


def unpatch() -> None:
    """Let SciPy's matrices compute as before; within a block of `patched`, from its end on."""
    global _stays
    with _switch.lock:
        _stays = False
        if not _blocks:
            unbind()


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Let SciPy's matrices compute with the kernels of this package within a block, in all threads of the process.

    Blocks may be nested. See `patch` for what changes and what does not.
    """
    global _blocks
    with _switch.lock:
        _blocks += 1
        bind()
    try:
        yield
    finally:
        with _switch.lock:
            _blocks -= 1
            if not (_blocks or _stays):
                unbind()


class Report(dict[str, tuple[int, dict[str, int]]]):
    """By the name of each function: how many calls were computed here, and how many SciPy computed for which reason.

    Calls that are too small are not counted, and calls of several threads at once may be counted as one. Printing a report
    prints a table.
    """

    def __str__(self) -> str:
        lines = [f"{'patched' if STATE.on else 'not patched'}; {'computed here':>14} {'left to SciPy':>14}"]
        for name, (calls, returned) in self.items():
            lines.append(f"{name:26} {calls:14d} {sum(returned.values()):14d}")
            lines += [f"{'':58} {count} x {reason}" for reason, count in returned.items()]
        return "\n".join([*lines, *(f"{name:26} not replaced: {why}" for name, why in ABSENT.items())])


def report() -> Report:
    """Return what was computed here, and what SciPy computed and why, since the process began.

    Returns
    -------
    Report
        A dictionary of (calls, reasons) by the name of the function in SciPy.

    Examples
    --------
    >>> from spark_csr.interop.scipy import report
    >>> calls, left = report()["csr_tocsc"]
    >>> calls >= 0
    True
    """
    return Report({each.name: (each.calls, dict(each.returned)) for each in SUBSTITUTES.values()})
