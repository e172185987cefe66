"""What Dask reads when it is imported: how it comes to know the sizes of matrices. This module does not import the package."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def register(sizeof: Any) -> None:
    """Let Dask's `sizeof` know the matrices of spark_csr, from the first one that it is asked about.

    Parameters
    ----------
    sizeof : dask.utils.Dispatch
        Dask's function that returns the number of bytes of an object.

    Notes
    -----
    Dask calls this function at its entry point `dask.sizeof`, also in workers, whose users import nothing there.

    Examples
    --------
    >>> from _spark_csr_dask import register
    >>> register.__name__
    'register'
    """
    load: Callable[[], Any] = lambda: importlib.import_module("spark_csr.interop.dask.chunks")  # noqa: E731
    sizeof.register_lazy("spark_csr", load)
