"""Derivatives that go from one container into another by way of memory that is not followed: right or refused."""

import collections

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7])


class Box:
    def __init__(self):
        self.items = []


def lists(n):
    return [[] for _ in range(n)]


def by_lists(x):
    n = len(x)
    b, c = lists(n), lists(n)
    b[2 % n].append(x)
    t = sum(b[0])
    c[4 % n].append(0.4 * t)
    return np.sum(c[0])


def by_first_items(x):
    n = len(x)
    b, c = [[] for _ in range(2)], [[] for _ in range(2)]
    b[0].append(x)
    t = sum(next(iter(b)))
    c[2 % n].append(0.4 * t)
    return np.sum(next(iter(c)))


def by_three_lists(x):
    n = len(x)
    b, c, d = lists(n), lists(n), lists(n)
    b[0].append(x)
    c[2 % n].append(2.0 * sum(b[0]))
    d[4 % n].append(3.0 * sum(c[0]))
    return np.sum(d[0])


def by_dicts(x):
    b = {k: {} for k in range(len(x))}
    c = {k: {} for k in range(len(x))}
    b[0]["a"] = x
    c[1]["b"] = b[0]["a"] * 2.0
    return np.sum(c[1]["b"])


def by_objects(x):
    b, c = [Box() for _ in x], [Box() for _ in x]
    b[len(x) - 2].items.append(x)
    c[len(x) - 1].items.append(2.0 * b[0].items[0])
    return np.sum(c[1].items[0])


def by_deques(x):
    b, c = collections.deque(), collections.deque()
    b.append(x)
    c.append(2.0 * b[0])
    return np.sum(c[0])


def by_a_loop(x):
    b, c = lists(len(x)), lists(len(x))
    for k in range(len(x)):
        b[k].append(x[k])
    for k in range(len(x)):
        c[k - 1].append(2.0 * b[k][0])
    return c[0][0] * c[1][0]


def back_and_forth(x):
    b, c = lists(len(x)), lists(len(x))
    b[0].append(x)
    for k in range(2):
        c[k].append(2.0 * sum(b[0]))
        b[0].append(3.0 * sum(c[k]))
    return np.sum(b[0])


def of_lengths_alone(x):
    b, c = lists(len(x)), lists(len(x))
    b[0].append(x)
    c[1].append(2.0 * len(b[0]))
    return np.sum(x) * sum(c[1])


def of_what_nobody_needs(x):
    b, c = lists(len(x)), lists(len(x))
    b[0].append(x)
    c[1].append(2.0 * sum(b[0]))
    print(len(c))
    return np.sum(x)


PROGRAMS = [
    by_lists, by_first_items, by_three_lists, by_dicts, by_objects, by_deques, by_a_loop, back_and_forth,
    of_lengths_alone, of_what_nobody_needs,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_right_or_refused(f, mode):
    d = np.array([1.0, 0.5])
    expected = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    try:
        got = ad.grad(f)(X) @ d if mode == "reverse" else ad.jvp(f, (X,), (d,))[1]
    except ad.Unsupported as error:
        assert error.place is not None and error.remedy
    else:
        assert abs(got - expected) < 1e-7
