"""Functions as values: map, filter, reduce, sum, min, max, sorted, any, all, tables of functions."""

import functools
import itertools
import math
import operator

import numpy as np


def _apply(f, *args):
    return f(*args)


def _iterate(f, x, n):
    for _ in range(n):
        x = f(x)
    return x


def apply_builtin(x):
    return _apply(math.sin, x) + _apply(pow, x, 3) + _apply(lambda a, b: a * b, x, x)


def iterate_lambda(x):
    return _iterate(lambda a: 0.5 * (a + x / a), 1.0, 6)


def map_sum(x):
    return sum(map(lambda v: v * v, x))


def map_two(x, y):
    return sum(map(lambda a, b: a * math.exp(b), x, y))


def filter_positive(x):
    return sum(v**3 for v in filter(lambda v: v > 0, x))


def reduce_product(x):
    return functools.reduce(lambda a, b: a * b, x)


def reduce_initial(x):
    return functools.reduce(lambda a, b: a * 0.5 + b * b, x, 1.0)


def builtin_sum_start(x):
    return sum(x, 2.0) * sum([v * v for v in x])


def builtin_min_max(x):
    return max(x) * min(x) + max(x[0], x[1] * 2.0, 0.1)


def max_by_key(x):
    v = max(x, key=lambda v: abs(v - 1.0))
    return v * v


def sorted_weights(x):
    s = 0.0
    for i, v in enumerate(sorted(x)):
        s += (i + 1) * v * v
    return s


def any_all(x):
    if any(v > 1 for v in x) and all(v > -5 for v in x):
        return sum(v * v for v in x)
    return sum(x)


def function_table(x):
    table = {"sin": math.sin, "double": lambda a: 2.0 * a, "square": lambda a: a * a}
    y = x
    for name in ("sin", "square", "double"):
        y = table[name](y) + x
    return y


def function_chosen_by_value(x):
    f = math.sin if x > 0 else math.exp
    return f(x) * x


def loop_over_functions(x):
    s = 0.0
    for f in (math.sin, math.cos, np.tanh, lambda a: a * a):
        s += f(x)
    return s


def integrate(x):
    def simpson(f, a, b, n):
        h = (b - a) / n
        s = f(a) + f(b)
        for i in range(1, n):
            s += (4.0 if i % 2 else 2.0) * f(a + i * h)
        return s * h / 3.0

    return simpson(lambda t: math.exp(-x * t * t), 0.0, x, 8)


def bisect(x):
    def f(t):
        return t * t * t + t - x

    a, b = 0.0, x + 1.0
    for _ in range(5):
        m = 0.5 * (a + b)
        if f(m) > 0:
            b = m
        else:
            a = m
    return m - f(m) / (3.0 * m * m + 1.0)


def _scaled(a, b, *, offset=0.0):
    return a * b + offset


class _Scale:
    def __init__(self, factor):
        self.factor = factor

    def of(self, v):
        return self.factor * v


class _HalfScale(_Scale):
    def of(self, v):
        full = super().of
        return 0.5 * len(set(map(full, [v, v + 1.0]))) * full(v)


def partials_in_code_not_followed(x):
    """Searches, sets and NumPy's functions of functions call what functools and operator make."""
    third = functools.partial(functools.partial(_scaled, offset=1.0), 3.0)
    if True in map(functools.partial(operator.gt, 0.0), x):
        s = x[0] ** 2
    else:
        s = x[1] ** 2
    second = operator.itemgetter(int(x[1] > 0.0))
    n = len(set(map(second, [(1, 2), (3, 2)]))) + len({*map(third, [1.0, 2.0])})
    n *= len(list(itertools.takewhile(functools.partial(operator.gt, 2), [1, 3, 1])))
    n = n * np.apply_along_axis(functools.partial(np.sum, axis=0), 0, np.ones((2, 2)))[0]
    n = n * len("".join(map(functools.partial(str), [1, 2])))
    return s * n * len(set(map(_Scale(2.0).of, [1.0, 2.0]))) * _HalfScale(1.5).of(x[2])


SAMPLES = {
    "apply_builtin": [(0.7,)],
    "iterate_lambda": [(2.0,)],
    "map_sum": [(np.array([0.5, -1.0]),)],
    "map_two": [(np.array([0.5, -1.0]), np.array([0.2, 0.3]))],
    "filter_positive": [(np.array([0.5, -1.0, 1.4]),)],
    "reduce_product": [(np.array([0.5, -1.0, 1.4]),)],
    "reduce_initial": [(np.array([0.5, -1.0, 1.4]),)],
    "builtin_sum_start": [(np.array([0.5, -1.0, 1.4]),)],
    "builtin_min_max": [(np.array([0.5, -1.0, 1.4]),)],
    "max_by_key": [(np.array([0.5, -1.0, 1.4]),)],
    "sorted_weights": [(np.array([0.5, -1.0, 1.4]),)],
    "any_all": [(np.array([0.5, -1.0, 1.4]),), (np.array([0.5, -1.0]),)],
    "function_table": [(0.7,)],
    "function_chosen_by_value": [(0.7,), (-0.7,)],
    "loop_over_functions": [(0.7,)],
    "integrate": [(0.9,)],
    "bisect": [(1.9,)],
    "partials_in_code_not_followed": [(np.array([1.3, 0.4, 0.7]),), (np.array([1.1, -0.4, 0.7]),)],
}
