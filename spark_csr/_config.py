"""Settings: `config.threads = 1` for good, `with config(threads=1): ...` for a block.

A block's settings belong to the Python thread (or task) that entered it, so two threads never see each other's.
"""

import contextlib
import contextvars

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
    """The settings of this package.

    Attributes
    ----------
    spgemm_memory : int or None
        Bytes of scratch memory for a product of two sparse matrices; None means a quarter of what is available where the
        operands are. A bound below what one row of the result needs counts as what it needs, see Notes. Results do not depend
        on it.
    threads : int or None
        How many cores a kernel may use; None means all that Numba would use, and that a container allows. Results do not depend
        on it.
    validate : bool
        Whether index arrays that come from outside are checked (one pass over them) before a kernel reads through them.
    verbose : bool
        Whether to print one line to standard error, if it is a terminal, when compilation takes longer than a second.

    Notes
    -----
    What a row of `A @ B` needs on the cores is an accumulator with a place for every column of B: so many times the size of a
    value, 4 bytes at least, and a third of a byte, and 4 KiB. As many cores take part as the bound has room for accumulators;
    one does in any case. On a GPU a product needs 16 bytes for every entry of A and 32 for every row; and, where rows have more
    than 512 products, 256 bytes for every entry that the longest row may have in the result, or 64 MiB if that is more.
    `spgemm_composed` needs the same 256 bytes everywhere, on the cores 2 MiB at least.

    Not counted are the operands and the result, operands that are converted or sorted first, 40 bytes for every row, and,
    where B has more than eight columns for every entry, 40 bytes for every entry of B.
    """

    def __init__(self):
        object.__setattr__(self, "_settings", dict(_DEFAULTS))
        object.__setattr__(self, "_block", contextvars.ContextVar("spark_csr_config", default=None))

    def __getattr__(self, name):
        block = self._block.get()
        if block is not None and name in block:
            return block[name]
        try:
            return self._settings[name]
        except KeyError:
            raise AttributeError(f"config has no setting {name!r}; it has {', '.join(_ALLOWED)}") from None

    def __setattr__(self, name, value):
        """For good; for a setting that a block has made its own, until that block ends."""
        block, checked = self._block.get(), _checked({name: value})
        if block is not None and name in block:
            block.update(checked)
        else:
            self._settings.update(checked)

    def __call__(self, **settings):
        return self._within(_checked(settings))

    @contextlib.contextmanager
    def _within(self, settings):
        outer = self._block.get() or {}
        token = self._block.set({**outer, **settings})
        try:
            yield self
        finally:
            self._block.reset(token)

    def __repr__(self):
        return f"config({', '.join(f'{name}={getattr(self, name)!r}' for name in _ALLOWED)})"


config = Config()
