"""`python -m spark_csr run`: a program whose SciPy computes on all cores, see `spark_csr.interop.scipy`."""

import os
import pathlib
import runpy
import sys


def run(options):
    """Run a script or a module with the patch, as Python would; return 0, or 2 where there is no such script."""
    is_module = options.program[:1] == ["-m"]
    program = options.program[is_module:]
    if not program or not (is_module or pathlib.Path(program[0]).exists()):
        what = f"there is no file {program[0]}" if program else "give a script, or -m and a module"
        print(f"spark_csr run: error: {what}", file=sys.stderr)
        return 2
    from spark_csr.interop import scipy as patches

    folder = str(pathlib.Path(patches.__file__).parent / "startup")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    patches.patch()
    sys.argv = program
    if is_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(pathlib.Path(program[0]).resolve().parent)
        runpy.run_path(program[0], run_name="__main__")
    return 0
