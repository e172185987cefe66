"""PTX instructions as instructions of the interpreter.

`encoder_of(name)` returns, once for each full name such as `add.s32`, a function `encode(body, operands)` that adds one or more
instructions to a body: one that resolves operands (`source`, `destination`, `address`) and takes instructions (`add`).
"""

import functools
import re

from .build import LOCAL, NONE, SHARED

TYPE = re.compile(r"(?:pred|[busf]\d+|f16x2)$")
ROUNDING = {"rz": 1, "rm": 2, "rp": 3}
WHOLE = {"rni": 1, "rzi": 2, "rmi": 3, "rpi": 4}
RELATIONS = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5, "lo": 2, "ls": 3, "hi": 4, "hs": 5}
RELATIONS |= {"equ": 6, "neu": 7, "ltu": 8, "leu": 9, "gtu": 10, "geu": 11, "num": 12, "nan": 13}
COMBINING = {"and": 1, "or": 2, "xor": 3}
ATOMICS = {"add": 0, "min": 1, "max": 2, "and": 3, "or": 4, "xor": 5, "exch": 6, "cas": 7, "inc": 8, "dec": 9}
ATOMIC_TYPES = {"u32": 0, "b32": 0, "s32": 1, "u64": 2, "b64": 2, "s64": 3, "f32": 4, "f64": 5, "f16": 6, "b16": 7, "u16": 7}
SPACES = {"global": 0, "const": 0, "shared": 1, "local": 2, "param": 2}
GENERIC = 3
SPECIAL = {"%tid.x": 0, "%ctaid.x": 1, "%ntid.x": 2, "%nctaid.x": 3, "%laneid": 4, "%warpid": 5, "WARP_SZ": 6}
SPECIAL |= dict.fromkeys(("%tid.y", "%tid.z", "%ctaid.y", "%ctaid.z", "%smid"), 7)
SPECIAL |= dict.fromkeys(("%ntid.y", "%ntid.z", "%nctaid.y", "%nctaid.z"), 8)
SPECIAL |= {"%lanemask_lt": 9, "%lanemask_le": 10, "%lanemask_ge": 11, "%lanemask_gt": 12, "%lanemask_eq": 13}
SPECIAL |= {"%clock64": 14, "%globaltimer": 14, "%clock": 15}


class UnknownPtx(NotImplementedError):
    """PTX that the interpreter does not know."""


def width(kind):
    """Return the bytes of a type; those of a predicate are 1."""
    return 1 if kind == "pred" else int(kind[1:]) // 8


def operands_of(text):
    """Return the operands of an instruction: what commas outside of brackets separate."""
    if "{" not in text and "(" not in text:
        return [part.strip() for part in text.split(",")] if text else []
    return [part.strip() for part in re.findall(r"(?:[^,{(\[]|\{[^}]*\}|\([^)]*\)|\[[^\]]*\])+", text) if part.strip()]


@functools.cache
def encoder_of(name):
    """Return the function that encodes instructions of this name."""
    base, *modifiers = name.split(".")
    make = _MAKERS.get(base)
    if make is None:
        raise UnknownPtx(name)
    try:
        encode = make(base, modifiers, [part for part in modifiers if TYPE.match(part)])
    except (KeyError, IndexError, StopIteration):
        encode = None
    if encode is None:
        raise UnknownPtx(name)
    return encode


_MAKERS = {}


def _makes(*bases):
    def note(make):
        _MAKERS.update(dict.fromkeys(bases, make))
        return make

    return note


def _plain(op, *widths, **fields):
    """Return an encoder for one destination and sources of these widths."""

    def encode(body, operands):
        sources = [body.source(text, bytes_) for text, bytes_ in zip(operands[1:], widths, strict=True)]
        body.add(op, (body.destination(operands[0]),), sources, **fields)

    return encode


_SIGN_BLIND = {"add", "sub", "neg", "abs"}
_UNARY = ("abs", "neg", "sqrt", "rcp", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh")
_BINARY = ("add", "sub", "mul", "div", "rem", "min", "max", "copysign")
_TERNARY = ("mad", "fma")


@_makes(*_UNARY, *_BINARY, *_TERNARY)
def _arithmetic(base, modifiers, types):
    kind = types[-1]
    rest = set(modifiers) - {kind, "rn", "approx", "full", "to", "noftz"}
    number = 1 if base in _UNARY else 3 if base in _TERNARY else 2
    return _float_arithmetic(base, kind, rest, number) if kind[0] == "f" else _integer_arithmetic(base, kind, rest, number)


def _float_arithmetic(base, kind, rest, number):
    if base in ("rsqrt", "rcp") and kind == "f64":
        rest.discard("ftz")  # less exact on a GPU: callers refine it
    fields = {"x": 1} if base == "ex2" and "ftz" in rest else {}
    if base == "ex2":
        rest.discard("ftz")
    rounding = {name for name in rest if name in ROUNDING}
    if rounding and base in ("add", "sub", "mul", "fma", "div", "sqrt", "rcp", "mad"):
        fields["rounding"] = ROUNDING[rounding.pop()]
        rest -= set(ROUNDING)
    if base in ("min", "max") and "NaN" in rest:
        rest.remove("NaN")
        base += "_nan"
    if rest:
        return None
    return _plain(f"{'fma' if base == 'mad' else base}_{kind}", *[width(kind)] * number, **fields)


def _integer_arithmetic(base, kind, rest, number):
    w = width(kind)
    if base in ("add", "sub") and "cc" in rest:
        return _plain(f"{base}_carry", w, w, x=w, y=1)
    if base in ("mul", "mad"):
        form = next(name for name in ("lo", "hi", "wide") if name in rest)
        op = f"{base}_lo{8 * w}" if form == "lo" else f"{base}_{form}_{kind.replace('b', 'u')}"
        return _plain(op, w, w, *[2 * w if form == "wide" else w][: number - 2]) if rest == {form} else None
    if rest:
        return None
    return _plain(f"{base}{8 * w}" if base in _SIGN_BLIND else f"{base}_{kind}", *[w] * number)


@_makes("addc", "subc")
def _with_carry(base, modifiers, types):
    w = width(types[-1])
    return _plain(f"{base[:3]}_carry", w, w, x=w, y=int("cc" in modifiers), z=1)


@_makes("and", "or", "xor")
def _bits(base, modifiers, types):
    w = width(types[-1])
    return _plain(f"bit_{base}", w, w)


@_makes("not", "cnot", "popc", "clz", "brev")
def _bits_of_one(base, modifiers, types):
    kind = types[-1]
    return _plain("not_predicate" if kind == "pred" else f"{base}{8 * width(kind)}", width(kind))


@_makes("shl", "shr")
def _shift(base, modifiers, types):
    kind = types[-1]
    sign = "" if base == "shl" else "_s" if kind[0] == "s" else "_u"
    return _plain(f"{base}{sign}{8 * width(kind)}", width(kind), 4)


@_makes("bfind")
def _find_bit(base, modifiers, types):
    if "shiftamt" in modifiers:
        return _plain("bfind_shift_u32", 4) if types[-1] == "u32" else None
    return _plain(f"bfind_{types[-1]}", width(types[-1]))


@_makes("bfe")
def _extract(base, modifiers, types):
    return _plain(f"bfe_{types[-1]}", width(types[-1]), 4, 4)


@_makes("bmsk")
def _mask_of_bits(base, modifiers, types):
    return _plain("bmsk_clamp32", 4, 4) if modifiers == ["clamp", "b32"] else None


@_makes("bfi")
def _insert(base, modifiers, types):
    w = width(types[-1])
    return _plain(f"bfi{8 * w}", w, w, 4, 4)


@_makes("prmt")
def _permute(base, modifiers, types):
    return _plain("prmt", 4, 4, 4) if modifiers == ["b32"] else None


@_makes("shf")
def _funnel_shift(base, modifiers, types):
    return _plain(f"shf_{modifiers[0]}_{modifiers[1]}", 4, 4, 4)


@_makes("lop3")
def _logic(base, modifiers, types):
    def encode(body, operands):
        *operands, table = operands
        _plain("lop3", 4, 4, 4, x=int(table, 0))(body, operands)

    return encode if modifiers == ["b32"] else None


@_makes("sad")
def _difference(base, modifiers, types):
    return _plain(f"sad_{types[-1]}", 4, 4, 4)


@_makes("selp")
def _select(base, modifiers, types):
    w = width(types[-1])
    return _plain("selp", w, w, 8)


def _negatable(text):
    """Return a predicate's name, and 1 if it is negated."""
    return (text[1:], 1) if text.startswith("!") else (text, 0)


@_makes("setp")
def _set_predicate(base, modifiers, types):
    kind = types[-1]
    if "ftz" in modifiers:
        return None
    combining = next((COMBINING[name] for name in modifiers[1:] if name in COMBINING), 0)
    op = f"setp_{kind.replace('b', 'u')}"
    relation, w = RELATIONS[modifiers[0]], width(kind)

    def encode(body, operands):
        first, _, second = operands[0].partition("|")
        with_, negated = _negatable(operands[3]) if combining else ("", 0)
        sources = [body.source(operands[1], w), body.source(operands[2], w)] + ([body.source(with_)] if combining else [])
        places = body.destination(first), body.optional(second)
        body.add(op, places, sources, x=relation, y=combining, z=negated)

    return encode


@_makes("testp")
def _test(base, modifiers, types):
    kinds = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]
    return _plain(f"testp_{types[-1]}", width(types[-1]), x=kinds.index(modifiers[0]))


@_makes("mov")
def _move(base, modifiers, types):
    kind = types[-1]
    w = width(kind)

    def encode(body, operands):
        to, what = operands
        if to[0] == "{":
            parts = operands_of(to[1:-1])
            places = [body.optional(part) for part in parts]
            body.add("unpack", places, [body.source(what, w)], count=len(parts), x=w // len(parts))
        elif what[0] == "{":
            parts = operands_of(what[1:-1])
            sources = [body.source(part, w) for part in parts]
            body.add("pack", (body.destination(to),), sources, count=len(parts), x=w // len(parts))
        elif what in SPECIAL:
            body.add("special_register", (body.destination(to),), (), x=SPECIAL[what])
        else:
            body.add("mov", (body.destination(to),), (body.source(what, w),))

    return encode


@_makes("cvta")
def _convert_address(base, modifiers, types):
    space = next(name for name in modifiers if name in ("global", "shared", "local", "const", "param"))
    mark = {"shared": SHARED, "local": LOCAL, "param": LOCAL}.get(space)

    def encode(body, operands):
        place, source = body.destination(operands[0]), body.source(operands[1])
        if mark is None:
            body.add("mov", (place,), (source,))
        elif "to" in modifiers:
            body.add("bit_and", (place,), (source, body.constant(~mark)))
        else:
            body.add("bit_or", (place,), (source, body.constant(mark)))

    return encode


@_makes("cvt")
def _convert(base, modifiers, types):
    to, source = types
    known = {"rn", "sat", to, source} | set(WHOLE) | set(ROUNDING)
    if set(modifiers) - known:
        return None
    w = width(source)
    fields = {"x": w | (source[0] == "s") << 4, "y": width(to) | (to[0] == "s") << 4}
    fields["z"] = next((WHOLE[name] for name in modifiers if name in WHOLE), 0)
    fields["rounding"] = next((ROUNDING[name] for name in modifiers if name in ROUNDING), 0)
    floats = (source[0] == "f") + 2 * (to[0] == "f")
    op = ("convert_integers", "convert_to_integer", "convert_from_integer", "convert_floats")[floats]
    if "sat" in modifiers:
        if floats != 3:
            return None
        fields["count"] = 1

    def encode(body, operands):
        keep = {"%rs": 2, "%rd": 8}.get(operands[0][:3], 4)
        body.add(op, (body.destination(operands[0]),), (body.source(operands[1], w),), keep=keep, **fields)

    return encode


def _space(modifiers):
    return next((SPACES[name.partition("::")[0]] for name in modifiers if name.partition("::")[0] in SPACES), GENERIC)


def _ordering(modifiers, strong):
    """Return how strong an access is (1: between all threads, 2: within a block), with 4 if it acquires, 8 if it releases."""
    words = set(modifiers)
    if strong or words & {"volatile", "relaxed", "acquire", "release", "acq_rel"}:
        strong = 2 if "cta" in words else 1
    return strong | (4 if words & {"acquire", "acq_rel"} else 0) | (8 if words & {"release", "acq_rel"} else 0)


@_makes("ld", "ldu", "st")
def _access(base, modifiers, types):
    kind, space = types[-1], _space(modifiers)
    w = width(kind)
    count = 2 if "v2" in modifiers else 4 if "v4" in modifiers else 1
    fields = {"x": w, "y": space, "z": _ordering(modifiers, 0), "count": count}
    signed = kind[0] == "s" and w < 8

    def values(text):
        return operands_of(text[1:-1]) if text[0] == "{" else [text]

    def store(body, operands):
        address, offset = body.address(operands[0])
        body.add("store", (), (address, *(body.source(text, w) for text in values(operands[1]))), immediate=offset, **fields)

    def load(body, operands):
        texts = values(operands[0])
        keep = {"%rs": 2, "%rd": 8}.get(texts[0][:3], 4) if signed else 0
        parameter = body.parameter(operands[1]) if "param" in modifiers else None
        if parameter is None:
            address, offset = body.address(operands[1])
            body.add("load", [body.optional(text) for text in texts], (address,), immediate=offset, keep=keep, **fields)
            return
        for k, text in enumerate(texts):
            body.add("load_parameter", (body.destination(text),), (), immediate=parameter + k * w, x=w, keep=keep)

    return store if base == "st" else load


@_makes("atom", "red")
def _atomic(base, modifiers, types):
    kind = types[-1]
    what = next(ATOMICS[name] for name in modifiers if name in ATOMICS)
    if kind[0] == "f" and what != 0:
        return None
    w = width(kind)
    fields = {"x": w, "y": _space(modifiers), "z": _ordering(modifiers, 1), "count": what, "keep": ATOMIC_TYPES[kind]}

    def encode(body, operands):
        place = body.optional(operands[0]) if base == "atom" else -1
        where, *values = operands[base == "atom" :]
        address, offset = body.address(where)
        body.add("atomic", (place,), (address, *(body.source(text, w) for text in values)), immediate=offset, **fields)

    return encode


@_makes("fence", "membar")
def _fence(base, modifiers, types):
    return lambda body, operands: body.add("fence", (), (), x=int("cta" not in modifiers))


@_makes("bar", "barrier")
def _barrier(base, modifiers, types):
    modifiers = [name for name in modifiers if name not in ("cta", "aligned")]
    if modifiers[0] == "warp":
        return lambda body, operands: body.add("bar_warp", (), (*[NONE] * 4, body.source(operands[0], 4)))
    if modifiers[0] == "sync":
        return lambda body, operands: body.add("bar_sync", (), [body.source(text, 4) for text in operands])
    kind = {"and": 0, "or": 1, "popc": 2}[modifiers[1]]

    def reduce(body, operands):
        place, number, *threads, predicate = operands
        predicate, negated = _negatable(predicate)
        limit = body.source(threads[0], 4) if threads else NONE
        sources = body.source(number, 4), limit, body.source(predicate)
        body.add("bar_reduce", (body.destination(place),), sources, x=kind, y=negated)

    return reduce if modifiers[0] == "red" else None


@_makes("shfl")
def _shuffle(base, modifiers, types):
    kind = ["up", "down", "bfly", "idx"].index(modifiers[1])

    def encode(body, operands):
        value, _, inside = operands[0].partition("|")
        a, b, c, mask = (body.source(text, 4) for text in operands[1:])
        body.add("shuffle", (body.optional(value), body.optional(inside)), (a, b, c, NONE, mask), x=kind)

    return encode if modifiers[0] == "sync" else None


@_makes("vote")
def _vote(base, modifiers, types):
    modifiers = [name for name in modifiers if name != "sync"]
    kind = ["all", "any", "uni", "ballot"].index(modifiers[0])
    number = (1, 2, 3, 0)[kind]

    def encode(body, operands):
        predicate, negated = _negatable(operands[1])
        sources = body.source(predicate), NONE, NONE, NONE, body.source(operands[2], 4)
        body.add("vote", (body.destination(operands[0]),), sources, x=number, y=negated)

    return encode


@_makes("match")
def _match(base, modifiers, types):
    w = width(types[-1])
    kind = ["any", "all"].index(modifiers[0])

    def encode(body, operands):
        lanes, _, every = operands[0].partition("|")
        sources = body.source(operands[1], w), NONE, NONE, NONE, body.source(operands[2], 4)
        body.add("match", (body.destination(lanes), body.optional(every)), sources, x=kind, y=w)

    return encode


@_makes("redux")
def _redux(base, modifiers, types):
    fields = {"x": ATOMICS[modifiers[1]], "y": ATOMIC_TYPES[types[-1]]}

    def encode(body, operands):
        sources = body.source(operands[1], 4), NONE, NONE, NONE, body.source(operands[2], 4)
        body.add("redux", (body.destination(operands[0]),), sources, **fields)

    return encode


@_makes("activemask")
def _active_mask(base, modifiers, types):
    return lambda body, operands: body.add("active_mask", (body.destination(operands[0]),), ())


@_makes("isspacep")
def _is_space(base, modifiers, types):
    number = SPACES[modifiers[0].partition("::")[0]]
    return lambda body, operands: body.add("is_space", (body.destination(operands[0]),), (body.source(operands[1]),), x=number)


@_makes("bra")
def _branch(base, modifiers, types):
    return lambda body, operands: body.branch(operands[0])


@_makes("brx")
def _branch_by_table(base, modifiers, types):
    return lambda body, operands: body.branch_by_table(body.source(operands[0], 4), operands[1])


@_makes("ret")
def _return(base, modifiers, types):
    return lambda body, operands: body.leave()


@_makes("exit", "trap", "brkpt")
def _end(base, modifiers, types):
    op = "ret" if base == "exit" else "trap"
    return lambda body, operands: body.add(op, (), ())


@_makes("nanosleep", "prefetch", "prefetchu", "discard", "applypriority", "griddepcontrol")
def _nothing(base, modifiers, types):  # launches follow one another: none has to wait for the one before
    return lambda body, operands: body.add("nop", (), ())


@_makes("call")
def _call(base, modifiers, types):
    return lambda body, operands: body.call(operands)
