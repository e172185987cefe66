"""The code of a job: the loop over tiles, as a function that any core can call by its address.

Numba has no functions that are called by address with any arguments, and its `prange` hands out work in another way. The body
is compiled by Numba, and called by Numba's calling convention: its status says whether a tile raised.
Source: `numba.core.callconv`, `numba.core.types.Dispatcher`. Goes when Numba can call a function that is an argument, keep
the caller on disk, and pass its exception on.

A job of several tiles is led by a function of `_engine.team`, which is loaded while the first jobs of a process run: until then
the tiles are run here, some at a time.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import RETCODE_EXC, Status, excinfo_ptr_t
from numba.extending import intrinsic, lower_builtin, type_callable

from spark_csr._engine.numba.intrinsics import record
from spark_csr._engine.numba.intrinsics.record import address_of_word, word
from spark_csr._engine.numba.overloads import note_sources

code, byte_pointer = ir.IntType(32), ir.IntType(8).as_pointer()
job_type = ir.FunctionType(word, [byte_pointer, word, word])

ALL = 1 << 62
"""More tiles than there are."""

SEVERAL = 16
"""How many tiles are run before the function that leads jobs is looked for, or the clock, if tiles take no time."""

LEAD_TYPES = types.none, (types.int64,) * 5
"""What the function that leads a job returns and takes: the job, its block, how many tiles and cores, and the address of a word
in which it may remember something of this place in the code."""

RAISED = RETCODE_EXC.constant
"""The code of a function that ends since a Python exception is set."""

COUNTER, TILES, CODE, EXCEPTION, ARGS = range(5)
"""What a block holds: the next tile, on a cache line of its own; how many there are; the code and the exception of a tile that
failed, or those of a Python exception that is set already; what `body` is given."""


def _block_type(args=None):
    """Return the type of a block, or of how each begins."""
    rest = [] if args is None else [excinfo_ptr_t, args]
    return ir.LiteralStructType([ir.ArrayType(word, 16), word, code, *rest])


def _field(builder, block, k):
    return builder.gep(block, [code(0), code(k)])


def _borrow(context, builder, kind, value):
    """Return the value without the owners of its arrays: tiles would count references that all cores fight for."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        items = cgutils.unpack_tuple(builder, value, len(kind))
        items = [_borrow(context, builder, each, item) for each, item in zip(kind, items, strict=True)]
        return context.make_tuple(builder, kind, items)
    return value


def _emit_job(context, builder, body, args, block_type):
    """Emit the function that runs tiles of this body."""
    signature, compiled = body
    context.add_linking_libs((compiled.library,))
    function = ir.Function(builder.module, job_type, builder.module.get_unique_name("spark_csr_job"))
    function.linkage = "internal"
    address, core, most = function.args
    inner = ir.IRBuilder(function.append_basic_block("entry"))
    look, take, work, failed, next_one, end = (
        function.append_basic_block(name) for name in ("look", "take", "work", "failed", "next", "end")
    )
    block = inner.bitcast(address, block_type.as_pointer())
    counter = inner.gep(block, [code(0), code(COUNTER), code(0)])
    tiles = inner.load(_field(inner, block, TILES))
    items = cgutils.unpack_tuple(inner, inner.load(_field(inner, block, ARGS)), len(args))
    items = [_borrow(context, inner, kind, item) for kind, item in zip(args, items, strict=True)]
    run = cgutils.alloca_once_value(inner, word(0))
    inner.branch(look)
    inner.position_at_end(look)
    inner.cbranch(inner.icmp_signed("<", inner.load(run), most), take, end)
    inner.position_at_end(take)
    tile = inner.atomic_rmw("add", counter, word(1), "monotonic")
    inner.cbranch(inner.icmp_signed("<", tile, tiles), work, end)
    inner.position_at_end(work)
    given = len(signature.args) - len(args)
    numbers = [core, tile][-given:]
    status, _ = context.call_internal_no_propagate(inner, compiled.fndesc, signature, [*numbers, *items])
    inner.cbranch(status.is_error, failed, next_one)
    inner.position_at_end(failed)
    first = inner.cmpxchg(_field(inner, block, CODE), code(0), status.code, "seq_cst", "seq_cst")
    with inner.if_then(inner.extract_value(first, 1)):
        inner.store(status.excinfoptr, _field(inner, block, EXCEPTION))
    inner.store_atomic(tiles, counter, "seq_cst", 8)
    inner.branch(end)
    inner.position_at_end(next_one)
    inner.store(inner.add(inner.load(run), word(1)), run)
    inner.branch(look)
    inner.position_at_end(end)
    inner.ret(inner.load(run))
    return function


def _emit_tiles(context, builder, body, args, values, lead):
    """Emit the job, and the call of the function that hands it out."""
    cores, tiles, _, given = values
    block_type = _block_type(given.type)
    job = _emit_job(context, builder, body, args.types, block_type)
    block = cgutils.alloca_once(builder, block_type)
    block.align = 64
    builder.store(word(0), builder.gep(block, [code(0), code(COUNTER), code(0)]))
    builder.store(tiles, _field(builder, block, TILES))
    builder.store(code(0), _field(builder, block, CODE))
    builder.store(given, _field(builder, block, ARGS))
    look, together, alone, end = (builder.append_basic_block(name) for name in ("look", "together", "alone", "end"))
    builder.branch(look)
    builder.position_at_end(look)
    lead = builder.load_atomic(address_of_word(builder, word(lead)), "monotonic", 8)
    several = builder.icmp_signed(">", tiles, word(1))
    builder.cbranch(builder.and_(several, cgutils.is_not_null(builder, lead)), together, alone)
    builder.position_at_end(together)
    kind = context.call_conv.get_function_type(*LEAD_TYPES)
    results = (cgutils.alloca_once(builder, pointer.pointee) for pointer in kind.args[:2])
    memory = cgutils.add_global_variable(builder.module, word, "spark_csr_cost")
    memory.initializer, memory.linkage = word(0), "internal"
    addresses = [builder.ptrtoint(each, word) for each in (job, block, memory)]
    arguments = [*results, *addresses[:2], tiles, cores, addresses[2]]
    builder.call(builder.inttoptr(lead, kind.as_pointer()), arguments)
    builder.branch(end)
    builder.position_at_end(alone)
    ran = builder.call(job, [builder.bitcast(block, byte_pointer), word(0), word(SEVERAL)])
    builder.cbranch(builder.icmp_signed("==", ran, word(SEVERAL)), look, end)
    builder.position_at_end(end)
    failure = builder.load(_field(builder, block, CODE))
    with cgutils.if_unlikely(builder, cgutils.is_not_null(builder, failure)):
        status = Status(failure, *[None] * 6, builder.load(_field(builder, block, EXCEPTION)))
        context.call_conv.return_status_propagate(builder, status)


def implement_tiles(function, given, lead):
    """Tell Numba that `function(cores, tiles, body, args)` is a job. `given`: how many uint64 the body is given before its own
    arguments. `lead`: the place in the record of the address of the function that hands jobs out, 0 as long as there is none.

    An `overload` would do with less, but is one more function to compile in each kernel: a twentieth of a second.
    """
    note_sources(function, __name__, record.__name__)
    first = (types.uint64,) * given

    def body_type(context, body, args):
        return body.get_call_type(context, (*first, *args.types), {})

    @type_callable(function)
    def type_tiles(context):
        def signature_of(cores, tiles, body, args):
            body_type(context, body, args)
            return types.void(types.int64, types.int64, body, args)

        return signature_of

    @lower_builtin(function, types.Integer, types.Integer, types.Dispatcher, types.BaseTuple)
    def lower_tiles(context, builder, sig, values):
        _, _, body, args = sig.args
        signature = body_type(context.typing_context, body, args)
        compiled = body.dispatcher.get_compile_result(signature)
        _emit_tiles(context, builder, (signature, compiled), args, values, lead)
        return context.get_dummy_value()


@intrinsic
def take_part(typingctx, job, block, core, most):
    """Run tiles of a job until none is left, `most` at most, and return how many were run."""

    def codegen(context, builder, sig, args):
        job, block, core, most = args
        return builder.call(builder.inttoptr(job, job_type.as_pointer()), [builder.inttoptr(block, byte_pointer), core, most])

    return types.int64(types.int64, types.int64, types.int64, types.int64), codegen


@intrinsic
def stop(typingctx, block):
    """End a job after the tiles that run now, since a Python exception is set: its kernel ends as if a tile had raised it."""

    def codegen(context, builder, sig, args):
        block = builder.inttoptr(args[0], _block_type().as_pointer())
        builder.store_atomic(code(RAISED), _field(builder, block, CODE), "seq_cst", 4)
        counter = builder.gep(block, [code(0), code(COUNTER), code(0)])
        builder.store_atomic(builder.load(_field(builder, block, TILES)), counter, "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def address_of(typingctx, function):
    """Return the address of a function of the types `LEAD_TYPES`."""
    compiled = function.dispatcher.get_compile_result(function.get_call_type(typingctx, LEAD_TYPES[1], {}))

    def codegen(context, builder, sig, args):
        context.add_linking_libs((compiled.library,))
        return builder.ptrtoint(context.declare_function(builder.module, compiled.fndesc), word)

    return types.int64(function), codegen
