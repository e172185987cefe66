"""Ragged arrays and records in `.npz` files: nothing is lost, what is shared is shared again, wrong files are named."""

import io
import json
import zipfile

import numpy as np
import pytest

from nested import EXAMPLES, array, loose
from spark_csr import Ragged, csr_array
from spark_csr.io import load_ragged, save_npz, save_ragged


def there_and_back(x, **options):
    file = io.BytesIO()
    save_ragged(file, x, **options)
    file.seek(0)
    return load_ragged(file)


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
@pytest.mark.parametrize("compressed", [True, False])
def test_there_and_back(xp, ndim, lists, compressed):
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        back = there_and_back(R, compressed=compressed)
        assert (back.to_lists(), back.ndim, back.dtype, back.device) == (lists, ndim, R.dtype, "cpu")


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float16, np.complex64])
def test_dtypes(dtype):
    assert there_and_back(Ragged(np.array([1, 0], dtype), [0, 2])).dtype == dtype


def test_records(xp):
    R = array(xp, [[1, 2], [], [3]], 2)
    records = {"met": xp.asarray([1.5, 2, 3]), "jets": {"pt": R, "eta": R / 2}, "other": array(xp, [[], [1], []], 2)}
    back = there_and_back(records)
    assert list(back) == ["met", "jets", "other"]
    assert back["met"].tolist() == [1.5, 2, 3]
    assert back["jets"]["eta"].to_lists() == [[0.5, 1], [], [1.5]]
    assert back["other"].to_lists() == [[], [1], []]
    assert np.shares_memory(back["jets"]["eta"].offsets[0], back["jets"]["pt"].offsets[0])
    assert not np.shares_memory(back["jets"]["eta"].offsets[0], back["other"].offsets[0])


def test_paths(tmp_path):
    save_ragged(tmp_path / "lists", Ragged.from_lists([[1], []]))
    assert load_ragged(tmp_path / "lists.npz").to_lists() == [[1], []]


def test_wrong_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.npz: no such file"):
        load_ragged(tmp_path / "none.npz")
    save_npz(tmp_path / "matrix.npz", csr_array(np.eye(2)))
    with pytest.raises(ValueError, match="matrix.npz: .* holds no ragged arrays: read matrices with load_npz"):
        load_ragged(tmp_path / "matrix.npz")
    (tmp_path / "text.npz").write_text("text")
    with pytest.raises(ValueError, match="text.npz: .* not a zip archive"):
        load_ragged(tmp_path / "text.npz")


@pytest.mark.parametrize(
    "x, message",
    [
        ([[1], []], "array must be a Ragged, an array or a dict of these, got list"),
        ({"a": {"b": 3}}, r"array\['a'\]\['b'\] must be a Ragged"),
        ({3: np.arange(2)}, "names of records must be strings, got 3"),
    ],
    ids=["list", "number", "name"],
)
def test_what_cannot_be_saved(x, message):
    with pytest.raises(TypeError, match=message):
        save_ragged(io.BytesIO(), x)


@pytest.mark.parametrize("x", [b"bytes", np.ones((2, 2)), np.array(3), np.array(["a"]), np.ones(2, "V8")])
def test_entries_that_are_no_arrays_of_numbers_are_refused(tmp_path, x):
    save_ragged(tmp_path / "a.npz", {"n": np.arange(3)})
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        layout = archive.read("spark_csr_ragged.npy")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("spark_csr_ragged.npy", layout)
        with archive.open("array_0.npy", "w") as member:
            member.write(x) if isinstance(x, bytes) else np.lib.format.write_array(member, x)
    with pytest.raises(ValueError, match=r"a\.npz: .*: array_0 must be an array of one axis of numbers, got "):
        load_ragged(tmp_path / "a.npz")


def test_another_byte_order(tmp_path):
    save_ragged(tmp_path / "a.npz", {"n": np.arange(3)})
    with np.load(tmp_path / "a.npz") as entries:
        np.savez(tmp_path / "b.npz", spark_csr_ragged=entries["spark_csr_ragged"], array_0=np.arange(3).astype(">i8"))
    found = load_ragged(tmp_path / "b.npz")["n"]
    np.testing.assert_array_equal(found, np.arange(3))
    assert found.dtype == np.int64


def test_one_array_for_two_levels_is_written_twice(tmp_path):
    offsets = np.array([0, 1, 2], np.int32)
    R = Ragged(np.arange(2), offsets, offsets)
    save_ragged(tmp_path / "r.npz", R)
    assert load_ragged(tmp_path / "r.npz").to_lists() == R.to_lists() == [[[0]], [[1]]]


def write(path, layout, *arrays):
    entries = {f"array_{k}": x for k, x in enumerate(arrays)}
    np.savez_compressed(path, spark_csr_ragged=np.array(json.dumps(layout)), **entries)


def test_many_levels_of_one_array_are_refused(tmp_path):
    """A file of some kilobytes could take any memory."""
    write(tmp_path / "r.npz", {"values": 1, "offsets": [0] * 600}, np.array([0, 1]), np.zeros(1))
    with pytest.raises(ValueError, match="r.npz.*a ragged array names an entry twice: array_1, array_0, array_0"):
        load_ragged(tmp_path / "r.npz")


def test_fields_of_the_same_arrays_are_checked_and_converted_once(tmp_path):
    field = {"values": 1, "offsets": [0]}
    write(
        tmp_path / "r.npz",
        {"fields": {"a": field, "b": field, "c": {"values": 2, "offsets": [0]}}},
        np.array([0, 2]),
        *np.ones((2, 2)),
    )
    back = load_ragged(tmp_path / "r.npz")
    assert back["a"] is back["b"]
    assert np.shares_memory(back["c"].offsets[0], back["a"].offsets[0])


def test_nested_records_without_end(tmp_path):
    text = '{"fields":{"a":' * 100_000 + "1" + "}}" * 100_000
    np.savez_compressed(tmp_path / "r.npz", spark_csr_ragged=np.array(text))
    with pytest.raises(ValueError, match="r.npz"):
        load_ragged(tmp_path / "r.npz")
