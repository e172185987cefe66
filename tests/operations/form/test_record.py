"""The record of a matrix: what is learnt about its pattern is learnt once."""

import numpy as np
import pytest

import battery


def counted(calls):
    def make(csr):
        calls.append(csr)
        return len(calls)

    return make


@pytest.mark.kept
def test_plans_are_made_once_per_pattern():
    csr, calls = battery.build(np, "band")._csr, []
    make = counted(calls)
    assert [csr.plan(make), csr.plan(make)] == [1, 1]
    assert csr.with_data(csr.data * 2).plan(make) == 1
    assert csr.copy().plan(make) == 2


@pytest.mark.kept
def test_the_transposed_view_and_other_dtypes_share_them():
    A = battery.build(np, "band")
    assert A.T._csr is A._csr
    assert A.astype(np.float32, copy=False)._csr.plans is A._csr.plans
    assert A.copy()._csr.plans is not A._csr.plans
