"""Writes into arrays whose number of axes is decided at run time: `y[1]` is a number or a row."""

import numpy as np

FIRST_AXIS = slice(1, 4)
BOTH = (slice(0, 3), slice(1, None))


def _some_of(x, k):
    return x[BOTH if k.size > 50 else FIRST_AXIS]


def item_squared(x, k):
    y = _some_of(x, k)
    y[0] = y[1] ** 2
    return np.sum(x**2)


def item_read_before_its_write(x, k):
    y = _some_of(x, k)
    t = y[1]
    y[1] = y[0] * 3.0
    y[0] = t * t
    return np.sum(x**2) * np.sum(t)


def item_scaled(x, k):
    y = _some_of(x, k)
    y[1] *= y[0]
    y[1] *= 2.0
    return np.sum(x**2)


def items_in_a_loop(x, k):
    y = _some_of(x, k)
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1]
        y[i] += y[i - 1]
    return np.sum(x**3)


def items_unpacked(x, k):
    y = _some_of(x, k)
    a, b, c = y
    y[0], y[1] = b * c, a * b
    return np.sum(x**2) * np.sum(a * b)


def item_changed_by_name(x, k):
    y = _some_of(x, k)
    t = y[1]
    t += y[0]
    t *= 2.0
    y[2] = t
    return np.sum(x**2) * np.sum(t)


def item_from_the_end(x, k):
    y = _some_of(x, k)
    v = y[-1]
    y[-1] += v
    y[-1] -= 3.0 * y[0]
    return np.sum(x**2) * np.sum(v)


X = np.array([0.3, 0.7, 1.1, 0.45, 2.0])
Y = np.arange(1.0, 16.0).reshape(5, 3) * 0.13
POINTS = [(X, np.zeros(3)), (Y, np.zeros(3)), (Y, np.zeros(60))]
SAMPLES = {
    name: POINTS
    for name in (
        "item_squared",
        "item_read_before_its_write",
        "item_scaled",
        "items_in_a_loop",
        "items_unpacked",
        "item_from_the_end",
    )
} | {"item_changed_by_name": POINTS[1:]}  # of numbers it is refused: tests/autodiff/test_unknown_rank
