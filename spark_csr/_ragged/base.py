"""What a ragged array is: values, and for every level the offsets of its lists.

Design: `values` is one array, `offsets[0]` says which lists of the first level each item holds, and so on inwards;
`offsets[-1]` says which values each innermost list holds. Nothing is copied when an array is made: offsets may start above
zero, lists and values that nobody refers to may stand at both ends. So a slice is a view. Whoever computes asks for
`packed()`, whose offsets start at zero. Cost: a reader must know which of the two is at hand.
"""

from spark_csr._array import (
    contiguous,
    device_of,
    index_dtype,
    is_array,
    read_only,
    same_device,
    to_device,
    to_host_scalar,
    unshared,
)
from spark_csr._current_device import methods_on_their_device
from spark_csr._operations.form.build import as_array
from spark_csr.primitives import _check

ITSELF = "itself"
"""Said of what is packed: a reference to itself would keep its arrays until the garbage collector comes by."""


def check_offsets(values, offsets):
    """Return offsets that fit each other and the values; raise an exception that names the first that does not. Lists become
    arrays."""
    place = device_of(values)
    names = [f"offsets[{level}]" for level in range(len(offsets))]
    offsets = [x if is_array(x) else as_array(x, name, place) for name, x in zip(names, offsets, strict=True)]
    same_device(values, *offsets)
    levels = [_check.offsets(name, x) for name, x in zip(names, offsets, strict=True)]
    rooms = [(x.size - 1, f"lists in {name}") for name, (x, _, _) in zip(names[1:], levels[1:], strict=True)]
    checked = []
    for name, (x, _, stop), (room, of) in zip(names, levels, [*rooms, (values.size, "values")], strict=bool(levels)):
        if stop > room:
            raise ValueError(f"{name} ends at {stop}, but there are only {room} {of}")
        checked.append(x.astype(index_dtype(room), copy=False))
    return tuple(checked)


@methods_on_their_device
class RaggedBase:
    """Values and offsets: what every kind of method stands on."""

    __hash__ = None
    __array_priority__ = 102

    def __init_subclass__(cls):
        methods_on_their_device(cls)

    def __init__(self, values, *offsets):
        values = _check.one_dimensional("values", as_array(values, "values", None))
        self._values = contiguous(values)
        self._offsets = tuple(unshared(x, self._values) for x in check_offsets(values, offsets))
        self._packed = None

    @classmethod
    def _of(cls, values, offsets):
        """A ragged array of what fits already."""
        self = cls.__new__(cls)
        self._values, self._offsets, self._packed = values, tuple(offsets), None
        return self

    @classmethod
    def _of_packed(cls, values, offsets):
        """A ragged array whose offsets start at zero and end where the next level does."""
        self = cls._of(values, offsets)
        self._packed = twin = cls._of(values, self._offsets)  # for kernels, to which a read-only array is another type
        twin._packed = ITSELF
        return self

    @property
    def values(self):
        """The values, also those before and behind all lists; may be written into, and replaced by as many others."""
        return self._values

    @values.setter
    def values(self, values):
        values = as_array(values, "values", self.device)
        if values.shape != self._values.shape:
            raise ValueError(f"values must have shape {self._values.shape}, got {values.shape}")
        self._values, self._packed = unshared(contiguous(values), *self._offsets), None

    @property
    def offsets(self):
        """For every level the offsets of its lists, from the outermost one inwards; read-only."""
        return self._offsets if self._packed is ITSELF else tuple([read_only(x) for x in self._offsets])

    def _with(self, values):
        """The same lists, packed, of other values: one for each of `packed().values`."""
        return self._of_packed(values, self.packed().offsets)

    def packed(self):
        """The same array with offsets that start at zero, and nothing before, between or behind what it holds.

        *Cost*: where it is so already, or was asked before, nothing; else a copy of the offsets. Values are never copied. Two
        host reads for each level. Its offsets are operands of kernels: nobody writes into them.
        """
        if self._packed is None:
            self._packed = _pack(self)._packed
        return self if self._packed is ITSELF else self._packed

    @property
    def ndim(self):
        """The number of axes: one more than there are levels of offsets."""
        return len(self._offsets) + 1

    @property
    def dtype(self):
        """The dtype of the values."""
        return self._values.dtype

    @property
    def _holder(self):
        return self._values

    @property
    def device(self):
        """`"cpu"`, or `"cuda:0"` with the number of the GPU."""
        return device_of(self._values)

    @property
    def size(self):
        """How many values the lists hold in all."""
        return self.packed().values.size

    @property
    def nbytes(self):
        """Bytes of the values and offsets it holds."""
        packed = self.packed()
        return sum(x.nbytes for x in (packed.values, *packed.offsets))

    def __len__(self):
        return self._offsets[0].size - 1 if self._offsets else self._values.size

    def __bool__(self):
        if self.size == 1:
            return bool(to_host_scalar(self.packed().values[0]))
        raise ValueError("the truth value of a ragged array is ambiguous: use len(R), R.size, or R.values.any()")

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a ragged array is no rectangular array: use R.to_padded(), R.values or R.to_lists()")

    def _level(self, level):
        """The number of a level of offsets, counted from the front."""
        levels = len(self._offsets)
        if not -levels <= level < levels:
            allowed = f"from {-levels} to {levels - 1}" if levels else "none: it is one-dimensional"
            raise ValueError(f"level {level} is out of range: an array of {self.ndim} axes has levels {allowed}")
        return level % levels

    def _axis(self, axis):
        """The number of an axis, counted from the front."""
        if not -self.ndim <= axis < self.ndim:
            raise ValueError(f"axis {axis} is out of range for a ragged array of {self.ndim} axes")
        return axis % self.ndim

    def to_device(self, device):
        """This array where it is on `device` already, else a copy there."""
        values = to_device(self._values, device)
        return self if values is self._values else self._of(values, [to_device(x, device) for x in self._offsets])

    def __reduce__(self):
        others = {name: value for name, value in vars(self).items() if name not in ("_values", "_offsets", "_packed")}
        packed = self.packed()
        return type(self), (packed.values, *packed.offsets), others or None


def _pack(ragged):
    """Return, level by level, the part of the offsets that the level above refers to, from zero."""
    offsets, start, stop = [], 0, len(ragged)
    for array in ragged._offsets:
        array = array[start : stop + 1]
        start, stop = to_host_scalar(array[0]), to_host_scalar(array[-1])
        narrow = index_dtype(stop - start)
        offsets.append((array - start if start else array).astype(narrow, copy=False))
    return ragged._of_packed(ragged._values[start:stop], offsets)


def describe_difference(left, right, levels=None):
    """Return in words where the lists of two ragged arrays first differ in length; None if those of all levels have equal
    lengths."""
    if len(left) != len(right):
        return f"{len(left)} items and {len(right)}"
    for level, (x, y) in enumerate(zip(left.packed().offsets[:levels], right.packed().offsets[:levels], strict=False)):
        if x is not y and not to_host_scalar((x == y).all()):
            at = _check.find_first_true(x != y) - 1
            lengths = [to_host_scalar(z[at + 1]) - to_host_scalar(z[at]) for z in (x, y)]
            return f"list {at} of level {level} has {lengths[0]} items and {lengths[1]}"
    return None
