"""Names of other libraries that are not here say what to use, however they are asked for."""

import contextlib
import copy
import importlib.util
import io
import pickle
import re
import sys

import networkx
import numpy
import pytest
import scipy.sparse

import spark_csr
from spark_csr import _absent, graph, interop, linalg
from spark_csr._array import SIMULATED


def test_names_without_a_hint_fail_as_elsewhere():
    assert not hasattr(spark_csr, "nonsense")
    assert importlib.util.find_spec("spark_csr.nonsense") is None
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        from spark_csr import nonsense  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'spark_csr.nonsense'"):
        importlib.import_module("spark_csr.nonsense")


EXAMPLES = {
    "A": spark_csr.csr_array([[2.0, 1], [1, 3]]),
    "B": spark_csr.csc_array([[1.0, 0], [1, 1]]),
    "C": spark_csr.coo_array([[1.0, 0], [1, 1]]),
    "R": spark_csr.Ragged.from_lists([[1.5], [2, 3]]),
    "G": graph.Graph([[0, 1.0, 0], [1, 0, 1], [0, 1, 0]], directed=False),
    "F": graph.Frontier("vertex", [1, 2], n=3),
}
OTHERS = {"i": 0, "j": 1, "u": 0, "v": 1, "b": numpy.array([1.0, 2]), "x": 1.0, "columns": 4, "shape": (2, 2)}
OTHERS |= {"source": [0], "target": [1], "numpy": numpy, "copy": copy, "spark_csr": spark_csr, "print": lambda *args: None}
MEMBERS = {"A": _absent.MATRIX, "B": _absent.MATRIX, "C": _absent.MATRIX, "R": _absent.RAGGED, "G": _absent.GRAPH}
MEMBERS |= {"F": _absent.FRONTIER}
THEIRS = {
    "A": (scipy.sparse.csr_array, scipy.sparse.csr_matrix, numpy.ndarray),
    "B": (scipy.sparse.csc_array, scipy.sparse.csc_matrix, numpy.ndarray),
    "C": (scipy.sparse.coo_array, scipy.sparse.coo_matrix, numpy.ndarray),
    "R": (numpy.ndarray,),
    "G": (networkx.DiGraph,),
    "F": (),
}
"""Classes whose public names all have hints where ours lacks them."""


@pytest.mark.parametrize("example", EXAMPLES)
def test_attributes_of_other_libraries_have_hints(example):
    ours = EXAMPLES[example]
    theirs = {name for kind in THEIRS[example] for name in dir(kind) if not name.startswith("_")}
    for name in sorted((theirs | set(MEMBERS[example])) - set(dir(ours))):
        assert not hasattr(ours, name)
        with pytest.raises(AttributeError, match=f"{type(ours).__name__}' object has no attribute '{name}': use ."):
            getattr(ours, name)


@pytest.mark.slow
@pytest.mark.skipif(SIMULATED, reason="expressions are the same on a GPU")
@pytest.mark.parametrize("example", ["A", "R", "G", "F"])
def test_hints_can_be_run(example):
    instead = {code for hint in MEMBERS[example].values() for code in hint.partition(";")[0].split(", or ")}
    for code in sorted(instead):
        if not re.search(r"cuda|interop\.(torch|awkward|arrow)", code):
            fresh = {name: copy.deepcopy(x) for name, x in EXAMPLES.items()}
            if "topological" in code:
                fresh["G"] = graph.Graph(spark_csr.triu(fresh["G"].matrix))
            eval(code, {**OTHERS, **fresh})


@pytest.mark.parametrize("members", ["MATRIX", "RAGGED", "GRAPH", "FRONTIER"])
def test_only_absent_attributes_have_hints(members):
    lacking = [example for example in EXAMPLES if MEMBERS[example] is getattr(_absent, members)]
    for name in getattr(_absent, members):
        assert any(name not in dir(EXAMPLES[example]) for example in lacking), name


def suggestion(function, *arguments):
    """The last line that Python writes of an exception; `traceback` suggests nothing before Python 3.12."""
    try:
        function(*arguments)
    except (AttributeError, ImportError) as error:
        with contextlib.redirect_stderr(io.StringIO()) as written:
            sys.__excepthook__(type(error), error, error.__traceback__)
        return written.getvalue().strip().splitlines()[-1]


@pytest.mark.parametrize(
    "owner, name, meant",
    [
        (spark_csr, "csr_aray", "csr_array"),
        (linalg, "spsolv", "spsolve"),
        (interop, "torchh", "torch"),
        (graph, "pagernak", "pagerank"),
        (EXAMPLES["A"], "toarry", "toarray"),
        (EXAMPLES["R"], "to_list_", "to_lists"),
        (EXAMPLES["G"], "neighborz", "neighbors"),
        (EXAMPLES["F"], "itms", "items"),
    ],
)
def test_python_suggests_names(owner, name, meant):
    assert suggestion(getattr, owner, name).endswith(f"Did you mean: '{meant}'?")
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert caught.value.name == name
    assert caught.value.obj is owner


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python suggests names of modules from 3.12 on")
def test_python_suggests_names_in_imports():
    assert suggestion(exec, "from spark_csr import csr_aray").endswith("Did you mean: 'csr_array'?")


def test_a_property_that_fails_says_why():
    class Failing(spark_csr.csr_array):
        @property
        def half(self):
            return self.data.nonsense

    with pytest.raises(AttributeError, match="'numpy.ndarray' object has no attribute 'nonsense'"):
        _ = Failing([[1]]).half


def test_copies_look_for_no_attribute_of_an_empty_object():
    for ours in EXAMPLES.values():
        assert type(copy.copy(ours)) is type(copy.deepcopy(ours)) is type(ours)
    assert pickle.loads(pickle.dumps(EXAMPLES["A"])).nnz == 4
    for kind in map(type, EXAMPLES.values()):
        assert not hasattr(kind.__new__(kind), "nonsense")
