"""What PyTorch and CUB, through `cuda.compute`, do on a GPU. CuPy's calls stand beside those of the libraries for the cores.

`cuda.compute` is of the package cuda-cccl; it compiles each algorithm for the dtypes that it is called with, so the first call
takes seconds. Results are written to arrays that exist already, scratch memory too.
"""

import importlib
import operator

import numpy as np

from peers import calls, given, peer
from spark_csr import csr_array, primitives
from spark_csr._cli import gpu

TORCH, CUB = "torch on a GPU", "cuda.compute"


def _torch(name):
    return lambda *operands, **options: getattr(importlib.import_module("torch"), name)(*operands, **options)


calls("A @ x", **{TORCH: operator.matmul})
calls("inclusive_scan", **{TORCH: lambda x: _torch("cumsum")(x, 0)})
calls("sort", **{TORCH: lambda x: _torch("sort")(x, stable=True).values})
calls("argsort", **{TORCH: lambda x: _torch("argsort")(x, stable=True)})
calls("compact", **{TORCH: lambda x, mask: x[mask]})
calls("segmented_reduce", **{TORCH: lambda x, offsets: _torch("segment_reduce")(x, "sum", offsets=offsets)})


@peer("A @ A", TORCH)
def torch_square(A, masked):
    if masked:
        raise NotImplementedError("PyTorch has no mask")
    A = given(A, TORCH)
    return lambda: A @ A


@peer("COO to CSR", TORCH)
def coalesced(data, i, j, shape):
    """Its coordinates are one array of two rows and eight bytes."""
    torch = importlib.import_module("torch")
    at, data = given(np.stack([i, j]).astype(np.int64), TORCH), given(data, TORCH)
    return lambda: torch.sparse_coo_tensor(at, data, shape).coalesce()


@peer("sort_by_key", TORCH)
def torch_pairs(keys, values):
    """Positions, and then a gather."""
    torch = importlib.import_module("torch")
    keys, values = given(keys, TORCH), given(values, TORCH)

    def call():
        found = torch.sort(keys, stable=True)
        return found.values, values[found.indices]

    return call


def _gathered(keys, values):
    order = gpu.cupy_module().argsort(keys)
    return keys[order], values[order]


def _by_numpy(keys, values):
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]


calls("sort_by_key", ours=primitives.sort_by_key, numpy=_by_numpy, cupy=_gathered)


def _transposed(A):
    """A plan of the transpose would be kept: the matrix is a new one in each call."""
    return csr_array((A.data, A.indices, A.indptr), shape=A.shape).tocsc()


by_column = operator.methodcaller("tocsc")
calls("transpose", ours=_transposed, scipy=by_column, cupy=by_column, **{TORCH: operator.methodcaller("to_sparse_csc")})


@peer("A @ x", "cupy")
def cusparse_product(A, x):
    """cuSPARSE takes several vectors by columns."""
    A, x = given(A, "cupy"), given(x, "cupy")
    x = x if x.ndim == 1 else gpu.cupy_module().asfortranarray(x)
    return lambda: A @ x


def _cub(name, out, to_make, to_call, **to_both):
    """A call of an algorithm that returns `out`: it is compiled and given scratch memory once, as its users do."""
    module, cupy = importlib.import_module("cuda.compute"), gpu.cupy_module()
    if "op" in to_both:
        to_both["op"] = getattr(module.OpKind, to_both["op"])
    made = getattr(module, f"make_{name}")(**to_make, **to_both)
    scratch = cupy.empty(max(1, made(temp_storage=None, **to_call, **to_both)), np.uint8)

    def call():
        made(temp_storage=scratch, stream=cupy.cuda.get_current_stream(), **to_call, **to_both)
        return out

    return call


@peer("inclusive_scan", CUB)
def cub_scan(x):
    """The result has the dtype of ours."""
    x = given(x, "cupy")
    dtype = np.dtype(np.int64) if x.dtype.kind in "iu" else x.dtype
    out = gpu.cupy_module().empty(x.size, dtype)
    init_value = np.zeros(1, dtype)
    return _cub("inclusive_scan", out, {}, {"num_items": x.size}, d_in=x, d_out=out, op="PLUS", init_value=init_value)


def _cub_sort(keys, values, result):
    cupy, order = gpu.cupy_module(), importlib.import_module("cuda.compute").SortOrder.ASCENDING
    sorted_keys, moved = cupy.empty_like(keys), None if values is None else cupy.empty_like(values)
    arrays = {"d_in_keys": keys, "d_out_keys": sorted_keys, "d_in_values": values, "d_out_values": moved}
    return _cub("radix_sort", result(sorted_keys, moved), {"order": order}, {"num_items": keys.size}, **arrays)


@peer("sort", CUB)
def cub_sort(x):
    return _cub_sort(given(x, "cupy"), None, lambda keys, values: keys)


@peer("argsort", CUB)
def cub_argsort(x):
    """Positions of eight bytes, as ours."""
    return _cub_sort(given(x, "cupy"), gpu.cupy_module().arange(x.size), lambda keys, values: values)


@peer("sort_by_key", CUB)
def cub_pairs(keys, values):
    return _cub_sort(given(keys, "cupy"), given(values, "cupy"), lambda keys, values: (keys, values))


@peer("compact", CUB)
def cub_select(x, mask):
    """A function selects, not a mask."""
    if not np.array_equal(mask, x < LIMIT):
        raise NotImplementedError(f"for elements below {LIMIT} only")
    x, cupy = given(x, "cupy"), gpu.cupy_module()
    out, count = cupy.empty_like(x), cupy.empty(1, np.int64)
    call = _cub("select", out, {}, {"num_items": x.size}, d_in=x, d_out=out, d_num_selected_out=count, cond=_is_below)
    return lambda: call()[: int(count[0])]


LIMIT = 0.3
"""What `cub_select` selects: elements below it."""


def _is_below(x):
    return x < 0.3


@peer("segmented_reduce", CUB)
def cub_reduce(x, offsets):
    x, offsets = given(x, "cupy"), given(offsets, "cupy")
    n = offsets.size - 1
    out = gpu.cupy_module().empty(n, x.dtype)
    ends = {"start_offsets_in": offsets[:-1], "end_offsets_in": offsets[1:]}
    zero = np.zeros(1, x.dtype)
    return _cub("segmented_reduce", out, {}, {"num_segments": n}, d_in=x, d_out=out, **ends, op="PLUS", h_init=zero)
