"""Copies of kernels with meanings filled in: names that are the same for the same meaning, and differ for another."""

import ast
import functools
import pathlib
import subprocess
import sys
import types

import numpy as np
import pytest
from numba import njit

import spark_csr
from spark_csr._array import SIMULATED
from spark_csr._engine.copies import digest, helper, inline, rebind, specialise
from spark_csr._engine.holes import DECLARED, TILE, Hole, body, call
from spark_csr._engine.meaning import describe
from spark_csr.graph.operators.intersection import store_common


def kernel(x):
    return call(x) + TILE


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def through(x):
    return double(x)


@helper
def doubled_call(x):
    return 2 * call(x)


@helper(inlined=False)
def nested(x):
    return doubled_call(x) + TILE


def with_helpers(x):
    return nested(x) + doubled_call(x)


def through_a_hole(x):
    return body(x)


def storing(out):
    store_common(out, 0, 1)


@helper
def unlike(x, y):
    return x - y


def as_python(function):
    """Return what a function was compiled from."""
    return getattr(function, "py_func", function)


def test_names_are_bound():
    assert specialise(kernel, call=double, TILE=1)(10) == 21
    assert specialise(kernel, call=triple, TILE=0)(10) == 30


def test_the_original_is_unchanged():
    specialise(kernel, call=double, TILE=1)
    assert isinstance(call, Hole)
    assert kernel.__globals__["call"] is call


def test_same_meaning_same_name():
    one, other = (specialise(kernel, call=double, TILE=1) for _ in range(2))
    assert one.__qualname__ == other.__qualname__
    assert one.__qualname__.startswith("kernel_")


def test_one_meaning_is_inlined_as_one_function():
    """So it is compiled once for all kernels that call it."""
    assert inline(kernel, call=double, TILE=1) is inline(kernel, call=double, TILE=1, ITEMS=5)
    found = [inline(kernel, call=made, TILE=tile) for made in (double, triple) for tile in (1, 2)]
    assert len(set(map(id, found))) == 4
    assert [as_python(f)(10) for f in found] == [21, 22, 31, 32]


def test_a_helper_that_has_changed_is_another_function(monkeypatch):
    before = inline(kernel, call=through, TILE=1)
    monkeypatch.setitem(globals(), "double", triple)
    after = inline(kernel, call=through, TILE=1)
    assert after is not before
    assert as_python(after)(10) == 31


def test_holes_of_helpers_are_filled():
    assert njit(specialise(with_helpers, call=njit(double), TILE=1))(10) == 81


def test_a_helper_fills_a_hole():
    made = specialise(through_a_hole, body=doubled_call, call=njit(triple))
    assert njit(made)(10) == 60


def test_a_helper_is_compiled_once_for_kernels_that_mean_the_same():
    def found(**meanings):
        return specialise(with_helpers, **meanings).__globals__["doubled_call"]

    plain, other = njit(double), njit(triple)
    assert found(call=plain, TILE=1) is found(call=plain, TILE=2)
    assert found(call=plain, TILE=1) is not found(call=other, TILE=1)
    assert with_helpers.__globals__["doubled_call"] is doubled_call


def test_a_hole_of_a_helper_that_nothing_fills_is_an_error():
    with pytest.raises(TypeError, match=r"test_copies\.nested mentions `TILE: int`: pass TILE=\.\.\. to specialise"):
        specialise(with_helpers, call=double)


def test_a_function_of_other_parameters_fills_no_hole():
    with pytest.raises(TypeError, match=r"test_copies\.unlike takes 2 arguments, but .* `store_common\(out, "):
        specialise(storing, store_common=unlike)
    with pytest.raises(TypeError, match="takes 2 arguments, but kernels call it as"):
        specialise(storing, store_common=njit(as_python(unlike)))
    specialise(storing, store_common=lambda out, *others: None)
    specialise(storing, store_common=lambda out, k, item, more=1: None)


def test_what_is_not_mentioned_makes_no_difference():
    assert (
        specialise(kernel, call=double, TILE=1, ITEMS=5).__qualname__
        == specialise(kernel, call=double, TILE=1, ITEMS=6).__qualname__
    )


def test_other_meaning_other_name():
    names = {
        specialise(kernel, call=function, TILE=shift).__qualname__
        for function, shift in [(double, 1), (triple, 1), (double, 2), (double, 1.0), (through, 1), (double, np.float32)]
    }
    assert len(names) == 6


def test_code_that_a_meaning_calls_counts(monkeypatch):
    before = digest(through)
    monkeypatch.setitem(through.__globals__, "double", triple)
    assert digest(through) != before


def test_the_same_in_another_process(cpu_only):
    code = (
        "from spark_csr import _ops as ops\nfrom spark_csr._engine.copies import digest\n"
        "print(digest(ops.plus), digest(ops.flip_arguments(ops.minimum)))"
    )
    one, other = (subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(2))
    assert one.stdout == other.stdout
    assert len(set(one.stdout.split())) == 2


def closing_over(value):
    def inner(x):
        return x + value

    return inner


def reading_attribute(x):
    return x * this.factor


def reading_table(x):
    return x * TABLE[2500]


this = sys.modules[__name__]
factor = 1
TABLE = np.zeros(5000)


def test_digest_sees_closures_attributes_and_long_arrays(monkeypatch):
    assert digest(closing_over(1)) != digest(closing_over(2))
    assert digest(closing_over(1)) == digest(closing_over(1))
    before = digest(reading_attribute), digest(reading_table)
    monkeypatch.setattr(this, "factor", 2)
    changed = TABLE.copy()
    changed[2500] = 1
    monkeypatch.setattr(this, "TABLE", changed)
    assert digest(reading_attribute) != before[0]
    assert digest(reading_table) != before[1]


def compiled(source, **names):
    """A function of a text, as if somebody had edited its file."""
    names["__name__"] = __name__
    exec(source, names)
    return names["func"]


EDITS = {
    "another function of a module": ("import math\nfunc = lambda v: math.sin(v)", "import math\nfunc = lambda v: math.cos(v)"),
    "another built-in function": ("func = lambda a, b: min(a, b)", "func = lambda a, b: max(a, b)"),
    "another attribute": ("func = lambda v: v.real", "func = lambda v: v.imag"),
    "a function inside": ("def func(v):\n return (lambda x: x + 1)(v)", "def func(v):\n return (lambda x: x + 2)(v)"),
    "its attribute": ("def func(v):\n return (lambda x: x.real)(v)", "def func(v):\n return (lambda x: x.imag)(v)"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_digest_sees_what_an_edit_changes(edit):
    """Else the kernel that was kept for the old text would run for the new one."""
    one, other = (compiled(source) for source in EDITS[edit])
    assert digest(one) != digest(other)
    assert digest(one) == digest(compiled(EDITS[edit][0]))


def test_digest_sees_modules_in_modules():
    inner, outer = types.ModuleType("inner"), types.ModuleType("outer")
    outer.inner, inner.outer, inner.helper = inner, outer, double
    func = compiled("func = lambda v: outer.inner.helper(v)", outer=outer)
    before = digest(func)
    inner.helper = triple
    assert digest(func) != before


def test_digest_sees_long_arrays_in_tuples():
    func, changed = compiled("func = lambda v: v * TABLES[0][2500]", TABLES=(TABLE, 1)), TABLE.copy()
    before = digest(func)
    changed[2500] = 1
    func.__globals__["TABLES"] = (changed, 1)
    assert digest(func) != before


def test_digest_sees_options():
    assert len({digest(double), digest(njit(double)), digest(njit(fastmath=True)(double))}) == 3 - SIMULATED * 2


def test_digest_sees_globals_of_functions_inside():
    source = "def func(v):\n return (lambda x: x * factor)(v)"
    assert digest(compiled(source, factor=1)) != digest(compiled(source, factor=2))


def of_an_inner_function(x):
    return (lambda y: call(y) + TILE)(x)


def of_an_attribute(x):
    return x.call


@pytest.mark.parametrize("make", [specialise, inline])
def test_a_hole_that_nothing_fills_is_an_error(make):
    with pytest.raises(TypeError, match=r"test_copies\.kernel mentions `TILE: int`: pass TILE=\.\.\. to specialise"):
        make(kernel, call=double)
    with pytest.raises(
        TypeError, match=r"kernel mentions `TILE: int`, `call\(\*arguments\) -> value`: pass TILE=\.\.\., call=\.\.\."
    ):
        make(kernel)
    with pytest.raises(TypeError, match="mentions `TILE: int`"):
        make(of_an_inner_function, call=double)


def test_holes_of_inner_functions_are_filled():
    assert specialise(of_an_inner_function, call=double, TILE=1)(10) == 21


def test_a_hole_fills_no_hole():
    with pytest.raises(TypeError, match="mentions `TILE: int`"):
        specialise(kernel, call=double, TILE=TILE)


@pytest.mark.parametrize("make", [specialise, inline])
def test_a_meaning_of_no_declared_hole_is_an_error(make):
    with pytest.raises(TypeError, match=r"`THREAD` is not a declared hole: did you mean `THREADS`\?"):
        make(kernel, call=double, TILE=1, THREAD=4)


def test_an_attribute_is_no_mention_of_a_hole():
    assert specialise(of_an_attribute)(types.SimpleNamespace(call=3)) == 3


def test_holes_of_its_module_do_not_count_for_a_function():
    """Else no function whose module imports holes could be kept on disk."""
    elsewhere = types.FunctionType(of_an_attribute.__code__, {}, of_an_attribute.__name__)
    elsewhere.__module__ = __name__
    description, _ = describe(of_an_attribute)
    assert description.lasting
    assert description == describe(elsewhere)[0]
    description, _ = describe(specialise(kernel, call=np.int64, TILE=1))
    assert description.lasting


def test_rebind_leaves_holes_open():
    partly = rebind(kernel, TILE=1)
    with pytest.raises(NameError, match="call"):
        partly(10)
    assert specialise(partly, call=double)(10) == 21


USES = {
    "called": lambda hole: hole(1),
    "called by name": lambda hole: hole(a=1),
    "added": lambda hole: 1 + hole,
    "multiplied with an array": lambda hole: np.arange(3) * hole,
    "compared": lambda hole: hole > 0,
    "tested": lambda hole: 1 if hole else 0,
    "converted": lambda hole: np.uint32(hole),
    "counted to": lambda hole: range(hole),
    "negated": lambda hole: -hole,
}


@pytest.mark.parametrize("use", USES)
def test_a_hole_has_no_value(use):
    with pytest.raises(TypeError, match=r"`TILE` is a hole in a kernel and has no value: call what `specialise\(kernel, TILE="):
        USES[use](TILE)


def test_a_kernel_that_is_not_specialised_says_so():
    with pytest.raises(TypeError, match="`call` is a hole in a kernel"):
        kernel(1)


@functools.cache
def syntax_trees():
    """The modules of the package by name."""
    folder = pathlib.Path(spark_csr.__file__).parent
    paths = {".".join(path.relative_to(folder.parent).with_suffix("").parts): path for path in folder.rglob("*.py")}
    return {name: ast.parse(path.read_text()) for name, path in paths.items()}


def declared(tree):
    """The holes that a module declares, by name, with their signatures and meanings."""
    found = {}
    for node in nodes(tree, ast.Assign):
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "Hole":
            found[node.targets[0].id] = [ast.literal_eval(x) for x in node.value.args]
    return found


def test_holes_stand_under_their_names():
    for tree in syntax_trees().values():
        for name, (signature, meaning) in declared(tree).items():
            kind = signature.removeprefix(name)
            assert kind.startswith((": ", "(")), signature
            assert name.isupper() == (kind in (": int", ": bool", ": number")), "numbers, and they alone, are in capitals"
            assert meaning.endswith(".")
    with pytest.raises(ValueError, match="`add` is declared twice"):
        Hole("add(a, b)", "Once more.")


def test_holes_are_declared_where_they_belong():
    """Beside the kernel of the one file that mentions them, in `_engine.holes` if there are several, nowhere twice."""
    seen = {}
    for module, tree in syntax_trees().items():
        for name in declared(tree):
            assert seen.setdefault(name, module) == module
    uses = {module: mentioned(tree) for module, tree in syntax_trees().items()}
    for name, module in seen.items():
        users = [x for x, names in uses.items() if name in names]
        assert (module == "spark_csr._engine.holes") == (len(users) > 1), f"{name} of {module} is mentioned in {users}"
    assert DECLARED.keys() <= seen.keys()


def nodes(tree, *kinds):
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def mentioned(tree):
    """The holes that functions of a module mention and do not bind to something else."""
    known = {x.name for y in nodes(tree, ast.ImportFrom) if y.module == "spark_csr._engine.holes" for x in y.names}
    known |= declared(tree).keys()
    found = set()
    for function in nodes(tree, ast.FunctionDef):
        names = nodes(function, ast.Name)
        own = {x.arg for x in nodes(function, ast.arg)} | {x.id for x in names if isinstance(x.ctx, ast.Store)}
        found |= {x.id for x in names} & known - own
    return found


def keywords(tree):
    """The names of all arguments of calls of `specialise` and `inline`."""
    calls = [x for x in nodes(tree, ast.Call) if isinstance(x.func, ast.Name) and x.func.id in ("specialise", "inline")]
    return {keyword.arg for call in calls for keyword in call.keywords if keyword.arg is not None}


def filled(tree):
    """The names that a module gives a meaning: such arguments, keys of dictionaries, and texts in subscripts and tuples."""
    texts = [x for y in nodes(tree, ast.Dict) for x in y.keys] + [x.slice for x in nodes(tree, ast.Subscript)]
    texts += [x for y in nodes(tree, ast.Tuple) for x in y.elts]
    return keywords(tree) | {x.value for x in texts if isinstance(x, ast.Constant) and isinstance(x.value, str)}


def test_every_hole_is_mentioned_and_filled_somewhere():
    trees = syntax_trees().values()
    holes = {name for tree in trees for name in declared(tree)}
    assert sorted(holes - set().union(*map(mentioned, trees))) == []
    assert sorted(holes - set().union(*map(filled, trees))) == []


def test_every_meaning_is_that_of_a_hole():
    trees = syntax_trees().values()
    assert sorted(set().union(*map(keywords, trees)) - {name for tree in trees for name in declared(tree)}) == []
