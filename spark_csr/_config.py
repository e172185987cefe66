"""Settings: `config.threads = 1` changes a setting until the next assignment, `with config(threads=1): ...` for a block.

The settings of a block belong to the Python thread (or task) that entered it, so threads do not see each other's settings.
"""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import TypedDict, Unpack

    class _Settings(TypedDict, total=False):
        spgemm_memory: int | None
        threads: int | None
        validate: bool
        verbose: bool


_DEFAULTS = {"spgemm_memory": None, "threads": None, "validate": True, "verbose": True}
_ALLOWED = {
    "spgemm_memory": (lambda v: v is None or (type(v) is int and v >= 1), "None (a quarter of the free memory) or an int >= 1"),
    "threads": (lambda v: v is None or (type(v) is int and v >= 1), "None (all cores) or an int >= 1"),
    "validate": (lambda v: type(v) is bool, "True or False"),
    "verbose": (lambda v: type(v) is bool, "True or False"),
}


def _check_settings(settings):
    for name, value in settings.items():
        if name not in _ALLOWED:
            raise AttributeError(f"config has no setting {name!r}: use one of {', '.join(_ALLOWED)}")
        accepts, wanted = _ALLOWED[name]
        if not accepts(value):
            raise ValueError(f"config.{name} must be {wanted}, got {value!r}")
    return settings


class Config:
    """The settings of this package.

    `config.threads = 1` changes a setting until the next assignment. `with config(threads=1): ...` changes it until the end of
    the block, and only in the Python thread, or the task of asyncio, that enters the block. An assignment inside of a block
    that has changed the same setting holds until the end of the block.

    Attributes
    ----------
    spgemm_memory : int or None
        An upper bound, in bytes, for the scratch memory of a product of two sparse matrices. None, the default, means a quarter
        of the memory that is available on the device of the operands. If a single row of the result needs more than the bound,
        the product uses what that row needs. Notes say how much scratch memory a product takes. Results do not depend on the
        bound.
    threads : int or None
        The largest number of cores that a kernel (compiled function) may use. None, the default, means all cores that Numba
        would use and that the container allows. A number larger than that of these cores means all of them. Results do not
        depend on the number.
    validate : bool
        If True, the default, index arrays that you pass are checked, in one pass, before a kernel uses them. If False, an index
        that is out of range makes a kernel read or write memory outside of the arrays.
    verbose : bool
        If True, the default, one line says that kernels are compiled once the process has done so for more than a second: on
        standard error if that is a terminal, else in the log "spark_csr", as information. In a notebook a line below the cell
        says so while kernels are compiled.

    Raises
    ------
    AttributeError
        If there is no setting of that name.
    ValueError
        If a setting cannot have the value.

    Notes
    -----
    On the cores, each core that takes part in `A @ B` needs an accumulator. An accumulator takes 4 KiB, plus
    `max(size of a value, 4) + 1/3` bytes for each column of B. As many cores take part as accumulators fit into
    `spgemm_memory`, but always at least one core.

    On a GPU, `A @ B` needs 8 bytes for each entry of A and 44 bytes for each row of A. If `spgemm_memory` has room for all
    scalar products `A[i, k] * B[k, j]`, up to 72 bytes each, they are kept there. If it has not, rows of the result with more
    than 640 scalar products are computed in another way, which needs 256 bytes for each entry that the longest row may have, or
    64 MiB if that is more. `spgemm_composed` needs 256 bytes for each entry that the longest row may have on every device, and
    at least 2 MiB on the cores.

    The following is not counted towards `spgemm_memory`: the operands and the result; copies of operands that are converted or
    sorted first; on the cores, 40 bytes for each row of A; and, if B has more than eight times as many columns as entries, 40
    bytes for each entry of B.

    Examples
    --------
    >>> from spark_csr import config
    >>> with config(threads=1):
    ...     config.threads
    1
    >>> config(thread=1)
    Traceback (most recent call last):
    AttributeError: config has no setting 'thread': use one of spgemm_memory, threads, validate, verbose
    """

    spgemm_memory: int | None
    threads: int | None
    validate: bool
    verbose: bool

    def __init__(self) -> None:
        object.__setattr__(self, "_settings", dict(_DEFAULTS))
        object.__setattr__(self, "_block", contextvars.ContextVar("spark_csr_config", default=()))

    if not TYPE_CHECKING:  # type checkers go by the annotations, and would accept any name by these

        def __getattr__(self, name):
            for _, settings in reversed(self._block.get()):
                if name in settings:
                    return settings[name]
            try:
                return self._settings[name]
            except KeyError:
                raise AttributeError(f"config has no setting {name!r}: use one of {', '.join(_ALLOWED)}") from None

        def __setattr__(self, name, value):
            """Change a setting for good; if a block has changed it, until that block ends."""
            checked = _check_settings({name: value})
            inside = [settings for _, settings in self._block.get() if name in settings]
            (inside[-1] if inside else self._settings).update(checked)

    def __call__(self, **settings: Unpack[_Settings]) -> AbstractContextManager[Config]:
        """Return a context manager that changes settings for a block.

        Parameters
        ----------
        **settings : int, bool or None
            The settings to change, with the names and values of the attributes of `Config`.

        Returns
        -------
        context manager
            It restores the old settings at the end of the block.

        Raises
        ------
        AttributeError
            If there is no setting of that name.
        ValueError
            If a setting cannot have the value.

        Examples
        --------
        >>> from spark_csr import config
        >>> with config(threads=1, validate=False):
        ...     config
        config(spgemm_memory=None, threads=1, validate=False, verbose=True)
        """
        return _Block(self, _check_settings(settings))

    def __repr__(self) -> str:
        return f"config({', '.join(f'{name}={getattr(self, name)!r}' for name in _ALLOWED)})"


class _Block(contextlib.ContextDecorator):
    """The block in which settings are changed.

    Settings are looked up in the blocks of the context, the last one first. Leaving a block takes its own settings away,
    whatever was entered or left in between. It is no generator: a handler of a signal that raises where a generator is entered,
    as Ctrl-C does, would leave the settings of the block.
    """

    def __init__(self, config, settings):
        self.config, self.settings = config, settings

    def _recreate_cm(self):
        """Return a block for one call of a function that is decorated."""
        return _Block(self.config, self.settings)

    def __enter__(self):
        variable = self.config._block
        before = variable.get()
        try:
            variable.set((*before, (self, dict(self.settings))))
            return self.config
        except BaseException:
            variable.set(before)
            raise

    def __exit__(self, *error):
        blocks = self.config._block.get()
        last = max((k for k, (owner, _) in enumerate(blocks) if owner is self), default=len(blocks))
        self.config._block.set(blocks[:last] + blocks[last + 1 :])


config: Config = Config()
