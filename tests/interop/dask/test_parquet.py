"""Edges in parquet files become blocks, with numbers or names of vertices."""

import subprocess
import sys

import numpy as np
import pytest

from spark_csr import csr_array

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
pytest.importorskip("pyarrow", reason="needs pyarrow: pip install pyarrow")

import dask
import pyarrow as pa
import pyarrow.parquet as pq

from spark_csr.interop.dask import from_parquet, tables, vertex_names

pytestmark = pytest.mark.usefixtures("cpu_only")

RNG = np.random.default_rng(0)
N = 40
SOURCE, TARGET, WEIGHT = RNG.integers(0, N, 500), RNG.integers(0, N, 500), RNG.integers(1, 5, 500).astype(np.float32)
NAMES = np.array([f"site{i:02}.org/é" for i in RNG.permutation(N)], dtype=object)


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def folder(tmp_path):
    """Three files, of 170 edges at most, in row groups of 50."""
    (tmp_path / "edges").mkdir()
    for k in range(3):
        write(tmp_path / "edges" / f"part-{k}.parquet", slice(170 * k, 170 * (k + 1)))
    return tmp_path / "edges"


def write(path, some, **others):
    columns = {"from": NAMES[SOURCE[some]], "to": NAMES[TARGET[some]], "s": SOURCE[some], "t": TARGET[some], "w": WEIGHT[some]}
    pq.write_table(pa.table({**columns, **others}), path, row_group_size=50)


def dense(values=WEIGHT, dtype=np.float32):
    return csr_array((values.astype(dtype), (SOURCE, TARGET)), shape=(N, N)).toarray()


@pytest.mark.parametrize("by", ["rows", "nnz"])
@pytest.mark.parametrize("rows", [1, 100, 2**22])
def test_numbers_of_vertices(rows, by, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "PIECE", rows)
    A = from_parquet(folder, row="s", column="t", data="w", shape=(N, N), blocks=3, scratch=tmp_path, by=by)
    assert A.dtype == np.float32
    np.testing.assert_array_equal(A.compute().toarray(), dense())
    (pieces,) = tmp_path.glob("pieces-*")
    assert len(list(pieces.iterdir())) == {1: 12, 100: 6, 2**22: 3}[rows]


@pytest.mark.parametrize(
    "first, second, dtype",
    [
        (np.int64([1, 2]), np.float64([2.5, 1]), "f8"),
        (np.int32([1, 2]), np.int64([2**40, 1]), "i8"),
        (np.int8([100, 100]), np.int16([300, -1]), "i8"),
        (np.int64([1, 2]), np.float32([np.nan, 1]), "f8"),
        (np.uint8([250, 250]), np.array([True, True]), "u8"),
        (pa.array(np.float32([0.5, 2])).dictionary_encode(), pa.array([3, 4], pa.int8()), "f4"),
    ],
)
@pytest.mark.parametrize("rule", ["sum", "max"])
def test_values_of_all_files_keep_their_values(first, second, dtype, rule, tmp_path):
    """Whichever file is first, and also when they are summed."""
    for k, values in enumerate((first, second)):
        pq.write_table(pa.table({"s": [0, k], "t": [0, 1], "w": values}), tmp_path / f"{k}.parquet")
    a, b = (np.array(x.to_pylist() if isinstance(x, pa.Array) else x, float) for x in (first, second))
    expected = [[a[0] + b[0] if rule == "sum" else max(b[0], a[0]), a[1]], [0, b[1]]]
    options = {"row": "s", "column": "t", "data": "w", "shape": (2, 2), "blocks": 2, "scratch": tmp_path}
    A = from_parquet(f"{tmp_path}/*.parquet", duplicates=rule, **options)
    assert rule != "sum" or A.dtype == dtype
    np.testing.assert_array_equal(A.compute().toarray(), expected)
    pq.write_table(pa.table({"s": [0], "t": [0], "w": ["1.5"]}), tmp_path / "2.parquet")
    with pytest.raises(TypeError, match="values must be numbers, got string in column 'w': give dtype="):
        from_parquet(f"{tmp_path}/*.parquet", **options)


def test_names_of_64_bits(tmp_path):
    """Those of 2**63 and more, beside smaller ones; and text that only looks like an integer is none."""
    options = {"row": "s", "column": "t", "blocks": 2, "scratch": tmp_path}
    s, t = np.uint64([2**63, 7, 2**64 - 1]), np.int64([7, 8, 9])
    pq.write_table(pa.table({"s": s, "t": t}), tmp_path / "edges.parquet")
    names = vertex_names(tmp_path, ["s", "t"])
    assert names.tolist() == [7, 8, 9, 2**63, 2**64 - 1]
    found = from_parquet(tmp_path / "edges.parquet", names=names, **options).compute().tocoo()
    assert list(zip(names[found.row].tolist(), names[found.col].tolist(), strict=True)) == [(7, 8), (2**63, 7), (2**64 - 1, 9)]
    with pytest.raises(ValueError, match="9223372036854775808 in column 's' is not among the names"):
        from_parquet(tmp_path / "edges.parquet", names=[7, 8, 9, -1], **options).compute()
    with pytest.raises(ValueError, match="column 's' holds uint64, and the names are large_string: use names of one kind"):
        from_parquet(tmp_path / "edges.parquet", names=["7", "8"], **options).compute()
    pq.write_table(pa.table({"s": s, "t": -t}), tmp_path / "edges.parquet")
    with pytest.raises(ValueError, match=r"names must fit 64 bits together, got -9 beside names of 2\*\*63 and more"):
        vertex_names(tmp_path / "edges.parquet", ["s", "t"])
    pq.write_table(pa.table({"s": ["007", "7"], "t": ["8", "8"]}), tmp_path / "edges.parquet")
    with pytest.raises(ValueError, match="column 's' holds string, and the names are int64: use names of one kind"):
        from_parquet(tmp_path / "edges.parquet", names=[7, 8], **options).compute()


def test_how_files_are_given(folder, tmp_path):
    options = {"row": "s", "column": "t", "shape": (N, N), "blocks": 3, "scratch": tmp_path}
    paths = [str(path) for path in sorted(folder.iterdir())]
    for files in (str(folder), f"{folder}/part-*.parquet", paths, paths[::-1], f"file://{folder}/*.parquet"):
        np.testing.assert_array_equal(from_parquet(files, **options).compute().toarray(), dense(np.ones(500), float))
    first, last = (from_parquet(p, data="w", duplicates="first", **options).compute().toarray() for p in (paths, paths[::-1]))
    assert (first != last).any()
    for files in (folder / "none-*.parquet", []):
        with pytest.raises(FileNotFoundError, match="there are no such files"):
            from_parquet(files, **options)
    with pytest.raises(FileNotFoundError, match=r"none\.parquet"):
        from_parquet([str(folder / "none.parquet")], **options)


@pytest.mark.parametrize("kind", ["text", "dictionary", "integers"])
def test_names_of_vertices(kind, folder, tmp_path):
    row, column, given = ("s", "t", np.arange(N)) if kind == "integers" else ("from", "to", NAMES)
    if kind == "dictionary":
        for path in folder.iterdir():
            table = pq.read_table(path)
            encoded = table.set_column(0, "from", table["from"].dictionary_encode())
            pq.write_table(encoded, path)
    names = vertex_names(folder, [row, column])
    assert names.tolist() == sorted(given.tolist())
    A = from_parquet(folder, row=row, column=column, data="w", names=names, blocks=3, scratch=tmp_path)
    order = np.argsort(given)
    np.testing.assert_array_equal(A.compute().toarray(), dense()[order][:, order])
    A = from_parquet(folder, row=row, column=column, names=given, blocks=3, scratch=tmp_path, dtype="i8")
    np.testing.assert_array_equal(A.compute().toarray(), dense(np.ones(500), int))


def test_names_that_do_not_fit(folder, tmp_path):
    options = {"row": "from", "column": "to", "blocks": 3, "scratch": tmp_path}
    name = NAMES[SOURCE[0]]
    A = from_parquet(folder, names=NAMES[name != NAMES], **options)
    with pytest.raises(
        ValueError, match=rf"part-\d\.parquet, row groups 0 to 3: '{name}' in column '\w+' is not among the names"
    ):
        A.compute()
    with pytest.raises(ValueError, match=f"names must be unique, got '{NAMES[3]}' several times"):
        from_parquet(folder, names=[*NAMES, NAMES[3]], **options)
    with pytest.raises(ValueError, match="names must be text or integers, got float"):
        vertex_names(folder, ["w"])
    with pytest.raises(ValueError, match="names must be of one type, got int64 and large_string"):
        vertex_names(folder, ["s", "from"])
    for shape, names in ((None, None), ((N, N), NAMES)):
        with pytest.raises(ValueError, match="give shape=, if vertices are numbers, or names=, if they have names"):
            from_parquet(folder, shape=shape, names=names, **options)


def test_missing_values_and_columns_are_named(folder, tmp_path):
    options = {"shape": (N, N), "blocks": 3, "scratch": tmp_path}
    with pytest.raises(ValueError, match=r"part-0\.parquet has no column 'u': it has 'from', 'to', 's', 't', 'w'"):
        from_parquet(folder, row="s", column="u", **options)
    weights = [1.0] * 169 + [None]
    write(folder / "part-1.parquet", slice(170, 340), w=weights)
    with pytest.raises(ValueError, match=r"part-1\.parquet, row groups 0 to 3: the value 169 of column 'w' is missing"):
        from_parquet(folder, row="s", column="t", data="w", **options).compute()
    with pytest.raises(
        ValueError, match=r"part-\d\.parquet, row groups 0 to 3: row \d+ of entry \d+ is out of range for 30 rows"
    ):
        from_parquet(folder, row="s", column="t", **{**options, "shape": (30, N)}).compute()


def test_a_damaged_file_is_named(tmp_path):
    pq.write_table(pa.table({"i": [0, 1, 4], "j": [5, 0, 2]}), tmp_path / "good.parquet")
    whole, path = (tmp_path / "good.parquet").read_bytes(), tmp_path / "bad.parquet"
    errors, some = [], [whole[:k] + b"\xff" * 9 + whole[k + 9 :] for k in range(4, len(whole), 31)]
    for damaged in (b"", whole[: len(whole) // 2], whole[:-9] + b"\xff" + whole[-8:], *some):
        path.write_bytes(damaged)
        try:
            A = from_parquet([tmp_path / "good.parquet", path], row="i", column="j", shape=(5, 6), blocks=2, scratch=tmp_path)
            assert A.compute().shape == (5, 6)
        except (ValueError, TypeError, IndexError) as error:
            errors.append(str(error))
    assert len(errors) > 3
    assert [error for error in errors if "bad.parquet" not in error] == []


TEXT = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"b"]).buffers())
PAST = pa.array([2**62, 1], pa.timestamp("us"))
COLUMNS = {
    "lists": pa.array([[5], [6]]),
    "lists of one": pa.array([[5], [6]], pa.list_(pa.int64(), 1)),
    "structs": pa.array([{"a": 5}, {"a": 6}]),
    "times": PAST,
    "times with zones": PAST.cast(pa.timestamp("us", "UTC")),
    "days": pa.array([2**30, 1], pa.date32()),
    "text": pa.array(["5", "x"]),
    "invalid text": TEXT,
    "coded": TEXT.dictionary_encode(),
    "decimals": pa.array([5, 6], pa.decimal128(5)),
    "bytes": pa.array([b"5", b"x"]),
}


@pytest.mark.parametrize("values", COLUMNS.values(), ids=COLUMNS)
def test_columns_that_are_no_numbers_are_named(values, tmp_path):
    path = tmp_path / "odd.parquet"
    good = pa.array([0, 1])
    pq.write_table(pa.table({"i": good, "j": good, "odd": values}), path)
    options = {"shape": (2, 2), "blocks": 1, "scratch": tmp_path}
    with pytest.raises(TypeError, match=r"odd\.parquet: values must be numbers, got .* in column 'odd': give dtype="):
        from_parquet(path, row="i", column="j", data="odd", **options)
    for by in ("rows", "nnz"):
        for row, column in (("odd", "j"), ("i", "odd")):
            with pytest.raises((TypeError, ValueError), match=r"odd\.parquet.*: "):
                from_parquet(path, row=row, column=column, by=by, **options).compute()
    A = from_parquet(path, row="i", column="j", data="odd", dtype="f8", **options)
    if values.type == pa.decimal128(5) or pa.types.is_temporal(values.type):
        assert A.compute().nnz == 2
    else:
        with pytest.raises((TypeError, ValueError), match=r"odd\.parquet"):
            A.compute()
    if not (pa.types.is_string(values.type) and values is not TEXT):
        with pytest.raises(ValueError, match=r"odd\.parquet.*: "):
            vertex_names(path, ["odd"])


@pytest.mark.slow
def test_scratch_files_are_removed_when_the_process_ends(folder, tmp_path):
    program = """
import os, sys, dask
from spark_csr.interop.dask import from_parquet, vertex_names
folder, scratch = sys.argv[1:]
dask.config.set(scheduler="synchronous")
names = vertex_names(folder, ["from", "to"])
from_parquet(folder, row="from", column="to", names=names, blocks=2, scratch=scratch).compute()
print(len(os.listdir(scratch)))
"""
    scratch = tmp_path / "scratch"
    done = subprocess.run([sys.executable, "-c", program, folder, scratch], capture_output=True, text=True, check=True)
    assert (done.stdout, list(scratch.iterdir())) == ("2\n", [])


def test_empty_files(tmp_path):
    write(tmp_path / "empty.parquet", slice(0, 0))
    A = from_parquet(tmp_path, row="s", column="t", shape=(N, N), blocks=2, by="nnz", scratch=tmp_path)
    assert A.compute().nnz == 0
    pq.write_table(pa.table({"s": np.zeros(0, int), "t": np.zeros(0, int)}), tmp_path / "none.parquet")
    assert vertex_names(tmp_path / "none.parquet", ["s", "t"]).tolist() == []
