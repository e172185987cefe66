"""Room for results whose size depends on the data."""


def allocate_array(xp, size, dtype, what):
    """An uninitialised array; MemoryError that says what it was to hold, where the library refuses it in other words."""
    try:
        return xp.empty(size, dtype)
    except (MemoryError, ValueError, OverflowError) as error:
        raise MemoryError(f"{what} need {size * dtype.itemsize / 2**30:,.1f} GiB, which could not be allocated") from error
