"""The engine under all kernels: it names, compiles, keeps and loads them, and hands tiles to the cores.

It knows nothing of matrices. Other packages import this face, `_engine.holes` for the names that kernels leave open,
`_engine.gpu` for kernels on GPUs, and `_engine.numba.intrinsics` for functions that are written in LLVM's terms.
"""

from spark_csr._engine.answers import answer
from spark_csr._engine.copies import helper, inline, rebind, specialise
from spark_csr._engine.meaning import can_raise, current, is_own, name_of, note_if_raising
from spark_csr._engine.numba import njit
from spark_csr._engine.numba.inference import as_dtype, returned_type
from spark_csr._engine.numba.lean import LEAN, counting_options_of, lean
from spark_csr._engine.signals import delay_signals
from spark_csr._engine.team import MOST, expect_jobs, for_tiles, for_tiles_by_core
from spark_csr._engine.team.threads import as_argument, compile_kernel, cores_for, count_cores, run_on_all_cores
from spark_csr._engine.tuning import Numbers, number

__all__ = [
    "LEAN",
    "MOST",
    "Numbers",
    "answer",
    "as_argument",
    "as_dtype",
    "can_raise",
    "compile_kernel",
    "cores_for",
    "count_cores",
    "counting_options_of",
    "current",
    "delay_signals",
    "expect_jobs",
    "for_tiles",
    "for_tiles_by_core",
    "helper",
    "inline",
    "is_own",
    "lean",
    "name_of",
    "njit",
    "note_if_raising",
    "number",
    "rebind",
    "returned_type",
    "run_on_all_cores",
    "specialise",
]
