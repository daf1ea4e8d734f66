"""Sums and products of what iterators and views give, and arrays of deques and of the user's sequences."""

import math
from collections import deque

import numpy as np


class _Items:
    def __init__(self, *items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def product_of_a_dict(p):
    return math.prod(p.values()) * math.fsum(p.values()) + math.prod(reversed(p.values()), start=p["a"])


def products_of_iterators(x):
    return math.prod(reversed(x)) * math.fsum(deque([x[0], x[1]])) + math.prod(_Items(x[0], x[1]))


def sums_of_maps(x):
    return math.fsum(map(math.exp, x)) + math.fsum(filter(lambda v: v > 1.0, x)) * math.prod(v * v for v in x)


def of_zipped_names(x):
    return math.prod(dict(zip("abc", x)).values(), start=x[0]) + math.fsum({"a": x[0], "b": x[1]}.values())


def deques_as_arrays(x):
    y = np.ones(2)
    np.copyto(y, deque([x[0], x[1]]))
    np.put(y, [0], deque([x[0] * x[1]]))
    return y @ y + np.ptp(deque([x[0], x[1]])) * np.average([1.0, 2.0], weights=deque([x[0], x[1]]))


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "product_of_a_dict": [({"a": 2.0, "b": 3.0},)],
    "products_of_iterators": [(X,)],
    "sums_of_maps": [(X,)],
    "of_zipped_names": [(X,)],
    "deques_as_arrays": [(X,)],
}
