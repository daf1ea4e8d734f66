"""Assignment to several targets: swaps, stars, nesting, arrays and shapes."""

import numpy as np


def swap(x, y):
    x, y = y * y, x
    return x - 3.0 * y


def chained_assignment(x):
    a = b = x * x
    return a * b + a


def starred_head_tail(x):
    first, *rest = x
    s = first * first
    for v in rest:
        s += first * v
    return s


def starred_middle(x):
    a, *middle, z = x
    return a * z + sum(middle) * a


def nested_targets(x, y):
    (a, (b, c)), d = (x, (y, x * y)), y * y
    return a * b + c * d


def array_unpacks(x):
    a, b, c = x
    return a * b**2 + np.sin(c)


def matrix_unpacks_to_rows(m):
    r0, r1 = m
    return r0 @ (r1 * r0)


def shape_unpacks(m):
    rows, columns = m.shape
    return np.sum(m) ** 2 / (rows * columns)


def fibonacci_rebinding(x):
    a, b = x, 1.0
    for _ in range(6):
        a, b = b, a * 0.3 + b
    return a * b


def unpack_argument_pair(pair):
    a, b = pair
    return a * b + a


def unpack_dict_items(d):
    s = 0.0
    for name, (low, high) in d.items():
        s += (high - low) ** 2 * len(name)
    return s


def unpack_slice(x):
    a, b = x[1:3]
    return a * b


SAMPLES = {
    "swap": [(0.7, 1.3)],
    "chained_assignment": [(0.7,)],
    "starred_head_tail": [(np.array([0.5, -1.0, 1.4]),)],
    "starred_middle": [(np.array([0.5, -1.0, 1.4, 0.3]),)],
    "nested_targets": [(0.7, 1.3)],
    "array_unpacks": [(np.array([0.5, -1.0, 1.4]),)],
    "matrix_unpacks_to_rows": [(np.array([[0.5, -1.0, 1.4], [0.2, 0.8, -0.3]]),)],
    "shape_unpacks": [(np.array([[0.5, -1.0, 1.4], [0.2, 0.8, -0.3]]),)],
    "fibonacci_rebinding": [(0.7,)],
    "unpack_argument_pair": [((0.7, 1.3),)],
    "unpack_dict_items": [({"a": (0.7, 1.3), "bcd": (-0.2, 0.4)},)],
    "unpack_slice": [(np.array([0.5, -1.0, 1.4, 0.3]),)],
}
