"""Conversion between tensors and arrays that share memory, and torch's stream for the kernels of this package."""

import contextlib
import importlib

import torch
from torch.autograd import forward_ad

from spark_csr import _array
from spark_csr._array import is_device_array

DTYPES = frozenset(getattr(torch, dtype.name) for dtype in _array.DTYPES)

_HERE = contextlib.nullcontext()


def check_tensor(name, x, of_matrix=False):
    """Return `x` if it is a dense tensor that an array can share; raise TypeError otherwise.

    `of_matrix` says that a sparse matrix may be given in its place.
    """
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be a torch.Tensor, got {type(x).__name__}: use torch.as_tensor({name})")
    if x.layout is not torch.strided:
        advice = f"{name}.to_dense()"
        if of_matrix and "sparse" in str(x.layout):
            advice = f"A @ spark_csr.interop.torch.from_torch({name}), or {advice}"
        raise TypeError(f"{name} must be a dense tensor, got layout {x.layout}: use {advice}")
    if x.dtype not in DTYPES:
        raise TypeError(f"{name} has dtype {x.dtype}, which arrays do not have: use {name}.float()")
    if x.device.type not in ("cpu", "cuda"):
        raise TypeError(f"{name} is on the device {x.device}: use {name}.cpu()")
    return x


def check_same_device(**tensors):
    """Return the device of all tensors, `None` left out; raise TypeError that names the two that differ."""
    given = {name: x.device for name, x in tensors.items() if x is not None}
    (first, place), *others = given.items()
    for name, other in others:
        if other != place:
            raise TypeError(f"{first} is on {place} and {name} on {other}: move one, as in {name}.to({str(place)!r})")
    return place


def _cupy():
    """Return CuPy, imported when the first CUDA tensor is used."""
    try:
        return importlib.import_module("cupy")
    except ImportError as error:
        raise RuntimeError(_array.NO_CUDA) from error


def array_of(x):
    """Return the array in the memory of a tensor, without its gradient; only lazy conjugates and negatives are copied."""
    if x.is_cuda:
        cupy = _cupy()
        return cupy.asarray(x.detach().resolve_conj().resolve_neg())
    return x.numpy(force=True)


def wants_gradient(x):
    """Return whether a derivative by a tensor may be asked for. Functions have none in forward mode, and raise then."""
    return (torch.is_grad_enabled() and x.requires_grad) or forward_ad.unpack_dual(x).tangent is not None


def tensor_of(array):
    """Return the tensor in the memory of an array; in that of a copy if the array is read-only, which no tensor is."""
    if is_device_array(array):
        return torch.as_tensor(array, device=f"cuda:{array.device.id}")
    return torch.from_numpy(array if array.flags.writeable else array.copy())


def stream_of(x):
    """Return a context in which kernels run where torch's would: on the device of `x`, on torch's current stream."""
    return _stream(x.device) if x.is_cuda else _HERE


class _Handle:
    """A CUDA stream in the form that `Stream.from_external` takes for every version of torch."""

    def __init__(self, pointer):
        self.pointer = pointer

    def __cuda_stream__(self):
        return 0, self.pointer


@contextlib.contextmanager
def _stream(device):
    cupy = _cupy()
    pointer = torch.cuda.current_stream(device).cuda_stream
    with cupy.cuda.Device(device.index):
        from_external = getattr(cupy.cuda.Stream, "from_external", None)  # new in CuPy 14, where the other is deprecated
        with cupy.cuda.ExternalStream(pointer) if from_external is None else from_external(_Handle(pointer)):
            yield


def cast_like(gradient, x):
    """Return a gradient in the dtype of the tensor that it belongs to: the gradient of real numbers is real."""
    if gradient.is_complex() and not x.is_complex():
        gradient = gradient.real
    return gradient.to(x.dtype)
