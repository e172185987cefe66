"""What CUB's primitives cost beside ours, counted on compiled kernels without a GPU.

    pip install nvidia-cuda-nvcc nvidia-cuda-cccl nvidia-cuda-runtime numba-cuda[cu13]
    python gpu_peers.py [--only PATTERN] [--kernels] [--write] [--cuda FOLDER]

CUB's calls (`cub/calls.cu`) are compiled by nvcc, for the host and to PTX for capability 9.0. Its host code runs on a stand-in
for the CUDA runtime (`cub/runtime.cpp`), chooses its tuning for an H100 with 132 multiprocessors, and its launches are executed
by `tests/ptx` on the inputs of ours. Columns are those of `gpu_counts.py`; a memset or a copy counts as a launch. The results
are compared with NumPy's. `--write` keeps CUB's counts in `results/gpu-peers.json`, where `gpu_model.py` reads them. CUDA is
found where pip puts it; a folder given with `--cuda` has `bin/nvcc` and `include/cccl`.
"""

import argparse
import collections
import ctypes
import functools
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "results" / "gpu-peers.json"

if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests"), str(HERE)]

import numpy as np  # noqa: E402

import gpu_counts  # noqa: E402
from spark_csr import primitives  # noqa: E402

LAUNCH = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t)


def versions(cuda):
    """Return those of the compiler and of CUB."""
    said = subprocess.run([str(cuda / "bin" / "nvcc"), "--version"], capture_output=True, text=True, check=True).stdout
    header = (cuda / "include" / "cccl" / "cub" / "version.cuh").read_text()
    return {"nvcc": re.search(r"V([\d.]+)", said)[1], "CUB": re.search(r"define CUB_VERSION (\d+)", header)[1]}


def cuda_folder():
    """Return where pip puts the toolkit, or None."""
    spec = importlib.util.find_spec("nvidia")
    folders = [pathlib.Path(place) / "cu13" for place in (spec.submodule_search_locations if spec else ())]
    return next((folder for folder in folders if (folder / "bin" / "nvcc").exists()), None)


def build(cuda, folder):
    """Compile CUB's calls and the stand-in for the runtime; return both as a library, and the PTX."""
    library, text = folder / "calls.so", folder / "calls.ptx"
    nvcc = [str(cuda / "bin" / "nvcc"), "-std=c++17", "-O3", "-arch=compute_90", f"-I{cuda / 'include' / 'cccl'}"]
    calls, runtime = (str(HERE / "cub" / name) for name in ("calls.cu", "runtime.cpp"))
    shared = ["-shared", "-Xcompiler", "-fPIC", "-cudart", "none", "-Xlinker", "-Bsymbolic"]  # not the runtime of others
    subprocess.run([*nvcc, "-ptx", calls, "-o", str(text)], check=True)
    subprocess.run([*nvcc, *shared, calls, runtime, "-o", str(library)], check=True)
    return ctypes.CDLL(str(library)), text.read_text()


def programs_of(text):
    """Return a function that gives the program of a kernel, by its name: each alone, with the variables that it mentions."""
    import ptx

    head = text[: re.search(r"^\s*(\.visible|\.weak|\.global|\.func|\.entry)", text, re.M).start()]
    variables = {name: line for line, name in re.findall(r"^(\.global [^;=]*?(\w+)(?:\[\d*\])?(?: = [^;]*)?;)", text, re.M)}
    bodies = dict(re.findall(r"\.entry (\w+)(\(.*?^\})\s*(?=// \.globl|\Z)", text, re.M | re.S))

    @functools.cache
    def program_of(name):
        body = name_parameters(bodies[name])
        needed = [line for variable, line in variables.items() if re.search(rf"\b{variable}\b", body)]
        return ptx.Program("\n".join([head, *needed, f".visible .entry {name}{body}"]))

    return program_of


def name_parameters(body):
    """Return PTX that names the parameters where it loads them, not by an address that was put into a register before."""
    for register, parameter in re.findall(r"mov\.b64\s+(%rd\d+), (\w+_param_\d+);", body):
        body = re.sub(rf"mov\.b64\s+{register}, {parameter};", "", body)
        body = re.sub(rf"(ld\.param\S*\s+[^;\[]*)\[{register}(?=[\]+])", rf"\1[{parameter}", body)
    return body


class Peer:
    """CUB's calls, whose launches are executed here."""

    def __init__(self, cuda):
        with tempfile.TemporaryDirectory() as folder:
            self.calls, text = build(cuda, pathlib.Path(folder))
        self.program_of, self.buffers, self.kernels, self.launches = programs_of(text), [], {}, 0
        self.error = None
        self._launch = LAUNCH(self._try)  # kept: the library calls it
        self.calls.set_launch(self._launch)

    def _try(self, *launch):
        try:
            self._execute(*launch)
        except Exception as error:  # C has no exceptions
            self.error = self.error or error

    def _execute(self, name, blocks, threads, arguments, size):
        import ptx
        import ptx.run

        name = name.decode()
        self.launches += 1
        if not threads:
            self._note(name, {"sectors": size // 32, "store_sectors": size // 32, "bytes_written": size})
            return
        program = self.program_of(name)
        given = [ctypes.string_at(arguments[k], size) for k, (_, size) in enumerate(program.parameters)]
        with ptx.options(random=0, seed=1, race=1):  # races are not looked at: blocks of a scan wait for others
            counted, _ = ptx.run.execute(program, blocks, threads, given, self.buffers, dict(ptx.run.current))
        counted["sectors"] = sum(counted[f"{kind}_sectors"] for kind in ("load", "store", "atomic"))
        counted.update(wavefronts=counted["shared_wavefronts"], ideal_wavefronts=counted["shared_ideal"])
        short = re.search(r"Device\w+?Kernel", name)
        self._note(short[0] if short else name, counted)

    def _note(self, name, counted):
        self.kernels.setdefault(name, collections.Counter()).update(counted, launches=1)

    def count(self, call, arrays, items):
        """Call CUB and return what it cost, as `gpu_counts.count` does."""
        import ptx

        function, size = getattr(self.calls, call), ctypes.c_size_t()
        n = ctypes.c_longlong(arrays[-1].size)
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in arrays]
        error = function(None, ctypes.byref(size), n, *pointers)
        memory = np.zeros(max(size.value, 1) + 512, np.uint8)
        start = -memory.ctypes.data % 256
        held = memory[start : start + max(size.value, 1)]
        self.buffers = [ptx.Buffer(x.ctypes.data, x.nbytes, 1, x.ctypes.data, str(k)) for k, x in enumerate([*arrays, held])]
        self.kernels, self.launches = {}, 0
        error = error or function(held.ctypes.data_as(ctypes.c_void_p), ctypes.byref(size), n, *pointers)
        if error or self.error:
            raise RuntimeError(f"CUB's {call} returns error {error}") from self.error
        return {"items": items, "launches": self.launches, "host_reads": 0, "kernels": self.kernels}


def aligned(x):
    """Return a copy that begins where the driver would put it."""
    room = np.empty(x.nbytes + 256, np.uint8)
    start = -room.ctypes.data % 256
    found = room[start : start + x.nbytes].view(x.dtype)
    found[:] = x
    return found


class Row(NamedTuple):
    """Our call and its items, as in `gpu_counts.py`; CUB's call, what it computes and on what, and what is to come out."""

    ours: object
    call: str
    given: tuple
    items: int
    expected: object


def rows():
    """Rows by name, each a function that makes it."""
    n, keys = 1 << 20, gpu_counts.random(1 << 22, np.uint32)  # a histogram has as many blocks however few keys there are
    x, whole, mask = gpu_counts.random(n), gpu_counts.random(n, np.int32) % 1000, gpu_counts.random(n) < 0.3
    lengths = np.random.default_rng(2).integers(0, 60, n // 30)
    return {
        "inclusive_scan": lambda: scan_row(x),
        "inclusive_scan, float32": lambda: scan_row(x.astype(np.float32)),
        "inclusive_scan, int32": lambda: scan_row(whole),
        "inclusive_scan, int64": lambda: scan_row(whole.astype(np.int64)),
        "compact, 30 % kept": lambda: compact_row(x, mask),
        "radix sort, uint32": lambda: sort_row(keys),
        "radix argsort, uint32": lambda: argsort_row(keys),
        "segmented_reduce, segments of 30": lambda: segments_row(gpu_counts.random(lengths.sum()), lengths),
        "segmented_reduce, a segment of 2^20": lambda: segments_row(x, np.array([n])),
    }


def scan_row(x):
    """A sum of all elements so far; ours of int32 is int64, as NumPy's."""
    expected = np.cumsum(x, dtype=np.float64 if x.dtype.kind == "f" else x.dtype)
    made = lambda: gpu_counts.of_array(primitives.inclusive_scan, x)  # noqa: E731
    return Row(made, f"scan_{x.dtype}", (x, np.zeros_like(x)), x.size, expected)


def compact_row(x, mask):
    """What a mask selects."""
    given = x, mask, np.zeros(1, np.int64), np.zeros_like(x)
    return Row(lambda: gpu_counts.compact(x.size), "select_float64", given, x.size, x[mask])


def sort_row(keys):
    """Keys without a payload."""
    made = lambda: gpu_counts.of_array(lambda x: primitives.sort(x, algorithm="radix"), keys)  # noqa: E731
    return Row(made, "sort_uint32", (keys, np.zeros_like(keys)), keys.size, np.sort(keys))


def argsort_row(keys):
    """Keys and their positions."""
    made = lambda: gpu_counts.of_array(lambda x: primitives.argsort(x, algorithm="radix"), keys)  # noqa: E731
    positions = np.arange(keys.size, dtype=np.int32)
    given = keys, np.zeros_like(keys), positions, np.zeros_like(positions)
    return Row(made, "argsort_uint32", given, keys.size, np.argsort(keys, kind="stable"))


def segments_row(x, lengths):
    """Sums of segments."""
    offsets = np.r_[0, np.cumsum(lengths)]
    expected = np.add.reduceat(np.r_[x, 0.0], offsets[:-1]) * (lengths > 0)
    made = lambda: gpu_counts.of_segments(primitives.segmented_reduce, x, lengths)  # noqa: E731
    return Row(made, "segmented_sum_float64", (x, offsets, np.zeros(lengths.size)), x.size, expected)


def main():
    """Count, compare results, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name it is found in")
    parser.add_argument("--kernels", action="store_true", help="a line for each kernel too")
    parser.add_argument("--write", action="store_true", help=f"keep what was counted in {KEPT.name}")
    parser.add_argument("--cuda", type=pathlib.Path, default=cuda_folder(), help="the folder of nvcc and CCCL")
    options = parser.parse_args()
    from gpu.stand_in import stand_in

    if options.cuda is None or not stand_in():
        sys.exit("nvcc, CCCL and numba-cuda are needed: pip install nvidia-cuda-nvcc nvidia-cuda-cccl 'numba-cuda[cu13]'")
    peer, found = Peer(options.cuda), {}
    for name, made in rows().items():
        if re.search(options.only, name):
            row = made()
            given = [aligned(x) for x in row.given]  # the last is the result
            found[f"{name}: ours"] = gpu_counts.count(row.ours)
            found[f"{name}: CUB"] = peer.count(row.call, given, row.items)
            result = given[-1][: row.expected.size]
            np.testing.assert_allclose(result, row.expected, rtol=1e-5 if result.dtype == np.float32 else 1e-9)
    print(gpu_counts.text(found, {}, options.kernels))
    if options.write:
        kept = {name.removesuffix(": CUB"): row for name, row in found.items() if name.endswith(": CUB")}
        kept = {"capability": "9.0", "versions": versions(options.cuda), "rows": kept}
        from machine import by_rows  # beside this file, which tests load without its folder

        KEPT.write_text(by_rows(kept))


if __name__ == "__main__":
    main()
