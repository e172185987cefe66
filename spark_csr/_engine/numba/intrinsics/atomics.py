"""Read, change and write an element in one step: Numba's functions for cores have none of LLVM's operations for that.

Numba has `cuda.atomic` for GPUs and nothing for cores. Goes when it has.
"""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from spark_csr._engine.numba.overloads import note_sources


def implement_on_cores(function, element_type, signed, unsigned, real):
    """Tell Numba what `function(array, index, value)` is on cores: these operations of LLVM's.

    There is one for integers with a sign, one for those without, and one for floats. `element_type(array)` returns the type of
    an element, or raises TypeError while a function is compiled.
    """
    note_sources(function, __name__)

    @intrinsic
    def change(typing, array, index, value):
        def generate(context, builder, signature, arguments):
            kind = signature.args[0]
            items = context.make_array(kind)(context, builder, arguments[0])
            slot = cgutils.get_item_pointer(context, builder, kind, items, [arguments[1]])
            return builder.atomic_rmw(operation, slot, arguments[2], "monotonic")

        element = array.dtype
        operation = real if isinstance(element, types.Float) else signed if element.signed else unsigned
        return element(array, index, value), generate

    @overload(function, target="cpu")
    def _implementation(array, index, value):
        element = element_type(array)
        return lambda array, index, value: change(array, np.intp(index), element(value))
