"""Names of the module that functions assign: counters of evaluations, the last value, what is made when it is needed."""

import math
import types

import numpy as np

count, last, best, product, weights = 0, 0.0, None, 1.0, None


def counted(x):
    global count
    count += 1
    return np.sum(x**2)


def counted_by_a_helper(x):
    global count
    count = 0

    def g(v):
        global count
        count += 1
        return v * v * count if count < 3 else v**3

    return sum(g(v) for v in x) * count


def _step(v):
    global count, last
    count, last = count + 1, last * 0.5 + v * v
    return last * count


def values_in_branches_and_loops(x):
    global count, last
    count, last = 0, x[2]
    for v in x:
        if v > 1.0:
            last = last * v + _step(v)
            continue
        count += 2
    while count < 7:
        count += 1
        if count == 6:
            last *= x[1]
    return last * count


def smallest(x):
    global best
    best = None
    for v in x:
        if best is None or v < best:
            best = v
    return best * x[1]


def multiplied(x):
    global product
    product = 1.0
    for product_of in x:
        product *= product_of
    return product + math.sin(product)


def made_when_needed(x):
    global weights
    if weights is None:
        weights = np.arange(3.0) + 1.0
    return weights @ x * x[0]


def array_assigned_and_written(x):
    global weights
    weights = x * 2.0
    weights[0] *= x[1]
    out = np.sum(weights**2)
    weights = None
    return out


def counts_in_a_loop_target(x):
    global count
    for count in range(3):
        x = x * 1.2
    powers = [count for count in range(2, 5)]
    return np.sum(x**2) * count + x[0] ** powers[1]


def read_by_functions(x):
    global count
    count = 2
    a = _count()
    power = lambda: count  # noqa: E731
    count += 1
    return x[0] ** power() * a


def _count():
    return count


X = np.array([1.13, 1.37, 0.71])
SAMPLES = {name: [(X,)] for name, f in list(globals().items()) if not name.startswith("_")
           and isinstance(f, types.FunctionType)}  # fmt: skip
