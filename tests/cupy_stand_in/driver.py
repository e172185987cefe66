"""Who runs kernels: what the tests chose, or nobody, to measure what a launch costs the host.

A driver has `load(cubin)`, which makes code of it, `launch(code, blocks, threads, arguments, buffers)`, where an argument is
its bytes and a buffer as in `launch.Buffer`, and `counts_only`: whether it touches no memory.
"""

launches = 0
"""How many kernels were launched."""


class Nothing:
    """Run nothing."""

    counts_only = True

    def load(self, code):
        """The code as it is."""
        return code

    def launch(self, code, blocks, threads, arguments, buffers):
        """Do nothing."""


_driver = Nothing()


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
