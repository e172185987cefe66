"""Who runs kernels: the package `ptx`, which executes compiled PTX, or nobody, to measure what a launch costs the host.

`launch(code, blocks, threads, arguments, buffers)`: the code is what `load` made of a cubin, an argument is its bytes.
"""

import importlib

launches = 0
"""How many kernels were launched."""


class Ptx:
    """Run kernels by the package `ptx`."""

    counts_only = False

    def load(self, code):
        """What `ptx` launches."""
        return importlib.import_module("ptx").load(code)

    def launch(self, code, blocks, threads, arguments, buffers):
        """Run one kernel."""
        ptx = importlib.import_module("ptx")
        ptx.launch(code, blocks, threads, arguments, [ptx.Buffer(*buffer) for buffer in buffers])


class Nothing:
    """Run nothing."""

    counts_only = True

    def load(self, code):
        """The code as it is."""
        return code

    def launch(self, code, blocks, threads, arguments, buffers):
        """Do nothing."""


_driver = Ptx()


def choose(driver):
    """Let `driver` run the kernels from now on; return the one before."""
    global _driver
    before, _driver = _driver, driver
    return before


def load(code):
    """Make of a cubin what `launch` takes."""
    return _driver.load(code)


def counts_only():
    """Whether kernels are counted, and not run."""
    return _driver.counts_only


def launch(code, blocks, threads, arguments, buffers):
    """Run one kernel."""
    global launches
    launches += 1
    _driver.launch(code, blocks, threads, arguments, buffers)
