"""SciPy's names that are not here say what to use, however they are asked for."""

import importlib.util

import pytest
import scipy.sparse

import spark_csr
from spark_csr import _absent, linalg

PAIRS = [(spark_csr, scipy.sparse), (linalg, scipy.sparse.linalg)]


def absent_names(ours, theirs):
    """Return the public names of a package of SciPy that ours lacks.

    SciPy's other classes are given on. `test` runs SciPy's own tests, and `eigen`, an old module of SciPy, is the name of one
    of our modules.
    """
    public = {name for name in dir(theirs) if not name.startswith("_")} | set(theirs.__all__)
    given = spark_csr._SCIPYS if ours is spark_csr else set()
    return sorted(public - set(dir(ours)) - given - {"test", "eigen"})


ABSENT = [(ours.__name__, name) for ours, theirs in PAIRS for name in absent_names(ours, theirs)]


@pytest.mark.parametrize(
    "module, name, hint",
    [
        (spark_csr, "eye", "use eye_array"),
        (spark_csr, "csgraph", "A.to_scipy"),
        (spark_csr, "nonsense", "no attribute 'nonsense'$"),
        (linalg, "matrix_power", "A.to_scipy"),
        (linalg, "nonsense", "module 'spark_csr.linalg' has no attribute 'nonsense'$"),
    ],
)
def test_hints(module, name, hint):
    with pytest.raises(AttributeError, match=hint):
        getattr(module, name)


@pytest.mark.parametrize("module, name", ABSENT)
def test_every_name_of_scipy_has_a_hint(module, name):
    package = importlib.import_module(module)
    assert not hasattr(package, name)
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute '{name}': ."):
        getattr(package, name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}' from '{module}': ."):
        exec(f"from {module} import {name}")
    with pytest.raises(ImportError, match=f"cannot import name '{name}' from '{module}': ."):
        importlib.import_module(f"{module}.{name}")
    assert importlib.util.find_spec(f"{module}.{name}") is None


def test_from_imports_give_the_hint():
    with pytest.raises(ImportError, match="cannot import name 'eye' from 'spark_csr': use eye_array"):
        from spark_csr import eye  # noqa: F401
    with pytest.raises(ImportError, match=r"cannot import name 'matrix_power' from 'spark_csr.linalg': .* A.to_scipy\(\)"):
        from spark_csr.linalg import matrix_power  # noqa: F401


def test_names_without_a_hint_fail_as_elsewhere():
    assert not hasattr(spark_csr, "nonsense")
    assert importlib.util.find_spec("spark_csr.nonsense") is None
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        from spark_csr import nonsense  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'spark_csr.nonsense'"):
        importlib.import_module("spark_csr.nonsense")


@pytest.mark.parametrize("package, hints", _absent.PACKAGES.items())
def test_only_absent_names_have_hints(package, hints):
    present = dir(importlib.import_module(package))
    assert not [name for name in hints if name in present]
