"""What `gpu_check.py` needs where there is no GPU: a stand-in for CuPy, and a record of the kernels that are launched."""

import importlib
import pathlib


def stand_in():
    """Put the stand-in for CuPy in its place; whether it can execute kernels."""
    try:
        importlib.import_module("numba_cuda")
        available = importlib.import_module("ptx").available()
    except ImportError:
        return False
    if available:
        importlib.import_module("ptx_mode").prepare()
    return available


class Recorder:
    """The kernels that are launched, and what their arguments are."""

    def __init__(self):
        self.compiler = importlib.import_module("spark_csr._cuda.compile")
        self.launch = importlib.import_module("spark_csr._cuda.launch")
        self.found, self.cubin_of = {}, self.launch.cubin_of
        self.launch.cubin_of = self._record

    def _record(self, function, types, threads, capability, **options):
        self.found[function, types, threads] = None
        return self.cubin_of(function, types, threads, capability, **options)

    def compile(self, folder, capability, assemble, ptx_of, versions):
        """Compile all of them for a capability and put them into a folder."""
        kept = self.compiler._kept
        self.compiler.assemble, self.compiler.ptx_of, kept.VERSIONS = assemble, ptx_of, versions
        kept.folders = lambda: (pathlib.Path(folder).absolute() / "kernels",)
        for function, types, threads in self.found:
            self.cubin_of(function, types, threads, capability)
        return len(self.found)
