"""Refuse to be imported by any interpreter of the process but the main one.

Design: NumPy and Numba can be imported by a second interpreter if the first has not imported them, but the first call of a
kernel then waits forever inside of Numba's compiler. Cost: two calls at import.
"""

WHY = "where Numba's compiler waits forever: use threads or processes"

try:
    import ctypes
except ImportError as error:
    if "subinterpreters" in str(error):  # Python 3.12 loads ctypes in the main interpreter only
        raise ImportError(f"spark_csr cannot run in subinterpreters, {WHY}") from error
    raise


def require_main():
    """ImportError in a subinterpreter."""
    current, number = ctypes.pythonapi.PyInterpreterState_Get, ctypes.pythonapi.PyInterpreterState_GetID
    current.restype, number.argtypes, number.restype = ctypes.c_void_p, [ctypes.c_void_p], ctypes.c_int64
    found = number(current())
    if found:
        raise ImportError(f"spark_csr cannot run in subinterpreter {found}, {WHY}")


require_main()
