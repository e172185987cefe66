"""`SPARK_CSR_PTX=1 python -m pytest tests`: tests that take `xp` run as on a GPU, on a machine with none.

The stand-in (`cupy_stand_in`) is CuPy, and what it launches is compiled PTX that the package `ptx` executes.

`SPARK_CSR_PTX_RECORD=FOLDER` also puts every kernel that is compiled into FOLDER, made for the capabilities that
`SPARK_CSR_PTX_CAPABILITIES` lists (default: 9.0): `SPARK_CSR_CACHE_DIR=FOLDER` makes them known to a machine with such a GPU.
"""

import functools
import hashlib
import importlib
import importlib.util
import os
import pathlib

ON = bool(int(os.environ.get("SPARK_CSR_PTX", "0")))
RECORD = os.environ.get("SPARK_CSR_PTX_RECORD")
CAPABILITIES = os.environ.get("SPARK_CSR_PTX_CAPABILITIES", "9.0")


def prepare():
    """Put the stand-in where `import cupy` finds it, and let kernels be assembled for the package `ptx`; return `cupy`."""
    cupy = importlib.import_module("cupy_stand_in").install()
    package = importlib.import_module("spark_csr._engine.gpu.compiler").chosen().PACKAGE.replace("-", "_")
    if importlib.util.find_spec(package) is None or importlib.util.find_spec("ptx") is None:
        return cupy
    ptx, compiler = importlib.import_module("ptx"), importlib.import_module("spark_csr._engine.gpu.compile")
    cubin = importlib.import_module("ptx.cubin")
    record = None
    if RECORD:
        cubin.CAPABILITIES[:] = [tuple(map(int, text.split("."))) for text in CAPABILITIES.split(",")]
        record = _recorder(compiler)
    checked = cubin.checked(compiler.ptx_of, compiler.assemble, record)
    compiler.assemble, compiler.ptx_of = ptx.assemble, _named(checked, ptx)
    compiler.store.VERSIONS, compiler.store.foreign_compilers = versions(), list
    importlib.import_module("cupy_stand_in.driver").choose(_Driver(ptx))
    return cupy


def _named(ptx_of, ptx):
    """Let PTX begin with the name of its kernel: which races are allowed goes by it."""

    def ptx_with_name(function, *rest):
        return f"// {ptx.name_of(function)}\n{ptx_of(function, *rest)}"

    return ptx_with_name


def _recorder(compiler):
    """Return a function that keeps a cubin under the name by which a machine with a GPU looks for it."""
    made_by = compiler.compilers()

    def record(cubin, function, argument_types, threads, capability):
        name = compiler.file_of(function, argument_types, threads, capability, made_by)
        if name:
            compiler.store.carry(RECORD, name, cubin, made_by)

    return record


class _Driver:
    """Run kernels by `ptx`, under the names that `_named` gave them."""

    counts_only = False

    def __init__(self, ptx):
        self._ptx = ptx

    def load(self, code):
        """The program, with its name."""
        program = self._ptx.load(code)
        program.name = program.text.partition("\n")[0].removeprefix("// ")
        return program

    def launch(self, code, blocks, threads, arguments, buffers):
        """Run a kernel."""
        self._ptx.launch(code, blocks, threads, arguments, [self._ptx.Buffer(*buffer) for buffer in buffers])


@functools.cache
def versions():
    """What names the files of programs that were made of PTX, beside those of cubins: also the sources that make them."""
    folder = pathlib.Path(__file__).parent / "ptx"
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(folder.glob("*.py")))).hexdigest()
    return *importlib.import_module("spark_csr._engine.store").VERSIONS, "ptx", digest
