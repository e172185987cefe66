"""`python -m spark_csr run`: a program whose SciPy computes on all cores, see `spark_csr.interop.scipy`.

Design: the program is Python's own, started with the folder of a `sitecustomize` on its path, as all processes are that it
starts. So everything but SciPy is as without the patch, except that the threads of OpenBLAS sleep sooner: by default they keep
their cores busy for 2**28 ticks of the clock after each call, a tenth of a second, in which kernels would compute.
"""

import os
import pathlib
import subprocess
import sys

OPENBLAS_TIMEOUT = "20"
"""After how many ticks of the clock, as a power of two, a thread of OpenBLAS sleeps: 0.4 ms. A power iteration of 5,000,000
entries, with a BLAS norm in each step, takes half the time, and SciPy alone 0.83 of it; a BLAS call that has to wake a thread
takes 0.03 to 0.08 ms more (two virtual cores of an EPYC, family 25 model 1, 2026-11)."""


def run(options):
    """Run a script or a module with the patch, as Python does; return its exit status, or 2 where there is no such script."""
    program = options.program
    if not program or program == ["-m"]:
        return _refuse("give a script, or -m and a module")
    if program[0] != "-m" and not pathlib.Path(program[0]).exists():
        return _refuse(f"there is no file {program[0]}")
    if sys.flags.ignore_environment or sys.flags.no_site:
        return _refuse("the options -E, -I and -S of Python hide the patch from the program: leave them out")
    from spark_csr.interop import scipy as patches

    folder = str(pathlib.Path(patches.__file__).parent / "startup")
    path = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    environment = {"OPENBLAS_THREAD_TIMEOUT": OPENBLAS_TIMEOUT, **os.environ, "PYTHONPATH": path}
    command = [sys.executable, *subprocess._args_from_interpreter_flags(), *program]
    if os.name == "posix":
        sys.stdout.flush()
        os.execve(sys.executable, command, environment)
    return subprocess.call(command, env=environment)


def _refuse(why):
    print(f"spark_csr run: error: {why}", file=sys.stderr)
    return 2
