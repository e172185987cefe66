"""Rows of the family `gpu`, timed beside other libraries that use the GPU, and first products in new processes.

Every result is compared with ours before it is timed. The bandwidth of a copy is measured first. A dry run compares, and times
one row, since an interpreter takes seconds for a call. `--beside` chooses libraries, so that one which ends the process takes
no other with it.
"""

import functools
import json
import os
import subprocess
import sys
import tempfile

import peers
import table
import timing
from spark_csr._cli import gpu

APART = ("cuda.compute",)
"""Libraries that are timed beside ours in processes of their own."""

FIRST = """
import time, json, numpy as np, scipy.sparse as sp, cupy
S, x = sp.random_array((1000, 1000), density=0.01, format="csr", rng=0), cupy.ones(1000)
cupy.cuda.Device().synchronize()
begin = time.perf_counter()
import spark_csr
imported = time.perf_counter()
A = spark_csr.csr_array(S, device="cuda")
y = (A @ x).get()
print(json.dumps({"import": imported - begin, "first": time.perf_counter() - imported}))
"""
"""What a new process does first."""


def items(options):
    """The copy, first products, then all rows."""
    beside = options.beside.split(",") if options.beside else [x for x in peers.ON_GPU if x not in APART]
    apart = options.beside is not None
    if apart and not all(peers.is_installed(peers.LIBRARIES[library][0]) for library in beside):
        yield options.beside, not_installed
        return
    arguments = ["gpu", "--device", "cuda", "--turn", "0.02", "--most", "5", "--beside", ",".join(beside)]
    taken, module = table.settings([*arguments, *(["--smoke"] if options.small else ["--size", str(options.size)])])
    copy = functools.cache(functools.partial(table.copy_bandwidth, taken))
    if not apart:
        yield "copy", lambda: {"copy_bandwidth": copy()}
        if not options.dry_run:
            yield "first A @ x", first_product
    for number, row in enumerate(module.rows(taken)):
        if not apart or any(library in peers.OPERATIONS[row.operation] for library in beside):
            name = f"{row.name} beside {options.beside}" if apart else row.name
            yield name, functools.partial(measure, row, taken, copy, options.dry_run and number)


def not_installed():
    """Skip what cannot be compared."""
    raise NotImplementedError("it is not installed")


def measure(row, options, copy, only_compare):
    """Return the line of a row."""
    if only_compare:
        found = {"wrong": [], "left_out": {}}
        row.calls(row.operands(), options, found)
    else:
        found = timing.line(row, options, copy())
        gpu.cupy_module().get_default_memory_pool().free_all_blocks()
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.empty_cache()
    failed = {"failed": f"another result than ours: {', '.join(found['wrong'])}"} if found["wrong"] else {}
    return {"row": found, **failed}


def first_product():
    """Return the seconds of a first `A @ x` in a new process: its kernels compiled, kept, and as they came with the package."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, cache in (("compiled", folder), ("kept", folder), ("as this process", os.environ.get("SPARK_CSR_CACHE_DIR"))):
            environment = os.environ | ({"SPARK_CSR_CACHE_DIR": cache} if cache else {})
            done = subprocess.run([sys.executable, "-c", FIRST], env=environment, capture_output=True, text=True, check=True)
            found[kind] = json.loads(done.stdout.splitlines()[-1])
    return {"first_product": found}
