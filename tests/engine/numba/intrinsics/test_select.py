"""Eight items at a time: every choice of eight, in every width, moved together and in turn."""

import numpy as np
import pytest
from numba import njit

from spark_csr._array import by_width
from spark_csr._engine.numba.intrinsics import select

pytestmark = pytest.mark.usefixtures("cpu_only")

CHOICES = [[bits >> item & 1 for item in range(8)] for bits in range(256)]

START, PLACE = 3, 5
"""Of items in the source and the output: neither at a multiple of eight."""


def _select_all(source, starts, bits, outs, place):
    """A row of `outs` for each choice of eight."""
    for choice in range(bits.size):
        select.select_eight(source, starts[choice], bits[choice], outs[choice], place)


@pytest.mark.parametrize("way", ["_store_together", "_store_in_turn"])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float64", "complex128"])
def test_every_choice_of_eight(monkeypatch, dtype, way):
    """The selected ones lie side by side; what is before and behind the eight places is left alone."""
    used = []
    original = getattr(select, way)
    monkeypatch.setattr(select, way, lambda *args: used.append(way) or original(*args))
    if way == "_store_in_turn":
        monkeypatch.setattr(select, "_has_compress", lambda context, item: False)
    source = by_width(np.arange(1, START + 8 + 256).astype(dtype))
    outs = by_width(np.zeros((256, PLACE + 8 + 3), dtype))
    starts = START + np.arange(256, dtype=np.uint64) % np.uint64(source.size - START - 8 + 1)
    njit(_select_all)(source, starts, np.arange(256, dtype=np.uint64), outs, np.uint64(PLACE))
    if not used:
        pytest.skip("this processor, or this width, has no such instruction")
    for chosen, start, out in zip(CHOICES, starts, outs, strict=True):
        kept = source[int(start) : int(start) + 8][np.array(chosen, bool)]
        np.testing.assert_array_equal(out[PLACE : PLACE + kept.size], kept)
        assert not out[:PLACE].any()
        assert not out[PLACE + 8 :].any()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_eight_items_pass_as_one_does(dtype):
    """Magnitudes above a limit, as `_operations.form.keep` asks for them, at places that are no multiples of eight."""
    items = np.random.default_rng(0).integers(0, np.iinfo(dtype).max, 50, dtype, endpoint=True)
    items[10:30] %= 9
    top = 2 ** (8 * items.itemsize) - 1
    pass_eight = njit(lambda items, start, test: select.pass_eight(items, np.uint64(start), test))
    for mask, shift, width, limit in ((2**64 - 1, 0, 2**64 - 1, 4), (top >> 1, 0, 2**64 - 1, top >> 2), (2**64 - 1, 4, top, 8)):
        test = tuple(map(np.uint64, (mask, shift, width, limit)))
        for start in range(42):
            passing = [((int(x) & mask) + shift) % 2**64 & width > limit for x in items[start : start + 8]]
            assert pass_eight(items, start, test) == sum(yes << k for k, yes in enumerate(passing))
