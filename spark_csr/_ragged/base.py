"""The parts of a ragged array: its values, and the offsets of its lists for every level.

Design: `values` is one array. `offsets[0]` says which lists of the first level each item holds, and so on inwards;
`offsets[-1]` says which values each innermost list holds. Values are not copied when an array is made: offsets may start above
zero, and lists and values that nothing refers to may stand at both ends. So a slice is a view. Code that computes asks for
`packed()`, whose offsets start at zero. Cost: a reader must know which of the two forms is at hand.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeVar

import numpy as np

from spark_csr import _absent
from spark_csr._array import (
    contiguous,
    copy_if_shared,
    device_of,
    index_dtype,
    is_array,
    is_same_memory,
    read_only,
    same_device,
    to_device,
    to_host_scalar,
)
from spark_csr._current_device import methods_on_their_device, present_as
from spark_csr._operations.form.build import as_array
from spark_csr._operations.form.dtypes import check_dtype
from spark_csr.primitives import _check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import Array, ArrayLike, DTypeLike

F = TypeVar("F", bound=Callable[..., Any])

ITSELF = "itself"
"""Marks a packed array: a reference to itself would keep its arrays alive until the garbage collector runs."""


def check_offsets(values, offsets, of_others=True):
    """Return the offsets after checking that they fit each other and the values; convert lists to arrays.

    If they are `of_others`, arrays of NumPy that somebody may write into are copied, since nothing would check what is written.
    A ValueError names the first offset that does not fit.
    """
    place = device_of(values)
    names = [f"offsets[{level}]" for level in range(len(offsets))]
    offsets = [x if is_array(x) else as_array(x, name, place) for name, x in zip(names, offsets, strict=True)]
    same_device(values, *offsets)
    written = [isinstance(x, np.ndarray) and of_others and not is_fixed(x) for x in offsets]
    levels = [_check_level(name, x) for name, x in zip(names, offsets, strict=True)]
    rooms = [(x.size - 1, f"lists in {name}") for name, (x, _, _) in zip(names[1:], levels[1:], strict=True)]
    rooms.append((len(values), "values"))
    checked = []
    for name, copy, (x, _, stop), (room, of) in zip(names, written, levels, rooms, strict=bool(levels)):
        if stop > room:
            raise ValueError(f"{name} ends at {stop}, but there are only {room} {of}")
        checked.append(x.astype(index_dtype(room), copy=copy))
    return tuple(checked)


def is_fixed(x):
    """Return whether nobody can write into an array: whether it lies in a file that is mapped to be read."""
    while isinstance(x, np.ndarray):
        if x.flags.writeable:
            return False
        x = x.base
    return isinstance(x, mmap.mmap)


def _check_level(name, x):
    try:
        return _check.offsets(name, x)
    except ValueError as error:
        advice = "use offsets_from_counts"
        if advice in str(error):
            raise ValueError(str(error).replace(advice, "use Ragged.from_counts")) from None
        raise


FOREIGN = {"awkward": "awkward.from_awkward", "pyarrow": "arrow.from_arrow", "polars": "arrow.from_arrow"}
"""Libraries with arrays of lists, and the functions of `interop` that read these."""


def _refuse_foreign(values):
    """Raise TypeError for an array of lists of another library; the message names the function that reads it."""
    library = type(values).__module__.partition(".")[0]
    if library in FOREIGN:
        raise TypeError(
            f"values must be numbers, got {library}.{type(values).__name__}: use spark_csr.interop.{FOREIGN[library]}(array)"
        )


def of_numbers(method: F) -> F:
    """Wrap a method that has no meaning for elements that are vectors: it raises ValueError, which names their shape."""
    refuse, name = refuse_vectors, method.__name__

    def call(self, *args, **options):
        refuse(self, name)
        return method(self, *args, **options)

    wrapper = present_as(method, call)
    method.__qualname__ = name  # as `methods_on_their_device` has it
    return wrapper


def refuse_vectors(ragged: RaggedBase, name: str) -> None:
    """Raise ValueError if the elements of an array are vectors."""
    if ragged._values.ndim > 1:
        shape = ragged._values.shape[1:]
        numbers = f"Ragged(R.values[:{', 0' * len(shape)}], *R.offsets)"
        raise ValueError(
            f"{name} takes arrays of numbers, got elements of shape {shape}: use {numbers} for one of their numbers"
        )


@methods_on_their_device
class RaggedBase:
    """Values and offsets: the base class of every kind of method."""

    _values: Array
    _offsets: tuple[Array, ...]
    _packed: Any
    _kept_axes: frozenset[int] = frozenset()
    """The axes that a reduction kept with `keepdims=True`: their lists hold one item each, and operators stretch them."""

    __hash__: ClassVar[None] = None  # type: ignore[assignment]
    __array_priority__ = 102

    if not TYPE_CHECKING:  # type checkers would accept any name
        __getattr__ = _absent.hint_at(_absent.RAGGED)

    def __init_subclass__(cls) -> None:
        methods_on_their_device(cls)

    def __init__(self, values: ArrayLike | Sequence[Any], *offsets: ArrayLike, dtype: DTypeLike | None = None) -> None:
        """Check and store the values and offsets, or read nested lists; see `Ragged`."""
        _refuse_foreign(values)
        if isinstance(values, (list, tuple)):
            if not offsets:
                made = type(self).from_lists(values, dtype=dtype)
                self._values, self._offsets, self._packed = made._values, made._offsets, made._packed
                return
            if any(isinstance(x, (list, tuple)) for x in values):
                raise ValueError("values must be numbers if offsets are given, got nested lists: use Ragged.from_lists(lists)")
        array = (_check.rows if offsets else _check.one_dimensional)("values", as_array(values, "values", None))
        array = array if dtype is None else array.astype(check_dtype(dtype), copy=False)
        self._values = contiguous(array)
        self._offsets = tuple(copy_if_shared(x, self._values) for x in check_offsets(array, offsets))
        self._packed = None

    __init__.__qualname__ = "Ragged.__init__"  # so Python names it if arguments are missing

    @classmethod
    def _sharing(cls, values, *offsets):
        """Return a ragged array of values, and of offsets that nobody writes into, which are checked."""
        return cls._of(contiguous(values), check_offsets(values, offsets, of_others=False))

    @classmethod
    def _of(cls, values, offsets):
        """Return a ragged array of values and offsets that are known to fit."""
        self = cls.__new__(cls)
        self._values, self._offsets, self._packed = values, tuple(offsets), None
        return self

    @classmethod
    def _of_packed(cls, values, offsets):
        """Return a ragged array of offsets that start at zero and end where the next level does."""
        self = cls._of(values, offsets)
        self._packed = twin = cls._of(
            values, self._offsets
        )  # kernels get the twin: a read-only array has another type for them
        twin._packed = ITSELF
        return self

    @property
    def values(self) -> Array:
        """The values, including those before and behind all lists.

        They may be written into, and replaced by an array of the same length.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [2]])
        >>> R.values[0] = 7
        >>> R
        Ragged([[7, 5, 5], [2]], dtype=int64)
        """
        return self._values

    @values.setter
    def values(self, values: ArrayLike) -> None:
        array = as_array(values, "values", self.device)
        if array.shape != self._values.shape:
            raise ValueError(f"values must have shape {self._values.shape}, got {array.shape}")
        self._values, self._packed = copy_if_shared(contiguous(array), *self._offsets), None

    @property
    def offsets(self) -> tuple[Array, ...]:
        """The offsets of the lists of every level, from the outermost level inwards; read-only.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5, 5], [2]]).offsets
        (array([0, 3, 4], dtype=int32),)
        """
        return self._offsets if self._packed is ITSELF else tuple([read_only(x) for x in self._offsets])

    def _with(self, values):
        """Return a packed array with the same lists and other values: one for each of `packed().values`."""
        ragged = self._of_packed(values, self.packed().offsets)
        if self._kept_axes:
            ragged._kept_axes = self._kept_axes
        return ragged

    def packed(self) -> Self:
        """Return this array with offsets that start at zero, and without values that no list holds.

        Returns
        -------
        Ragged
            This array if it is packed already, else an array that shares its values.

        Notes
        -----
        *Cost*: nothing if the array is packed or was packed before, else a copy of the offsets. Values are never copied. Two
        host reads for each level. Kernels read the offsets of the result: do not write into them.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [2], [9, 9]])[1:]
        >>> R.offsets, R.packed().offsets
        ((array([3, 4, 6], dtype=int32),), (array([0, 1, 3], dtype=int32),))
        """
        if self._packed is None:
            self._packed = _pack(self)._packed
        return self if self._packed is ITSELF else self._packed

    @property
    def ndim(self) -> int:
        """The number of axes: one more than there are levels of offsets.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[[1, 2], [3]], []]).ndim
        3
        """
        return len(self._offsets) + 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[1.5], []]).dtype
        dtype('float64')
        """
        return self._values.dtype

    @property
    def _items_are_numbers(self):
        """Whether items are neither lists nor vectors."""
        return not self._offsets and self._values.ndim == 1

    @property
    def _holder(self):
        return self._values

    @property
    def device(self) -> str:
        """The device that holds the values: `"cpu"`, or `"cuda:0"` with the number of the GPU.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[1], [2, 3]]).device
        'cpu'
        """
        return device_of(self._values)

    @property
    def size(self) -> int:
        """The number of elements that the lists hold in all. A vector counts as one.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[1], [], [2, 3]]).size
        3
        """
        return len(self.packed().values)

    @property
    def nbytes(self) -> int:
        """The number of bytes of the values and offsets that the array holds.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[1], [], [2, 3]]).nbytes
        40
        """
        packed = self.packed()
        return sum(x.nbytes for x in (packed.values, *packed.offsets))

    def __len__(self) -> int:
        """Return the number of items: the length of the outermost axis."""
        return self._offsets[0].size - 1 if self._offsets else len(self._values)

    def __bool__(self) -> bool:
        """Return the truth value of the only value; raise ValueError if the array does not hold exactly one."""
        if self.packed().values.size == 1:
            return bool(to_host_scalar(self.packed().values))
        raise ValueError("the truth value of a ragged array is ambiguous: use len(R), R.size, or R.values.any()")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        """Raise TypeError: NumPy's arrays are rectangular."""
        raise TypeError(
            "a ragged array is not rectangular, so NumPy cannot convert it: use R.to_padded(), R.values or R.to_lists()"
        )

    def _level(self, level):
        """Return the number of a level of offsets, counted from the front."""
        levels = len(self._offsets)
        if not -levels <= level < levels:
            if not levels:
                raise ValueError(f"level {level} is out of range: a ragged array of one axis has no levels")
            raise ValueError(
                f"level {level} is out of range: an array of {self.ndim} axes has levels from {-levels} to {levels - 1}"
            )
        return level % levels

    def _axis(self, axis):
        """Return the number of an axis, counted from the front."""
        return _check.axis(axis, self.ndim)

    def to_device(self, device: str) -> Self:
        """Return this array if it is on a device already, else a copy there.

        Parameters
        ----------
        device : {"cpu", "cuda", "cuda:1", ...}
            The device that the result is on.

        Returns
        -------
        Ragged
            An array with the same lists and values on `device`.

        Raises
        ------
        ValueError
            If `device` is not the name of a device.
        RuntimeError
            If there is no such GPU, or if CuPy is not installed.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[1], [2, 3]])
        >>> R.to_device("cpu") is R
        True
        """
        values = to_device(self._values, device)
        return self if values is self._values else self._of(values, [to_device(x, device) for x in self._offsets])

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what `pickle` and `copy` make an equal array from: the packed values and offsets."""
        others = {name: value for name, value in vars(self).items() if name not in ("_values", "_offsets", "_packed")}
        packed = self.packed()
        return type(self), (packed.values, *packed.offsets), others or None


def _pack(ragged):
    """Return a packed array: for each level, the part of the offsets that the level above refers to, starting at zero."""
    offsets, start, stop = [], 0, len(ragged)
    for array in ragged._offsets:
        array = array[start : stop + 1]
        start, stop = to_host_scalar(array[0]), to_host_scalar(array[-1])
        narrow = index_dtype(stop - start)
        offsets.append((array - start if start else array).astype(narrow, copy=False))
    return ragged._of_packed(ragged._values[start:stop], offsets)


def describe_difference(left, right, levels=None):
    """Return a sentence that says where the lists of two ragged arrays first differ in length, or None if they do not.

    Compare the first `levels` levels, or all that both arrays have.
    """
    if len(left) != len(right):
        return f"one array has {len(left)} items and the other has {len(right)}"
    for level, (x, y) in enumerate(zip(left.packed().offsets[:levels], right.packed().offsets[:levels], strict=False)):
        if not is_same_memory(x, y) and not to_host_scalar((x == y).all()):
            at = _check.find_first_true(x != y) - 1
            lengths = [to_host_scalar(z[at + 1]) - to_host_scalar(z[at]) for z in (x, y)]
            return f"list {at} of level {level} has {lengths[0]} items in one array and {lengths[1]} in the other"
    return None
