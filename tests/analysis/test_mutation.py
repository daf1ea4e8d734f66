"""Writes in place: followed where no derivative can notice, else refused with a place and a remedy."""

import numpy as np
import pytest

import adcompile as ad
from tests.checks import bits
from tests.compiled import check, same_value


def inert_write(x, n):
    table = np.zeros(n)
    for i in range(n):
        table[i] = i * 0.5
    return x * table.sum()


def local_list(x):
    out = [x, 2.0]
    out[1] = x * x
    out.append(3.0 * x)
    return out[0] * out[1] + out[2]


def overwritten_after_use(x, a):
    b = a * x
    y = np.sum(b * b)
    b[0] = x
    return y + b[0]


def into_an_argument(a, v):
    a[0] = v
    return np.sum(a * a)


def test_inert_writes_run_as_written():
    check(inert_write, 0.5, 4)


def test_local_lists_are_values():
    check(local_list, 0.5, order=2)


@pytest.mark.parametrize(
    ("f", "args"), [(overwritten_after_use, (0.5, np.ones(3))), (into_an_argument, (np.ones(3), 0.5))]
)
def test_active_writes_are_right_or_refused(f, args):
    """Never a silently wrong gradient."""
    for mode in ("fwd", "rev"):
        try:
            ad.check_grads(f, args, order=1, modes=(mode,))
        except ad.AdcompileError as error:
            assert error.place is not None
            assert error.remedy


def test_arguments_stay_when_nothing_is_written():
    a = np.arange(3.0)
    before = bits(a)

    def f(a):
        b = a.copy()
        b[1] = 7.0
        return b

    same_value(f, a)
    assert bits(a) == before
