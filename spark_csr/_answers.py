"""What Numba says of a function, kept on disk: it loads all that it knows of types to say it, which takes half a second."""

import pickle

from numba import types

from spark_csr import _kept
from spark_csr._meaning import can_raise, note_raising, settled_description
from spark_csr._numba.objects import options_of


def answer(question, dispatcher, argument_types):
    """Return `question(dispatcher, argument_types)`, a Numba type or None, of this process or of an earlier one.

    Whether the function can raise, as far as the question finds out, is kept too. Only types of numbers and of None are kept.
    """
    name = _name(question, dispatcher, argument_types)
    content = None if name is None else _kept.read(name)
    if content is not None:
        found, raises = pickle.loads(content)
        if raises:
            note_raising(dispatcher.py_func)
        return found
    found = types.unliteral(question(dispatcher, argument_types))
    if name is not None and isinstance(found, (types.Number, types.Boolean, types.NoneType)):
        _kept.write(name, pickle.dumps((found, can_raise(dispatcher))))
    return found


def _name(question, dispatcher, argument_types):
    """Return the name of the file, or None for what no other process can know."""
    description = settled_description(dispatcher.py_func)
    if not description.lasting:
        return None
    parts = question.__module__, question.__name__, description.digest, options_of(dispatcher), argument_types
    return _kept.file_name(dispatcher.py_func, parts, "answer")
