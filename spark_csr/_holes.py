"""Holes: the names that kernels leave open. `specialise` fills them in; this file gives the signature and meaning of each.

A kernel imports the holes that it mentions: a reader finds their definitions here, and the linter finds misspelt ones.
`specialise(kernel, add=..., scalar=...)` returns a copy of the kernel with its holes filled in.

A hole is filled where `specialise` or `inline` is called, or where a dictionary or list of meanings for them is made: to find
where the hole NAME is filled, search for `NAME=` and `"NAME"`.

Functions that are filled in are compiled functions, `@njit` or device functions. Positions are uint64 on the cores and int64 on
GPUs; threads of a block, lanes and positions in shared memory are uint32. `operands` is whatever tuple of arrays and numbers a
kernel was called with.

Design: a hole is an object that a module imports. A kernel reads as plain code, and `specialise` can tell what was forgotten.
A hole has one meaning everywhere; of the few with two, the declaration says which file has which. Cost: a new hole is
declared here first.
"""

import re

DECLARED = {}
"""All holes by name."""


class Hole:
    """A name that kernels mention and `specialise` fills in.

    `signature` begins with the name and says how kernels use it: arguments and result of a function, or the kind of a number or
    type. `meaning` says the rest.
    """

    __slots__ = ("meaning", "name", "signature")

    def __init__(self, signature, meaning):
        self.name = re.match(r"\w+", signature)[0]
        self.signature, self.meaning = signature, meaning
        if self.name in DECLARED:
            raise ValueError(f"the hole `{self.name}` is declared twice")
        DECLARED[self.name] = self

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
result = Hole(
    "result: NumPy scalar type",
    "The type of what the user's function returns; `scalar` is that of what it takes. `result(x)` converts a value to it.",
)
integer = Hole(
    "integer: NumPy scalar type",
    "The dtype of the index array that the kernel updates by atomics.",
)
shared_scalar = Hole(
    "shared_scalar: Numba type",
    "The type of elements of shared memory that hold what the kernel computes or sorts.",
)
key_type = Hole(
    "key_type: Numba type",
    "The type of keys in shared and local memory, where the kernel holds values of another type beside them.",
)
payload_type = Hole(
    "payload_type: Numba type",
    "The type of the payload that moves along with keys, in shared and local memory; without a payload, that of the keys.",
)
second_type = Hole(
    "second_type: NumPy scalar type", "The type of another array that moves along; without one, that of the keys."
)
packed_type = Hole("packed_type: NumPy scalar type", "The type of keys that hold a row and a column.")
slot_type = Hole("slot_type: NumPy scalar type", "The type that keys have in shared memory: theirs, or that of a word.")
room_type = Hole(
    "room_type: NumPy scalar type",
    "The widest type of what moves through one shared array, which is viewed in the type of each.",
)


# Numbers known when a kernel is compiled: the shape of a block's work on a GPU

THREADS = Hole("THREADS: int", "How many threads a block has.")
ITEMS = Hole("ITEMS: int", "How many items each thread of a block takes.")
TILE = Hole("TILE: int", "How many items a tile has. A block takes a tile, in most files of `THREADS * ITEMS` items.")
TILE_OF_VALUES = Hole("TILE_OF_VALUES: int", "`TILE`, or 1 where the values of products are not computed.")
GROUP = Hole("GROUP: int", "How many items a thread loads before it uses the first of them; it divides `ITEMS`.")
HELD = Hole("HELD: int", "`GROUP * WIDTH`: how many elements a thread holds that it has loaded and not used.")
ROOM = Hole("ROOM: int", "How many elements of shared memory there are for the items of a tile and where its rows stop.")
LAST = Hole("LAST: int", "The last word of that memory: from there on downwards stands where rows stop.")
WORDS = Hole("WORDS: int", "How many words of 32 bits hold a bit for each item of a tile, and one more. 1 where none are kept.")
STOPS = Hole("STOPS: int", "`TILE + 1`: how many segments may have items in a tile, with the one that is open at its end.")
TEAMS = Hole("TEAMS: int", "How many teams of `LANES` lanes a block has.")
ENTRIES = Hole("ENTRIES: int", "How many neighbouring entries of a tile each team of `LANES` lanes takes.")
PARTS = Hole("PARTS: int", "How many words of 64 bits hold what a tile of a chain hands on.")
WARPS = Hole("WARPS: int", "How many warps a block has.")
VALUE_BITS = Hole("VALUE_BITS: int", "How many bits of a word that a tile tells hold a number; a flag is above them.")
LANES = Hole("LANES: int", "How many neighbouring lanes share a row, or an edge; a power of two, at most a warp.")
PAYLOAD_SIZE = Hole("PAYLOAD_SIZE: int", "The length of the shared array for the payload: `TILE`, or 1 without a payload.")
HALF = Hole("HALF: int", "`ITEMS // 2`: how many comparisons each thread does in one step of a sorting network.")


# Numbers known when a kernel is compiled: sizes and values

IDENTITY = Hole(
    "IDENTITY: number",
    "The identity of `add`, on GPUs. On the cores it is an argument, `identity`, of the dtype of the result.",
)
INTEGER_INFINITY = Hole(
    "INTEGER_INFINITY: int",
    "The infinity of a semiring of integers. What the semiring makes of it and any number is the infinity again.",
)
LEAST_INTEGER = Hole("LEAST_INTEGER: int", "The least integer of the dtype that a semiring of integers computes in.")
LARGEST_INTEGER = Hole("LARGEST_INTEGER: int", "The largest integer of that dtype.")
MASKED_OUT = Hole(
    "MASKED_OUT: int",
    "Marks products that the mask forbids: the largest value of `key_type`, so that they sort to the end.",
)
WIDTH = Hole("WIDTH: int", "How many columns of the dense operand the kernel, or a thread of a GPU, takes at a time.")
FIXED_WIDTH = Hole(
    "FIXED_WIDTH: int",
    "How many columns of the dense operand are scattered at a time; 0 means all, whose number is an argument.",
)
PREFETCH_DISTANCE = Hole("PREFETCH_DISTANCE: int", "How many items lie between the current one and the one that is prefetched.")
PREFETCH_DISTANCE_BYTES = Hole(
    "PREFETCH_DISTANCE_BYTES: int", "How many bytes lie between the current item and the memory that is prefetched."
)
ELEMENTS_PER_LINE = Hole("ELEMENTS_PER_LINE: int", "How many elements of type `scalar` a cache line holds, at least 1.")


# Numbers known when a kernel is compiled: whether something is done

HAS_PAYLOAD = Hole("HAS_PAYLOAD: bool", "Whether a payload moves along with the keys.")
HAS_SECOND = Hole("HAS_SECOND: bool", "Whether another array moves along with keys and payload.")
WRITES_POSITIONS = Hole("WRITES_POSITIONS: bool", "Whether the positions that merged elements come to are written too.")
WRITES_INDEX = Hole("WRITES_INDEX: bool", "Whether the positions that sorted items come from are written too.")
WRITES_MINOR = Hole("WRITES_MINOR: bool", "Whether the lower bits of keys are written as indices, beside the starts of rows.")
COUNTS_ROWS = Hole("COUNTS_ROWS: bool", "Whether the number of entries of every row of a product is written.")
COMPUTES_VALUES = Hole("COMPUTES_VALUES: bool", "Whether the values of products are computed too, or their columns alone.")
WIDE_KEYS = Hole("WIDE_KEYS: bool", "Whether columns have more bytes than the marks that stand in the same shared memory.")
MOST = Hole("MOST: int", "The greatest key of its type, whose bits are all ones.")
SEGMENTED = Hole("SEGMENTED: bool", "Whether a scan starts anew where segments begin, or a sort sorts each segment.")
OFTEN_BROKEN = Hole("OFTEN_BROKEN: bool", "Whether values break so often that a warp asks whether all of its values do.")
EXCLUSIVE = Hole("EXCLUSIVE: bool", "Whether a scan leaves each item out of its own result.")
MANY = Hole("MANY: bool", "Whether a result has several columns, so that each carry and each row has so many elements.")
MASKED = Hole("MASKED: bool", "Whether a product of matrices has a mask; without one, the arguments for it stand unused.")
WRITES_UNSELECTED = Hole(
    "WRITES_UNSELECTED: bool",
    "Whether the elements that the mask does not select are written as well, after the selected ones.",
)
WITHIN_TILE = Hole(
    "WITHIN_TILE: bool",
    "Whether the kernel does only the last steps of a bitonic sort, those within a tile. Otherwise it sorts the whole tile.",
)
ALL_COLUMNS = Hole("ALL_COLUMNS: bool", "Whether `FIXED_WIDTH` is the number of all columns.")
PREFETCHES = Hole("PREFETCHES: bool", "Whether a matrix is larger than the cache, so that its entries are prefetched.")
PREFETCHES_COLUMNS = Hole(
    "PREFETCHES_COLUMNS: bool",
    "Whether column indices are prefetched too. They are not where rows have their column indices in common.",
)


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
output_of_element = Hole(
    "output_of_element(x, position) -> value",
    "Return what is written for a selected element: the element of `x`, or its position.",
)
read_value = Hole(
    "read_value(values, position) -> scalar",
    "Return the value of an entry of the pattern, for `values` of `(data,)` or `(data, order)`.",
)
load_columns = Hole(
    "load_columns(x, position, held, first)",
    "Load `WIDTH` neighbouring elements, from `x[position]` on, into the local array `held` from `first` on.",
)
load_flags = Hole(
    "load_flags(operands, n, flags) -> length",
    "Write into shared `flags` which elements of the block's tile are selected, and 0 beyond the end; return how many it has.",
)
load_items = Hole(
    "load_items(operands, heads, n, tile, values, marks) -> length",
    "Bring the items of a tile into shared `values`, and if there are segments, for each a bit into `marks`: whether "
    "one begins there. Return how many items there are.",
)
load_keys = Hole(
    "load_keys(keys, payload, start, length, values, moved)",
    "Bring the keys of the block's tile into shared `values`, and the payload, if any, into `moved`.",
)
locate_list = Hole(
    "locate_list(outer, lists, row) -> tuple of int64",
    "Return the coordinates of an innermost list of a ragged array by all axes but the last, from those of all lists.",
)
choose_edge = Hole(
    "choose_edge(weights, sums, first, stop, chance) -> edge",
    "Return one of the edges `first` to `stop` for a random number from 0 to 1; `stop`, if all weights are 0. `sums`: the "
    "weights of a vertex's edges, added up.",
)


# Sinks of items

store_result = Hole(
    "store_result(operands, position, value)",
    "Store the result of a scan for `position`. In a flood the result is itself a position, and the element there is stored.",
)
visit = Hole(
    "visit(operands, offsets, row, item)",
    "On GPUs: do what is asked for with one item of segment `row`. `item` counts from the first item of the first segment.",
)
write = Hole(
    "write(out, item, row, rank)",
    "On the cores: write the segment or the rank of one item, number `rank` of segment `row`. `item` counts as in `visit`.",
)
output_of_edge = Hole(
    "output_of_edge(target, edge) -> number", "Return what a push writes for an accepted edge: its target, or the edge."
)
store_columns = Hole(
    "store_columns(y, place, position, held)",
    "Store the `WIDTH` elements of the local array `held` at `y[place + position]` and behind it.",
)
store_common = Hole(
    "store_common(out, position, item)",
    "Store an item that two rows have in common at `position` of `out`, or do nothing if items are only counted.",
)
store_pair = Hole(
    "store_pair(out, k, u, v) -> bool",
    "Store the values of two matrices as entry `k` of the result, side by side or combined; return whether it is zero.",
)
store_keys = Hole("store_keys(keys, payload, start, length, values, moved)", "Do the reverse of `load_keys`.")
store_sorted = Hole(
    "store_sorted(held, sources, start, length, keys, index)",
    "Write the items that a block has sorted in `held`; with `WRITES_INDEX` also where they come from.",
)
write_row = Hole(
    "write_row(bits, words, sums, least, most, position, identity, indices, data) -> bool",
    "Write the columns and sums of a row of a product, and clear `bits`, `words` and `sums`; return whether a sum is 0.",
)


# Tiles on the cores: what `for_tiles` and `for_tiles_by_core` run. The other arguments are those that the kernel passes on.

visit_tile = Hole("visit_tile(tile, *args)", "Do the work of the kernel for one tile.")
reduce_tile = Hole(
    "reduce_tile(tile, *args)",
    "Reduce the segments that end in a tile, then the part of the next segment that lies in the tile.",
)
reduce_regular = Hole("reduce_regular(tile, *args)", "Do as `reduce_tile`, for rows of similar length.")
reduce_irregular = Hole("reduce_irregular(tile, *args)", "Do as `reduce_tile`, for rows of varying length.")
sum_tile = Hole(
    "sum_tile(tile, *args)",
    "In `_cpu/scan.py`: reduce each block of a tile to one element of `sums`, and write into `broken` whether a segment begins "
    "in the block. In `_cpu/shifts.py`: write the sum of each row that ends in a tile.",
)
scan_tile = Hole("scan_tile(tile, *args)", "Scan the blocks of a tile from what each carries in.")
multiply_tile = Hole(
    "multiply_tile(tile, *args)",
    "Write the rows of `A @ X` that end in a tile, then the sums of the part of the next row that lies in the tile.",
)
find_in_tile = Hole(
    "find_in_tile(tile, *args)",
    "Find the extremes of the segments that end in a tile, then that of the part of the next segment that lies in the tile.",
)
scatter_products = Hole(
    "scatter_products(part, *args)",
    "Add the products of a group of tiles of `A.T @ X` to the result or to a buffer of its own.",
)
combine_block = Hole(
    "combine_block(block, *args)",
    "Add the sums that groups of tiles have in buffers for a block of the result of `A.T @ X`, in order of the tiles.",
)
copy_rows = Hole("copy_rows(tile, *args)", "Copy the rows of a tile from Fortran order to C order.")
write_tile = Hole("write_tile(core, tile, *args)", "Write the tuples of a tile, with the scratch memory of a core.")
count_row_tile = Hole(
    "count_row_tile(core, tile, *args)",
    "Count the entries of the rows of a tile of `A @ B`, with the scratch memory of a core.",
)
fill_row_tile = Hole(
    "fill_row_tile(core, tile, *args)", "Write the rows of a tile of `A @ B`, with the scratch memory of a core."
)


# Parts of kernels on the cores: reductions and products with vectors

reduce_range = Hole(
    "reduce_range(operands, start, stop, identity) -> scalar",
    "Reduce items `start` to `stop`; return `identity` if there are none.",
)
reduce_in_order = Hole(
    "reduce_in_order(operands, start, stop, total) -> scalar",
    "Add items `start` to `stop` to `total`, left to right. What fills this hole may fill `reduce_range` too: then `total` is "
    "the identity at first.",
)
reduce_short = Hole(
    "reduce_short(x, start, count, identity) -> scalar",
    "Reduce `count` elements from `start` on, at most `vectors.WIDE`; the array has at least `vectors.WIDE` from there on.",
)
max_range = Hole("max_range(operands, start, stop, identity) -> scalar", "Do as `reduce_range`, for the maximum.")
sum_range = Hole("sum_range(operands, start, stop, identity) -> scalar", "Do as `reduce_range`, for the sum.")
apply_softmax_step = Hole(
    "apply_softmax_step(x, out, k, result) -> value",
    "Return element `k` after a step of a softmax, computed from `x` or `out` and from the result of its row.",
)
find_equal = Hole(
    "find_equal(x, start, stop, value) -> int64",
    "Return the position of the first element equal to `value`, the extreme of elements `start` to `stop` (NaN if one of them "
    "is NaN); -1 if the range is empty.",
)
prefetch_items = Hole(
    "prefetch_items(operands, position)",
    "Prefetch the memory of later items than the one at a position, or do nothing.",
)
dot = Hole(
    "dot(operands, start, stop, identity) -> scalar", "Return the sum of products `start` to `stop` of a matrix and a vector."
)
dot_from = Hole(
    "dot_from(operands, start, stop, pattern, first, identity) -> scalar",
    "Do as `dot`, with the columns of the entries from `pattern` on, each plus `first`.",
)
dot_eight = Hole(
    "dot_eight(operands, position, length, pattern, column, identity) -> vector",
    "Do as `sum_one` for eight rows. Each row has the columns of the row before it, shifted by one.",
)
sum_one = Hole(
    "sum_one(operands, position, length, pattern, column, identity) -> scalar",
    "Return the sum of a row of `length` entries from `position` on, whose columns are those from `pattern` on, plus `column`.",
)
sum_four = Hole(
    "sum_four(operands, position, length, pattern, column, shift, identity) -> tuple of four",
    "Do as `sum_one` for four rows. Each row has the columns of the row before it, shifted by `shift`.",
)
sum_rows = Hole(
    "sum_rows(operands, row, stop, position, length, pattern, column, shift, identity, out)",
    "Write the sums of rows `row` to `stop` of a run: each has the columns of the row before, plus `shift`.",
)


# Parts of kernels on the cores: products with matrices, and other merges

add_entries = Hole(
    "add_entries(indices, data, x, start, stop, column, identity, sums)",
    "Set `sums` to the sum of the products of entries `start` to `stop` with `WIDTH` columns of `x` from `column` on.",
)
prefetch_row = Hole("prefetch_row(x, row, column)", "Prefetch `WIDTH` columns of a row of `x`, or do nothing.")
add_row = Hole(
    "add_row(target, position, a, x, source, width)",
    "Add `a` times the `width` elements of `x` from `source` on to those of `target` from `position` on.",
)
clear_sums = Hole(
    "clear_sums(target, start, stop, columns, first, width, identity)",
    "Set `width` columns from `first` on, of rows `start` to `stop`, to the identity.",
)
copy_block = Hole("copy_block(x, row, column, out)", "Copy eight by eight elements from Fortran order to C order.")
count_row = Hole(
    "count_row(row, pattern, mask, ahead, marks, allowed) -> int64",
    "Return how many columns the products of a row touch, of those that a mask allows.",
)
merge_next = Hole(
    "merge_next(a_indices, a, i, b_indices, b, j, indices, out, k) -> (i, j, k)",
    "Take the lower of two columns, or both where they are equal; return where both matrices and the result go on.",
)
merge_rest = Hole(
    "merge_rest(a_indices, a, i, i_stop, b_indices, b, j, j_stop, indices, out, k) -> k",
    "Merge what is left of a row; return where the result goes on.",
)
unite_tile = Hole(
    "unite_tile(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out) -> uint64",
    "Write a tile of the union of two matrices; return how many of its values are zero. On both backends.",
)
unrank = Hole(
    "unrank(rank, counts, segments, row, factors, digits) -> uint64",
    "Write into `digits` the tuple of segment `row` at a rank; return what its last digit stays below.",
)
advance_prefix = Hole(
    "advance_prefix(counts, segments, row, factors, digits)",
    "Replace `digits` by the first tuple or combination with the next prefix, which is all digits but the last.",
)


# Parts of kernels on GPUs: what all lanes of a warp, or all threads of a block, call together

warp_shuffle = Hole("warp_shuffle(value, lane) -> value", "Return the `value` of another lane of the warp.")
carry_in = Hole(
    "carry_in(thread, value, broken, before) -> (carried, handed_on)",
    "Return what this thread carries in, and what the next thread carries in: `before` combined with the values of all earlier "
    "threads. If an earlier thread is `broken`, start with the last such thread and leave `before` out.",
)
carry_in_warp = Hole(
    "carry_in_warp(thread, value, broken, warp_values, warp_breaks) -> (left, breaks)",
    "Return what the lane to the left hands on within the warp, and a bit for each lane that is `broken`. Note what each warp "
    "hands on, and its bits, in shared memory.",
)
carry_on = Hole(
    "carry_on(thread, before, left, breaks, warp_values, warp_breaks) -> carried",
    "Return what this thread carries in, of what `carry_in_warp` has found and of what the block carries in.",
)
chain_in = Hole(
    "chain_in(thread, value, broken, states, tile, initial) -> (carried, handed_on)",
    "Do as `carry_in`, where what comes before the block is what the tiles before hand on, and tell what this one does.",
)
load_with_before = Hole(
    "load_with_before(keys, i, n) -> (key, before)",
    "Return a key and the one before it, of no use for the first key and behind the last. All lanes of a warp call.",
)
tell_and_look_back = Hole(
    "tell_and_look_back(states, tile, total, broken, initial) -> value",
    "Tell that a tile hands on `total`, and what it hands on with the tiles before; return what these hand on. One warp calls.",
)
tell = Hole("tell(states, tile, flag, value)", "Tell other blocks what a tile hands on, and of how many tiles that is.")
listen = Hole("listen(states, tile) -> (flag, value)", "Wait until a tile has told something, and return it.")
combine_lanes = Hole(
    "combine_lanes(flag, value) -> (value, lanes)",
    "Combine what tiles hand on that the lanes of a warp have asked, from the nearest that is done on; return which are done.",
)
to_bits = Hole("to_bits(value) -> uint64", "Return the bits of a value.")
from_bits = Hole("from_bits(bits) -> scalar", "Return the value of which these are the bits.")
flood_threads = Hole(
    "flood_threads(thread, mark) -> uint32",
    "Return the last `mark` of the threads before this one that is not 0; 0 if there is none.",
)
reduce_own_items = Hole(
    "reduce_own_items(values, starts, length) -> total",
    "Combine the thread's own items of the tile from the last one on whose bit in `starts` is set.",
)
find_own_starts = Hole(
    "find_own_starts(marks) -> uint32",
    "Return a bit for each of the thread's own items: whether a segment begins with it. Without segments, 0.",
)
store_items = Hole("store_items(operands, n, tile, length, values)", "Store the results in shared `values`.")
scan_own_items = Hole(
    "scan_own_items(values, starts, length, running)",
    "Replace the thread's own items of the tile by their scan from `running` on, anew at each whose bit in `starts` is set.",
)
count_earlier_selected = Hole(
    "count_earlier_selected(flags) -> (before, behind)",
    "Return how many selected elements of the tile precede this thread's elements, and how many precede the next thread's.",
)
clear_marks = Hole("clear_marks(marks)", "Set all marks of a tile to 0. A barrier is inside.")
find_last_mark = Hole(
    "find_last_mark(marks) -> uint32",
    "Return the last mark in a tile before the thread's own entries, else 0. Where ends of rows are marked 1, 2, ... it is "
    "how many end there.",
)
mark_last_items = Hole(
    "mark_last_items(offsets, row, rows, start, marks)",
    "Set the bits in shared `marks` of the items with which `rows` rows from `row` on end. The tile's first item is `start`.",
)
read_items = Hole(
    "read_items(operands, start, length, items)",
    "Write what `read_item` returns for `length` positions from `start` on into shared `items`.",
)
write_rows = Hole(
    "write_rows(offsets, row, rows, start, items, out)",
    "Write the sums of `rows` rows from `row` on: they stand in shared `items` where the rows end. The tile's first item is "
    "`start`.",
)
mark_row_ends = Hole(
    "mark_row_ends(offsets, row, rows, start, ends)",
    "Write 1, 2, ... into `ends` where `rows` rows from `row` on end in the tile's list of items and row ends, and 0 for "
    "items. The first item of the tile is `start`.",
)
find_rows = Hole(
    "find_rows(offsets, row, rows, start, length, owners, begins)",
    "Write for each of `length` items from `start` on the row that it is in, and where each row begins among the items.",
)
visit_edges = Hole(
    "visit_edges(indptr, indices, data, done, vertex, degree, firsts, sources, offsets, total, listed, totals, state)",
    "Visit the edges of the vertices of all threads, divided among these, and list what the edges that are accepted lead to.",
)
fetch_tile = Hole(
    "fetch_tile(values, indptr, indices, row, rows, start, length, columns, places, factors, ends, firsts) -> bool",
    "Bring the entries of a tile of `A @ X` into shared memory: where their rows of X begin, their values, where rows end, and "
    "the row of each team's first entry. Return whether this thread saw a row without entries.",
)
multiply_entries = Hole(
    "multiply_entries(places, factors, ends, row, position, count, x, column, columns, y, place, total) -> row",
    "Add the products of a team's entries in order, for the columns of a lane; store rows that end, and return the row that is "
    "open behind them, of which `total` is the sum.",
)
add_products = Hole(
    "add_products(factor, held, first, total)",
    "Add to `total` the products of an entry and the `WIDTH` elements of `held` from `first` on.",
)
close_row = Hole(
    "close_row(ends, row, rest, position, columns, y, place, total) -> (row, rest, place)",
    "Store the total of a row of the tile, and clear it; return the next row that has entries, how many of them there are from "
    "`position` on, and where the row is in `y`.",
)
add_sums = Hole(
    "add_sums(sums, team, lane, row_start, total)",
    "Set `total` to the sum of what the teams before `team` hand on for a row that starts at entry `row_start` of the tile.",
)
list_selected = Hole(
    "list_selected(selects, vertex, indptr, listed, totals) -> int64",
    "List the vertex of every lane that selects one, and add their number to `totals`; return how many edges leave it.",
)
add_edges = Hole("add_edges(edges, totals)", "Add the edges that the lanes of a warp have counted to `totals`.")
sum_warp = Hole("sum_warp(value) -> value", "Return the sum of the values of all lanes of the warp, the same bits in each.")
sum_neighbors = Hole(
    "sum_neighbors(indptr, indices, base, u, level, depth, values) -> float64",
    "Return the sum of the values of those neighbours of `u` that are on a level.",
)
find_next_level = Hole(
    "find_next_level(indptr, indices, base, start, stop, beyond, end, order, depth)",
    "Append to `order` the vertices of the next level, which are one edge beyond `order[start:stop]`.",
)
count_shortest_paths = Hole(
    "count_shortest_paths(indptr, indices, back_indptr, back_indices, base, source, end, order, starts, depth, paths) -> int32",
    "Write the vertices that a source reaches into `order`, by level, and count the shortest paths to them. Return the "
    "number of levels.",
)
accumulate_dependencies = Hole(
    "accumulate_dependencies(indptr, indices, base, start, stop, level, endpoints, order, depth, paths, share, table)",
    "Compute the dependencies of a source on the vertices of a level, from those of the next level (Brandes).",
)


# Parts of kernels on GPUs: sorting and merging

carry_counts = Hole(
    "carry_counts(thread, value, broken, before) -> (carried, handed_on)", "Do as `carry_in` for counts of all keys."
)
load_strips = Hole(
    "load_strips(keys, start, length, own) -> uint32",
    "Load the thread's keys of a tile into registers, and return the position of the first in the tile.",
)
count_keys = Hole(
    "count_keys(own, shift, mask, seen) -> uint32",
    "Count the keys of each warp and digit in shared `seen`; return how many of the tile have the thread's digit.",
)
scan_warps = Hole(
    "scan_warps(seen, first)",
    "Turn the counts of all warps in shared `seen` into where the first key of each warp and of the thread's digit goes.",
)
store_in_order = Hole(
    "store_in_order(ordered, length, shift, mask, bases, targets, out)",
    "Store the keys of a tile from where `bases` says that those of each digit begin, and note where each went.",
)
rank_keys = Hole(
    "rank_keys(own, shift, mask, seen, ranks)",
    "Write where each of the thread's keys goes in the tile; shared `seen` says where the next key of a warp and digit goes.",
)
tell_count = Hole(
    "tell_count(states, tile, flag, count)",
    "Tell other blocks how many keys have the thread's digit, in which tiles.",
)
look_back_for_digit = Hole(
    "look_back_for_digit(states, tile, done) -> position",
    "Wait for the tiles before, and return where the thread's digit of this tile goes.",
)
compare_exchange = Hole(
    "compare_exchange(keys, payload, i, j) -> bool",
    "Exchange elements `i` and `j` if the second is less than the first; return whether it was.",
)
apply_bitonic_step = Hole(
    "apply_bitonic_step(values, moved, length, distance, flip)",
    "Do a step of a bitonic sort in shared memory: put elements and those whose index differs in the bits of `flip` in order.",
)
move_payload = Hole(
    "move_payload(source, here, strip, length, carried, ranks, targets, out)",
    "Move the payload of a tile as its keys went: into shared `carried` by `ranks`, from there to `targets`.",
)
move_second = Hole(
    "move_second(source, here, strip, length, carried, ranks, targets, out)", "Do as `move_payload` with another array."
)
digit = Hole("digit(key, shift, mask) -> uint32", "Return the bits of a key from `shift` on that are in `mask`.")
merge_items = Hole(
    "merge_items(keys, low, middle, high, start, own, positions)",
    "Take items of the merge of `keys[low:middle]` and `keys[middle:high]` into registers, with the positions that they come "
    "from. The first one belongs to position `start` of `keys`.",
)
sort_own_items = Hole(
    "sort_own_items(keys, owners, first, length, own, positions)",
    "Bring the items of a thread into registers, those of each segment sorted, with the positions that they come from.",
)
store_own_items = Hole(
    "store_own_items(keys, sources, start, stop, own, positions, waits)",
    "Write the items of a thread from registers to `start` until `stop`, and what `sources` holds of them.",
)
sort_block = Hole(
    "sort_block(keys, sources, owners, begins, length)",
    "Sort the first `length` of shared `keys`, those of each owner, which begin at `begins[owner]`; with `HAS_PAYLOAD`, "
    "`sources` moves along.",
)
load_merge_order = Hole(
    "load_merge_order(keys, order, a, a_start, a_count, b, b_start, length)",
    "Merge a tile's ranges of two sorted arrays in shared `keys`; with `HAS_PAYLOAD` write into `order` which item of them "
    "comes to each position.",
)
merge_tile = Hole(
    "merge_tile(cuts, held, order, left, right, right_stop, begin, keys, index, to_keys, to_index)",
    "Write a tile of the merge of `keys[left:right]` and `keys[right:right_stop]`, from element `begin` of the merge on.",
)
find_segment_tile = Hole(
    "find_segment_tile(block, tile_offsets, tiles, tile_rows) -> (row, number, rounds)",
    "Return the segment that the block's tile lies in, the number of the tile there, and how many rounds of merges the "
    "segment needs.",
)
mark_products = Hole(
    "mark_products(before, first, stop, start, length, marks)",
    "Write for each of the block's products which of A's entries from `first` to `stop` it is of, counted from 1 on.",
)
expand_products = Hole(
    "expand_products(a, b, mask, before, row, first, start, length, keys, values, sources, marks, owners)",
    "Write the column and, with `COMPUTES_VALUES`, the value of each of the block's products.",
)
find_tile = Hole(
    "find_tile(long, offsets, tile) -> (number, row, inside, length)",
    "Return the number of the long row that a tile lies in, the row, where the tile begins in it, and how many products of the "
    "tile it has.",
)
load_lengths = Hole(
    "load_lengths(a_indices, b_indptr, n, lengths) -> int64",
    "Bring the numbers of products of the block's tile of A's entries into shared memory; return the sum of the thread's own.",
)
scan_counts = Hole(
    "scan_counts(counts, n) -> int64",
    "Replace each of `n` counts by the sum of those before it; return the sum of all. All threads of one block call.",
)
is_head = Hole(
    "is_head(key, before, begins_row, nothing, bits) -> bool",
    "Return whether a sorted product is the first of its position in the result, and the mask allows it.",
)
list_heads = Hole(
    "list_heads(keys, owners, begins, length, heads, earlier, total) -> uint32",
    "List the sorted products that are the first of their position, and write how many come before each product; return their "
    "number.",
)
count_rows = Hole(
    "count_rows(row, rows, length, count, begins, earlier, counts)", "Write how many entries each of the block's rows has."
)
combine_products = Hole(
    "combine_products(keys, values, sources, owners, begins, heads, earlier, count, length, row, starts, indices, data, zero)",
    "Combine the products of each position, and write columns and values.",
)
