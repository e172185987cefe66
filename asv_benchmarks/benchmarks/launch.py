"""What a launch costs the host, on the stand-in for CuPy: looking the kernel up and listing its parameters, nothing is run.

Arrays of the stand-in are Python objects, whose attributes take longer than those of CuPy's: a GPU's host is faster.
"""

import importlib
import importlib.util
import pathlib
import sys

import numpy as np

from spark_csr import csr_array, gallery

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
KINDS = ["pointers", "views", "repeated pointers", "product by rows", "product by tiles", "checked offsets"]


def _nothing(grid, block, args):
    """A kernel that is not run."""


class Launch:
    """Time what a launch takes the host, or a call that launches: `A.matmul(x, out=y)`, the check of offsets."""

    param_names = ("kind",)
    params = (KINDS,)

    def setup(self, kind):
        if importlib.util.find_spec("numba_cuda") is None:
            raise NotImplementedError("needs numba-cuda, to import the kernels")
        sys.path.insert(0, str(TESTS))
        self.before = sys.modules.get("cupy"), sys.modules.get("cupyx")
        self.cupy = importlib.import_module("cupy_stand_in").install()
        self.module = importlib.import_module("spark_csr._engine.gpu.launch")
        self.load, self.module.Kernel._load = self.module.Kernel._load, lambda kernel, device, args: _nothing
        self.call = getattr(self, "_" + kind.replace(" ", "_"))()
        self.call()

    def teardown(self, kind):
        self.module.Kernel._load = self.load
        sys.path.remove(str(TESTS))
        for name, module in zip(("cupy", "cupyx"), self.before, strict=True):
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module

    def _arrays(self):
        empty = self.cupy.empty
        return empty(100), empty(100), empty(100, np.int32)

    def _pointers(self):
        x, y, i = self._arrays()
        kernel = self.module.Kernel(_nothing, 128)
        return lambda: kernel(1, (x, i, y), i, i, 100, y, x)

    def _views(self):
        x, y, i = self._arrays()
        kernel = self.module.Kernel(_nothing, 128, views=True)
        return lambda: kernel(1, x, y, i, x, y, i, 100)

    def _repeated_pointers(self):
        x, y, i = self._arrays()
        kernel = self.module.Kernel(_nothing, 128).launcher()
        return lambda: kernel(1, (x, i, y), i, i, 100, y, x)

    def _product(self, lanes):
        spmv = importlib.import_module("spark_csr._cuda.spmv")
        kept, spmv.lanes_for = spmv.lanes_for, lambda indptr, entries: (lanes, 60)
        A = csr_array(gallery.poisson((10, 10)), device="cuda")
        x, out = self.cupy.ones(100), self.cupy.empty(100)
        A.matmul(x, out=out)
        spmv.lanes_for = kept
        return lambda: A.matmul(x, out=out)

    def _product_by_rows(self):
        return self._product(4)

    def _product_by_tiles(self):
        return self._product(0)

    def _checked_offsets(self):
        check = importlib.import_module("spark_csr.primitives._check")
        offsets = self.cupy.zeros(100, np.int32)
        return lambda: check.offsets("offsets", offsets)

    def time_call(self, kind):
        self.call()
