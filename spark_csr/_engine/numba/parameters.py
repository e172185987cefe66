"""The parameters of a kernel for GPUs, by Numba's calling convention, which is not documented.

Why: Numba's own launcher converts every array at every launch, so kernels are launched by CuPy, which knows nothing of Numba's
arguments. Source: `_prepare_args` in `numba.cuda.dispatcher`, the data models of arrays and complex numbers. Goes when Numba
launches as fast.
"""

import numpy as np

_COMPLEX = frozenset((complex, np.complex64, np.complex128))
_NUMBERS = frozenset((float, bool, *(np.dtype(code).type for code in "?bBhHiIlLqQefd"))) | _COMPLEX

_NO_HANDLE = np.uint64(0)
"""What Numba's array holds where it has no owner."""


def parts_of_array(x):
    """Return what numba-cuda's ABI asks for an array of one axis: two handles, size, element size, pointer, shape, stride."""
    size, width = x.size, x.itemsize
    return _NO_HANDLE, _NO_HANDLE, size, width, x, size, width


def look_over(args, views, parameters, kinds, parts=parts_of_array):
    """Append what each parameter is passed to `parameters`, and what decides its type to `kinds`.

    CuPy passes Python numbers as numbers of 64 bits. Numba's ABI for a complex number asks for its two parts, for an array by
    view for its `parts`. Numba's own types would take a hundred times longer to make than `kinds`.
    """
    for x in args:
        kind = type(x)
        if kind is int:
            kinds.append("q" if -(1 << 63) <= x < 1 << 63 else "Q")
            parameters.append(x)
        elif kind is tuple:
            kinds.append(len(x))
            look_over(x, views, parameters, kinds, parts)
        elif kind in _NUMBERS:
            kinds.append(kind)
            if kind in _COMPLEX:
                parameters += x.real, x.imag
            else:
                parameters.append(x)
        else:
            kinds.append(x.dtype.char)
            if views:
                parameters += parts(x)
            else:
                parameters.append(x)
