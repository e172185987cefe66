"""The interpreter: built from its C++ source by the first who needs it, kept in a folder of the user's, loaded once.

The file is named after the source, the compiler, its options and the processor, since it is made for the one it runs on.
"""

import ctypes
import functools
import hashlib
import importlib.util
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import uuid

import numpy as np

SOURCE = pathlib.Path(__file__).parent / "machine"
OPTIONS = "-std=c++17 -O2 -ftree-vectorize -ffp-contract=off -fno-strict-aliasing -fPIC -shared"

INSTRUCTION = np.dtype(
    [(name, "i4") for name in ("op", "predicate", "negated")]
    + [("d", "i4", 4), ("s", "i4", 5)]
    + [(name, "i4") for name in ("x", "y", "z", "count", "rounding", "label", "keep", "line")]
    + [("immediate", "i8")]
)
BUFFER = np.dtype([("base", "u8"), ("size", "u8"), ("granule", "i8"), ("allocation", "u8")])
SHARED_VARIABLE = np.dtype([("start", "i8"), ("size", "i8"), ("granule", "i8")])
FINDING = np.dtype(
    [(name, "i8") for name in ("kind", "pc1", "pc2", "thread1", "thread2", "buffer", "count")]
    + [(name, "u8") for name in ("address", "value1", "value2")]
)
NONE = -1000000
"""The number of a source that is not there."""

MOST_THREADS, MOST_BLOCKS = 1024, 1 << 22
"""Of a block, and of a launch: the numbers of threads have 32 bits."""

SHARED, LOCAL = 1 << 60, 1 << 61
"""Marks of generic addresses."""


_LAUNCH = {"code": True, "code_count": False, "constants": True, "constant_count": False, "tables": True}
_LAUNCH |= {"buffers": True, "buffer_count": False, "parameters": True}
_LAUNCH |= {"shared": True, "shared_count": False, "shared_size": False, "local_size": False}
_LAUNCH |= {"registers": False, "blocks": False, "threads": False}
_LAUNCH |= {"options": True, "counters": True, "findings": True, "most_findings": False}
"""Names of what a launch is given, and whether it is an array."""


class Launch(ctypes.Structure):
    """What a launch is given: the struct of the same name in C++."""

    _fields_ = tuple((name, ctypes.c_void_p if is_array else ctypes.c_int64) for name, is_array in _LAUNCH.items())


def compiler():
    """Return the command of a C++ compiler, or None if there is none."""
    chosen = os.environ.get("CXX")
    if chosen:
        return shlex.split(chosen)
    found = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
    return [found] if found else None


def available():
    """Return whether kernels can be compiled to PTX and executed: a C++ compiler and one for GPUs are there."""
    if compiler() is None or os.environ.get("NUMBA_ENABLE_CUDASIM", "0") != "0":
        return False
    compilers = map(importlib.util.find_spec, ("numba_cuda", "numba_cuda_mlir"))
    return any(compilers) and importlib.util.find_spec("cuda.core") is not None


def folder():
    """Return the folder for compiled interpreters; it need not exist."""
    chosen = os.environ.get("SPARK_CSR_CACHE_DIR")
    if chosen:
        return pathlib.Path(chosen).expanduser().absolute() / "ptx"
    import platformdirs

    return platformdirs.user_cache_path("spark_csr", appauthor=False) / "ptx"


def _sources():
    return sorted(path for path in SOURCE.iterdir() if path.suffix in (".cpp", ".h"))


@functools.cache
def source_digest():
    """Return the digest of all that decides what a parsed program is: sources of the interpreter and of this package."""
    names = [path for path in sorted(SOURCE.parent.glob("*.py")) if not path.name.startswith("test_")]
    content = b"\0".join(path.read_bytes() for path in [*_sources(), *names])
    return hashlib.sha256(content).hexdigest()


def _processor():
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), sorted(name for name, there in llvm.get_host_cpu_features().items() if there)


def _command():
    command = compiler()
    if command is None:
        raise RuntimeError("a C++ compiler is needed: install g++ or clang++, or name one in $CXX")
    return [*command, *OPTIONS.split(), "-march=native"]


def _build(target):
    """Compile into a file of its own and move it: another process may build the same."""
    unfinished = target.with_suffix(f".{uuid.uuid4().hex}.tmp")
    command = [*_command(), "-o", str(unfinished), str(SOURCE / "machine.cpp")]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{shlex.join(command)} failed:\n{done.stderr[-4000:]}")
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _library_path():
    version = subprocess.run([*_command()[:1], "--version"], capture_output=True, text=True).stdout
    parts = [_command(), version, _processor(), [path.read_text() for path in _sources()]]
    name = f"machine-{hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}.so"
    for place in (folder(), pathlib.Path(tempfile.gettempdir()) / f"spark_csr-ptx-{os.getuid()}"):
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(place, os.W_OK):
            return place / name
    raise RuntimeError(f"no folder to build the PTX interpreter in: {folder()}")


@functools.cache
def library():
    """Return the interpreter, built if it was not before."""
    path = _library_path()
    if not path.exists():
        _build(path)
    loaded = ctypes.CDLL(str(path))
    for name in ("ptx_operations", "ptx_options", "ptx_counters", "ptx_findings"):
        getattr(loaded, name).restype = ctypes.c_char_p
    return loaded


@functools.cache
def names(what):
    """Return the names of `operations`, `options`, `counters` or `findings`, in the order of their numbers."""
    return tuple(getattr(library(), f"ptx_{what}")().decode().split())


@functools.cache
def operation_numbers():
    """Return the number of each operation by its name."""
    return {name: number for number, name in enumerate(names("operations"))}


def pointer(array):
    """Return the address of an array's elements for a call."""
    return ctypes.c_void_p(array.ctypes.data)
