"""Ways to change what a function means without touching the function itself, or by defining it again.

A way is Python source that defines `f`, source that changes its meaning, and what `f(10)` is before and after. Started as a
program, `python ways_to_change.py before|after|both` compiles `f` of every way into a kernel that is kept on disk, and prints
what the kernel returns: in the state before the change, in the state after it (where nothing was compiled before), or in
both, one after the other.
"""

import json
import sys
from typing import NamedTuple

import numpy as np

from spark_csr._engine.holes import call

IMPORTS = (
    "import cmath, enum, math, operator, sys, types\nfrom collections import namedtuple\nimport numba\nimport numpy as np\n"
)


class Way(NamedTuple):
    """`name`, two sources, two results."""

    name: str
    source: str
    change: str
    before: object
    after: object


HELPER = """
k = 1
@numba.njit
def helper(v): return v + k
"""

WAYS = [
    Way("a global number", "k = 1\ndef f(v): return v + k", "k = 2", 11, 12),
    Way("the type of a global number", "k = 1\ndef f(v): return v / 4 * k // 1", "k = 1.5", 2, 3),
    Way("a global tuple", "k = 1, 2\ndef f(v): return v + k[1]", "k = 1, 5", 12, 15),
    Way("a global array", "k = np.arange(3)\ndef f(v): return v + k[2]", "k = np.arange(3) * 2", 12, 14),
    Way("the content of a global array", "k = np.arange(3)\ndef f(v): return v + k[2]", "k[2] = 7", 12, 17),
    Way("an array in a tuple", "k = 1, np.arange(3)\ndef f(v): return v + k[1][2]", "k[1][2] = 7", 12, 17),
    Way("the strides of an array", "k = np.arange(4)\ndef f(v): return v + k[1]", "k = np.arange(4)[::-2]", 11, 11),
    Way("a large array", "k = np.zeros(200_000)\ndef f(v): return v + k[-1]", "k[-1] = 3", 10, 13),
    Way("a compiled helper", HELPER + "def f(v): return helper(v)", "@numba.njit\ndef helper(v): return v * 3", 11, 30),
    Way(
        "the code of a compiled helper",
        HELPER + "def f(v): return helper(v)",
        "helper.py_func.__code__ = (lambda v: v * 3).__code__",
        11,
        30,
    ),
    Way("the shape of an array", "k = np.arange(4).reshape(2, 2)\ndef f(v): return v + k[1][0]", "k = k.reshape(4, 1)", 12, 11),
    Way("the global of a compiled helper", HELPER + "def f(v): return helper(v)", "k = 5", 11, 15),
    Way(
        "the global of a helper's helper",
        HELPER + "@numba.njit\ndef outer(v): return helper(v) * 2\ndef f(v): return outer(v)",
        "k = 5",
        22,
        30,
    ),
    Way(
        "a helper with a signature",
        "k = 1\n@numba.njit('i8(i8)')\ndef h(v): return v + k\ndef f(v): return h(v)",
        "k = 2",
        11,
        12,
    ),
    Way(
        "a recursive helper",
        "k = 1\n@numba.njit\ndef h(v): return 0 if v == 0 else k + h(v - 1)\ndef f(v): return h(v)",
        "k = 2",
        10,
        20,
    ),
    Way("the function", "def f(v): return v + 1", "def f(v): return v + 2", 11, 12),
    Way("a compiled function", "@numba.njit\ndef f(v): return v + 1", "@numba.njit\ndef f(v): return v + 2", 11, 12),
    Way("the global of a compiled function", "k = 1\n@numba.njit\ndef f(v): return v + k", "k = 2", 11, 12),
    Way("its code", "def f(v): return v + 1", "def g(v): return v + 2\nf.__code__ = g.__code__", 11, 12),
    Way("its defaults", "def f(v, k=1): return v + k", "f.__defaults__ = (2,)", 11, 12),
    Way("its options", "@numba.njit\ndef f(v): return v // 3", "f = numba.njit(inline='always')(f.py_func)", 3, 3),
    Way(
        "an enumeration",
        "class Mode(enum.IntEnum):\n    A = 1\ndef f(v): return v + Mode.A",
        "class Mode(enum.IntEnum):\n    A = 5",
        11,
        15,
    ),
    Way(
        "a named tuple",
        "P = namedtuple('P', 'x y')\ndef f(v): return P(v, 1).x",
        "P = namedtuple('P', 'y x')",
        10,
        1,
    ),
    Way(
        "a universal function",
        "@numba.vectorize\ndef u(v): return v * 2\ndef f(v): return u(v)",
        "@numba.vectorize\ndef u(v): return v * 3",
        20,
        30,
    ),
    Way(
        "the global of a universal function",
        "k = 2\n@numba.vectorize\ndef u(v): return v * k\ndef f(v): return u(v)",
        "k = 3",
        20,
        30,
    ),
    Way(
        "a function of a package",
        "from math import pow\ndef f(v): return pow(v, 2) / 3 // 1",
        "from numpy import add as pow",
        33,
        4,
    ),
    Way(
        "builtins of one name", "from math import pow\ndef f(v): return pow(v, 19) < 0", "from operator import pow", False, True
    ),
    Way("the name of a module", "m = math\ndef f(v): return m.sqrt(-v).imag == 0", "m = cmath", True, False),
    Way(
        "a number in a module",
        "m = types.ModuleType('m')\nm.k = 1\ndef f(v): return v + m.k",
        "m.k = 2",
        11,
        12,
    ),
    Way(
        "a helper in a module",
        "m = types.ModuleType('m')\nm.h = numba.njit(lambda v: v + 1)\ndef f(v): return m.h(v)",
        "m.h = numba.njit(lambda v: v + 2)",
        11,
        12,
    ),
    Way(
        "the second of two lambdas",
        "a = numba.njit(lambda v: v * 2)\nb = numba.njit(lambda v: v * 3)\nc = a\n"
        "def f(v): return a(v) + 100 * b(v) + 10000 * c(v)",
        "c = b",
        203020,
        303020,
    ),
    Way("a builtin that is hidden", "def f(v): return abs(-v)", "@numba.njit\ndef abs(v): return v", 10, -10),
    Way(
        "a variable around a helper",
        "def make(k):\n    def set(new):\n        nonlocal k\n        k = new\n    def inner(v): return v + k\n"
        "    return numba.njit(inner), set\nh, set = make(1)\ndef f(v): return h(v)",
        "set(2)",
        11,
        12,
    ),
    Way(
        "a module in a variable around a helper",
        "m = types.ModuleType('m')\nm.k = 1\ndef make(m):\n    def h(v): return v + m.k\n    return numba.njit(h)\n"
        "h = make(m)\ndef f(v): return h(v)",
        "m.k = 5",
        11,
        15,
    ),
    Way(
        "a module among the defaults of a helper",
        "m = types.ModuleType('m')\nm.k = 1\n@numba.njit\ndef h(v, m=m): return v + m.k\ndef f(v): return h(v)",
        "m.k = 5",
        11,
        15,
    ),
    Way(
        "a class of generated code without a module",
        "def make(k):\n    scope = {}\n    exec(f'import enum\\nclass M(enum.IntEnum):\\n    A = {k}\\n"
        "def f(v): return v + M.A', scope)\n    return scope['f']\nf = make(1)",
        "f = make(5)",
        11,
        15,
    ),
    Way("a name among the builtins", "import builtins\nbuiltins.k_2 = 1\ndef f(v): return v + k_2", "builtins.k_2 = 5", 11, 15),
    Way("a name put into a package", "np.k_1 = 1\ndef f(v): return v + np.k_1", "np.k_1 = 5", 11, 15),
    Way(
        "a module put into a package",
        "np.k_3 = types.ModuleType('m')\nnp.k_3.k = 1\ndef f(v): return v + np.k_3.k",
        "np.k_3.k = 5",
        11,
        15,
    ),
    Way("a function put into a package", "np.k_4 = math.floor\ndef f(v): return np.k_4(v / 4)", "np.k_4 = math.ceil", 2, 3),
    Way("an array of no axes", "k = np.array(1)\ndef f(v): return v + k[()]", "k[()] = 5", 11, 15),
    Way("a record", "k = np.array([(1, 2.0)], 'i8,f8')[0]\ndef f(v): return v + k['f0']", "k['f0'] = 5", 11, 15),
    Way(
        "the dtype of an array",
        "k = np.arange(3) + 3\ndef f(v): return v + k[1] * 2",
        "from warnings import catch_warnings\nwith catch_warnings(action='ignore'): k.dtype = np.float64",
        18,
        10,
    ),
    Way(
        "a module that two functions mention",
        "m = types.ModuleType('m')\nm.a, m.b = 1, 2\n@numba.njit\ndef h(v): return v + m.b\ndef f(v): return h(v) + m.a",
        "m.a = 5",
        13,
        17,
    ),
    Way(
        "a member of a module by getattr",
        "m = types.ModuleType('m')\nm.a = 1\ndef f(v): return v + getattr(m, 'a')",
        "m.a = 5",
        11,
        15,
    ),
    Way(
        "a member of a module whose name is a global text",
        "m = types.ModuleType('m')\nm.a, NAME = 1, 'a'\ndef f(v): return v + getattr(m, NAME)",
        "m.a = 5",
        11,
        15,
    ),
    Way(
        "a module that a helper gets as an argument",
        "m = types.ModuleType('m')\nm.a = 1\n@numba.njit\ndef h(v, m): return v + m.a\ndef f(v): return h(v, m)",
        "m.a = 5",
        11,
        15,
    ),
    Way(
        "a helper in a module that a helper gets as an argument",
        "m = types.ModuleType('m')\nm.k = 1\n@numba.njit\ndef a(v): return v + m.k\nm.a = a\n"
        "@numba.njit\ndef h(v, m): return m.a(v)\ndef f(v): return h(v, m)",
        "m.k = 5",
        11,
        15,
    ),
    Way("a function of a package that is replaced", "def f(v): return np.hypot(v, 0) // 1", "np.hypot = np.arctan2", 10, 1),
    Way(
        "the global of a helper put into a package",
        "k = 1\n@numba.njit\ndef h(v): return v + k\nnp.k_5 = h\ndef f(v): return np.k_5(v)",
        "k = 5",
        11,
        15,
    ),
    Way(
        "a list of the name of an attribute", "real = [np.arange(3)]\ndef f(v): return v.real", "real[0] = np.arange(4)", 10, 10
    ),
    Way("an inner function", "k = 1\ndef f(v):\n    def g(w): return w + k\n    return g(v)", "k = 2", 11, 12),
]


def kernel(x):
    return call(x)


def kept_kernel(f):
    """`f` compiled into a kernel of this package's, which is kept on disk."""
    from spark_csr._engine.cache import cached_njit
    from spark_csr._engine.copies import specialise
    from spark_csr.primitives._functions import compile_function

    return cached_njit(specialise(kernel, call=compile_function(f, ("v",))))


def run(state):
    """What the kernels of all ways return; of "both", before and after."""
    results = {}
    for way in WAYS:
        scope = {"__name__": "__main__"}
        exec(IMPORTS + way.source, scope)
        if state == "after":
            exec(way.change, scope)
        found = [kept_kernel(scope["f"])(10)]
        if state == "both":
            exec(way.change, scope)
            found.append(kept_kernel(scope["f"])(10))
        results[way.name] = [np.asarray(x).item() for x in found]
    return results


if __name__ == "__main__":
    kernel.__module__ = "spark_csr.tests"
    print(json.dumps(run(sys.argv[1])))
