"""The steps of algorithms: what they say, their drawings, and what algorithms refuse."""

import inspect
import xml.etree.ElementTree

import numpy as np
import pytest

from spark_csr.primitives import textbook


def test_steps_are_what_happens_at_once():
    """Partners stand beside each other in the pairs of a network, and no element is in two pairs."""
    for name in ("bitonic_sort", "odd_even_merge_sort", "brick_sort"):
        for before, step in zip(*[textbook.trace(getattr(textbook, name), range(13, 0, -1))[k:] for k in (0, 1)], strict=False):
            partner = dict(step.pairs)
            assert len(partner) == len(step.pairs)
            assert all(partner[j] == i for i, j in partner.items())
            for i, j in partner.items():
                assert step.values[min(i, j)] == min(before.values[i], before.values[j])
            assert all(step.values[i] == before.values[i] for i in range(13) if i not in partner)
    assert len(textbook.trace(textbook.bitonic_sort, range(16))) == 1 + 10  # k (k + 1) / 2
    assert len(textbook.trace(textbook.hillis_steele_scan, range(16))) == 1 + 4
    assert len(textbook.trace(textbook.blelloch_scan, range(16))) == 2 + 8


def test_print_and_draw():
    steps = textbook.trace(textbook.compact, [5, 6, 7], mask=[1, 0, 1])
    assert [step.name for step in steps] == ["begin", "mask", "sums before each", "write the selected ones"]
    assert [str(step).split()[-1] for step in steps] == ["7", "1", "1", "7"]
    assert str(steps).count("\n") == 3
    drawing = xml.etree.ElementTree.fromstring(steps.svg())
    kinds = [element.tag.rpartition("}")[2] for element in drawing]
    assert (kinds.count("rect"), kinds.count("line"), kinds.count("text")) == (11, 2, 15)
    assert steps._repr_html_() == steps.svg()


def test_everything_can_be_traced():
    given = {"x": [2, 1], "valid": [0, 1], "mask": [1, 0], "head_flags": [1, 0], "indptr": [0, 1], "indices": [0], "data": [3]}
    for name in textbook.__all__:
        function = getattr(textbook, name)
        if hasattr(function, "steps"):
            arguments = [given[parameter] for parameter in inspect.signature(function).parameters]
            assert textbook.trace(function, *arguments)[-1].values == function(*arguments).tolist()


@pytest.mark.parametrize(
    "call, error, message",
    [
        (
            lambda: textbook.trace(sorted, [1]),
            TypeError,
            "a function of spark_csr.primitives.textbook, got <built-in",
        ),
        (lambda: textbook.brick_sort([[1]]), ValueError, r"x must be a list of numbers, got shape \(1, 1\)"),
        (lambda: textbook.hillis_steele_scan(["a"]), ValueError, "dtype <U1"),
        (lambda: textbook.bitonic_sort([1.0, np.nan]), ValueError, "free of NaN"),
        (lambda: textbook.radix_sort([1, -1]), ValueError, "integers of 0 and above"),
        (lambda: textbook.radix_sort([1.5]), ValueError, "integers of 0 and above"),
        (lambda: textbook.compact([1, 2], [1]), ValueError, "mask must have the 2 elements of x, got 1"),
        (lambda: textbook.segmented_scan([1], [1, 1]), ValueError, "head_flags must have the 1 elements of x, got 2"),
        (lambda: textbook.spmv([0, 2], [0], [1], [1]), ValueError, "indptr must ascend from 0 to the number of entries"),
        (lambda: textbook.spmv([0, 1], [1], [1], [1]), ValueError, "indices must lie in 0 to 0"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
