"""Where our matrices differ from `scipy.sparse`'s on purpose, each with its reason. Nothing else differs."""

MISSING = {}
"""Public names of SciPy's classes that ours lack."""

OF_CALLS = {}
"""Calls, by format and name in `test_as_scipy`, that give something else."""

OF_DTYPES = {}
"""Calls, by dtype and name, that give something else."""

OF_VECTORS = {}
"""Calls, by format and name, that give something else for vectors."""
