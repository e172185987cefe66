"""Files of strangers: every kind of file that this package reads, with any part of it changed and the checksums made right.

    python tests/fuzz_files.py --seconds 600
    python tests/fuzz_files.py --kind blocks --seed 17 --cases 1     # one case again
    python tests/fuzz_files.py --kind blocks --seed 17 --keep NAME   # keep it in tests/fuzz_cases

A reader must return a valid result, or raise an exception that names the file. Checks of arrays are off (`config.validate`), as
are those of the checksums of blocks. Cases run in a child process: the script counts children that ended by a signal or did not
answer, prints their seeds, and fails if there are any.
"""

import argparse
import base64
import contextlib
import faulthandler
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

CASES = pathlib.Path(__file__).with_name("fuzz_cases")
"""The folder of kept cases: each is a file, which says the kind and how the reader's answer begins, and holds the folder."""

PATIENCE = 60
"""Seconds after which a case counts as one that does not end."""

MEMORY = 6 << 30
"""Bytes of address space of a child: a file may say that a matrix has any size."""

HOSTILE = [
    None,
    True,
    -1,
    0,
    1,
    2,
    7,
    2**31,
    2**40,
    2**63 - 1,
    2**63,
    2**64,
    -(2**63),
    1.5,
    1e300,
    float("nan"),
    "",
    "x",
    "../x",
]
HOSTILE += ["O", ">f8", "int8", "f8", [], [[]], {}, {"a": 1}, [0], [1, 2], [-1, 5], "[" * 500]
"""What stands in JSON instead of what should."""

EXTREMES = [0, 1, -1, 3, 127, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**40, 2**63 - 1, -(2**63)]
"""What stands in an array instead of what should."""


def mutate_bytes(rng, content):
    """Return bytes with a few of them changed, removed, repeated or inserted."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at, length = rng.randrange(len(content) + 1), rng.choice([1, 1, 2, 4, 8, 16, 100])
        how = rng.randrange(7)
        if how == 0:
            content[at : at + length] = bytes(rng.randrange(256) for _ in range(length))
        elif how == 1:
            content[at : at + 1] = bytes([content[at] ^ 1 << rng.randrange(8)]) if at < len(content) else b""
        elif how == 2:
            del content[at : at + length]
        elif how == 3:
            content[at:at] = content[at : at + length]
        elif how == 4:
            content[at : at + length] = rng.choice([b"\0", b"\xff", b"9", b"-", b" "]) * length
        elif how == 5:
            del content[at:]
        else:
            content[at : at + 8] = (rng.choice(EXTREMES) % 2**64).to_bytes(8, "little")
    return bytes(content)


def mutate_json(rng, content):
    """Return JSON with one of its values replaced or removed."""
    if rng.random() < 0.2:
        return mutate_bytes(rng, content)
    found = {"": json.loads(content)}
    parent, key = found, ""
    while isinstance(parent[key], (dict, list)) and parent[key] and (parent is found or rng.random() < 0.7):
        parent = parent[key]
        key = rng.choice(list(parent) if isinstance(parent, dict) else range(len(parent)))
    if rng.random() < 0.1 and parent is not found:
        del parent[key]
    else:
        parent[key] = rng.choice(HOSTILE)
    return json.dumps(found.get("")).encode()


def mutate_npy(rng, content):
    """Return a file of NumPy with an element, or its header, changed."""
    import numpy as np

    how = rng.random()
    if how < 0.2:
        return mutate_bytes(rng, content)
    start = content.index(b"\n") + 1
    header, body = content[:start], bytearray(content[start:])
    if how < 0.4:
        other = rng.choice([b"<i8", b">i8", b"<i4", b"<f8", b"|O8", b"|V8", b"|b1", b"<U2", b"<c16", b"<m8", b"<u8"])
        changes = [(rb"'[<>|][a-zA-Z]\d+'", b"'" + other + b"'"), (rb"\d+,\)", rng.choice([b"3,)", b"-5,)", b"%d,)" % 2**62]))]
        changes += [(rb"\(.*\)", rng.choice([b"()", b"(2, 3)", b"(True,)", b"((),)"])), (rb"False", b"True")]
        return re.sub(*rng.choice(changes), header, count=1) + bytes(body)
    dtype = np.lib.format.read_array_header_1_0(io.BytesIO(content[8:]))[2]
    size = dtype.itemsize
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.choice([0, max(len(body) // size - 1, 0), rng.randrange(max(len(body) // size, 1))]) * size
        body[at : at + size] = (rng.choice(EXTREMES) % 256**size).to_bytes(size, "little")
    return header + bytes(body[: len(content) - start])


def mutate_zip(rng, content):
    """Return an archive with a member changed, and its checksum right; or with the bytes of the archive changed."""
    if rng.random() < 0.2:
        return mutate_bytes(rng, content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    how = rng.random()
    if how < 0.05:
        del members[name]
    elif how < 0.1:
        members[name] = members[rng.choice(list(members))]
    elif b"{" in members[name][100:]:  # JSON of four bytes for a character, in an array of one string
        start = members[name].index(b"\n") + 1
        text = mutate_json(rng, members[name][start:].decode("utf-32-le").encode()).decode("utf-8", "replace")
        header = re.sub(rb"<U\d+", b"<U%d" % len(text), members[name][:start])
        members[name] = header + text.encode("utf-32-le")
    else:
        members[name] = mutate_npy(rng, members[name])
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return made.getvalue()


def mutate_lines(rng, content):
    """Return text with a number or a line changed."""
    if rng.random() < 0.3:
        return mutate_bytes(rng, content)
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    words = lines[at].split(b" ")
    new = [b"0", b"-1", b"9" * 30, b"1e400", b"nan", b"inf", b"1.5", b"x", b"", b"2147483648", b"4294967297", b"%d" % 2**62]
    new += [b"complex", b"pattern", b"symmetric", b"array", b"1 2 3 4", b"%"]
    words[rng.randrange(len(words))] = rng.choice(new)
    lines[at] = b" ".join(words)
    if rng.random() < 0.2:
        lines[rng.randrange(len(lines))] = rng.choice(lines)
    return b"\n".join(lines)


def mutate_hdf5(rng, content):
    """Return an HDF5 file with an array, an attribute or a link changed, or with its end cut off.

    Its other bytes stay: HDF5's library (2.0, of h5py 3.16) does not return from reading some files that were damaged so.
    """
    import h5py
    import numpy as np

    how = rng.random()
    if how < 0.1:
        return content[: rng.randrange(len(content))]
    made, parts = io.BytesIO(content), []
    with h5py.File(made, "r+") as file:
        file.visititems(lambda name, part: parts.append(part))
        arrays = [part for part in parts if isinstance(part, h5py.Dataset)]
        attributes = [(part, name) for part in (file, *parts) for name in part.attrs]
        if how < 0.45 and attributes:
            part, name = rng.choice(attributes)
            change_attribute(rng, part.attrs, name)
            return made.getvalue()
        part = rng.choice(arrays if how < 0.9 else parts)
        if how < 0.7 and part.size and part.dtype.kind in "biuf":
            for _ in range(rng.choice([1, 1, 3])):
                limits = np.iinfo(part.dtype) if part.dtype.kind in "iu" else None
                value = rng.choice([x for x in EXTREMES if limits is None or limits.min <= x <= limits.max])
                part[rng.choice([0, part.size - 1, rng.randrange(part.size)])] = value
            return made.getvalue()
        name, parent = part.name, part.parent
        values = part[()] if isinstance(part, h5py.Dataset) else np.zeros(3)
        del parent[name]
        others = [values[:-1], np.append(values, values[:1]), values[:0], values[None], np.array(7), "text", [b"x", b"y"]]
        if values.dtype.kind in "biuf":
            others += [values.astype(dtype) for dtype in ("f2", ">f8", "i1", ">i8", "u8", "c16", "S3", "?", "f16")]
        others += [h5py.SoftLink("/nowhere"), h5py.SoftLink("/"), h5py.ExternalLink("other.h5", "/"), h5py.Empty("f8"), None]
        other = rng.choice(others)
        if other is None:
            parent.create_dataset(name, shape=(rng.choice([2**20, 2**31, 2**40, 2**62]),), dtype="i8", chunks=(1024,))
        elif rng.random() < 0.95:
            parent[name] = other
    return made.getvalue()


def change_attribute(rng, attributes, name):
    """Replace an attribute of HDF5, or what stands in JSON there, or remove it."""
    import h5py
    import numpy as np

    value = attributes[name]
    del attributes[name]
    if isinstance(value, str) and value.startswith("{") and rng.random() < 0.8:
        with contextlib.suppress(ValueError):  # strings of HDF5 hold no NUL
            attributes[name] = mutate_json(rng, value.encode()).decode("utf-8", "replace")
    elif isinstance(value, np.ndarray) and value.size and value.dtype.kind in "iu" and rng.random() < 0.6:
        value[rng.randrange(value.size)] = rng.choice(EXTREMES)
        attributes[name] = value
    elif rng.random() < 0.9:
        others = ["", "x", "csr_matrix", "csc_matrix", b"\xff", 7, -1, 2**62, 1.5, [1, 2], [-1, 5], [[1]], np.zeros(0)]
        attributes[name] = rng.choice([*others, h5py.Empty("f8"), True, ["a", "b"]])


def mutate_mat(rng, content):
    """Return a file of MATLAB of one of its two kinds changed."""
    return mutate_hdf5(rng, content) if content.startswith(b"MATLAB 7.3") else mutate_bytes(rng, content)


MUTATIONS = {
    ".json": mutate_json,
    ".npy": mutate_npy,
    ".npz": mutate_zip,
    **dict.fromkeys([".mtx", ".txt", ".graph", ".gr", ".smtx", ".svm"], mutate_lines),
    ".h5": mutate_hdf5,
    ".h5ad": mutate_hdf5,
    ".mat": mutate_mat,
}


def mutate(rng, name, content):
    """Return the content of a file changed in the way of its kind."""
    return MUTATIONS.get(pathlib.Path(name).suffix, mutate_bytes)(rng, content)


class Kind:
    """A kind of file: how a folder of it is made, how checksums are made right, and how it is read."""

    refuses = ()
    """Exceptions, besides those that name the file, by which it is refused."""

    def repair(self, folder):
        """Make checksums right."""

    def read(self, folder):
        """Read what is in the folder, and use it."""


class Blocks(Kind):
    def __init__(self, format):
        self.format = format

    def make(self, folder):
        from spark_csr.gallery import poisson
        from spark_csr.io import save_blocks

        save_blocks(folder, poisson((4, 5)), 2, format=self.format, compressed=False)

    def read(self, folder):
        from spark_csr import io

        files = io.open_blocks(folder)
        found = [files[i] for i in range(min(len(files), 5))]
        rows = files.shape[0]
        found += [files.rows(rows // 3, rows // 2), files.rows(rows, rows)]
        for matrix in found:
            use_matrix(matrix)


class Parts(Blocks):
    """Blocks that are described now."""

    def make(self, folder):
        super().make(folder)
        next(folder.glob("*.json")).unlink()

    def read(self, folder):
        from spark_csr import io

        io.finish_blocks(folder, 2, format=self.format)
        super().read(folder)


class Npz(Kind):
    def __init__(self, format):
        self.format = format

    def make(self, folder):
        from spark_csr import save_npz
        from spark_csr.gallery import poisson

        save_npz(folder / "a.npz", poisson((4, 5)).to_scipy().asformat(self.format), compressed=False)

    def read(self, folder):
        from spark_csr import load_npz

        use_matrix(load_npz(folder / "a.npz"))


class RowsOnDask(Npz):
    """A matrix whose shape and dtype are read before it."""

    def read(self, folder):
        import dask

        from spark_csr.interop.dask import from_files

        with dask.config.set(scheduler="synchronous"):
            use_matrix(from_files(folder / "a.npz").compute())


class RaggedNpz(Kind):
    def make(self, folder):
        import numpy as np

        from spark_csr import Ragged
        from spark_csr.io import save_ragged

        lists = Ragged.from_lists([[[6.0, 5], []], [[2.0]], [[], [1.0, 2, 3]]])
        save_ragged(folder / "a.npz", {"x": lists, "n": np.arange(3), "in": {"y": lists * 2}}, compressed=False)

    def read(self, folder):
        from spark_csr.io import load_ragged

        use_ragged(load_ragged(folder / "a.npz"))


class MatrixMarket(Kind):
    def __init__(self, **options):
        self.options = options

    def make(self, folder):
        from spark_csr import mmwrite
        from spark_csr.gallery import poisson

        mmwrite(folder / "a.mtx", poisson((3, 4)), **self.options)

    def read(self, folder):
        from spark_csr import mmread

        use_matrix(mmread(folder / "a.mtx"))


class Edges(Kind):
    """A graph in text, or in a file of another program."""

    def __init__(self, name, content=None):
        self.name, self.content = name, content

    def make(self, folder):
        from spark_csr.graph import Graph

        if self.content is None:
            ends = ["ann", "bob", "cleo"], ["bob", "cleo", "ann"]
            Graph.from_edges(*ends, [1, 2, 3], directed=False).write(folder / self.name)
        else:
            (folder / self.name).write_text(self.content)

    def read(self, folder):
        from spark_csr.graph import Graph

        use_matrix(Graph.read(folder / self.name).matrix)


class H5ad(Kind):
    def make(self, folder):
        from spark_csr import io
        from spark_csr.gallery import poisson

        A = poisson((4, 3))
        io.write_h5ad(folder / "a.h5ad", A, layers={"c": A.tocsc()}, obsp={"d": A})

    def read(self, folder):
        from spark_csr import io

        for key in ("X", "layers/c", "obsp/d"):
            X, obs_names, var_names = io.read_h5ad(folder / "a.h5ad", key)
            use_matrix(X)
            assert {
                type(x) for x in (*(() if obs_names is None else obs_names), *(() if var_names is None else var_names))
            } <= {str}
        for rows in io.open_hdf5(folder / "a.h5ad", "X"):
            use_matrix(rows)


class TenX(Kind):
    def make(self, folder):
        import h5py
        import numpy as np

        from spark_csr.gallery import poisson

        A = poisson((4, 3))
        names = np.array([b"%d" % i for i in range(12)])
        with h5py.File(folder / "a.h5", "w") as file:
            group = file.create_group("matrix")
            for name in ("data", "indices", "indptr"):
                group[name] = getattr(A, name).astype("i4")
            group["shape"], group["barcodes"] = np.array([12, 12], "i4"), names
            group["features/id"] = group["features/name"] = names

    def read(self, folder):
        from spark_csr import io

        X, barcodes, features = io.read_10x_h5(folder / "a.h5")
        assert X.shape[0] == barcodes.size
        assert all(X.shape[1] == x.size for x in features.values())
        use_matrix(X)


class Binsparse(Kind):
    def __init__(self, format, dtype):
        self.format, self.dtype = format, dtype

    def make(self, folder):
        from spark_csr import io
        from spark_csr.gallery import poisson

        io.write_binsparse(folder / "a.h5", poisson((4, 3)).astype(self.dtype).asformat(self.format))

    def read(self, folder):
        from spark_csr import io

        use_matrix(io.read_binsparse(folder / "a.h5"))


class Mat(Kind):
    def __init__(self, format):
        self.format = format

    def make(self, folder):
        from spark_csr import io
        from spark_csr.gallery import poisson

        io.write_mat(folder / "a.mat", {"A": poisson((4, 3)), "B": 1j * poisson((4, 3))}, format=self.format)

    def read(self, folder):
        from spark_csr import io

        for name in "AB":
            use_matrix(io.read_mat(folder / "a.mat", name))


class Svmlight(Kind):
    def __init__(self, **options):
        self.options = options

    def make(self, folder):
        import numpy as np

        from spark_csr import io
        from spark_csr.gallery import poisson

        labels = [[1, 2], [], [3]] * 4 if self.options.get("multilabel") else np.arange(12) / 2
        io.write_svmlight(folder / "a.svm", poisson((4, 3)), labels, comment="1:2", query_id=np.arange(12), **self.options)

    def read(self, folder):
        from spark_csr import io

        X, y, query_id = io.read_svmlight(folder / "a.svm", query_id=True, **self.options)
        assert X.shape[0] == len(y) == query_id.size
        use_matrix(X)


class Parquet(Kind):
    def make(self, folder):
        import numpy as np

        from spark_csr import Ragged
        from spark_csr.interop.arrow import write_parquet

        lists = Ragged.from_lists([[6.0, 5], [], [2.0]])
        write_parquet(folder / "a.parquet", {"x": lists, "n": np.arange(3)})

    def read(self, folder):
        from spark_csr.interop.arrow import read_parquet

        use_ragged(read_parquet(folder / "a.parquet"))


class Checkpoint(Kind):
    def make(self, folder):
        import dask
        import numpy as np

        from spark_csr.gallery import poisson
        from spark_csr.interop.dask import from_csr, linalg

        with dask.config.set(scheduler="synchronous"):
            linalg.cg(from_csr(poisson((20,)), 2), np.ones(20), maxiter=3, checkpoint=folder)

    def read(self, folder):
        import dask
        import numpy as np

        from spark_csr.interop.dask import linalg

        with dask.config.set(scheduler="synchronous"):
            x = linalg.read_checkpoint(folder).compute()
        assert x.ndim == 1
        np.sum(x)


class Answers(Kind):
    """What Numba inferred, in files whose checksum is right: asked anew if it is not understood."""

    def make(self, folder):
        from spark_csr._engine import store

        store.folders = lambda: (folder / "kernels",)
        self.ask()

    def ask(self):
        import numba

        from spark_csr._engine.answers import answer
        from spark_csr.primitives import _functions

        function = numba.njit(eval("lambda a, b: a / b"))
        kinds = numba.int16, numba.int16
        assert isinstance(answer(_functions._infer_return_type, function, kinds), numba.types.Type)

    def repair(self, folder):
        from spark_csr._engine import store

        for path in (folder / "kernels").iterdir():
            content = path.read_bytes()[store._HEADER :]
            path.write_bytes(store._header(path.name, content) + content)

    def read(self, folder):
        from spark_csr._engine import store

        store.folders = lambda: (folder / "kernels",)
        self.ask()


class Kernels(Kind):
    """Compiled kernels, which are code: a checksum that is wrong is found, and one that is right cannot tell anything."""

    def make(self, folder):
        from spark_csr._engine import store

        store.folders = lambda: (folder / "kernels",)
        self.call()

    def call(self):
        import types

        from spark_csr._engine.cache import cached_njit

        def double(x):
            return x + x

        copy = types.FunctionType(double.__code__, {**double.__globals__}, "double")
        copy.__module__ = copy.__globals__["__name__"] = "spark_csr"
        assert cached_njit(copy)(21) == 42

    def read(self, folder):
        self.make(folder)


def use_matrix(matrix):
    """Check the arrays of a matrix, and that a product of it is that of SciPy."""
    import numpy as np

    assert matrix.nnz < 10**7
    if matrix.format == "coo":
        row, col = matrix.coords
        assert row.size == col.size == matrix.data.size
        assert not row.size or (0 <= row.min() <= row.max() < matrix.shape[0] and 0 <= col.min() <= col.max() < matrix.shape[1])
    else:
        matrix.check_format()
    if max(matrix.shape) < 10**6:
        x = np.arange(matrix.shape[1]) % 3
        with np.errstate(all="ignore"):
            found, wanted = matrix @ x, matrix.to_scipy() @ x if matrix.dtype != np.float16 else matrix.toarray() @ x
            rtol = 1e-2 if matrix.dtype == np.float16 else 1e-5
            largest = np.abs(matrix.data[np.isfinite(matrix.data)] * 1.0).max(initial=0)  # sums are rounded in another order
            np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * largest, equal_nan=True)


def use_ragged(found):
    """Read all items of ragged arrays."""
    import numpy as np

    for x in found.values() if isinstance(found, dict) else [found]:
        if isinstance(x, dict):
            use_ragged(x)
        elif isinstance(x, np.ndarray):
            x.sum() if x.dtype.kind in "biufc" else None
        else:
            x.to_lists()
            if x.ndim > 1:
                with np.errstate(all="ignore"):
                    x.sum(axis=-1)


KINDS = {
    "blocks": Blocks("npy"),
    "zarr": Blocks("zarr"),
    "parts": Parts("npy"),
    "parts-zarr": Parts("zarr"),
    "npz": Npz("csr"),
    "npz-csc": Npz("csc"),
    "npz-coo": Npz("coo"),
    "npz-bsr": Npz("bsr"),
    "npz-dia": Npz("dia"),
    "rows": RowsOnDask("csr"),
    "ragged": RaggedNpz(),
    "mtx": MatrixMarket(),
    "mtx-general": MatrixMarket(symmetry="general", field="complex"),
    "edges": Edges("a.csv"),
    "edges-parquet": Edges("a.parquet"),
    "edges-list": Edges("a.txt", "# x\n0 1 {'weight': 5}\n1 2 {}\n2 0 {'weight': 0.5}\n"),
    "metis": Edges("a.graph", "% x\n4 3 011 2\n7 7 2 5\n7 7 1 5 3 6\n7 7 2 6 4 1\n7 7 3 1\n"),
    "dimacs": Edges("a.gr", "c x\np sp 4 3\na 1 2 5\nc y\na 3 1 7\na 4 4 0\n"),
    "smtx": Edges("a.smtx", "3, 3, 4\n0 2 2 4\n1 0 2 1\n"),
    "h5ad": H5ad(),
    "10x": TenX(),
    "binsparse": Binsparse("csr", complex),
    "binsparse-coo": Binsparse("coo", bool),
    "mat": Mat("5"),
    "mat-7.3": Mat("7.3"),
    "svmlight": Svmlight(),
    "svmlight-labels": Svmlight(multilabel=True),
    "parquet": Parquet(),
    "checkpoint": Checkpoint(),
    "answers": Answers(),
    "kernels": Kernels(),
}

NEEDS = {"zarr": "zarr", "parts-zarr": "zarr", "rows": "dask.array", "checkpoint": "dask.array"}
NEEDS |= {"parquet": "pyarrow.parquet", "edges-parquet": "pyarrow.parquet"}
NEEDS |= dict.fromkeys(("h5ad", "10x", "binsparse", "binsparse-coo", "mat-7.3"), "h5py")


def make_case(kind, master, folder, seed):
    """Copy a folder and change one of its files."""
    rng = random.Random(f"{seed}")
    shutil.copytree(master, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = rng.choice(files)
    content = mutate(rng, path.name, path.read_bytes())
    if rng.random() < 0.02:
        path.unlink()
    else:
        path.write_bytes(content)
    kind.repair(folder)


def read_case(kind, folder):
    """Read a folder. Return "valid" or the exception; raise what no reader may raise."""
    names = [str(folder), *(path.name for path in folder.rglob("*.*"))]
    try:
        kind.read(folder)
    except MemoryError:
        return "MemoryError"
    except (ValueError, TypeError, OSError) as error:
        if not any(name in str(error) for name in names):
            raise AssertionError(f"{type(error).__name__} does not name the file: {error}") from error
        return f"{type(error).__name__}: {error}"
    return "valid"


def keep_case(name, seed, file):
    """Write a case into a file, with the answer that every refusal begins with: a person says what it must be."""
    kind = KINDS[name]
    with tempfile.TemporaryDirectory() as scratch:
        master, folder = pathlib.Path(scratch, "master"), pathlib.Path(scratch, "case")
        master.mkdir()
        kind.make(master)
        make_case(kind, master, folder, f"{name} {seed}")
        found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    write_case(file, name, "ValueError", found)


def write_case(file, kind, gives, contents):
    """Write a case: a kind, how the reader's answer begins, and the bytes of the files of a folder."""
    text = json.dumps({name: content.decode("latin-1") for name, content in contents.items()})
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    file.write_text(json.dumps({"kind": kind, "gives": gives, "files": packed}, indent=1) + "\n")


def unpack_case(file, folder):
    """Write the files of a case into a folder; return its kind, and how the reader's answer must begin."""
    case = json.loads(file.read_text())
    for name, content in json.loads(zlib.decompress(base64.b64decode(case["files"]))).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode("latin-1"))
    return case["kind"], case["gives"]


def child(name, start, cases):
    """Run cases of a kind. Each prints its seed before it begins and what became of it afterwards."""
    import warnings

    faulthandler.enable()
    with contextlib.suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    from spark_csr import config

    config.validate = False  # it is about arrays of the caller's own
    kind = KINDS[name]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        master = scratch / "master"
        master.mkdir()
        kind.make(master)
        kind.read(master)  # loads kernels
        for seed in range(start, start + cases):
            print("begin", seed, flush=True)
            folder = scratch / f"case{seed}"
            try:
                make_case(kind, master, folder, f"{name} {seed}")
                result = read_case(kind, folder).partition(":")[0]
            except Exception as error:
                result = f"WRONG {type(error).__name__}: {' '.join(str(error).split())[:600]}"
            print("end", result, flush=True)
            shutil.rmtree(folder, ignore_errors=True)


def fuzz(name, start, cases, deadline):
    """Run cases of a kind in child processes, until the time is over. Return how many, what became of them, and the faults."""
    results, faults, seed = {}, [], start
    while seed < start + cases and time.monotonic() < deadline:
        command = [sys.executable, __file__, "--child", name, str(seed), str(start + cases - seed)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment) as process,
        ):
            os.set_blocking(process.stdout.fileno(), False)
            current, last, told = None, time.monotonic(), b""
            while True:
                told += process.stdout.read() or b""
                *lines, told = told.split(b"\n")
                for line in lines:
                    last = time.monotonic()
                    word, _, rest = line.decode().partition(" ")
                    if word == "begin":
                        current, seed = int(rest), int(rest) + 1
                    elif word == "end":
                        if rest.startswith("WRONG"):
                            faults.append((name, current, rest))
                        result, current = rest.split(":")[0], None
                        results[result] = results.get(result, 0) + 1
                if not lines and process.poll() is not None:
                    break
                if time.monotonic() - last > PATIENCE or (current is None and time.monotonic() > deadline):
                    process.kill()
                    process.wait()
                    if time.monotonic() - last > PATIENCE:
                        faults.append((name, current, f"no answer in {PATIENCE} s"))
                    break
                if not lines:
                    time.sleep(0.01)
            if process.returncode and time.monotonic() < deadline and time.monotonic() - last <= PATIENCE:
                errors.seek(0)
                faults.append((name, current, f"ended with {process.returncode}: {errors.read()[:1500]}"))
                if current is None:  # nothing of this kind can be made here
                    break
    return results, faults


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="for all kinds together")
    parser.add_argument("--cases", type=int, default=10**9, help="of each kind")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these kinds")
    parser.add_argument("--keep", metavar="NAME", help="keep the case of the one kind and the first seed under this name")
    options = parser.parse_args(arguments)
    if options.keep:
        return keep_case(options.kind[0], options.seed, CASES / f"{options.keep}.json")
    kinds, every, started = options.kind or list(KINDS), [], time.monotonic()
    for k, name in enumerate(kinds):
        if name in NEEDS:
            try:
                __import__(NEEDS[name])
            except ImportError:
                print(f"{name}: not here")
                continue
        left = options.seconds / len(kinds) * (k + 1)
        results, faults = fuzz(name, options.seed, options.cases, started + left)
        print(f"{name}: {sum(results.values())} cases, {dict(sorted(results.items()))}, {len(faults)} faults", flush=True)
        every += faults
    for name, seed, what in every:
        print(f"FAULT --kind {name} --seed {seed} --cases 1: {what}")
    return 1 if every else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.exit(main(sys.argv[1:]))
