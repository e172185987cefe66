"""The docstring of every public object is complete: numpydoc checks its sections, its parameters and its summary.

Public are the names in `__all__` of the public packages and, of the classes among these, the members without an underscore and
the operators. Properties need a summary only, operators too, functions with which networkx replaces its own, and methods of the
graphs that it gives to these. A method that overrides another needs none: `help` shows the docstring of that one. The example
of a method may be that of its class.
"""

import functools
import importlib
import inspect
import itertools
import pathlib
import pydoc
import re
import sys
import tomllib
import types
import warnings

import pytest

validate = pytest.importorskip("numpydoc.validate", reason="needs numpydoc: pip install numpydoc")
docscrape = importlib.import_module("numpydoc.docscrape")

PACKAGES = [
    "spark_csr",
    "spark_csr.csgraph",
    "spark_csr.gallery",
    "spark_csr.graph",
    "spark_csr.interop",
    "spark_csr.interop.arrow",
    "spark_csr.interop.awkward",
    "spark_csr.interop.dask",
    "spark_csr.interop.dask.linalg",
    "spark_csr.interop.jax",
    "spark_csr.interop.mpi",
    "spark_csr.interop.networkx",
    "spark_csr.interop.pyg",
    "spark_csr.interop.torch",
    "spark_csr.io",
    "spark_csr.linalg",
    "spark_csr.partition",
    "spark_csr.primitives",
    "spark_csr.primitives.textbook",
]
"""Packages with public names; those whose library is not installed are left out."""

ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_CALLS = frozenset(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["numpydoc_validation"]["checks"])
OF_ALL = frozenset(code for code in OF_CALLS if code[:2] in ("GL", "SS"))
"""The checks of functions, classes and methods, and those of modules, properties and operators."""

OPERATOR = re.compile(
    "__[ri]?(add|sub|mul|matmul|truediv|floordiv|mod|divmod|pow|and|or|xor|lshift|rshift)__|"
    "__(eq|ne|lt|le|gt|ge|neg|pos|abs|invert|round|getitem|setitem|delitem|contains|iter|call)__"
)


def packages():
    """Import the public packages that can be imported."""
    for name in PACKAGES:
        try:
            yield name, importlib.import_module(name)
        except ImportError:
            continue


MEMBERS = types.FunctionType, property, functools.cached_property


def members(kind):
    """List the public members of a class that this package defines, by their names in the modules that define them."""
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] != "spark_csr":
            continue
        for name, member in vars(base).items():
            found = getattr(member, "__func__", member)
            overridden = inspect.getattr_static(kind, name) is not member
            public = OPERATOR.fullmatch(name) or not name.startswith("_")
            inherited = found.__doc__ is None and inspect.getdoc(getattr(base, name))  # what help() shows
            if public and not overridden and not inherited and isinstance(found, MEMBERS):
                yield f"{base.__module__}.{name}", found


def names_of(module):
    """List the public names of a module: those in `__all__`, else the functions and classes that it defines."""
    if hasattr(module, "__all__"):
        return module.__all__
    own = [name for name, x in vars(module).items() if getattr(x, "__module__", None) == module.__name__]
    return [name for name in own if not name.startswith("_")]


def public_objects():
    """List every public object of this package once, by the first name that it has, and the checks that it must pass."""
    seen = set()

    def new(found):
        found = inspect.unwrap(getattr(found, "fget", None) or found)
        return id(found) not in seen and not seen.add(id(found))

    for package, module in packages():
        yield pytest.param(module, OF_ALL, id=package)
        for name in names_of(module):
            found = None if f"{package}.{name}" in PACKAGES else getattr(module, name)
            own = getattr(found, "__module__", None) or ""
            if not isinstance(found, (type, types.FunctionType)) or not own.startswith("spark_csr") or not new(found):
                continue
            as_another = own.startswith("spark_csr.interop.networkx") and hasattr(found, "__wrapped__")
            yield pytest.param(found, OF_ALL if as_another else OF_CALLS, id=f"{package}.{name}")
            of_networkx = hasattr(found, "__networkx_backend__")
            for part, member in members(found) if isinstance(found, type) else ():
                if new(member):
                    whole = isinstance(member, types.FunctionType) and not part.endswith("__") and not of_networkx
                    is_shown = f".{member.__name__}(" in (found.__doc__ or "").partition("Examples")[2] if whole else False
                    yield pytest.param(member, OF_CALLS - {"EX01"} if is_shown else OF_CALLS if whole else OF_ALL, id=part)


def broken_headers(text):
    """Name the sections of a docstring whose line of dashes is missing, folded into the text, or of another length."""
    for line, following in itertools.pairwise([*(line.strip() for line in text.splitlines()), ""]):
        section = next((s for s in validate.ALLOWED_SECTIONS if re.match(rf"{s}(\s*-{{3,}}|:?$)", line)), None)
        if section is not None and (line != section or following != "-" * len(section)):
            yield f"{section}: the line after the header must be {'-' * len(section)}"


AS_ANOTHER = re.compile(
    r"Parameters, result and exceptions( that are not listed)? are those of `([\w.]+)`".replace(" ", r"\s+")
)
"""Points to another function. Without "that are not listed" both have the same parameters; with it, some are listed."""


EXAMPLE = re.compile(r"example of `([\w.]+)`".replace(" ", r"\s+"))
"""Points to the docstring of another function, or of a package, whose example calls this function too."""


def has_example_elsewhere(found):
    """Return whether the example that the docstring of a function points to calls it."""
    pointer = EXAMPLE.search(inspect.getdoc(found) or "")
    if pointer is None:
        return False
    other = sys.modules.get(pointer[1]) or another_function(found, pointer[1])
    return f"{found.__name__}(" in inspect.getdoc(other).partition("Examples")[2]


def another_function(found, name):
    """Return the function of that name in the class, the module or the packages of another, or of that full name."""
    module = inspect.getmodule(inspect.unwrap(found)).__name__
    owners = [f"{module}.{found.__qualname__}".rsplit(".", k)[0] for k in range(1, module.count(".") + 2)]
    return next(x for owner in (*owners, "") if callable(x := pydoc.locate(f"{owner}.{name}".lstrip("."))))


def parameters_of_another(found):
    """Return the parameters that the docstring of a function leaves to another function; None if it points to none."""
    pointer = AS_ANOTHER.search(inspect.getdoc(found) or "")
    if pointer is None:
        return None
    another = another_function(found, pointer[2])
    assert AS_ANOTHER.search(inspect.getdoc(another)) is None
    own, others = (list(inspect.signature(x).parameters) for x in (found, another))
    return set(others) if pointer[1] or own == others else None


def faults(found, checks):
    """List what is wrong with the docstring of an object."""
    plain = inspect.unwrap(found)
    if isinstance(plain, types.FunctionType) and plain.__code__.co_name == "<lambda>":  # numpydoc looks for a `def`
        found = types.FunctionType(undocumented.__code__, {}, found.__name__)
        found.__doc__ = plain.__doc__
    others = parameters_of_another(found) if "PR01" in checks else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpydoc's warnings are of what it reports too
        doc = docscrape.get_doc_object(found)
        errors = validate.validate(doc)["errors"]
    if others is not None:
        listed = {name.strip("* ") for parameter in doc["Parameters"] for name in parameter.name.split(",")}
        unknown = set(inspect.signature(found).parameters) - others - listed - {"self", "cls"}
        left_out = {"RT01"} if unknown else {"RT01", "PR01"}
        errors = [error for error in errors if error[0] not in left_out]
    checks = checks - {"EX01"} if has_example_elsewhere(found) else checks
    return [f"{code}: {text}" for code, text in errors if code in checks] + list(broken_headers(found.__doc__ or ""))


@pytest.mark.parametrize("found,checks", list(public_objects()))
def test_docstring_is_complete(found, checks):
    wrong = faults(found, checks)
    assert not wrong, "\n".join(wrong)


def undocumented(x): ...


def incomplete(x, y):
    """Returns the sum.

    Parameters
    ---------
    x : int
        A number.

    Notes ----- None.
    """
    return x + y


def complete(x, y):
    """Return the sum.

    Parameters
    ----------
    x, y : int
        Two numbers.

    Returns
    -------
    int
        Their sum.

    Examples
    --------
    >>> 1 + 2
    3
    """
    return x + y


def test_faults_are_found():
    assert [fault[:4] for fault in faults(undocumented, OF_CALLS)] == ["GL08"]
    assert faults(complete, OF_CALLS) == []
    found = faults(incomplete, OF_CALLS)
    assert [fault.partition(":")[0] for fault in found] == ["SS05", "PR01", "RT01", "EX01", "Parameters", "Notes"]


def as_complete(x, y):
    """Return the sum.

    Parameters, result and exceptions are those of `complete`.

    Examples
    --------
    >>> 1 + 2
    3
    """


def as_incomplete(x):
    """Return the sum.

    Parameters, result and exceptions are those of `complete`.
    """


def test_a_function_may_point_to_another_that_has_its_parameters():
    assert faults(as_complete, OF_CALLS) == []
    assert [fault[:4] for fault in faults(as_incomplete, OF_CALLS)] == ["PR01", "EX01"]


def partly_as_complete(x, z):
    """Return the sum.

    Parameters, result and exceptions that are not listed are those of `complete`.

    Parameters
    ----------
    z : int
        A number.

    Examples
    --------
    >>> 1 + 2
    3
    """


def partly_as_incomplete(x, z):
    """Return the sum.

    Parameters, result and exceptions that are not listed are those of `complete`.

    Examples
    --------
    >>> 1 + 2
    3
    """


def test_a_function_may_list_only_what_differs_from_another():
    assert faults(partly_as_complete, OF_CALLS) == []
    assert [fault[:4] for fault in faults(partly_as_incomplete, OF_CALLS)] == ["PR01"]


def shown_by_complete(x, y):
    """Return the sum; see the example of `complete_with_example`.

    Parameters, result and exceptions are those of `complete`.
    """


def complete_with_example():
    """Return a sum.

    Examples
    --------
    >>> shown_by_complete(1, 2)
    """


def shown_nowhere(x, y):
    """Return the sum; see the example of `complete`.

    Parameters, result and exceptions are those of `complete`.
    """


def test_an_example_may_stand_with_another_function():
    assert faults(shown_by_complete, OF_CALLS) == []
    assert [fault[:4] for fault in faults(shown_nowhere, OF_CALLS)] == ["EX01"]


def test_objects_of_every_kind_are_checked():
    names = {parameter.id: parameter.values for parameter in public_objects()}
    assert {"spark_csr.csr_array", "spark_csr.linalg.norm"} <= set(names)
    assert names["spark_csr._matrix.reductions.sum"][1] == OF_CALLS
    operator, attribute, package = "spark_csr._matrix.arithmetic.__add__", "spark_csr._matrix.base.shape", "spark_csr.graph"
    assert names[operator][1] == names[attribute][1] == names[package][1] == OF_ALL
