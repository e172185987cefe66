"""What `help` and editors show of the public names."""

import importlib
import inspect

import pytest

PACKAGES = ["spark_csr", *(f"spark_csr.{name}" for name in ("gallery", "graph", "io", "linalg", "primitives"))]
NAMES = [(package, name) for package in PACKAGES for name in importlib.import_module(package).__all__]


@pytest.mark.parametrize("package, name", NAMES)
def test_functions_show_their_own_parameters(package, name):
    """Functions that run on the device of their arguments (`functions_on_their_device`) keep their signature and docstring."""
    function = getattr(importlib.import_module(package), name)
    if not inspect.isfunction(function):
        return
    signature = inspect.signature(function)
    assert signature == inspect.signature(inspect.unwrap(function))
    assert not {"args", "options"} <= set(signature.parameters)
    assert function.__doc__
    assert function.__name__ == name
    assert function.__annotations__ == inspect.unwrap(function).__annotations__


@pytest.mark.parametrize("package", ["spark_csr", "spark_csr.gallery", "spark_csr.io", "spark_csr.primitives"])
def test_a_package_lists_its_names(package):
    module = importlib.import_module(package)
    assert not [name for name in module.__all__ if f"`{name}`" not in module.__doc__ and not name.startswith("__")]
