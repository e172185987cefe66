"""SciPy's names that are not here say what to use."""

import pytest

import spark_csr
from spark_csr import linalg


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


def test_only_absent_names_have_hints():
    assert not [name for name in spark_csr._absent.HINTS if name in dir(spark_csr)]
    assert not [name for name in spark_csr._absent.LINALG if name in dir(linalg)]
