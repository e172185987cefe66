"""Room for results whose size depends on the data."""


def allocate_array(xp, size, dtype, what):
    """Return an uninitialised array; raise MemoryError that says what it was to hold, where the library raises another
    error."""
    try:
        return xp.empty(size, dtype)
    except (MemoryError, ValueError, OverflowError) as error:
        raise MemoryError(f"{what} need {size * dtype.itemsize / 2**30:,.1f} GiB, which could not be allocated") from error
