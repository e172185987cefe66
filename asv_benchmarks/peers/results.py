"""Whether what two libraries return is the same, whatever form it has."""

import importlib

import numpy as np
import scipy.sparse as sp

from peers import DIGESTS
from spark_csr import Ragged


def alike(operation, ours, library, theirs):
    """Whether two results agree, but for rounding: sums are not all made in one order."""
    digest = DIGESTS.get(operation, lambda library, found: found)
    here, there = arrays(digest("ours", ours)), arrays(digest(library, theirs))
    return len(here) == len(there) and all(map(_close, here, there))


MOST = 1 << 25
"""The number of elements of an array that are compared, if it has more: those at equal distances."""


def arrays(found):
    """NumPy arrays of all that a call returned: of ragged arrays the values, of matrices the entries that are not zero."""
    if isinstance(found, (tuple, list)):
        return [array for part in found for array in arrays(part)]
    if isinstance(found, Ragged):
        return arrays(found.packed().values)
    module = type(found).__module__.partition(".")[0]
    if module == "graphblas":
        found = _of_graphblas(found)
    elif module == "awkward":
        ak = importlib.import_module("awkward")
        found = ak.to_numpy(ak.flatten(found, axis=None))
    elif hasattr(found, "to_scipy"):
        found = found.to_device("cpu").to_scipy()
    elif module == "torch" and found.layout is not importlib.import_module("torch").strided:
        found = _of_torch(found)
    elif hasattr(found, "get"):  # CuPy's
        found = (found if hasattr(found, "nnz") else _some(found)).get()
    elif module == "torch":
        found = _some(found).cpu().numpy()
    if sp.issparse(found):
        S = sp.csr_array(found.tocsr(), copy=True)
        S.sum_duplicates()
        S.eliminate_zeros()
        return [S.indptr, S.indices, S.data]
    return [_some(np.asarray(found))]


def _some(x):
    x = x.reshape(-1)
    size = x.shape[0]
    return x[:: -(-size // MOST)] if size > MOST else x


def _of_torch(found):
    """A matrix of SciPy's."""
    if str(found.layout) == "torch.sparse_coo":
        found = found.coalesce()
        return sp.coo_array((found.values().cpu().numpy(), found.indices().cpu().numpy()), shape=tuple(found.shape))
    kind = sp.csc_array if str(found.layout) == "torch.sparse_csc" else sp.csr_array
    offsets, indices = (
        (found.ccol_indices(), found.row_indices()) if kind is sp.csc_array else (found.crow_indices(), found.col_indices())
    )
    return kind(tuple(x.cpu().numpy() for x in (found.values(), indices, offsets)), shape=tuple(found.shape))


def _of_graphblas(found):
    if hasattr(found, "nrows"):
        return importlib.import_module("graphblas").io.to_scipy_sparse(found, "csr")
    return found.to_dense(fill_value=0)


def _close(a, b):
    if a.shape != b.shape:
        return False
    if a.dtype.kind not in "fc" and b.dtype.kind not in "fc":
        return np.array_equal(a, b)
    eps = max(np.finfo(x.dtype).eps for x in (a, b) if x.dtype.kind in "fc")
    largest = np.abs(b[np.isfinite(b)]).max(initial=0)
    return np.allclose(a, b, rtol=eps**0.5, atol=eps**0.5 * largest, equal_nan=True)
