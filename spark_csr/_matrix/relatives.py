"""Which class a method returns, for type checkers: a method is written once, and its result may have another format.

A method whose result is of class `K` annotates `self` as `Merges[K]` or `Flips[K]`, and each class of matrices declares its
`K`. The package does not import this file when it runs.
"""

from typing import Protocol, TypeVar

K = TypeVar("K", covariant=True)


class Merges(Protocol[K]):
    """A matrix whose sums and products with other matrices are of class `K`."""

    @property
    def _merged(self) -> K: ...


class Flips(Protocol[K]):
    """A matrix whose transpose is of class `K`."""

    @property
    def _flipped(self) -> K: ...
