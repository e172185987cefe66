"""Which modules tell Numba what a function is, for functions that are plain Python to everybody else."""

_sources = {}


def note_sources(function, *modules):
    """Note the names of the modules that tell Numba what a function is: kernels on disk are named after their sources too."""
    _sources[function] = modules


def sources_of(function):
    """Return the names of the modules that tell Numba what a function is, besides its own."""
    return _sources.get(function, ())
