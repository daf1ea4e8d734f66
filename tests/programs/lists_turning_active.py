"""Lists that hold no derivatives at first, numbers or lists of them, and get some later."""

import numpy as np


def sums_of_sums(x):
    items = []
    for _ in range(len(x)):
        items.append(sum(items))
    items.append(x[0])
    return max(items) * 2.0 + sum(items)


def counted_then_set(x):
    items = [i for i in range(len(x))]
    items[2] = x[1]
    items.insert(1, x[0])
    del items[0]
    last = items.pop()
    return sum(v**2 for v in items) + last


def zeros_filled(x):
    total = [0] * len(x)
    for i in range(len(x)):
        total[i] = total[i - 1] + x[i]
    return total[-1] * total[1]


def rows_filled(x):
    rows = [[0] * 2 for _ in range(len(x))]
    for i in range(len(x)):
        rows[i] = [x[i], 2]
    return sum(a * a * b for a, b in rows)


def extended_and_turned(x):
    items = [i for i in range(len(x))]
    items.extend(x)
    items += [3, 4]
    items.reverse()
    return sum(v**2 for v in items) * items[2]


def numbers_beside(x):
    items = [1, x[0], 2.5]
    for i in range(len(x)):
        items.append(i * x[i])
        items.append(2)
        items.append(0.5)
    total = 0.0
    for v in items:
        total = total + v * v
    return total * np.sum(np.array(items))


_X = np.array([0.3, -0.7, 1.2, 0.5])

SAMPLES = {name: [(_X,)] for name in (
    "sums_of_sums", "counted_then_set", "zeros_filled", "rows_filled", "extended_and_turned", "numbers_beside",
)}  # fmt: skip
