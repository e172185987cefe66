"""What CUB's primitives cost beside ours, counted on compiled kernels without a GPU.

    pip install nvidia-cuda-nvcc nvidia-cuda-cccl nvidia-cuda-runtime numba-cuda[cu13]
    python gpu_peers.py [--only PATTERN] [--kernels] [--cuda FOLDER]

CUB's calls (`cub/calls.cu`) are compiled by nvcc, for the host and to PTX for capability 9.0. Its host code runs on a stand-in
for the CUDA runtime (`cub/runtime.cpp`), chooses its tuning for an H100 with 132 multiprocessors, and its launches are executed
by `tests/ptx` on the inputs of ours. Columns are those of `gpu_counts.py`; a memset or a copy counts as a launch. Each result is
compared with NumPy's. The folder of CUDA is found where pip puts it; with `--cuda` it has `bin/nvcc`, `include` and
`include/cccl`.
"""

import argparse
import ctypes
import functools
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests"), str(HERE)]

import numpy as np  # noqa: E402

import gpu_counts  # noqa: E402
from spark_csr import primitives  # noqa: E402

LAUNCH = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t)


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
            self._note(name, {"sectors": size // 32 * (2 if name == "memcpy" else 1)})
            return
        program = self.program_of(name)
        given = [ctypes.string_at(arguments[k], size) for k, (_, size) in enumerate(program.parameters)]
        with ptx.options(random=0, seed=1, race=0):
            counted, found = ptx.run.execute(program, blocks, threads, given, self.buffers, dict(ptx.run.current))
        for finding in found[:1]:
            print(finding.text, file=sys.stderr)
        counted["sectors"] = sum(counted[f"{kind}_sectors"] for kind in ("load", "store", "atomic"))
        counted.update(wavefronts=counted["shared_wavefronts"], ideal_wavefronts=counted["shared_ideal"], launches=1)
        short = re.search(r"Device\w+?Kernel", name)
        self._note(short[0] if short else name, counted)

    def _note(self, name, counted):
        kernel = self.kernels.setdefault(name, dict.fromkeys(gpu_counts.COUNTERS, 0))
        for counter in gpu_counts.COUNTERS:
            kernel[counter] += counted.get(counter, 0)

    def count(self, call, n, arrays, items):
        """Call CUB and return what it cost, as `gpu_counts.count` does."""
        import ptx

        function, size = getattr(self.calls, call), ctypes.c_size_t()
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in arrays]
        error = function(None, ctypes.byref(size), ctypes.c_longlong(n), *pointers)
        memory = np.zeros(max(size.value, 1) + 512, np.uint8)
        start = -memory.ctypes.data % 256
        held = memory[start : start + max(size.value, 1)]
        self.buffers = [ptx.Buffer(x.ctypes.data, x.nbytes, 1, x.ctypes.data, str(k)) for k, x in enumerate([*arrays, held])]
        self.kernels, self.launches = {}, 0
        error = error or function(held.ctypes.data_as(ctypes.c_void_p), ctypes.byref(size), ctypes.c_longlong(n), *pointers)
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


def rows():
    """Return for each row: our call and the number of items, CUB's call and its arguments, and what its result is to be."""
    n = 1 << 20
    x, whole, keys, mask = (gpu_counts.random(n, dtype) for dtype in (np.float64, np.int32, np.uint32, np.float64))
    whole, mask = whole % 1000, mask < 0.3
    lengths = np.random.default_rng(2).integers(0, 60, n // 30)
    items, offsets = gpu_counts.random(lengths.sum()), np.r_[0, np.cumsum(lengths)]
    one = np.array([0, n])
    ours = gpu_counts
    order = np.argsort(keys, kind="stable")
    sums = lambda values, ends: np.add.reduceat(np.r_[values, 0.0], ends[:-1]) * (np.diff(ends) > 0)  # noqa: E731
    return {
        "inclusive_scan, 2^20": (lambda: ours.of_array(primitives.inclusive_scan, x), "scan_float64", n, [x], np.cumsum(x)),
        "inclusive_scan, 2^20 int32": (
            lambda: ours.of_array(primitives.inclusive_scan, whole),
            "scan_int32",
            n,
            [whole],
            np.cumsum(whole, dtype=np.int32),
        ),
        "compact, 2^20, 30 % kept": (lambda: ours.compact(n), "select_float64", n, [x, mask], x[mask]),
        "radix sort, 2^20 uint32": (
            lambda: ours.of_array(lambda k: primitives.sort(k, algorithm="radix"), keys),
            "sort_uint32",
            n,
            [keys],
            keys[order],
        ),
        "radix argsort, 2^20 uint32": (
            lambda: ours.of_array(lambda k: primitives.argsort(k, algorithm="radix"), keys),
            "argsort_uint32",
            n,
            [keys],
            order,
        ),
        "segmented_reduce, segments of 30": (
            lambda: ours.of_segments(primitives.segmented_reduce, items, lengths),
            "segmented_sum_float64",
            lengths.size,
            [items],
            sums(items, offsets),
        ),
        "segmented_reduce, a segment of 2^20": (
            lambda: ours.of_segments(primitives.segmented_reduce, x, [n]),
            "segmented_sum_float64",
            1,
            [x],
            sums(x, one),
        ),
    }


def arguments(call, given, n, expected):
    """Return the arrays that CUB's call takes, and the one of them with its result."""
    out = aligned(np.zeros(given[0].size if "segmented" not in call else n, given[0].dtype))
    if call == "argsort_uint32":
        index = aligned(np.zeros(n, np.int32))
        return [aligned(given[0]), out, aligned(np.arange(n, dtype=np.int32)), index], index
    if call == "select_float64":
        return [aligned(given[0]), aligned(given[1]), out, aligned(np.zeros(1, np.int64))], out[: expected.size]
    if call == "segmented_sum_float64":
        lengths = [given[0].size] if n == 1 else np.random.default_rng(2).integers(0, 60, (1 << 20) // 30)
        return [aligned(given[0]), out, aligned(np.r_[0, np.cumsum(lengths)])], out
    return [aligned(given[0]), out], out


def main():
    """Count, compare results, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="rows whose name it is found in")
    parser.add_argument("--kernels", action="store_true", help="a line for each kernel too")
    parser.add_argument("--cuda", type=pathlib.Path, default=cuda_folder(), help="the folder of nvcc and CCCL")
    options = parser.parse_args()
    from gpu_dry_run import stand_in

    if options.cuda is None or not stand_in():
        sys.exit("nvcc, CCCL and numba-cuda are needed: pip install nvidia-cuda-nvcc nvidia-cuda-cccl 'numba-cuda[cu13]'")
    peer, found = Peer(options.cuda), {}
    for name, (made, call, n, given, expected) in rows().items():
        if re.search(options.only, name):
            arrays, out = arguments(call, given, n, expected)
            found[f"{name}: ours"] = gpu_counts.count(made)
            found[f"{name}: CUB"] = peer.count(call, n, arrays, given[0].size)
            np.testing.assert_allclose(out, expected, rtol=1e-9)
    print(gpu_counts.text(found, {}, options.kernels))


if __name__ == "__main__":
    main()
