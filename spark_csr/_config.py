"""Settings: `config.threads = 1` for good, `with config(threads=1): ...` for a block.

A block's settings belong to the Python thread (or task) that entered it, so two threads never see each other's.
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_DEFAULTS = {"spgemm_memory": None, "threads": None, "validate": True, "verbose": True}
_ALLOWED = {
    "spgemm_memory": (lambda v: v is None or (type(v) is int and v >= 1), "None (a quarter of the free memory) or an int >= 1"),
    "threads": (lambda v: v is None or (type(v) is int and v >= 1), "None (all cores) or an int >= 1"),
    "validate": (lambda v: type(v) is bool, "True or False"),
    "verbose": (lambda v: type(v) is bool, "True or False"),
}


def _checked(settings):
    for name, value in settings.items():
        if name not in _ALLOWED:
            raise AttributeError(f"config has no setting {name!r}; it has {', '.join(_ALLOWED)}")
        accepts, wanted = _ALLOWED[name]
        if not accepts(value):
            raise ValueError(f"config.{name} must be {wanted}, got {value!r}")
    return settings


class Config:
    """The settings of this package, held by the object `spark_csr.config`.

    Attributes
    ----------
    spgemm_memory : int or None
        Bytes of scratch memory for a product of two sparse matrices. None, the default, stands for a quarter of the memory that
        is available on the device of the operands. If one row of the result needs more than the bound, its need is the bound,
        see Notes. Results do not depend on this setting.
    threads : int or None
        The number of cores that a kernel may use. None, the default, stands for all that Numba would use and a container
        allows. Results do not depend on this setting.
    validate : bool
        Whether index arrays given by a caller are checked, in one pass over them, before a kernel reads through them. Default:
        True.
    verbose : bool
        Whether to print one line to standard error, if it is a terminal, when compilation takes longer than a second. Default:
        True.

    Notes
    -----
    On the cores, a row of `A @ B` needs an accumulator with room for every column of B: for each column the size of a value (at
    least 4 bytes) and a third of a byte, and 4 KiB in all. As many cores take part as accumulators fit into the bound, and at
    least one. On a GPU, a product needs 16 bytes for every entry of A and 32 for every row. If rows have more than 512
    products, it also needs 256 bytes for every entry that the longest row may have in the result, or 64 MiB if that is more.
    `spgemm_composed` needs the same 256 bytes on every device, and at least 2 MiB on the cores.

    The bound does not include the operands and the result, operands that are converted or sorted first, 40 bytes for every row,
    and, if B has more than eight columns for every entry, 40 bytes for every entry of B.

    Examples
    --------
    >>> from spark_csr import config
    >>> with config(threads=1):
    ...     config.threads
    1
    """

    spgemm_memory: int | None
    threads: int | None
    validate: bool
    verbose: bool

    def __init__(self) -> None:
        object.__setattr__(self, "_settings", dict(_DEFAULTS))
        object.__setattr__(self, "_block", contextvars.ContextVar("spark_csr_config", default=None))

    def __getattr__(self, name: str) -> Any:
        block = self._block.get()
        if block is not None and name in block:
            return block[name]
        try:
            return self._settings[name]
        except KeyError:
            raise AttributeError(f"config has no setting {name!r}; it has {', '.join(_ALLOWED)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        """Change a setting for good; a setting that a block has made its own, until that block ends."""
        block, checked = self._block.get(), _checked({name: value})
        if block is not None and name in block:
            block.update(checked)
        else:
            self._settings.update(checked)

    def __call__(self, **settings: Any) -> AbstractContextManager[Config]:
        """Return a context manager that changes settings for a block, as in `with config(threads=1): ...`."""
        return self._within(_checked(settings))

    @contextlib.contextmanager
    def _within(self, settings: dict[str, Any]) -> Iterator[Config]:
        outer = self._block.get() or {}
        token = self._block.set({**outer, **settings})
        try:
            yield self
        finally:
            self._block.reset(token)

    def __repr__(self) -> str:
        return f"config({', '.join(f'{name}={getattr(self, name)!r}' for name in _ALLOWED)})"


config: Config = Config()
