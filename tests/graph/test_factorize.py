"""Names are numbered in one order, whichever library holds them."""

import numpy as np
import pytest

from spark_csr.graph.columns import read_names
from spark_csr.graph.factorize import factorize, number_by_names, read_integers

RNG = np.random.default_rng(0)
SOURCE, TARGET = RNG.integers(-40, 40, 300), RNG.integers(0, 90, 300)


def numbered(source, target):
    return factorize(read_names("source", source), read_names("target", target))


def assert_right(source, target, names):
    u, v, found = numbered(source, target)
    assert found.tolist() == names
    assert found[u].tolist() == list(source)
    assert found[v].tolist() == list(target)


@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_integers(xp, to_numpy, dtype):
    u, v, names = numbered(xp.asarray(SOURCE.astype(dtype)), xp.asarray(TARGET))
    expected, inverse = np.unique([SOURCE, TARGET], return_inverse=True)
    assert names.tolist() == expected.tolist()
    assert np.array_equal(np.stack([to_numpy(u), to_numpy(v)]), inverse.reshape(2, -1))


@pytest.mark.usefixtures("cpu_only")
class TestOnTheHost:
    def test_large_integers(self):
        large = np.array([2**64 - 1, 5, 2**63], np.uint64)
        assert_right(large, large[::-1], [5, 2**63, 2**64 - 1])
        for small in (np.array([7, 0, 5]), np.array([7, 0, 5], np.int32), [7, 0, 5]):
            assert_right(large, small, [0, 5, 7, 2**63, 2**64 - 1])
            assert_right(small, large.tolist(), [0, 5, 7, 2**63, 2**64 - 1])
        with pytest.raises(ValueError, match=r"target\[1\] is -1, and the other column has integers above 2\*\*63 - 1.*common"):
            numbered(large, np.array([0, -1, 1]))

    def test_strings(self):
        texts = [str(x) for x in SOURCE], [str(x) for x in TARGET]
        names = sorted({*texts[0], *texts[1]})
        assert_right(*texts, names)
        assert_right(*map(np.array, texts), names)

    def test_strings_of_arrow_are_in_the_same_order(self):
        arrow = pytest.importorskip("pyarrow")
        texts = ["b", "\U0001f600", "\uffff", "", "a", "é"], ["z", "a", "B", "b", "é", "z"]
        expected = numbered(*texts)
        for columns in (map(arrow.array, texts), (arrow.chunked_array([x[:2], x[2:]]) for x in texts)):
            for found, right in zip(numbered(*columns), expected, strict=True):
                assert found.tolist() == right.tolist()
        mixed = numbered(arrow.array(texts[0]), texts[1])
        assert [x.tolist() for x in mixed] == [x.tolist() for x in expected]

    def test_other_objects_are_in_the_order_of_appearance(self):
        assert_right([("b", 1), "x", 7], ["x", 7, ("a", 2)], [("b", 1), "x", 7, ("a", 2)])
        assert numbered([1, 2], ["x", 1])[2].tolist() == [1, 2, "x"]

    def test_no_edges(self):
        for columns in (([], []), (np.empty(0, int), np.empty(0, object)), (np.empty(0, int), [])):
            assert [x.size for x in numbered(*columns)] == [0, 0, 0]

    def test_kinds_that_do_not_go_together(self):
        with pytest.raises(TypeError, match="source holds integers and target strings, and 1 is not '1'"):
            numbered([1, 2], ["1", "2"])
        with pytest.raises(TypeError, match="source holds strings and target integers"):
            numbered(np.array(["1"]), np.array([1]))

    def test_names_without_a_hash(self):
        with pytest.raises(TypeError, match=r"hashable, got target\[1\] of type list"):
            numbered(["a", "b"], ["a", ["b"]])


@pytest.mark.usefixtures("cpu_only")
def test_text_of_integers_becomes_integers():
    u, v, names = read_integers(*numbered(["10", "9", "-3"], ["9", "0", "10"]))
    assert names.dtype == np.int64
    assert names.tolist() == [-3, 0, 9, 10]
    assert (u.tolist(), v.tolist()) == ([3, 2, 0], [2, 1, 3])
    for text in ("007", "1.0", "", "+1", "1" * 21, " 1"):
        assert read_integers(*numbered(["10", "9"], ["9", text]))[2].dtype == object
    for texts, dtype in (
        ([2**62, -3], "int64"),
        ([2**63 - 1, -(2**63)], "int64"),
        ([2**63, 5], "uint64"),
        ([2**64 - 1, 0], "uint64"),
    ):
        names = read_integers(*numbered(list(map(str, texts)), list(map(str, texts))))[2]
        assert (names.dtype, names.tolist()) == (dtype, sorted(texts))
    for texts in ([2**64, 5], [2**63, -1], [-(2**63) - 1, 0]):
        assert read_integers(*numbered(list(map(str, texts)), list(map(str, texts))))[2].dtype == object


def test_names_that_are_given(xp, to_numpy):
    u, v, found = numbered(xp.asarray([10, 30]), xp.asarray([30, 10]))
    names = np.array([30, 20, 10])
    assert [to_numpy(x).tolist() for x in number_by_names(u, v, found, names)] == [[2, 0], [0, 2]]
    with pytest.raises(ValueError, match=r"not 30, which is source\[1\]"):
        number_by_names(u, v, found, np.array([10]))
