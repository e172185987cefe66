"""What algorithms ask of weights."""

from spark_csr._array import to_host_scalar
from spark_csr.operations.record import rows_of_entries
from spark_csr.primitives._check import first_true
from spark_csr.primitives.scan import storable


def lengths(csr):
    """Weights as kernels take them; an error names the first that is no length: negative, NaN, or complex."""
    data = storable(csr.data)
    if data.dtype.kind == "c":
        raise TypeError(f"lengths must be real, got weights of dtype {data.dtype}: take G.matrix.real or abs")
    if data.dtype.kind in "if":
        at = first_true(~(data >= 0))
        if at is not None:
            u, v, weight = (to_host_scalar(x[at]) for x in (rows_of_entries(csr), csr.indices, data))
            raise ValueError(f"lengths must be at least 0, got {weight} for the edge {u} -> {v}")
    return data
