"""What a function that something else calls has made itself: writes into that are nobody's business."""

import numpy as np
import pytest

from adcompile.analysis.callbacks import value_may_write

P = np.array([0.3, 0.7])


def into_zeros(y):
    d = np.zeros(2)
    d[0] = y[1]
    d[1] -= y[0]
    d *= 2.0
    return d


def into_a_view(y):
    m = np.zeros((2, 2), dtype=float)
    row = m[0]
    row[1] += y[0]
    m[1][0] = y[1]
    return m @ y


def into_a_list(y):
    out = []
    for v in y:
        out.append(v**2)
    out += [1.0]
    return out


def a_number(y):
    s, n = 0, 1.0
    for v in y:
        if v > 0.0:
            s += v
        n *= v
    while n > 1.0:
        n /= 2.0
    return s - n


def by_out(y):
    d = np.empty_like(y)
    np.multiply(y, 2.0, out=d)
    return d


def a_product(y):
    d = y * 2.0
    d += 1.0
    d[0] = 3.0
    return d


OWN = [into_zeros, into_a_view, into_a_list, a_number, by_out, a_product]


def into_the_argument(y):
    y[0] = 0.0
    return y


def into_an_item(y):
    held = [y, P]
    held[1] += y
    return held[0]


def into_an_item_of_objects(y):
    held = np.empty(1, dtype=object)
    held[0] = P
    held[0] += 1.0
    return y


def into_what_it_named(y):
    p = P
    p += y
    return p


def at_times(y):
    d = np.zeros(2)
    if y[0] > 0.0:
        d = P
    d[0] = 1.0
    return d


def from_turn_to_turn(y):
    d = np.zeros(2)
    for _ in range(3):
        d += y
        d = P
    return d


def not_copied(y):
    d = np.array(P, copy=None)
    d += y
    return d


def by_out_elsewhere(y):
    np.multiply(y, 2.0, out=P)
    return y


def method_of_another(y):
    held = P
    held.sort()
    return y


OTHERS = [
    into_the_argument,
    into_an_item,
    into_an_item_of_objects,
    into_what_it_named,
    at_times,
    from_turn_to_turn,
    not_copied,
    by_out_elsewhere,
    method_of_another,
]


@pytest.mark.parametrize("fun", OWN, ids=lambda f: f.__name__)
def test_own(fun):
    assert not value_may_write(fun)


@pytest.mark.parametrize("fun", OTHERS, ids=lambda f: f.__name__)
def test_others(fun):
    assert value_may_write(fun)
