"""Who uses what Numba does not document, and llvmlite: `spark_csr/_engine/numba` alone."""

import ast
import pathlib

import pytest

import spark_csr

PACKAGE = pathlib.Path(spark_csr.__file__).parent
ROOM = PACKAGE / "_engine" / "numba"

INSIDE = ("llvmlite", "numba.core", "numba.cpython", "numba.extending", "numba.misc", "numba.np")
"""Modules, with all that is in them."""

PRIVATE = {
    "_nrt": "the option of Numba that counts no references",
    "_can_compile": "of a dispatcher",
    "_compiler": "of a dispatcher",
    "_defn": "of an intrinsic",
    "_get_kernel_context": "of the simulator",
    "_internal_codegen": "of Numba's context",
    "fndesc": "of a compiled function",
    "get_call_type": "of the type of a function",
    "get_compile_result": "of a dispatcher",
    "get_current_device": "of numba-cuda's dispatcher",
    "nopython_signatures": "of a dispatcher",
    "overloads": "of a dispatcher",
    "targetoptions": "of a dispatcher",
    "typingctx": "of a dispatcher",
}
"""Names of attributes, options and keys that only Numba's inside has, and whose they are."""

ALLOWED = {
    "_engine/meaning/names.py: 'llvmlite'": "a package whose members mean the same in every process; nothing is imported",
}
"""Uses elsewhere, and why."""


def is_inside(name):
    """Whether a module is one of `INSIDE`."""
    return any(name == inside or name.startswith(f"{inside}.") for inside in INSIDE)


def dotted(node):
    """The name `a.b.c` of an expression, or nothing."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def used(tree):
    """All that a file uses of Numba's inside, as it names it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if is_inside(alias.name))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            yield from [name for name in names if is_inside(name)][:1]
        elif isinstance(node, ast.Attribute):
            name = dotted(node)
            if name in INSIDE or node.attr in PRIVATE:
                yield name or node.attr
        elif isinstance(node, ast.keyword) and node.arg in PRIVATE:
            yield f"{node.arg}="
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and (node.value in PRIVATE or is_inside(node.value))
        ):
            yield repr(node.value)


def elsewhere():
    """All uses outside of the room, as `file: name`."""
    files = [path for path in sorted(PACKAGE.rglob("*.py")) if ROOM not in path.parents]
    assert len(files) > 200
    return [f"{path.relative_to(PACKAGE).as_posix()}: {name}" for path in files for name in used(ast.parse(path.read_text()))]


def test_nobody_else_uses_the_inside_of_numba():
    assert sorted(set(elsewhere())) == sorted(ALLOWED)


@pytest.mark.parametrize(
    "line",
    [
        "import llvmlite",
        "import llvmlite.binding as b",
        "from llvmlite import ir",
        "from numba.core.registry import cpu_target",
        "from numba import extending",
        "from numba.extending import overload",
        "def f():\n    import numba.np.arrayobj",
        "import importlib\nimportlib.import_module('numba.core.codegen')",
        "import numba\nnumba.core.sigutils",
        "f = njit(_nrt=False)",
        "options = {'_nrt': False}",
        "f.targetoptions['nogil']",
        "dispatcher.get_current_device = None",
    ],
)
def test_a_use_is_found(line):
    assert list(used(ast.parse(line)))


@pytest.mark.parametrize(
    "line",
    [
        "import numba",
        "from numba import NumbaError, cuda, from_dtype, njit, types, typeof",
        "from numba.cuda import libdevice",
        "numba.config.DISABLE_JIT",
        "from spark_csr._engine.numba import njit",
        "from spark_csr._engine.numba.lean import LEAN",
        "text = 'Numba has numba.core'",
    ],
)
def test_what_numba_documents_is_no_use_of_its_inside(line):
    assert not list(used(ast.parse(line)))


def test_the_room_needs_nothing_of_the_package_but_signals():
    """It stands at the bottom: whatever it is to know of kernels is passed to it."""
    found = {
        node.module
        for path in ROOM.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("spark_csr")
    }
    assert {name for name in found if not name.startswith("spark_csr._engine.numba")} == {"spark_csr._engine.signals"}
