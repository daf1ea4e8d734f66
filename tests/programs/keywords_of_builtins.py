"""Python's own functions with arguments by name that are given by position otherwise."""

import functools
import itertools

import numpy as np

_X = np.array([0.7, 1.4, -0.3])


def powers_by_name(x, p):
    cubed = functools.partial(pow, exp=3)
    return pow(base=x, exp=3) * x + pow(x, exp=p) + pow(exp=2, base=x) * cubed(x) + pow(exp=x, base=1.5)


def powers_of_selected(x):
    kept = np.where(x > 0, x, 1.0)
    return np.sum(a=np.where(x > 0, [pow(base=v, exp=0.5) for v in kept], x)) + np.sum(a=x[:1]) ** 2


def numbered_from(x, first):
    def squares():
        for v in x:
            yield v * v

    total = 0.0
    for k, v in enumerate(squares(), start=first):
        total = total + k * v
    for k, v in enumerate(iterable=(v**3 for v in x), start=2):
        total = total + k * v
    for k, v in enumerate(iterable=x):
        total = total + k * v
    return total


def built_by_name(x):
    z = complex(real=x, imag=x * x) + complex(imag=x)
    sums = itertools.accumulate(iterable=[x, x * x, z.imag], func=lambda a, b: a * b)
    counted = [v * k for v, k in zip([x, z.real], itertools.count(step=2, start=1))]
    return abs(z) + sum(sums, start=x) + sum(counted) * round(number=1.26, ndigits=1)


SAMPLES = {
    "powers_by_name": [(1.4, 2.5), (np.float64(0.8), -1.0)],
    "powers_of_selected": [(_X,)],
    "numbered_from": [(_X, 1)],
    "built_by_name": [(0.7,)],
}
