"""What Numba says of a function, kept on disk: it loads all that it knows of types to say it, which takes half a second.

Design: a file holds the name of a type in JSON, and names are looked up in a table. So reading it runs nothing, and a name that
is not in the table counts as absent.
"""

import contextlib
import json

from numba import types

from spark_csr._engine import store
from spark_csr._engine.meaning import can_raise, note_raising, settled_description
from spark_csr._engine.numba.objects import options_of

TYPES = {str(kind): kind for kind in sorted((*types.number_domain, types.float16, types.boolean, types.none), key=str)}
"""The types that are kept, by name."""


def answer(question, dispatcher, argument_types):
    """Return `question(dispatcher, argument_types)`, a Numba type or None, of this process or of an earlier one.

    Whether the function can raise, as far as the question finds out, is kept too. Only `TYPES` are kept.
    """
    name = _name(question, dispatcher, argument_types)
    content = None if name is None else store.read(name)
    with contextlib.suppress(ValueError, KeyError, TypeError):  # another version wrote it: asked anew
        found, raises = json.loads(content)
        found = TYPES[found]
        if raises:
            note_raising(dispatcher.py_func)
        return found
    found = types.unliteral(question(dispatcher, argument_types))
    if name is not None and TYPES.get(str(found)) == found:
        store.write(name, json.dumps([str(found), can_raise(dispatcher)]).encode())
    return found


def _name(question, dispatcher, argument_types):
    """Return the name of the file, or None for what no other process can know."""
    description = settled_description(dispatcher.py_func)
    if not description.lasting:
        return None
    parts = question.__module__, question.__name__, description.digest, options_of(dispatcher), argument_types
    return store.file_name(dispatcher.py_func, parts, "answer")
