"""Names of `scipy.sparse` and `scipy.sparse.linalg` that the modules of this package lack, and what to use instead."""

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
