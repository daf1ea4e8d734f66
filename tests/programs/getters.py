"""operator's itemgetter, attrgetter and methodcaller: as keys, as functions, made here and elsewhere."""

import operator
from functools import reduce
from operator import attrgetter, itemgetter, methodcaller

import numpy as np

second = itemgetter(1)
inner_width = attrgetter("inner.width")


class Part:
    def __init__(self, width, inner=None):
        self.width = width
        self.inner = inner

    def power(self, k, shift=0.0):
        return self.width**k + shift


def sorted_items(d):
    total = 0.0
    for i, (_, v) in enumerate(sorted(d.items(), key=itemgetter(0))):
        total = total + np.sum(np.sin(v)) * (i + 1.0)
    return total


def sorted_pairs(x, y):
    pairs = [(2, x), (1, y), (3, x * y)]
    pairs.sort(key=itemgetter(0), reverse=True)
    return pairs[0][1] * max(pairs, key=itemgetter(0))[1] - pairs[2][1]


def of_module(d):
    return sum(np.sum(second(item) ** 2) for item in d.items())


def several(x):
    a, b, tail = itemgetter(0, -1, slice(1, None))(x)
    return a * b + np.sum(tail**3)


def at_run_time(x, i):
    read = operator.itemgetter(int(i))
    return read(x) ** 2


def attributes(x, y):
    outer = Part(x, Part(y))
    return inner_width(outer) * attrgetter("width")(outer) + attrgetter("width", "inner.width")(outer)[1]


def mapped(x, y):
    parts = [Part(x), Part(y)]
    return sum(map(attrgetter("width"), parts)) * reduce(operator.mul, map(methodcaller("power", 2, shift=0.5), parts))


def of_arrays(x):
    return methodcaller("sum", axis=0)(x * x)[0] + methodcaller("dot", x[0])(x)[1] + attrgetter("T")(x)[0, 1]


TABLE = {"b": np.array([1.0, 2.0]), "a": np.array([3.0, 1.0])}
SAMPLES = {
    "sorted_items": [(TABLE,)],
    "sorted_pairs": [(0.7, 1.2)],
    "of_module": [(TABLE,)],
    "several": [(np.array([0.5, -1.0, 1.4]),)],
    "at_run_time": [(np.array([0.5, -1.0, 1.4]), 2)],
    "attributes": [(0.7, 1.2)],
    "mapped": [(0.7, 1.2)],
    "of_arrays": [(np.array([[0.5, -1.0], [1.4, 0.3]]),)],
}
