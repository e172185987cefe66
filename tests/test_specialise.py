"""Copies of kernels with meanings filled in: names that are the same for the same meaning, and differ for another."""

import subprocess
import sys
import types

import numpy as np
import pytest

from spark_csr._specialise import digest, specialise


def kernel(x):
    return operator(x) + SHIFT  # noqa: F821


def double(x):
    return 2 * x


def triple(x):
    return 3 * x


def through(x):
    return double(x)


def test_names_are_bound():
    assert specialise(kernel, operator=double, SHIFT=1)(10) == 21
    assert specialise(kernel, operator=triple, SHIFT=0)(10) == 30


def test_the_original_is_unchanged():
    specialise(kernel, operator=double, SHIFT=1)
    assert "operator" not in globals()


def test_same_meaning_same_name():
    one, other = (specialise(kernel, operator=double, SHIFT=1) for _ in range(2))
    assert one.__qualname__ == other.__qualname__
    assert one.__qualname__.startswith("kernel_")


def test_what_is_not_mentioned_makes_no_difference():
    assert (
        specialise(kernel, operator=double, SHIFT=1, unused=5).__qualname__
        == specialise(kernel, operator=double, SHIFT=1, unused=6).__qualname__
    )


def test_other_meaning_other_name():
    names = {
        specialise(kernel, operator=operator, SHIFT=shift).__qualname__
        for operator, shift in [(double, 1), (triple, 1), (double, 2), (double, 1.0), (through, 1), (double, np.float32)]
    }
    assert len(names) == 6


def test_code_that_a_meaning_calls_counts(monkeypatch):
    before = digest(through)
    monkeypatch.setitem(through.__globals__, "double", triple)
    assert digest(through) != before


def test_the_same_in_another_process(cpu_only):
    code = (
        "from spark_csr import ops\nfrom spark_csr._specialise import digest\n"
        "print(digest(ops.plus), digest(ops.flipped(ops.minimum)))"
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


def test_digest_sees_globals_of_functions_inside():
    source = "def func(v):\n return (lambda x: x * factor)(v)"
    assert digest(compiled(source, factor=1)) != digest(compiled(source, factor=2))
