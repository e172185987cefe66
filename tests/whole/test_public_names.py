"""What `help` and editors show of the public names."""

import importlib
import inspect
import pickle

import pytest

import spark_csr
from spark_csr import Ragged, csr_array
from spark_csr._scipys import names_of
from spark_csr.graph import Graph

PACKAGES = ["spark_csr", *(f"spark_csr.{name}" for name in ("csgraph", "gallery", "graph", "io", "linalg", "primitives"))]
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


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: Graph.from_edges(), r"^from_edges\(\) missing 2 required positional arguments: 'source' and 'target'$"),
        (lambda: csr_array([[1]]).sum(rows=1), r"^sum\(\) got an unexpected keyword argument 'rows'"),
        (lambda: csr_array([[1]]).multiply(), r"^multiply\(\) missing 1 required positional argument: 'other'$"),
        (lambda: Ragged([1]).sort(1, 2), r"^sort\(\) takes from 1 to 2 positional arguments but 3 were given$"),
    ],
)
def test_wrong_arguments_name_no_internal_class(call, words):
    """A public class is made of several, whose names say nothing to users."""
    with pytest.raises(TypeError, match=words):
        call()


def test_methods_can_be_pickled():
    method = csr_array.sum
    assert pickle.loads(pickle.dumps(method)) is method


SCIPYS = {"": "scipy.sparse", ".csgraph": "scipy.sparse.csgraph", ".linalg": "scipy.sparse.linalg"}
"""The packages whose names are offered too."""

MODULES = ["", ".csgraph", ".gallery", ".graph", ".interop", ".io", ".linalg", ".partition", ".primitives"]
MODULES += [f".interop.{name}" for name in ("arrow", "awkward", "dask", "jax", "mpi", "networkx", "pyg", "torch")]


@pytest.mark.filterwarnings("ignore:`torch.jit.script:FutureWarning")  # torch_geometric 2.8 calls what torch 2.15 deprecates
@pytest.mark.parametrize("name", MODULES)
def test_only_public_names_are_offered(name):
    """Where a library is missing, there is no bridge to it."""
    try:
        module = importlib.import_module(f"spark_csr{name}")
    except ImportError as error:
        pytest.skip(str(error))
    scipys = SCIPYS.get(name)
    assert dir(module) == sorted({*module.__all__, *(names_of(scipys) if scipys else ())})


def test_the_package_itself_holds_no_names_of_others():
    """Editors that read the source offer all names without an underscore."""
    others = {name for name in vars(spark_csr) if not name.startswith("_")} - set(spark_csr.__all__)
    assert others == {"load_ipython_extension", "unload_ipython_extension"}
