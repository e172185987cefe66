"""What the first call of an operation costs in a new process: with no kernel on disk, and with all of them.

    python first_calls.py [--rounds 3] [--only TEXT] [--json FILE]

A line for each operation: processor seconds of its first call with an empty kernel cache, and with the cache that this left
(the least of the rounds). Every call has a process of its own, which imports NumPy, SciPy and spark_csr and makes the operands
first, without kernels. The line "import" is the import of spark_csr after NumPy and SciPy; the line "ten" is ten operations in
one process. Then come the whole programs of docs/programs, imports included, of which PyTorch's takes seconds.

The package is the one that is installed, with the kernels that came with it; else that of the checkout.
"""

import importlib.util
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = {f"program: {path.stem}": path for path in sorted((ROOT / "docs" / "programs").glob("*.py"))}
FOLDERS = [str(ROOT / "asv_benchmarks"), *([] if importlib.util.find_spec("spark_csr") else [str(ROOT)])]
sys.path[:0] = FOLDERS

CALLS = {
    "import": "None",
    "A @ x": "A @ x",
    "A @ x of float32": "A.astype('float32') @ x.astype('float32')",
    "A @ X": "A @ X",
    "A.T @ x": "A.T @ x",
    "A @ B": "A @ B",
    "csr_array((data, (i, j)))": "csr_array((S.data, coordinates), shape=S.shape)",
    "A.T.tocsr()": "A.T.tocsr()",
    "A + B": "A + B",
    "A.multiply(B)": "A.multiply(B)",
    "A < B": "A < B",
    "A * 2": "A * 2",
    "A.sum(axis=0)": "A.sum(axis=0)",
    "A.sum(axis=1)": "A.sum(axis=1)",
    "A.max(axis=1)": "A.max(axis=1)",
    "A.max()": "A.max()",
    "A[rows]": "A[rows]",
    "A[:, columns]": "A[:, rows]",
    "A[2:50]": "A[2:50]",
    "A[3, 4]": "A[3, 4]",
    "A.toarray()": "A.toarray()",
    "A.eliminate_zeros()": "A.eliminate_zeros()",
    "prune": "spark_csr.prune(A, 0.5)",
    "vstack": "spark_csr.vstack([A, B])",
    "sort": "spark_csr.primitives.sort(x)",
    "inclusive_scan": "spark_csr.primitives.inclusive_scan(x)",
    "compact": "spark_csr.primitives.compact(x, x > 0)",
    "Ragged.sum": "spark_csr.Ragged(S.data, S.indptr).sum(axis=1)",
    "bfs": "spark_csr.graph.bfs(spark_csr.graph.Graph(A), 0)",
    "pagerank": "spark_csr.graph.pagerank(spark_csr.graph.Graph(A))",
    "connected_components": "spark_csr.graph.connected_components(spark_csr.graph.Graph(A))",
    "sssp": "spark_csr.graph.sssp(spark_csr.graph.Graph(A), 0)",
}
TEN = ("A @ x", "A @ B", "A + B", "A.T @ x", "A.sum(axis=0)", "A[rows]", "A[:, columns]", "prune", "sort", "bfs")
"""The operations of the last line."""

WANTED = {"import": (None, 0.25), "A @ x": (1.5, 0.15), "A @ B": (3, None), "csr_array((data, (i, j)))": (2, None)}


TIME = "--time-here"
"""The option of processes that time one call: they import nothing else."""


def time_here(name):
    """Return the processor seconds of the import and of the first call, in this process."""
    import numpy as np
    import scipy.sparse

    start = time.process_time()
    import spark_csr
    from spark_csr import csr_array

    imported = time.process_time() - start
    rng = np.random.default_rng(0)
    S = scipy.sparse.random_array((1000, 1000), density=0.01, format="csr", rng=rng)
    A, B, x, X = csr_array(S), csr_array(S.T.tocsr()), rng.standard_normal(1000), rng.standard_normal((1000, 8))
    names = {"spark_csr": spark_csr, "csr_array": csr_array, "S": S, "A": A, "B": B, "x": x, "X": X}
    names |= {"coordinates": S.tocoo().coords, "rows": rng.integers(0, 1000, 50)}
    calls = TEN if name == "ten" else (name,)
    start = time.process_time()
    for call in calls:
        eval(CALLS[call], names)
    return imported if name == "import" else time.process_time() - start


def measured(name, cache):
    """Return the seconds of one call in a process of its own."""
    environment = {"PYTHONPATH": os.pathsep.join(FOLDERS), **os.environ, "SPARK_CSR_CACHE_DIR": cache}
    command = [sys.executable, str(PROGRAMS[name])] if name in PROGRAMS else [sys.executable, __file__, TIME, name]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode and "ModuleNotFoundError" in done.stderr and name in PROGRAMS:
        return float("nan")  # its library is not here
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr}")
    if name in PROGRAMS:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime
    return json.loads(done.stdout)


def line(name, rounds):
    """The first calls of one operation, as data."""
    with tempfile.TemporaryDirectory() as cache:
        cold = measured(name, cache)
        warm = min(measured(name, cache) for _ in range(rounds))
    wanted = WANTED.get(name, (5, None) if name in PROGRAMS else (3, None)) if name != "ten" else (None, 0.5)
    return {"name": name, "cold": cold, "warm": warm, "wanted": dict(zip(("cold", "warm"), wanted, strict=True))}


def text(found):
    """The table of lines."""
    body = []
    for row in found:
        wanted = " ".join(f"{limit:.2f}" if limit else "-" for limit in row["wanted"].values())
        body.append([row["name"], f"{row['cold']:.2f}", f"{row['warm']:.3f}", wanted])
    return align([["operation", "cold", "warm", "wanted"], *body])


def main(arguments=None):
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="operations whose name contains it")
    parser.add_argument("--json", metavar="FILE", help="write the rows there, with the machine they were measured on")
    options = parser.parse_args(arguments)
    found = []
    for name in (*CALLS, "ten", *PROGRAMS):
        if options.only in name:
            found.append(line(name, options.rounds))
            print(text(found[-1:]).splitlines()[1], file=sys.stderr)
            if options.json:
                machine.write(options.json, "cpu", {"family": "first_calls", "rows": found})
    print(text(found))
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == [TIME]:
        print(json.dumps(time_here(sys.argv[2])))
    else:
        import argparse

        import machine
        from spark_csr._cli.table import align

        sys.exit(main())
