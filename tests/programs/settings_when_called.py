"""Settings of NumPy's functions that are told when the code runs: how many axes, what shape, whether there is one."""

import numpy as np


def summed_over_the_rest(x, keep):
    """All axes but those that are kept, which may be all or none."""
    axes = tuple(i for i in range(x.ndim) if i not in keep)
    s = np.sum(x * x, axis=axes)
    return np.sum(s * np.max(x, axis=axes) * np.sin(s))


def averaged_over_a_few(x, k):
    s = (x * x).mean(axis=(0,) * k)
    t = np.add.reduce(np.outer(x, x), axis=tuple(range(k)))
    return np.sum(s * x) + np.sum(t * x)


def filled_with_a_value(x, k):
    y = np.full((3,) * k, x[0]) * x
    z = np.full(np.shape(x)[:k], x[1]) * x
    return np.sum(y * y) + np.sum(z**3)


def contracted(x, k):
    m = np.outer(x, np.cos(x))
    return np.sum(np.tensordot(m, m * m, axes=([0, 1][:k], [1, 0][:k])) ** 2)


def sorted_along_one_axis_or_all(m, x):
    along = None if x[0] > 1.0 else 0
    a = np.sort(m * x, axis=along)
    b = np.cumsum(m * x, axis=along)
    return np.sum(a[0] * x) + np.sum(b[-1] * x) + np.sum(np.median(m * x, axis=along) * x)


def axis_from_a_table(m, x, names):
    """The table holds more than axes, so that nothing is known of its items."""
    table = {"all": None, "rows": 0, "columns": 1, "both": (0, 1), "text": "rows"}
    total = 0.0
    for name in names:
        total = total + np.sum(np.sort(m * x, axis=table[name])[0] * x) * np.sum(np.repeat(x, 2, axis=table[name]))
    return total


def returned_with_its_weight(x, k):
    s = np.average(x, weights=x * x, returned=k > 0)
    return s[0] * s[1] if k > 0 else s * x[1]


def product_of_an_item(x, k):
    a = np.outer(x, x) if k else x * 1.0
    return np.sum(np.dot(a[0], 2.0) ** 2)


X = np.array([1.3, 0.4, 2.2])
M = np.array([[0.31, 0.83, 0.12], [0.2, 1.4, 0.9], [1.1, 0.5, 0.7]])
SAMPLES = {
    "summed_over_the_rest": [(M, [0]), (M, []), (M, [0, 1]), (X, [0]), (X, [])],
    "averaged_over_a_few": [(X, k) for k in (0, 1)],
    "filled_with_a_value": [(X, k) for k in (0, 1, 2)],
    "contracted": [(X, k) for k in (0, 1, 2)],
    "sorted_along_one_axis_or_all": [(M, X), (M, X * 0.5)],
    "axis_from_a_table": [(M, X, ["all", "rows"])],
    "product_of_an_item": [(X, k) for k in (0, 1)],
    "returned_with_its_weight": [(X, k) for k in (0, 1)],
}
