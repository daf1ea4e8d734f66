"""Sets in whose order something is done: it depends on how Python has filled them."""

import numpy as np

X = np.array([0.3, 0.7, 1.1])


def _in_turn(x, items):
    total = x
    for k in items:
        total = 0.5 * total + k * x
    return np.sum(total)


def gone_through(x):
    total = x
    for k in {8, 0, 16}:
        total = 0.5 * total + k * x
    for k in {16, 8}:
        total = 0.5 * total + k * x
    return np.sum(total)


def of_texts(x):
    total = x
    for name in {"a", "bc", "def", "ghij"}:
        total = 0.5 * total + len(name) * x
    return np.sum(total)


def under_a_name(x):
    sizes = {24, 16, 8, 0, 3}
    return _in_turn(x, sizes) + _in_turn(x, list(sizes)) * sum(k * i for i, k in enumerate(sizes))


def taken_apart_by_order(x):
    a, b, c = {16, 8, 0}
    first, *others = {"ab", "b", "cde"}
    return a * x[0] + b * x[1] ** 2 + c * x[2] + len(first) * x[0] + len(others[0]) * x[1]


def in_comprehensions(x):
    powers = [x ** (i + 1) * k for i, k in enumerate({-16, 8, 0})]
    powers += [len(name) * x * i for i, name in zip(range(3), {"ab", "b", "cde"})]
    return _in_turn(x, [k for k in {8, 0}]) + sum(np.sum(p) * (i + 1) for i, p in enumerate(powers))


def with_what_varies(x, n):
    m = 32
    return _in_turn(x, {n, 16, 0, 8, 24}) + _in_turn(x, {m, 16, 0, 8, 24})


def from_others(x):
    sizes = {8, 16, 24, 32, 40}
    names = {*"ab", "c"}
    names.add("d")
    return _in_turn(x, {*sizes, 48}) + _in_turn(x, {400, *sizes}) + _in_turn(x, map(ord, names | {"e"}))


def in_another(x):
    def inner(y):
        for name in {"a", "bc", "def"}:
            y = 0.5 * y + len(name) * x
        return y

    return np.sum(inner(x) * inner(x + 1.0))


def looked_into(x, n):
    known = {"ab", "b", "cde"}
    y = x if "b" * n in known else 2.0 * x
    return np.sum(y * y if "cde" in known and n in {10, 20, 1} else y)


SAMPLES = {
    "gone_through": [(X,)],
    "of_texts": [(X,)],
    "under_a_name": [(X,)],
    "taken_apart_by_order": [(X,)],
    "in_comprehensions": [(X,)],
    "with_what_varies": [(X, 32)],
    "from_others": [(X,)],
    "in_another": [(X,)],
    "looked_into": [(X, 1), (X, 2)],
}
