"""`nvmath.sparse.advanced`, as far as this package calls it: its signatures and checks, and NumPy's dense solver.

Signatures and rules are those of nvmath-python 1.0, in nvmath/sparse/advanced/direct_solver.py, whose lines are named;
`tests/linalg/test_cudss.py` compares them with nvmath's where that is installed. It is no part of `install()`.
"""

import enum
import sys

import numpy as np

from .array import ndarray

VALID_DTYPES = ("float32", "float64", "complex64", "complex128")


class DirectSolverMatrixType(enum.IntEnum):
    """As `cudssMatrixType_t`."""

    GENERAL, SYMMETRIC, HERMITIAN, SPD, HPD = range(5)


class Info:
    """As `FactorizationInfo`: cudss_data_ifc.py:196. Here a pivot is too small for each rank that a matrix lacks."""

    def __init__(self, dense):
        self.info, self.npivots = 0, len(dense) - int(np.linalg.matrix_rank(dense))


class DirectSolver:
    """A solver whose `state` says which call came last."""

    def __init__(self, a, b, *, options=None, execution=None, stream=None):
        if type(a).__module__.split(".")[0] not in ("cupyx", "cupy_stand_in") or a.format != "csr":  # 144 to 168
            raise TypeError("The LHS must be an N-D sparse CSR array/tensor")
        if a.indptr.dtype.name not in ("int32", "int64") or a.dtype.name not in VALID_DTYPES:  # 711 to 724
            raise TypeError(f"The dtype (value type) {a.dtype} is not supported.")
        self.type = DirectSolverMatrixType(options["sparse_system_type"])
        assert a.get().has_canonical_format, "columns that ascend, each once: this package's own rule"
        self.dense, self.state = a.get().toarray(), "new"
        self._check(b)
        self.b, self.shape, self.strides = b, b.shape, b.strides
        wrong = {1: self.dense.T, 2: self.dense.conj().T}.get(self.type, self.dense)
        assert np.array_equal(wrong, self.dense), "a matrix that is not what it is said to be"

    def _check(self, b):
        """An RHS has columns side by side, in as much memory as they need: 90 to 130, and `ld = m` in cudss_utils.py:99."""
        n, steps = len(b), [step // b.itemsize for step in b.strides]
        if not isinstance(b, ndarray) or steps[0] != 1 or (b.shape[1:] > (1,) and steps[1] != n):
            raise TypeError("The RHS must be a matrix or vector with col-major layout")
        if len(b) != len(self.dense):
            raise TypeError("The extent N corresponding to the number of equations is not consistent")
        if b.dtype != self.dense.dtype:
            raise TypeError(f"The LHS dtype {self.dense.dtype} does not match the RHS dtype {b.dtype}.")

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.free()

    def _after(self, *states):
        if self.state not in states:
            raise RuntimeError(f"{states} must come first, but the solver is {self.state}")

    def plan(self, *, stream=None):
        """1096."""
        self._after("new")
        self.state = "planned"

    def factorize(self, *, stream=None):
        """1649."""
        self._after("planned")
        self.state = "factorized"
        return Info(self.dense)

    def reset_operands(self, *, a=None, b=None, stream=None):
        """An RHS of the same shape, strides and dtype: 836."""
        self._after("factorized")
        self._check(b)
        if (b.shape, b.strides) != (self.shape, self.strides):
            raise TypeError("The shape or the strides of 'b' don't match the original one")
        self.b = b

    def solve(self, *, stream=None):
        """A result in the layout of the RHS: 1751."""
        self._after("factorized")
        cupy = sys.modules["cupy"]
        return cupy.asarray(np.linalg.solve(self.dense, self.b.get()).T.copy()).T

    def free(self):
        """1905."""
        self.state = "freed"
