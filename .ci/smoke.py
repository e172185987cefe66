"""What an installed package must do, outside of the checkout: right answers, with kernels that came with the wheel.

    python smoke.py [--shipped] [PROGRAM ...]

Programs are run too, if the libraries that they need are here. With `--shipped` it fails if anything was compiled.
"""

import contextlib
import pathlib
import runpy
import sys

import numpy as np
import scipy.sparse as sp

import spark_csr
from spark_csr import graph, primitives
from spark_csr._engine import store

where = pathlib.Path(spark_csr.__file__)
assert pathlib.Path(__file__).resolve().parents[1] not in where.parents, f"{where} is the checkout, not what was installed"
assert store.shipped_files() or "--shipped" not in sys.argv, "no kernels came with the package"

before = set(store.files())
rng = np.random.default_rng(0)
for rows, density in ((300, 0.02), (20_000, 0.001)):
    S = sp.random_array((rows, rows), density=density, format="csr", rng=rng)
    A, x = spark_csr.csr_array(S), rng.random(rows)
    np.testing.assert_allclose(A @ x, S @ x)
    np.testing.assert_allclose(A.T @ x, S.T @ x)
    assert abs((A @ A).to_scipy() - S @ S).max() < 1e-12
    assert abs((A + A.T).to_scipy() - (S + S.T)).max() == 0
    np.testing.assert_allclose(A.sum(axis=0), S.sum(axis=0))
    coo = S.tocoo()
    order = rng.permutation(S.nnz)
    again = spark_csr.csr_array((coo.data[order], (coo.row[order], coo.col[order])), shape=S.shape)
    np.testing.assert_array_equal(again.indices, S.indices)
    np.testing.assert_array_equal(primitives.sort(x), np.sort(x))
    distance = graph.bfs(graph.Graph(A), 0)[0]
    expected = sp.csgraph.dijkstra(S, indices=0, unweighted=True)
    np.testing.assert_array_equal(np.where(np.isfinite(expected), expected, -1), distance)

for program in sys.argv[1:]:
    if program.endswith(".py"):
        with contextlib.suppress(ModuleNotFoundError):
            runpy.run_path(program, run_name="__main__")

compiled = [file for file in store.files() if file not in before and file.suffix == ".object"]
assert not compiled or "--shipped" not in sys.argv, f"compiled, though they should have come with the package: {compiled}"
print(f"{where.parent}: right, with {len(store.shipped_files())} kernels that came with it and {len(compiled)} others")
