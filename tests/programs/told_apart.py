"""Equal values that are two objects, which the function can tell apart."""

import numpy as np


def by_identity(x):
    a, b = x * 2.0, x * 2.0
    return np.sum(a * b) * (2.0 if a is b else 1.0)


def by_difference(x):
    a, b = np.array(x), np.array(x)
    c = x[1:]
    d = x[1:]
    return np.sum(a * b) * (2.0 if a is not b else 1.0) + np.sum(c * d) * (3.0 if c is d else 1.0)


def by_number(x):
    a, b = x**2, x**2
    return np.sum(a * b) * (2.0 if id(a) == id(b) else 1.0) * len({id(v) for v in [x.copy(), x.copy(), a]})


def by_memory(x):
    a, b = np.sin(x), np.sin(x)
    zeros = 2.0 if np.may_share_memory(np.zeros(3), np.zeros(3)) else 1.0
    return np.sum(a * b) * (2.0 if np.shares_memory(a, b) else 1.0) * zeros


def by_member(x):
    a, b = x + 1.0, x + 1.0
    return np.sum(a) * (2.0 if any(v is b for v in [a]) else 1.0) * (3.0 if any(v is b for v in [a, b]) else 1.0)


def by_lists(x, n):
    rows = [x * k for k in range(n)]
    a, b = rows[1:], rows[1:]
    a.append(x)
    same = 2.0 if a is b else 1.0
    return sum(np.sum(r * r) for r in a) * same * len(b)


def by_nothing(x):
    """Nobody looks."""
    a, b = x * 2.0, x * 2.0
    return np.sum(a * b) * (1.0 if a is None else 2.0)


_X = np.array([0.9, 0.7, 1.3])
SAMPLES = {
    **{name: [(_X,)] for name in ("by_identity", "by_difference", "by_number", "by_memory", "by_member", "by_nothing")},
    "by_lists": [(_X, 3)],
}
