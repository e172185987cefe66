"""Names of `scipy.sparse` and `scipy.sparse.linalg` that this package lacks, and what to use instead.

Exceptions give the hint, whether a name is asked for as an attribute or in `from spark_csr import name`.

Design: an attribute that is missing is an AttributeError of the package's `__getattr__`, so `hasattr` is False. A from-import
discards that message. But it looks for a submodule of that name before it fails, so a finder at the end of `sys.meta_path` can
raise an ImportError with the hint. `importlib.util.find_spec` asks the same finders and expects None of them. A finder is not
told who asks, so this one looks at the frames of its callers. Cost: the finder is asked about modules that no other finder has
found; the hint of a from-import is lost where the functions of `importlib` have other names than CPython's.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import FrameType, ModuleType

OTHER_FORMATS = "dia", "lil", "dok", "bsr"

HINTS = {
    "eye": "use eye_array",
    "identity": "use eye_array(n)",
    "diags": "use diags_array",
    "spdiags": "use csr_array(dia_array((data, offsets), shape=(m, n)))",
    "random": "use random_array",
    "rand": "use random_array",
    "bmat": "use block_array",
    "kronsum": "use kron(eye_array(n), A) + kron(B, eye_array(m))",
    "isspmatrix": "use issparse",
    "sparray": "use issparse(A), or isinstance with csr_array, csc_array and coo_array",
    "spmatrix": "use issparse(A), or isinstance with csr_array, csc_array and coo_array",
    "csgraph": "spark_csr.graph has bfs, sssp, connected_components and more; scipy.sparse.csgraph takes A.to_scipy()",
    "expand_dims": "use A.reshape(shape)",
    "matrix_transpose": "use A.T",
    "permute_dims": "use A.T",
    "swapaxes": "use A.T",
    "get_index_dtype": "scipy.sparse has it; here index arrays are int32 if the numbers of columns and entries fit, else int64",
    "safely_cast_index_arrays": "scipy.sparse has it, for A.to_scipy()",
}
"""What to use instead of names of `scipy.sparse`."""

HINTS |= {f"isspmatrix_{form}": f"use isinstance(A, {form}_array)" for form in ("csr", "csc", "coo")}
HINTS |= dict.fromkeys(
    [f"isspmatrix_{form}" for form in OTHER_FORMATS], "scipy.sparse has it; no matrix of this package is in that format"
)
HINTS |= dict.fromkeys(
    ("SparseWarning", "SparseEfficiencyWarning"), "import it from scipy.sparse, whose class this package uses too"
)
HINTS |= dict.fromkeys(
    [
        "base",
        "bsr",
        "compressed",
        "construct",
        "coo",
        "csc",
        "csr",
        "data",
        "dia",
        "dok",
        "extract",
        "lil",
        "sparsetools",
        "spfuncs",
        "sputils",
    ],
    "this is a deprecated module of SciPy; its public names are in scipy.sparse itself",
)

LINALG = {
    "tfqmr": "use bicgstab: SciPy's tfqmr (1.17) reports success for a wrong x where it is given a preconditioner M",
    "LaplacianNd": "spark_csr.gallery.poisson returns a Laplacian as a matrix; scipy.sparse.linalg has LaplacianNd",
    "SuperLU": "call splu or spilu; the class is in scipy.sparse.linalg",
}
"""What to use instead of names of `scipy.sparse.linalg`."""

LINALG |= dict.fromkeys(
    ("qmr", "gcrotmk", "funm_multiply_krylov", "matrix_power", "is_sptriangular", "spbandwidth", "use_solver"),
    "scipy.sparse.linalg has it, for A.to_scipy()",
)
LINALG |= dict.fromkeys(
    ("ArpackError", "ArpackNoConvergence", "MatrixRankWarning"),
    "import it from scipy.sparse.linalg, whose class this package uses too",
)
LINALG |= dict.fromkeys(
    ("dsolve", "interface", "isolve", "matfuncs"),
    "this is a deprecated module of SciPy; its public names are in scipy.sparse.linalg itself",
)

PACKAGES = {"spark_csr": HINTS, "spark_csr.linalg": LINALG}


def refuse(module: str, name: str, hints: Mapping[str, str]) -> AttributeError:
    """Return the AttributeError for a name that a module lacks, with a hint if there is one."""
    hint = f": {hints[name]}" if name in hints else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)


def _is_import(frame: FrameType) -> bool:
    """Return whether the function of a frame, which asks the finders, was called by an import."""
    return frame.f_back is not None and frame.f_back.f_code.co_name == "_find_and_load_unlocked"


class Finder:
    """A finder that finds no module, and raises an ImportError with the hint if one of SciPy's names is imported."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Raise ImportError if a module is imported that has the name of a hint; return None otherwise."""
        package, _, name = fullname.rpartition(".")
        hint = PACKAGES.get(package, {}).get(name)
        if hint is not None and _is_import(sys._getframe(1)):
            raise ImportError(f"cannot import name {name!r} from {package!r}: {hint}", name=fullname)


sys.meta_path.append(Finder)
