"""The names of the module `cupy`, filled by the files that define them."""

import numpy as np

NAMES = {}
"""By name, as `add` and `linalg.norm`; those that begin with an underscore are the stand-in's own."""


def known(function):
    """Make a function part of `cupy`."""
    NAMES[function.__name__] = function
    return function


def words(text):
    """The words of a text."""
    return text.split()


BORROWED = words(
    "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp float16 float32 float64 complex64 complex128 dtype inf nan "
    "pi e newaxis finfo iinfo can_cast promote_types integer floating complexfloating number inexact generic signedinteger "
    "unsignedinteger broadcast_shapes issubdtype ndindex"
)
"""What CuPy takes from NumPy as it is: cupy/__init__.py (v14.2)."""

NAMES.update({name: getattr(np, name) for name in BORROWED})
