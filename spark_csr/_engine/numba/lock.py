"""The lock under which Numba compiles.

One thread is inside of LLVM at a time, and a process may be forked only while none is: the child could not go on from the
middle of a compilation. Numba documents no way to ask for that. Goes when Numba can be forked at any time.
"""

import os

from numba.core.compiler_lock import global_compiler_lock as compiler_lock

__all__ = ["compiler_lock"]

# A fork waits until no other thread compiles. Whoever compiles by this lock has imported this module before.
if hasattr(os, "register_at_fork"):
    release = compiler_lock.release
    os.register_at_fork(before=compiler_lock.acquire, after_in_parent=release, after_in_child=release)
