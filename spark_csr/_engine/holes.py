"""Holes: the names that kernels leave open, each with its signature and meaning. `specialise` fills them in.

A hole that one file mentions is declared there, above its kernel; this file declares those of several files, which import them.
`specialise(kernel, add=..., scalar=...)` returns a copy of the kernel with its holes filled in.

A hole is filled where `specialise` or `inline` is called, or where a dictionary or list of meanings for them is made: to find
where the hole NAME is filled, search for `NAME=` and `"NAME"`.

Functions that are filled in are compiled functions, `@njit` or device functions. Positions are uint64 on the cores and int64 on
GPUs; threads of a block, lanes and positions in shared memory are uint32. `operands` is whatever tuple of arrays and numbers a
kernel was called with.

Design: a hole is an object under its name. A kernel reads as plain code, the linter finds misspelt holes, and `specialise` can
tell what was forgotten. A hole is declared once and has one meaning everywhere; of the few with two, the declaration says which
file has which.
"""

import inspect
import re
import types

DECLARED = {}
"""All holes by name."""


class Hole:
    """A name that kernels mention and `specialise` fills in.

    `signature` begins with the name and says how kernels use it: arguments and result of a function, or the kind of a number or
    type. `meaning` says the rest.
    """

    __slots__ = ("meaning", "name", "parameters", "signature")

    def __init__(self, signature, meaning):
        self.name, listed = re.match(r"(\w+)(\(.*?\))?", signature).groups()
        self.signature, self.meaning = signature, meaning
        self.parameters = None if listed is None or "*" in listed else listed.count(",") + (listed != "()")
        if self.name in DECLARED:
            raise ValueError(f"the hole `{self.name}` is declared twice")
        DECLARED[self.name] = self

    def check_parameters(self, value):
        """Raise TypeError if a function does not take as many arguments as kernels give it."""
        function = getattr(value, "py_func", value)
        if self.parameters is None or not isinstance(function, types.FunctionType):
            return
        most, few = function.__code__.co_argcount, len(function.__defaults__ or ())
        if self.parameters < most - few or (self.parameters > most and not function.__code__.co_flags & inspect.CO_VARARGS):
            name = f"{function.__module__}.{function.__name__}"
            raise TypeError(f"{name} takes {most} arguments, but kernels call it as `{self.signature}`")

    def __repr__(self):
        return f"<hole {self.signature}>"

    def _refuse(self, *args, **kwargs):
        raise TypeError(
            f"`{self.name}` is a hole in a kernel and has no value: call what `specialise(kernel, {self.name}=...)` returns, "
            "not the kernel itself"
        )


_OPERATORS = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor"
_OTHERS = "call bool index int float complex neg pos abs invert lt le gt ge"
for _name in (*_OTHERS.split(), *_OPERATORS.split(), *(f"r{name}" for name in _OPERATORS.split())):
    setattr(Hole, f"__{_name}__", Hole._refuse)


# Types

position_type = Hole(
    "position_type: NumPy scalar type", "An unsigned type that holds all positions of entries and one round more."
)
scalar = Hole(
    "scalar: NumPy scalar type",
    "The type that the kernel computes in. `scalar(x)` converts a value to it, which an operator may return in a wider type.",
)
shared_scalar = Hole(
    "shared_scalar: Numba type", "The type of elements of shared memory that hold what the kernel computes or sorts."
)
key_type = Hole(
    "key_type: Numba type",
    "The type of keys in shared and local memory, where the kernel holds values of another type beside them.",
)
payload_type = Hole(
    "payload_type: Numba type",
    "The type of the payload that moves along with keys, in shared and local memory; without a payload, that of the keys.",
)


# Numbers known when a kernel is compiled: the shape of a block's work on a GPU

THREADS = Hole("THREADS: int", "How many threads a block has.")
ITEMS = Hole("ITEMS: int", "How many items each thread of a block takes.")
TILE = Hole("TILE: int", "How many items a tile has. A block takes a tile, in most files of `THREADS * ITEMS` items.")
GROUP = Hole("GROUP: int", "How many items a thread loads before it uses the first of them; it divides `ITEMS`.")
WORDS = Hole("WORDS: int", "How many words of 32 bits hold a bit for each item of a tile, and one more. 1 where none are kept.")
ENTRIES = Hole("ENTRIES: int", "How many neighbouring entries of a tile each team of `LANES` lanes takes.")
WARPS = Hole("WARPS: int", "How many warps a block has.")
LANES = Hole("LANES: int", "How many neighbouring lanes share a row, or an edge; a power of two, at most a warp.")


# Numbers known when a kernel is compiled: sizes and values

IDENTITY = Hole(
    "IDENTITY: number",
    "The identity of `add`, on GPUs. On the cores it is an argument, `identity`, of the dtype of the result.",
)
MASKED_OUT = Hole(
    "MASKED_OUT: int", "Marks products that the mask forbids: the largest value of `key_type`, so that they sort to the end."
)
WIDTH = Hole("WIDTH: int", "How many columns of the dense operand the kernel, or a thread of a GPU, takes at a time.")
PREFETCH_DISTANCE_BYTES = Hole(
    "PREFETCH_DISTANCE_BYTES: int", "How many bytes lie between the current item and the memory that is prefetched."
)


# Numbers known when a kernel is compiled: whether something is done

HAS_PAYLOAD = Hole("HAS_PAYLOAD: bool", "Whether a payload moves along with the keys.")
COMPUTES_VALUES = Hole("COMPUTES_VALUES: bool", "Whether the values of products are computed too, or their columns alone.")
SEGMENTED = Hole("SEGMENTED: bool", "Whether a scan starts anew where segments begin, or a sort sorts each segment.")
EXCLUSIVE = Hole("EXCLUSIVE: bool", "Whether a scan leaves each item out of its own result.")
MASKED = Hole("MASKED: bool", "Whether a product of matrices has a mask; without one, the arguments for it stand unused.")


# Scalar operators, and functions of the user

add = Hole(
    "add(a, b) -> value",
    "Combine two partial results of type `scalar`: the operator of the monoid, or of the semiring's monoid.",
)
multiply = Hole(
    "multiply(a, x) -> value",
    "Multiply an entry of the matrix and one of the other operand, both of type `scalar`: the operator of the semiring.",
)
combine = Hole(
    "combine(a, b) -> value",
    "Apply the operator that the caller chose. In `merge_rows.store_combined`: to the values that two matrices have at one "
    "position. In `_ops.scalars._flip`: to the arguments of `_flip`, exchanged.",
)
decode = Hole(
    "decode(stored) -> value",
    "Return the value of a stored element: of the bits of a float16 its float32, else the element itself.",
)
call = Hole(
    "call(*arguments) -> value",
    "Call the user's function. In graphs it takes `(source, target, edge, weight, *state)` or `(item, *state)`.",
)
read_weight = Hole(
    "read_weight(data, edge, done) -> number",
    "Return the argument `weight` of the user's function: `data[edge]`, or without weights the level, `data + done`.",
)
body = Hole(
    "body(i, *arrays)",
    "Do what `for_each` is to do for index `i`. `for_each_tile` calls it with two numbers, `body(start, stop, *arrays)`.",
)


# Sources of items

read_item = Hole(
    "read_item(operands, position) -> value",
    "Return the item at a position, read or computed, for example the product of an entry and an element of a vector.",
)
position_of_item = Hole(
    "position_of_item(k, n) -> position",
    "Return the position of item `k` of a scan of `n` items: `k`, or `n - 1 - k` in reverse.",
)
is_segment_start = Hole(
    "is_segment_start(heads, position, n) -> bool",
    "Return whether a segment begins with the item at a position, in the direction of the scan.",
)
is_selected = Hole("is_selected(operands, position) -> bool", "Return whether the element at a position is selected.")
digit = Hole("digit(key, shift, mask) -> uint32", "Return the bits of a key from `shift` on that are in `mask`.")


# Sinks of items

visit = Hole(
    "visit(operands, item, row, rank)",
    "Do what is asked for with one item, number `rank` of segment `row`. `item` counts from the first item of the first "
    "segment.",
)
store_selected = Hole(
    "store_selected(operands, place, position)", "Store what is written for the selected element at a position, at its `place`."
)
store_result = Hole(
    "store_result(operands, position, value)",
    "Store the result of a scan for `position`. In a flood the result is itself a position, and the element there is stored.",
)
store_columns = Hole(
    "store_columns(y, place, position, held)",
    "Store the `WIDTH` elements of the local array `held` at `y[place + position]` and behind it.",
)
store_pair = Hole(
    "store_pair(out, k, u, v) -> bool",
    "Store the values of two matrices as entry `k` of the result, side by side or combined; return whether it is zero.",
)


# Functions that kernels on the cores call

reduce_range = Hole(
    "reduce_range(operands, start, stop, identity) -> scalar",
    "Reduce items `start` to `stop`; return `identity` if there are none.",
)


# Functions that all lanes of a warp, or all threads of a block, call together

warp_shuffle = Hole("warp_shuffle(value, lane) -> value", "Return the `value` of another lane of the warp.")
carry_in = Hole(
    "carry_in(thread, value, broken, before) -> (carried, handed_on)",
    "Return what this thread carries in, and what the next thread carries in: `before` combined with the values of all earlier "
    "threads. If an earlier thread is `broken`, start with the last such thread and leave `before` out.",
)
flood_threads = Hole(
    "flood_threads(thread, mark) -> uint32",
    "Return the last `mark` of the threads before this one that is not 0; 0 if there is none.",
)
find_rows = Hole(
    "find_rows(offsets, row, rows, start, length, owners, begins)",
    "Write for each of `length` items from `start` on the row that it is in, and where each row begins among the items.",
)
scan_counts = Hole(
    "scan_counts(counts, n) -> int64",
    "Replace each of `n` counts by the sum of those before it; return the sum of all. All threads of one block call.",
)
