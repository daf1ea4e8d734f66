"""How memory is spent: as few steps as can be, of what fits."""

import itertools
import sys

import numpy as np
import pytest

from adcompile.errors import Unsupported
from adcompile.runtime.budgets import Spending, advances, all_numbers, reserve, size, spending
from tests.runtime.test_checkpoints import least


def test_advances_are_the_least():
    best = least(60, 8)
    for snaps, count in itertools.product(range(1, 9), range(61)):
        assert advances(count, snaps) == best[snaps][count]


@pytest.mark.parametrize(("count", "state", "step"), [(50, 100, 10), (50, 10, 100), (40, 0, 7), (40, 30, 0), (1, 5, 5)])
def test_no_other_way_that_fits_has_fewer_steps(count, state, step):
    best = least(count, count)
    for budget in range(reserve(state, step) + state + step, count * (state + step) + 1000, 13):
        snaps, block = spending(count, state, step, budget)
        blocks = -(-count // block)
        held = block * step + (snaps * state if blocks > 1 else 0)
        assert held + reserve(state, step) <= budget
        for other in range(1, count + 1):
            n = -(-count // other)
            room = budget - reserve(state, step) - other * step
            c = count if state == 0 else room // state
            if room >= 0 and (n == 1 or c >= 1):
                assert best[snaps][blocks] * block <= best[min(c, count)][n] * other or n == 1 and blocks == 1


def test_what_does_not_fit_is_refused():
    least_budget = reserve(100, 10) + 110
    assert spending(50, 100, 10, least_budget) == Spending(1, 1)
    with pytest.raises(Unsupported, match=f"needs {least_budget}"):
        spending(50, 100, 10, least_budget - 1)


def test_sizes():
    a = np.zeros(1000)
    seen = set()
    assert 8000 < size(seen, a, a, [a[1:], (a[2:],)]) < 9000
    assert size(seen, a) == 0
    assert size(set(), 1.0, 2.0) == 2 * sys.getsizeof(1.0)
    assert size(set(), (1.0, None)) > sys.getsizeof((1.0, None))
    assert size(set(), {"k": a}) > 8000

    class Held:
        def __init__(self):
            self.a = a

    assert size(set(), Held()) > 8000


def test_numbers():
    assert all_numbers([(1.0, np.float64(2.0)), (True, 3)])
    assert not all_numbers([(1.0, np.zeros(1))])
