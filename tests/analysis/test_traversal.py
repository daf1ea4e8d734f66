"""Objects are gone through by their `__iter__`, and merged where they are mappings."""

import bisect
import copy
import heapq
from collections import OrderedDict, deque

import numpy as np
import pytest

import adcompile as ad


class Squares:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter([v * v for v in self.values])


class Named:
    def __init__(self, **parts):
        self.parts = parts

    def __iter__(self):
        return iter(self.parts)

    def keys(self):
        return self.parts.keys()

    def items(self):
        return self.parts.items()

    def __getitem__(self, key):
        return self.parts[key]


PROGRAMS = {
    "sum": lambda x: sum(Squares([x[0], x[1]])),
    "sorted": lambda x: sorted(Squares([x[1], x[0]]))[1],
    "list": lambda x: list(Squares([x[0]]))[0] * x[1],
    "zip": lambda x: sum(a * b for a, b in zip(Squares([x[0], x[1]]), deque([x[2], 1.0]))),
    "extend": lambda x: sum([x[0], *Squares([x[1]])] + [*deque([x[2]])]),
    "dict of a mapping": lambda x: dict(Named(a=x[0], b=x[1]))["b"] * x[2],
    "dict of a defaultdict": lambda x: dict(OrderedDict(a=x[0]))["a"] * x[1],
    "merged": lambda x: {**OrderedDict(a=x[0]), "b": x[1]}["a"] * x[1],
    "splat": lambda x: (lambda a, b: a * b)(**OrderedDict(a=x[0], b=x[2])),
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_gradients(f):
    x, h = np.array([0.5, 0.7, 1.3]), 1e-6
    slopes = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(ad.grad(f)(x), slopes, rtol=1e-6, atol=1e-8)


def test_lists_grow_by_objects():
    def f(x):
        xs = [x[0]]
        xs.extend(deque([x[1], x[2]]))
        xs += Squares([x[0]])
        return sum((i + 1) * v for i, v in enumerate(xs))

    x = np.array([0.5, 0.7, 1.3])
    np.testing.assert_allclose(ad.grad(f)(x), [1 + 8 * 0.5, 2, 3])


def popped(q, x):
    heapq.heappop(q)
    return x[0] * len(q)


def pushed(q, x):
    heapq.heappush(q, 0)
    return x[0] * q[0] + len(q) * x[1]


def arranged(q, x):
    heapq.heapify(q)
    return x[0] * q[0]


def inserted(q, x):
    bisect.insort(q, 2.5)
    bisect.insort_left(q, 1, key=lambda v: -v)
    return x[0] * q[1] + len(q) * x[1]


def inside(c, x):
    heapq.heapreplace(c["q"], 7)
    return x[0] * len(c["q"])


@pytest.mark.parametrize(
    "f, q",
    [(popped, [1, 2, 3]), (pushed, [1, 2, 3]), (arranged, [3, 2, 1]), (inserted, [1, 2, 3]), (inside, {"q": [1, 2]})],
)
def test_sorted_lists_of_the_caller_are_put_back(f, q):
    x = np.array([0.7, 1.3])
    before = copy.deepcopy(q)
    value, g = ad.value_and_grad(f, 1)(q, x)
    assert q == before
    assert value == f(copy.deepcopy(q), x)
    assert np.allclose(g, [f(copy.deepcopy(q), e) for e in np.eye(2)])
    _, pull = ad.vjp(f, q, x)
    assert np.array_equal(pull(1.0)[1], g)
    assert q == before  # once the derivative is there
