"""Extremes of records: what is kept with the pattern, and results as vectors."""

import numpy as np

import battery
from spark_csr._operations.reduce.extremes import as_row_record, extremes


def record(xp, name):
    return battery.build(xp, name)._csr


def test_pattern_is_read_once(xp, to_numpy):
    """What rows lack is kept with the pattern, and holds for other values on it."""
    csr = record(xp, "band")
    extremes(csr, 1, "max", False)
    plans = dict(csr.plans)
    other = csr.with_data(-csr.data)
    greatest = to_numpy(battery.csr_array(to_numpy(extremes(other, 1, "max", False).data)[None]).toarray())
    assert other.plans.keys() == plans.keys()
    assert greatest.min() > 0


def test_vector_of_what_is_not_zero(xp, to_numpy):
    vector = as_row_record(xp.asarray([0.0, np.nan, -0.0, 2]))
    assert to_numpy(vector.indices).tolist() == [1, 3]
    assert to_numpy(vector.indptr).tolist() == [0, 2]
    np.testing.assert_array_equal(to_numpy(vector.data), [np.nan, 2])
    assert vector.shape == (1, 4)
