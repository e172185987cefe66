"""Copies of kernels with meanings filled in: names that are the same for the same meaning, and differ for another."""

import subprocess
import sys

import numpy as np

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
