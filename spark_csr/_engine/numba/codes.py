"""The status codes that compiled functions return: what tells whether a function can raise.

Numba's calling convention returns an i32 that is 0 for success, and says nowhere in Python whether a function ever returns
another one; so the optimised code is read. Goes when Numba tells whether what it compiled can raise.
"""

import re

from spark_csr._engine.numba.lock import compiler_lock
from spark_csr._engine.signals import delay_signals


def returned_codes(dispatcher, argument_types):
    """Return the status codes, as texts, in the code of a dispatcher for these types, which must be compiled.

    None are found in code that comes from Numba's own cache.
    """
    compiled = dispatcher.overloads[argument_types]
    if not getattr(compiled.library, "_final_module", None):
        return set()
    with delay_signals(), compiler_lock:  # a process may be forked only while no thread is inside of LLVM
        text = compiled.library.get_llvm_str()
    name = re.escape(compiled.fndesc.llvm_func_name)
    body = re.search(rf'^define [^\n]*@"?{name}"?\(.*?^}}', text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r"\bret i32 (\S+)", body[0])) if body else set()
