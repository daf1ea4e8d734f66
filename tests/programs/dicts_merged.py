"""Dicts whose keys are met when the code runs, made of others with keywords, and united with others."""

import collections

import numpy as np


def with_keywords(x):
    d = {i: v for i, v in enumerate(x)}
    e = dict(d, k=3.0 * x[0], j=x[1])
    return sum(e.values()) * e["k"] * e["j"]


def items_with_keywords(x):
    d = {i: v * v for i, v in enumerate(x)}
    e = dict(d.items(), k=3.0 * x[0])
    return sum(e.values()) * e["k"]


def pairs_with_keywords(x):
    e = dict(zip(range(len(x)), x), k=3.0 * x[0])
    f = dict(enumerate(x), **{"k": x[1]})
    return sum(e.values()) * e["k"] + sum(f.values()) * f["k"]


def constants_with_keywords(x):
    e = dict({k: 1.0 for k in range(len(x))}, k=3.0)
    return sum(e.values()) * np.sum(x)


def united(x):
    d = {i: v * v for i, v in enumerate(x)}
    e = d | {7: x[0], 1: 5.0 * x[1]}
    return sum(e.values())


def united_with_what_is_known(x):
    d = {i: v * v for i, v in enumerate(x)}
    e = {7: x[0], 1: 4.0 * x[1]} | d
    return sum(e.values()) + e[7] * e[1]


def united_with_itself(x):
    d = {i: v * v for i, v in enumerate(x)}
    e = d | d
    e[0] = x[1]
    return sum(e.values()) * sum(d.values())


def united_in_place(x):
    d = {i: v * v for i, v in enumerate(x)}
    d |= {7: x[0], 0: 2.0 * x[1]}
    return sum(d.values())


def defaults_united(x):
    d = collections.defaultdict(float)
    for i, v in enumerate(x):
        d[i] += v * v
    e = d | {7: x[0]}
    d |= {0: x[1]}
    return sum(e.values()) * sum(d.values()) + e["other"]


def ordered_united(x):
    d = collections.OrderedDict()
    for i, v in enumerate(x):
        d[i] = v * v
    e = d | {7: x[0]}
    return sum(e.values())


def keys_united(x):
    d = dict.fromkeys(range(len(x)), x[0]) | {"q": x[1]}
    return sum(d.values())


def counted_with_keywords(x):
    d = collections.defaultdict(float, {i: v for i, v in enumerate(x)}, k=x[0] * x[1])
    return sum(v * v for v in d.values())


X = np.array([0.3, 0.7, 1.1])
SAMPLES = {
    f.__name__: [(X,)]
    for f in (
        with_keywords, items_with_keywords, pairs_with_keywords, constants_with_keywords, united,
        united_with_what_is_known, united_with_itself, united_in_place, defaults_united, ordered_united, keys_united,
        counted_with_keywords,
    )
}  # fmt: skip
