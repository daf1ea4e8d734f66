"""List, dict, set and generator comprehensions."""

import math

import numpy as np


def list_comprehension(x):
    ys = [x * i for i in range(4)]
    return sum(y * y for y in ys)


def list_comprehension_filtered(x):
    ys = [v * v for v in x if v > 0]
    return sum(ys)


def nested_comprehension(x):
    return sum([sum([x * i + j * j for j in range(i)]) for i in range(4)])


def two_fors(x, y):
    return sum([a * b * b for a in x for b in y if a != b])


def dict_comprehension(x):
    d = {n: x**n for n in range(1, 4)}
    s = 0.0
    for k, v in d.items():
        s += v / k
    return s


def set_comprehension_inert(x):
    sizes = {len(word) for word in ("a", "bc", "de")}
    return x ** len(sizes)


def generator_argument(x):
    return math.fsum(math.sin(v) for v in x)


def array_of_comprehension(x):
    a = np.array([x * i + 1.0 for i in range(3)])
    return np.sum(np.log(a))


def array_of_array_comprehension(a):
    return np.sum(np.array([row * row[0] for row in a]) ** 2)


def comprehension_calls_closure(x, w):
    def f(v):
        return v * w

    return np.sum(np.stack([np.sin(f(v)) for v in x]))


def comprehension_of_tuples(x):
    pairs = [(v, v * v) for v in x]
    return sum(a * b for a, b in pairs)


def comprehension_over_zip(x, y):
    return sum([a / b for a, b in zip(x, y)])


def starred_in_list(x):
    parts = [x, *[x * 2.0, x * x], 1.0]
    return parts[1] * parts[2] + parts[-1]


SAMPLES = {
    "list_comprehension": [(0.7,)],
    "list_comprehension_filtered": [(np.array([0.5, -1.0, 1.4]),)],
    "nested_comprehension": [(0.7,)],
    "two_fors": [(np.array([0.5, -1.0]), np.array([1.2, 0.4, 0.3]))],
    "dict_comprehension": [(0.7,)],
    "set_comprehension_inert": [(0.7,)],
    "generator_argument": [(np.array([0.5, -1.0, 1.4]),)],
    "array_of_comprehension": [(0.7,)],
    "array_of_array_comprehension": [(np.array([[0.5, -1.0, 1.4], [0.2, 0.8, -0.3]]),)],
    "comprehension_calls_closure": [(np.array([0.5, -1.0]), 1.3)],
    "comprehension_of_tuples": [(np.array([0.5, -1.0]),)],
    "comprehension_over_zip": [(np.array([0.5, -1.0]), np.array([1.2, 0.4]))],
    "starred_in_list": [(0.7,)],
}
