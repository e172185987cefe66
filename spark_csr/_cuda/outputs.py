"""What a kernel that moves elements writes: the elements, or their positions."""

from spark_csr._engine.gpu import device_function


@device_function
def _element(x, i):
    return x[i]


@device_function
def _position(x, i):
    return i


def output_of(positions):
    """Return the meaning of `output_of_element`: the position of an element if `positions`, else the element."""
    return _position if positions else _element
