"""Tiles in a chain: whichever core is free takes the next one, and is told what those before it came to.

Design: tiles are taken in order, so whoever waits for the tile before waits for one that is being worked on, and it never
takes long; a core that waits lets other threads run. Each tile shows its total only when it has read its items, so behind
`total_before` all items of the tiles before may be overwritten: what is kept of an array can be moved to its front in one
pass. Source: Yan, Long, Zhang, *StreamScan: Fast Scan Algorithms for GPUs without Global Barrier Synchronization*, PPoPP 2013.
"""

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from spark_csr._cpu.cache import njit

UNKNOWN = -1
"""The total before a tile that is not known yet."""

LET_OTHERS_RUN = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
"""The function of the system's by which a thread waits for its next turn."""


def _slot(context, builder, signature, arguments):
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]]) if len(arguments) > 1 else array.data


@intrinsic
def next_tile(typingctx, taken):
    """The number of a tile that nobody took; `taken` is an int64 array of one element."""

    def codegen(context, builder, sig, args):
        return builder.atomic_rmw("add", _slot(context, builder, sig, args), ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(taken), codegen


@intrinsic
def _seen(typingctx, totals, index):
    """What another core has shown; with all that it read or wrote before it did."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(_slot(context, builder, sig, args), "acquire", 8)

    return types.int64(totals, types.intp), codegen


@intrinsic
def _show(typingctx, totals, index, total):
    def codegen(context, builder, sig, args):
        builder.store_atomic(args[2], _slot(context, builder, sig, args[:2]), "release", 8)
        return context.get_dummy_value()

    return types.void(totals, types.intp, types.int64), codegen


@intrinsic
def _let_others_run(typingctx):
    def codegen(context, builder, sig, args):
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, LET_OTHERS_RUN), [])
        return context.get_dummy_value()

    return types.void(), codegen


@njit(nogil=True, cache=True)
def total_before(totals, tile, own):
    """The sum over the tiles before, once all of them have shown theirs; `own` is then shown to the next.

    `totals` is an int64 array with one element more than there are tiles: 0, then `UNKNOWN`.
    """
    before = _seen(totals, tile)
    while before == UNKNOWN:
        _let_others_run()
        before = _seen(totals, tile)
    _show(totals, tile + 1, before + np.int64(own))
    return before
