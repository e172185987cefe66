"""Patch SciPy in every process that has the folder of this file on `PYTHONPATH`, as soon as it imports `scipy.sparse`.

Python imports a module of this name when it starts. `python -m spark_csr run` puts the folder on the path of a program and of
the processes that it starts. If there is another `sitecustomize`, which this one hides, it is imported too.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
SCIPY, PATCH = "scipy.sparse", "spark_csr.interop.scipy"


class Finder(importlib.abc.MetaPathFinder):
    """Find these modules as Python does. Once SciPy's is imported, import the other one; once that is imported, patch SciPy."""

    def __init__(self):
        self.left = {
            SCIPY: lambda module: PATCH in sys.modules or importlib.import_module(PATCH),
            PATCH: lambda module: module.patch(),
        }

    def find_spec(self, fullname, path=None, target=None):
        then = self.left.pop(fullname, None)
        if then is None:
            return None
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_go_on(module):
                execute(module)
                then(module)

            spec.loader.exec_module = execute_and_go_on
        return spec


def _import_hidden():
    """Import the `sitecustomize` that would be found without this folder, if there is one."""
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


sys.meta_path.insert(0, Finder())
_import_hidden()
