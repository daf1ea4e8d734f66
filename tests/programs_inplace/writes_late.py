"""What runs late: the functions of map and filter as items are asked for, closures on the variables that
they see by then; with arrays, lists and objects that are written into meanwhile."""

import functools
import itertools

import numpy as np


def map_after_a_write(x):
    y = x.copy()
    later = map(lambda i: y[i] * x[0], range(len(y)))
    y[1] = x[0] * 5.0
    return sum(v * v for v in later)


def map_in_a_loop_that_writes(x):
    y = x.copy()
    total = 0.0
    for v in map(lambda i: y[i], range(len(y))):
        y[-1] = v * y[-2]
        total += v * v
    return total


def map_over_three_that_are_written(x):
    y = [x[0], x[1], x[2]]
    total = 0.0
    for k, v in enumerate(map(lambda i: y[i], (0, 1, 2))):
        y[2] = v * y[1] + k
        total += v * v
    return total


def map_with_a_log(x):
    log = []

    def noted(v):
        log.append(v)
        return v * len(log)

    total = 0.0
    for v in map(noted, x):
        total = total + v * len(log) * log[0]
    return total


def first_of_a_map_with_a_log(x):
    log = []

    def noted(v):
        log.append(v)
        return v * len(log)

    items = map(noted, (x[0], x[1], x[2]))
    first = next(items)
    return first * len(log) * log[-1] + sum(items) * len(log)


class _Meter:
    def __init__(self, scale):
        self.scale, self.total = scale, 0.0

    def read(self, v):
        return v * self.scale


def map_of_a_method_of_what_changes(x):
    meter = _Meter(x[0])
    for v in map(meter.read, x):
        meter.total += v * v
        meter.scale = meter.scale * 0.5 + v
    return meter.total


def filter_in_a_loop_that_writes(x, level):
    y = x.copy()
    total = 0.0
    for i in filter(lambda i: y[i] > level, range(len(y))):
        if i + 1 < len(y):
            y[i + 1] = y[i] * x[i + 1] * 2.0
        if total > 40.0:
            break
        total += y[i] ** 2
    return total


def filter_after_a_write(x, level):
    y = x.copy()
    kept = filter(lambda i: y[i] > level, range(len(y)))
    y[1] = level + x[1] ** 2
    return sum(x[i] ** 2 for i in kept)


def chain_after_a_write(x):
    y = x.copy()
    items = itertools.chain(y, y)
    y[0] = 3.0 * x[1]
    return sum(v * v for v in items)


def partial_of_what_is_rebound(x):
    scale = 1.0

    def scaled(v, w):
        return v * scale + w

    later = functools.partial(scaled, x[2])
    scale = x[0]
    return later(x[1])


class _Callback:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, v):
        return self.fn(v)


def _doubled(fn):
    def twice(v):
        return fn(fn(v))

    return twice


def kept_by_an_object_and_a_closure(x):
    scale, shift = 1.0, x[1]

    def affine(v):
        return v * scale + shift

    held, twice = _Callback(affine), _doubled(affine)
    before = held(x[2])
    scale = x[0]
    shift = shift * x[2]
    return before * held(x[1]) + twice(x[1])


def made_by_a_function(x):
    scale = 1.0

    def make():
        def scaled(v):
            return v * scale

        return scaled

    later = make()
    scale = x[0]
    return later(x[1]) * make()(x[2])


def given_out_by_a_list(x):
    scale = 1.0

    def scaled(v):
        return v * scale

    def both():
        return [scaled, lambda v: scaled(v) + scale]

    first, second = both()
    scale = x[0]
    return first(x[1]) + second(x[2]) * scale


def right_hand_side_of_what_is_rebound(x):
    rate = 1.0

    def slope(y):
        return -rate * y

    def stepped(fn, y):
        for _ in range(3):
            y = y + 0.1 * fn(y)
        return y

    y = x
    for k in range(len(x)):
        rate = rate * x[k] + 1.0
        y = stepped(slope, y)
    return np.sum(y * y)


def _squared(a, out=None):
    return np.multiply(a, a, out=out)


def _clipped(a, low, inplace=False):
    return np.maximum(a, low, out=a if inplace else None)


def out_that_is_none(x):
    b = x * 1.0
    c = _squared(b)
    d = _squared(b, b)
    d *= 2.0
    e = _clipped(c, 0.3)
    e += x
    f = _clipped(c, 0.2, inplace=True)
    f *= np.sum(x, axis=0, out=None)
    g = np.exp(x, None, where=True)
    g *= 0.5
    return b @ c + e @ f + np.sum(g)


def put_by_method_where_places_repeat(x):
    a, b = x * 1.0, x * x
    a.put([1, 1, 3], x[1:])
    b.put(indices=[[5, 1], [-3, 1]], values=x[1:3], mode="clip")
    return a @ a * x[0] + b @ (b * x)


_X = np.array([0.6, -0.7, 1.2, 0.5])

SAMPLES = {
    "put_by_method_where_places_repeat": [(_X,)],
    "out_that_is_none": [(np.array([0.7, -0.4, 1.3]),)],
    "map_after_a_write": [(_X,)],
    "map_in_a_loop_that_writes": [(_X,)],
    "map_over_three_that_are_written": [(_X,)],
    "map_with_a_log": [(_X,)],
    "first_of_a_map_with_a_log": [(_X,)],
    "map_of_a_method_of_what_changes": [(_X,)],
    "filter_in_a_loop_that_writes": [(_X, 0.1)],
    "filter_after_a_write": [(_X, 0.1)],
    "chain_after_a_write": [(_X,)],
    "partial_of_what_is_rebound": [(_X,)],
    "kept_by_an_object_and_a_closure": [(_X,)],
    "made_by_a_function": [(_X,)],
    "given_out_by_a_list": [(_X,)],
    "right_hand_side_of_what_is_rebound": [(_X,)],
}
