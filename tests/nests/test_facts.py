"""Who may share memory: guards stand where it cannot be told, and only there."""

import numpy as np
import pytest

from adcompile.runtime.loops import Leave
from tests.nests.lowered import both
from tests.nests.test_lower import random


def into_the_argument(x, y):
    x[1:] = y[:-1] * 2.0 + x[1:]
    return np.sum(x * y)


def fresh(x, y):
    a = x * y + 1.0
    b = np.zeros_like(a)
    b[1:] = a[:-1] * 2.0 + x[1:]
    return np.sum(a * b)


def test_arguments_may_overlap():
    made = both(into_the_argument, random(6), random(6))
    assert "disjoint(" in made.text and made.agree(random(6), random(6))
    a = random(7)
    with pytest.raises(Leave):
        made.looped(a[1:], a[:-1])


def test_new_arrays_do_not():
    made = both(fresh, random(6), random(6))
    assert "disjoint(" not in made.text and made.agree(random(6), random(6))


def second_name(x):
    a = x * 1.0
    b = a[::-1]
    c = np.reshape(a, (2, 3))
    b += 1.0
    c *= 2.0
    c[0] += b[:3]
    return np.sum(a * a) + np.sum(b * x)


def test_other_names_of_memory():
    made = both(second_name, random(6))
    made.agree(random(6))  # as it is, or it leaves: a reshaped array may be a view
