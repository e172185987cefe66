"""Let each allocation of an operation fail once: the memory of arrays, or Python's objects. A program that a test starts.

    python tests/failing_allocations.py [--objects]

It ends with status 0 if every call either raised MemoryError or gave the right result, and the next call gave it as well. It
prints how many allocations failed, or what was wrong. Where it crashes, the last line names the operation.

The allocator of NumPy's arrays fails by a handler (see NEP 49 of NumPy), that of Python's objects by `_testcapi.set_nomemory`.
Python 3.11 survives the latter. 3.13.0 crashes where a generator cannot be made, and NumPy 2.4 where an array is indexed by
positions of another dtype than `intp`.
"""

import ctypes
import faulthandler
import sys
import warnings

import numpy as np
import scipy.sparse

from spark_csr import Ragged, csr_array, graph, linalg, primitives

MOST = 5000
"""More allocations than any operation makes."""

ENOUGH = 3
"""Calls in a row that nothing disturbs: there are no more allocations. One can be of something that is not needed."""


class Allocator(ctypes.Structure):
    """NumPy's `PyDataMem_Handler`."""

    NEW = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    ZEROS = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    RESIZE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    _fields_ = [
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", NEW),
        ("calloc", ZEROS),
        ("realloc", RESIZE),
        ("free", ctypes.c_void_p),
    ]


class FailingArrays:
    """An allocator of the memory of arrays that can refuse one of its calls, and leaves the others to NumPy's own."""

    SET_HANDLER, GET_HANDLER, NAME = 304, 305, b"mem_handler"
    """Where `PyDataMem_SetHandler` and its counterpart are in the table of NumPy's functions; what their argument is called."""

    def __init__(self):
        self.left, kind = -1, ctypes.pythonapi
        kind.PyCapsule_New.restype, kind.PyCapsule_GetPointer.restype = ctypes.py_object, ctypes.c_void_p
        kind.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        kind.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        table = kind.PyCapsule_GetPointer(np._core._multiarray_umath._ARRAY_API, None)
        table = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        usual = ctypes.PYFUNCTYPE(ctypes.py_object)(table[self.GET_HANDLER])()
        usual = Allocator.from_address(kind.PyCapsule_GetPointer(usual, self.NAME))
        self.handler = Allocator(
            usual.name,
            usual.version,
            usual.context,
            Allocator.NEW(lambda *args: None if self.fails() else usual.malloc(*args)),
            Allocator.ZEROS(lambda *args: None if self.fails() else usual.calloc(*args)),
            Allocator.RESIZE(lambda *args: None if self.fails() else usual.realloc(*args)),
            usual.free,
        )
        set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[self.SET_HANDLER])
        set_handler(kind.PyCapsule_New(ctypes.addressof(self.handler), self.NAME, None))

    def fails(self):
        """Count one allocation; return whether it is the one that fails."""
        self.left -= 1
        return self.left == -1

    def start(self, k):
        """Let allocation `k` fail."""
        self.left = k

    def stop(self):
        """Let none fail."""
        self.left = -1


class FailingObjects:
    """The same for Python's objects, by CPython's own tests."""

    def __init__(self):
        self.hooks = __import__("_testcapi")

    def start(self, k):
        """Let allocation `k` fail."""
        self.hooks.set_nomemory(k, k + 1)

    def stop(self):
        """Let none fail."""
        self.hooks.remove_mem_hooks()


def operations():
    """Return thirty calls by name."""
    S = scipy.sparse.random_array((40, 30), density=0.2, rng=1, format="csr")
    A, B, coo = csr_array(S), csr_array(S.T.tocsr()), S.tocoo()
    Q, G = csr_array(S @ S.T + 9 * scipy.sparse.eye_array(40)), graph.Graph(abs(csr_array(S @ S.T)))
    x, y, X, R = np.arange(30.0), np.ones(40), np.ones((30, 3)), Ragged.from_lists([[3, 1], [2], [], [5, 4, 4]])
    offsets, order = np.array([0, 3, 3, 30]), np.arange(30)[::-1].copy()
    return {
        "A @ x": lambda: A @ x,
        "A @ X": lambda: A @ X,
        "A.T @ y": lambda: A.T @ y,
        "A @ B": lambda: (A @ B).toarray(),
        "A + A": lambda: (A + A).toarray(),
        "A * A": lambda: (A * A).toarray(),
        "A > 0.5": lambda: (A > 0.5).toarray(),
        "from COO": lambda: csr_array((coo.data, (coo.row, coo.col)), shape=S.shape).toarray(),
        "from dense": lambda: csr_array(X).toarray(),
        "tocsc": lambda: A.tocsc().toarray(),
        "sum rows": lambda: A.sum(axis=1),
        "sum columns": lambda: A.sum(axis=0),
        "max": lambda: A.max(axis=0).toarray(),
        "rows": lambda: A[[1, 3, 2]].toarray(),
        "columns": lambda: A[:, [3, 1]].toarray(),
        "assign": lambda: _assign(A.copy()).toarray(),
        "min_plus": lambda: A.matmul(x, semiring="min_plus"),
        "scan": lambda: primitives.inclusive_scan(x),
        "sort": lambda: primitives.sort(order),
        "argsort": lambda: primitives.argsort(order),
        "compact": lambda: primitives.compact(x, x > 5),
        "segmented_reduce": lambda: primitives.segmented_reduce(x, offsets),
        "right_flood": lambda: primitives.right_flood(order % 3),
        "R.sum": lambda: R.sum(axis=-1),
        "R.sort": lambda: R.sort(axis=-1).values,
        "combinations": lambda: (R.combinations(2)[0] * R.combinations(2)[1]).values,
        "cg": lambda: linalg.cg(Q, y)[0],
        "bfs": lambda: graph.bfs(G, 0)[0],
        "sssp": lambda: graph.sssp(G, 0, return_predecessors=False),
        "pagerank": lambda: graph.pagerank(G),
    }


def _assign(A):
    A[0] = A[1]
    return A


def count_failures(name, call, failing):
    """Let one allocation after the other fail until none is left; return how many failed. SystemExit says what is wrong."""
    wanted, failed, calm = call(), 0, 0
    for k in range(MOST):
        error = result = None
        failing.start(k)
        try:
            result = call()
        except (MemoryError, SystemError) as caught:  # CPython raises SystemError where C code forgot to say why it failed
            error = caught
        finally:
            failing.stop()
        if error is None and not np.array_equal(result, wanted):
            sys.exit(f"{name}: wrong where allocation {k} fails")
        if not np.array_equal(call(), wanted):
            sys.exit(f"{name}: wrong after allocation {k} failed")
        failed, calm = failed + (error is not None), 0 if error is not None else calm + 1
        if calm == ENOUGH:
            return failed
    return sys.exit(f"{name}: more than {MOST} allocations")


def main():
    """Run all."""
    faulthandler.enable()
    warnings.simplefilter("ignore")  # of what changes the pattern of a matrix
    calls = operations()
    for call in calls.values():
        call()
    failing, total = (FailingObjects if "--objects" in sys.argv else FailingArrays)(), 0
    for name, call in calls.items():
        print(name, flush=True)
        total += count_failures(name, call, failing)
    print(total, "allocations failed")


if __name__ == "__main__":
    main()
