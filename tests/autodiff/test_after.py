"""Which arguments a call writes into, as far as that is known before it runs."""

import numpy as np
import pytest

from adcompile.ir.abstract import type_of
from adcompile.pipeline import Request, derive

X = np.array([0.3, 0.7, 1.1])


def left(f, *args):
    """(written, after) of the split derivative by everything that has a tangent."""
    types = tuple(type_of(a) for a in args)
    wrt = tuple(i for i, a in enumerate(args) if not isinstance(a, int))
    made = derive(f, Request("split", wrt, mutated=True), types)
    forward = derive(f, Request("forward", wrt, mutated=True), types)
    assert (made.written, made.after) == (forward.written, forward.after)
    return made.written, made.after


def reads(x, y):
    return np.sum(x * y)


def writes_a_copy(x, y):
    z = x.copy()
    z += y
    return np.sum(z)


def writes_the_second(x, y):
    y[0] = x[1]
    return np.sum(y)


def writes_through_a_view(x, y):
    row = x.reshape(-1)[1:]
    row *= 2.0
    return np.sum(y)


def writes_one_of_two(x, y):
    z = x if x[0] > 0.0 else y
    z[0] = 1.0
    return np.sum(x)


@pytest.mark.parametrize(
    "f, written, after",
    [
        (reads, (), ()),
        (writes_a_copy, (), ()),
        (writes_the_second, (1,), (0, 1)),
        (writes_through_a_view, (0,), (0, 1)),
        (writes_one_of_two, (0, 1), (0, 1)),
    ],
)
def test_arrays(f, written, after):
    assert left(f, X, X) == (written, after)


def test_containers_and_numbers():
    def f(items, n, x, c):
        items.append(x[n])
        return items[0] * c

    assert left(f, [1.0, 2.0], 1, X, 0.5) == ((0,), (0,))

    def g(items, x, c):
        items[0][:] = x
        return np.sum(items[1]) * c

    assert left(g, [X, X], X, 0.5) == ((0,), (0, 1))


def test_what_has_no_tangent_is_not_asked_for():
    def f(x, counts):
        counts[0] += 1
        return np.sum(x)

    assert left(f, X, np.zeros(2, int))[0] == ()
