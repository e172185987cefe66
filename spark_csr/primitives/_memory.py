"""Allocate results whose size depends on the data."""


def allocate_array(xp, size, dtype, what):
    """Return an uninitialised array; if it cannot be allocated, raise MemoryError that says what it was to hold."""
    try:
        return xp.empty(size, dtype)
    except (MemoryError, ValueError, OverflowError) as error:
        raise MemoryError(f"{what} need {size * dtype.itemsize / 2**30:,.1f} GiB, which could not be allocated") from error
