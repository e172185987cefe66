"""What CuPy takes, refuses and returns: one table, run on the stand-in for CuPy, and on CuPy itself where there is a GPU.

So the stand-in is held against CuPy. Of a rule that differs between CuPy 13.4 and 14 the stand-in keeps the stricter.
"""

import importlib
import inspect

import numpy as np
import pytest

import cupy_stand_in
from cupy_stand_in import solvers
from namespaces import CUPY

STAND_IN = cupy_stand_in.modules["cupy"]
LIBRARIES = [pytest.param(STAND_IN, id="stand-in")]
if CUPY not in (None, STAND_IN):
    LIBRARIES.append(pytest.param(CUPY, id="cupy", marks=pytest.mark.gpu))


@pytest.fixture(params=LIBRARIES)
def cp(request):
    """The stand-in, and CuPy where there is a GPU."""
    return request.param


def names(cp):
    """What the calls below are made of."""
    ints, floats = cp.arange(6), cp.asarray(np.array([2.5, -1.0, 0.0, 4.0]))
    return {
        "cp": cp,
        "np": np,
        "i": ints,
        "f": floats,
        "b": floats > 0,
        "c": cp.asarray(np.array([1 + 2j, 3 - 4j])),
        "h": cp.asarray(np.array([1, 2], np.float16)),
        "m": cp.asarray(np.arange(6.0).reshape(2, 3)),
        "zero": cp.asarray(np.array(7)),
        "host": np.arange(6),
        "list": [0, 1],
    }


VALUES = {
    # Results of reductions and of single elements are arrays of no axes.
    "type(i.sum()).__name__": "ndarray",
    "i.sum().shape": (),
    "i[2].shape": (),
    "type(f.max()) is cp.ndarray": True,
    "cp.count_nonzero(f).shape": (),
    "i.sum().dtype.name": "int64",
    "b.sum().dtype.name": "int64",
    "h.sum().dtype.name": "float16",
    "i.astype(np.int32).cumsum().dtype.name": "int64",
    "i.astype(np.uint8).sum().dtype.name": "uint64",
    "i.mean().dtype.name": "float64",
    "i.argmax().item()": 5,
    # Promotion
    "(i + 1.5).dtype.name": "float64",
    "(h + 1.5).dtype.name": "float16",
    "(i.astype(np.int8) + 1).dtype.name": "int8",
    "(f * 1j).dtype.name": "complex128",
    "(f.astype(np.float32) + i[:4]).dtype.name": "float64",
    "(b + b).dtype.name": "bool",
    "np.add(i, 1).tolist()": [1, 2, 3, 4, 5, 6],
    "np.float64(2) * i": [0.0, 2.0, 4.0, 6.0, 8.0, 10.0],
    "divmod(i, 4)[1].tolist()": [0, 1, 2, 3, 0, 1],
    "np.frexp(f)[1].dtype.name": "int32",
    "i // 0": [0, 0, 0, 0, 0, 0],
    # Views and copies
    "i.T is i": True,
    "i.real is i": True,
    "i[1:].base is i": True,
    "i[1:][1:].base is i": True,
    "i[2:].data.ptr - i.data.ptr": 16,
    "i[::-1].strides": (-8,),
    "i.reshape(2, 3).T.flags.f_contiguous": True,
    "i[::2].flags.c_contiguous": False,
    "i.flags.owndata": True,
    "i[:].flags.owndata": False,
    "i.astype(np.int64, copy=False) is i": True,
    "cp.asarray(i) is i": True,
    "cp.asarray(i, np.int64) is i": True,
    "cp.ascontiguousarray(i) is i": True,
    "cp.ascontiguousarray(zero).shape": (1,),
    "m.T.ravel().tolist()": [0.0, 3.0, 1.0, 4.0, 2.0, 5.0],
    "cp.broadcast_to(i[:1], 3).ravel().strides": (8,),
    "cp.broadcast_to(i[:1], 3).reshape(-1).strides": (0,),
    "cp.nonzero(m)[0].strides": (16,),
    "cp.empty_like(m.T).flags.f_contiguous": True,
    "cp.may_share_memory(i[:2], i[1:])": True,
    "cp.may_share_memory(i[:2], i[2:])": False,
    "cp.may_share_memory(i[:0], i)": False,
    "cp.empty(0).data.ptr": 0,
    "i.view(np.uint32).size": 12,
    "i.data.ptr % 512": 0,
    # Keys: positions outside are taken modulo the length
    "i[cp.asarray(np.array([1, 7, -1]))]": [1, 1, 5],
    "i[[1, 9]]": [1, 3],
    "i[np.array([1, 2])]": [1, 2],
    "i[[]].size": 0,
    "f[f > 0]": [2.5, 4.0],
    "i.take(cp.asarray(np.array([6, 8])))": [0, 2],
    "m[1, cp.asarray(np.array([2, 0]))]": [5.0, 3.0],
    "m[:, 1]": [1.0, 4.0],
    "m[cp.asarray(np.array([1, 0])), cp.asarray(np.array([2, 4]))]": [5.0, 1.0],
    # What takes what
    "cp.where(b, 1, 0)": [1, 0, 0, 1],
    "cp.where(b, f, np.float64(0)).tolist()": [2.5, 0.0, 0.0, 4.0],
    "cp.searchsorted(i, cp.asarray(np.array([2, 9])), side='right')": [3, 6],
    "cp.searchsorted(i, zero).shape": (),
    "cp.searchsorted(i, i).dtype.name": "int64",
    "cp.searchsorted(i[:0], i)": [0, 0, 0, 0, 0, 0],
    "cp.append(i[:2], 9)": [0, 1, 9],
    "cp.append(i[:2], [8, 9])": [0, 1, 8, 9],
    "cp.repeat(i[:2], 2)": [0, 0, 1, 1],
    "cp.repeat(i[:2], [1, 2])": [0, 1, 1],
    "cp.tile(i[:2], 2)": [0, 1, 0, 1],
    "cp.bincount(i[:3], minlength=5)": [1, 1, 1, 0, 0],
    "cp.clip(i, 1, 3)": [1, 1, 2, 3, 3, 3],
    "cp.unique(cp.asarray(np.array([3, 1, 3])))": [1, 3],
    "cp.argsort(f, kind='stable')": [1, 2, 0, 3],
    "cp.sort(f)": [-1.0, 0.0, 2.5, 4.0],
    "cp.concatenate([i[:1], f[:1]]).dtype.name": "float64",
    "cp.concatenate([i[:2], i[:1]], out=cp.empty(3), casting='unsafe')": [0.0, 1.0, 0.0],
    "cp.array([i[0], i[1]]).tolist()": [0, 1],
    "cp.asarray([1, 2], dtype=np.float32).dtype.name": "float32",
    "cp.asarray(3).shape": (),
    "cp.full(2, np.float32(1)).dtype.name": "float32",
    "cp.full(2, zero)": [7, 7],
    "cp.arange(3.0).dtype.name": "float64",
    "cp.arange(0).dtype.name": "int64",
    "cp.result_type(f, np.float32).name": "float64",
    "cp.vdot(c, c).item()": 30 + 0j,
    "(c @ c).shape": (),
    "cp.linalg.norm(f[:1]).item()": 2.5,
    "cp.linalg.eigvalsh(cp.asarray(np.array([[3.0, 0], [0, 2]])))": [2, 3],
    "i.nonzero()[0]": [1, 2, 3, 4, 5],
    "cp.broadcast_to(i[:2], (2, 2)).strides": (0, 8),
    "(i == None).tolist()": [False] * 6,
    "cp.from_dlpack(i).data.ptr == i.data.ptr": True,
    "i.__dlpack_device__()[0]": 2,
    "cp.asnumpy(i).tolist()": [0, 1, 2, 3, 4, 5],
    "int(zero) + float(zero) + bool(zero)": 15.0,
    "np.sum(i).shape": (),
    "np.concatenate([i[:1], i[:1]])": [0, 0],
    "cp.cuda.Device().id": 0,
    "i.device == cp.cuda.Device(0)": True,
    "cp.cuda.runtime.getDeviceCount() > 0": True,
    "cp.cuda.Stream.null.ptr": 0,
    "cp.cuda.get_current_stream() == cp.cuda.Stream.null": True,
    "len(i)": 6,
    "[x.item() for x in i[:2]]": [0, 1],
}

ERRORS = {
    "i + f": ValueError,
    "i + host": TypeError,
    "host + i": TypeError,
    "np.add(host, i)": TypeError,
    "i == host": TypeError,
    "i @ host": TypeError,
    "i.dot(host)": TypeError,
    "i + [1] * 6": TypeError,
    "i.__iadd__(1.5)": TypeError,
    "i.__iadd__(host)": TypeError,
    "np.asarray(i)": TypeError,
    "np.array(i)": TypeError,
    "memoryview(i)": TypeError,
    "range(zero)": TypeError,
    "host[zero]": (TypeError, IndexError),
    "i[:zero]": TypeError,
    "hash(i)": TypeError,
    "bool(i)": ValueError,
    "int(i)": TypeError,
    "len(zero)": TypeError,
    "i.item()": ValueError,
    "i.flags.writeable": AttributeError,
    "i.ctypes": AttributeError,
    "i.foo": AttributeError,
    "i.__setattr__('foo', 1)": AttributeError,
    "i.resize(2)": AttributeError,
    "i[7]": IndexError,
    "i[f]": IndexError,
    "i[1.5:]": TypeError,
    "m[0, 0, 0]": IndexError,
    "i[:0][cp.asarray(np.array([0]))]": IndexError,
    "f[cp.asarray(np.array([True]))]": IndexError,
    "i.__setitem__(slice(0, 2), np.array([1, 2]))": ValueError,
    "i.__setitem__(slice(0, 2), [1, 2])": (TypeError, ValueError),
    "i.__setitem__(slice(0, 2), cp.arange(3))": ValueError,
    "cp.concatenate([i, host])": TypeError,
    "cp.concatenate([i, [1]])": TypeError,
    "cp.concatenate([zero, zero])": TypeError,
    "cp.concatenate([])": ValueError,
    "cp.concatenate([i, m])": ValueError,
    "cp.concatenate([f], out=cp.empty(4, int))": TypeError,
    "cp.concatenate([f], out=cp.empty(3))": ValueError,
    "cp.searchsorted(host, i)": NotImplementedError,
    "cp.searchsorted(i, host)": NotImplementedError,
    "cp.searchsorted(i, np.int32(1))": NotImplementedError,
    "cp.searchsorted(m, i)": ValueError,
    "i.searchsorted([1])": NotImplementedError,
    "cp.where(True, i, i)": AttributeError,
    "cp.where(b, f, [1.0] * 4)": TypeError,
    "cp.where(b, f, np.ones(4))": TypeError,
    "cp.where(np.ones(6, bool), i, i)": TypeError,
    "cp.argsort(f, kind='quicksort')": ValueError,
    "cp.bincount(f)": TypeError,
    "cp.bincount(-i)": ValueError,
    "cp.bincount(m.astype(int))": ValueError,
    "cp.clip(c, 0, 1)": TypeError,
    "cp.ascontiguousarray(host)": TypeError,
    "cp.ascontiguousarray([1])": TypeError,
    "cp.may_share_memory(i, host)": TypeError,
    "cp.empty(2, object)": ValueError,
    "cp.asarray(['a'])": ValueError,
    "cp.empty(-1)": ValueError,
    "cp.empty_like(i, subok=False)": TypeError,
    "i.astype(int, casting='unsafe')": TypeError,
    "i.set([1] * 6)": TypeError,
    "i[::2].sort()": NotImplementedError,
    "zero.nonzero()": ValueError,
    "cp.where(b, f)": ValueError,
    "cp.maximum.reduce(i)": NotImplementedError,
    "np.maximum.reduce(i)": NotImplementedError,
    "cp.add(i, 1, where=b)": TypeError,
    "cp.floor(c)": TypeError,
    "np.divmod(i, 2, out=(i, i))": ValueError,
    "np.divmod(c, 2)": TypeError,
    "i.view(np.dtype('V3'))": ValueError,
    "i[:1].view(np.complex128)": ValueError,
    "zero.view(np.int32)": ValueError,
    "cp.cuda.Device(99).use()": RuntimeError,
    "i.max(where=b)": TypeError,
    "cp.vdot(i, f)": ValueError,
    "m @ zero": ValueError,
    "i[:0].max()": ValueError,
}

STRICTER = {
    # What one of CuPy 13.4 and 14 refuses, and the other takes: the stand-in refuses it.
    "cp.searchsorted(i, 3)": NotImplementedError,
    "i.argsort(kind='stable')": TypeError,
    "f.sort(kind='stable')": TypeError,
    "cp.repeat(i, i)": ValueError,
    "i[cp.asarray(np.array(True)), cp.asarray(np.array(True))]": (NotImplementedError, IndexError),
}


@pytest.mark.parametrize("call", VALUES)
def test_value(cp, call):
    got = eval(call, names(cp))
    got = got.tolist() if isinstance(got, cp.ndarray) else got
    assert got == VALUES[call]
    assert type(got) is type(VALUES[call])


@pytest.mark.parametrize("call", ERRORS)
def test_error(cp, call):
    with pytest.raises(ERRORS[call]):
        eval(call, names(cp))


@pytest.mark.parametrize("call", STRICTER)
def test_the_stricter_of_two_versions(cp, call):
    if cp is not STAND_IN:
        pytest.skip("one version takes this")
    with pytest.raises(STRICTER[call]):
        eval(call, names(cp))


def test_operands_with_a_priority_of_their_own(cp):
    """Whose operator answers: `__array_ufunc__` decides where there is one, else `__array_priority__`."""

    class Ours:
        def __rmatmul__(self, other):
            return "ours"

        __radd__ = __rmatmul__

    x = cp.arange(3)
    for priority, answers in ((10.1, False), (100, False), (102, True)):
        ours = type("Ours", (Ours,), {"__array_priority__": priority})()
        for call in (lambda other: x @ other, lambda other: x + other):
            if answers:
                assert call(ours) == "ours"
            else:
                with pytest.raises(TypeError):
                    call(ours)
    silent = type("Ours", (Ours,), {"__array_ufunc__": None})()
    assert x + silent == "ours"


def test_duplicates_are_written_in_any_order(cp):
    x = cp.zeros(1, int)
    x[cp.zeros(1000, int)] = cp.arange(1000)
    assert 0 <= x.item() < 1000


def test_assignments(cp):
    x = cp.zeros(4)
    x[cp.asarray(np.array([0, 5]))] = [1, 2]
    x[2:] = cp.asarray(np.array([[7, 8]]))
    assert x.tolist() == [1, 2, 7, 8]
    x[x > 2] = np.array([3.0, 4.0])
    x[:1] = np.float32(9)
    x[1] = cp.asarray(np.array(5))
    assert x.tolist() == [9, 5, 3, 4]
    y = cp.zeros(2, int)
    y[:] = cp.asarray(np.array([1.9, -1.9]))
    assert y.tolist() == [1, -1]


def test_streams_and_events(cp):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        assert cp.cuda.get_current_stream() == stream
        begin = stream.record()
        x = cp.ones(10)
        end = stream.record()
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    end.synchronize()
    assert cp.cuda.get_elapsed_time(begin, end) >= 0
    assert x.sum().item() == 10


def test_a_graph(cp):
    """What is captured is done when the graph is launched, not before."""
    stream, x = cp.cuda.Stream(non_blocking=True), cp.zeros(3)
    cp.add(x, 0, x)  # compiles the kernel, which must not be done in between
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        assert cp.cuda.runtime.streamIsCapturing(stream.ptr)
        cp.add(x, 1, x)
        graph = stream.end_capture()
        assert x.tolist() == [0, 0, 0]
        graph.launch()
        graph.launch(stream)
        assert x.tolist() == [2, 2, 2]


def test_memory_is_used_again(cp):
    x = cp.zeros(1000)
    place = x.data.ptr
    del x
    assert cp.empty(1000).data.ptr == place


@pytest.mark.parametrize(
    "name", [name for name, function in solvers.NAMES.items() if function is None or function in solvers.SOLVERS]
)
def test_solvers_have_the_signatures_of_cupy_s(cp, name):
    """This package asks CuPy for solvers by name, and passes only what a signature names."""
    place = "cupyx.scipy.sparse.linalg"
    module = cupy_stand_in.modules[place] if cp is STAND_IN else importlib.import_module(place)
    function = solvers.NAMES[name]
    if function is None:
        assert getattr(module, name, None) is None
    else:
        assert str(inspect.signature(getattr(module, name))) == str(inspect.signature(function))
