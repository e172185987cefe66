"""Names of `scipy.sparse` that are not here, and what to use instead: said by the exception of whoever asks for one."""

HINTS = {
    "eye": "use eye_array",
    "identity": "use eye_array(n)",
    "diags": "use diags_array",
    "spdiags": "use diags_array",
    "random": "use random_array",
    "rand": "use random_array",
    "bmat": "use block_array",
    "kronsum": "use kron(eye_array(n), A) + kron(B, eye_array(m))",
    "isspmatrix": "use issparse",
    "sparray": "use issparse(A), or isinstance with csr_array, csc_array and coo_array",
    "spmatrix": "use issparse(A), or isinstance with csr_array, csc_array and coo_array",
    "csgraph": "spark_csr.graph has bfs, sssp, connected_components and more; scipy.sparse.csgraph takes A.to_scipy()",
}
LINALG = {"tfqmr": "use bicgstab: SciPy's tfqmr (1.17) reports success for a wrong x where it is given a preconditioner M"}
LINALG |= dict.fromkeys(
    ("qmr", "gcrotmk", "funm_multiply_krylov", "matrix_power", "is_sptriangular", "spbandwidth", "use_solver"),
    "scipy.sparse.linalg has it, for A.to_scipy()",
)


def refuse(module, name, hints):
    """The AttributeError of a module, with a hint where there is one."""
    hint = f": {hints[name]}" if name in hints else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)
