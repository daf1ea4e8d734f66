"""Recursive inner functions whose names are bound again: what a name means is what it is when the function runs."""

import functools

import numpy as np


def bound_to_another(x):
    f = lambda n: x[0] if n == 0 else x[0] * f(n - 1)
    g = f
    f = lambda n: x[1]
    return g(1)


def defined_again(x):
    def f(n):
        return x[0] if n == 0 else x[0] * f(n - 1)

    g = f

    def f(n):
        return x[1] * n

    return g(3) + f(2)


def bound_before(x):
    f = None

    def f(n):
        return x[0] if n == 0 else x[1] * f(n - 1)

    return f(3)


def swapped(x):
    f = lambda n: x[0] if n == 0 else x[1] * f(n - 1)
    f, g = (lambda n: x[2]), f
    return g(2) + f(1)


def cached_by_itself(x):
    @functools.lru_cache(maxsize=None)
    def f(n):
        return x[0] if n == 0 else x[1] * f(n - 1) + x[2]

    return f(4)


def in_one_arm(x):
    try:
        def f(n):
            return x[0] if n == 0 else x[0] * f(n - 1)
    except ValueError:
        f = None
    return f(2)


def in_each_iteration(x):
    made = []
    for k in range(2):
        def f(n):
            return x[k] if n == 0 else x[k] * f(n - 1)

        made.append(f)
    return made[0](1) + made[1](2)


X = np.array([1.3, 0.7, 2.1])

SAMPLES = {
    "bound_to_another": [(X,)],
    "defined_again": [(X,)],
    "bound_before": [(X,)],
    "swapped": [(X,)],
    "cached_by_itself": [(X,)],
    "in_one_arm": [(X,)],
    "in_each_iteration": [(X,)],
}
