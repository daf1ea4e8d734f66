"""Iterators and views that are made before what they go through is written: they show what is there when they are
gone through."""

import numpy as np


def _held(x):
    return [v * v for v in x if v > 0.1]


def mapped_then_grown(x):
    items = _held(x)
    m = map(lambda v: 2.0 * v, items)
    items.append(x[0] * x[1])
    return sum(m)


def mapped_then_cut(x):
    items = _held(x)
    m = map(lambda v: 2.0 * v, items)
    items.pop()
    return sum(m)


def mapped_then_emptied(x):
    items = _held(x)
    m = map(lambda v: 2.0 * v, items)
    items.clear()
    items.append(x[1] * x[2])
    return sum(m)


def mapped_then_changed(x):
    items = _held(x)
    m = map(lambda v: v * v, items)
    items[0] = x[1] * x[2]
    s = 0.0
    for v in m:
        s += v
    return s


def mapped_and_grown_between(x):
    items = _held(x)
    m = map(lambda v: v * v, items)
    first = next(m)
    items.append(x[0] * x[1])
    return first * sum(m)


def mapped_twice(x):
    items = _held(x)
    m = map(lambda v: v * v, map(lambda v: 2.0 * v, items))
    z = zip(items, map(lambda v: 3.0 * v, items))
    for k in range(2):
        items.append(x[k])
    return sum(m) + sum(v * w for v, w in z)


class _Record:
    def __init__(self, x):
        self.items = []
        for v in x:
            self.items.append(v * v)

    def values(self):
        return map(lambda v: 2.0 * v, self.items)


def mapped_by_a_method(x):
    record = _Record(x)
    values = record.values()
    record.items.append(x[0] * x[1])
    return sum(values)


def reversed_each_time(x):
    items = _held(x)
    s = 0.0
    for _ in range(3):
        for v in reversed(items):
            s = 0.5 * s + v
        items.append(s)
    return s


def views_of_a_dict(x):
    d = {i: v for i, v in enumerate(x)}
    keys, values, items = d.keys(), d.values(), d.items()
    d[9] = x[0] * x[1]
    return sum(keys) * sum(values) * sum(k * v for k, v in items)


def views_of_a_dict_that_loses_a_key(x):
    d = {i: v for i, v in enumerate(x)}
    keys, values, items = d.keys(), d.values(), d.items()
    del d[1]
    return sum(keys) * sum(values) * sum(k * v for k, v in items)


def views_of_an_emptied_dict(x):
    d = {i: v for i, v in enumerate(x)}
    keys, values, items = d.keys(), d.values(), d.items()
    d.clear()
    d[5] = x[1] * x[2]
    return sum(keys) * sum(values) * sum(k * v for k, v in items)


X = np.array([0.4, 0.7, 1.1])
SAMPLES = {
    f.__name__: [(X,)]
    for f in (
        mapped_then_grown, mapped_then_cut, mapped_then_emptied, mapped_then_changed, mapped_and_grown_between,
        mapped_twice, mapped_by_a_method, reversed_each_time, views_of_a_dict, views_of_a_dict_that_loses_a_key,
        views_of_an_emptied_dict,
    )
}  # fmt: skip
