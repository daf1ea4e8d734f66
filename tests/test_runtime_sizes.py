"""Sizes that only the run tells: one compiled derivative for operands of every size.

Specialisation knows whether a dimension is one; slices, masks and reshapes make dimensions of
which that is not known. For each binary operation one `ad.grad` object serves all sizes, and is
compared with differences and with an object that is compiled afresh.
"""

import operator

import numpy as np
import pytest

import adcompile as ad
from tests.checks import agrees_with_differences, bits

SIZES = (0, 1, 2, 5)
SMALL = (1, 2, 5)  # sizes that broadcast against each other only where one of them is 1

# Both operands positive and apart from each other, so that none has a kink near the points.
BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod,
    np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot,
    np.arctan2, np.logaddexp, np.logaddexp2, np.copysign, np.float_power, np.remainder, np.fmod,
]  # fmt: skip


def points(n, seed):
    return np.random.default_rng(seed).uniform(0.6, 1.4, n)


def compatible(m, n):
    return m == n or m == 1 or n == 1


def by_slices(op):
    def f(x, y, m, n):
        return np.sum(op(x[:m], y[:n] + 2.0) * 1.5)

    return f


def by_masks(op):
    def f(x, y, m, n):
        return np.sum(op(x[np.arange(6) < m], y[np.arange(12) < n] + 2.0) ** 2)

    return f


def by_reshapes(op):
    def f(x, y, m, n):
        return np.sum(op(x[:m].reshape(m, 1), y[:n].reshape(1, n) + 2.0) ** 2)

    return f


def by_reshapes_of_one_axis(op):
    def f(x, y, m, n):
        return np.sum(op(x[:m].reshape((-1,)), y[: n * 2].reshape((n, 2))[:, 0] + 2.0) ** 2)

    return f


def with_scalars(op):
    def f(x, y, m, n):
        return np.sum(op(x[:m], 2.5) * op(0.7, y[:n] + 2.0)[:1]) + np.sum(op(x[0], y[:n] + 2.0))

    return f


MAKERS = [by_slices, by_masks, by_reshapes, by_reshapes_of_one_axis, with_scalars]


@pytest.mark.parametrize("op", BINARY, ids=lambda op: f"{op.__module__}.{op.__name__}")
@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__)
def test_one_derivative_for_all_sizes(make, op):
    f = make(op)
    gradient = ad.value_and_grad(f, argnums=(0, 1))
    x, y = points(6, 0), points(12, 1)
    pairs = [(m, n) for m in SIZES for n in SIZES if make is by_reshapes or compatible(m, n)]
    if make is with_scalars:
        pairs = [(m, n) for m in SIZES for n in SIZES if n > 0]
    found = {}
    for m, n in (*pairs, *reversed(pairs)):
        value, grads = gradient(x, y, m, n)
        assert bits(value) == bits(f(x, y, m, n)), (m, n)
        assert [g.shape for g in grads] == [x.shape, y.shape]
        assert found.setdefault((m, n), bits(grads)) == bits(grads), (m, n)
        along = (points(6, 2), points(12, 3))
        slope = float(np.sum(grads[0] * along[0]) + np.sum(grads[1] * along[1]))
        agrees = agrees_with_differences(f, (x, y, m, n), (*along, None, None), 1.0, slope, abs(slope))
        assert agrees is True, (m, n, agrees)
    for m, n in pairs[:: len(pairs) // 3]:
        ad.clear()
        assert bits(ad.value_and_grad(make(op), argnums=(0, 1))(x, y, m, n)[1]) == found[m, n], (m, n)


@pytest.mark.parametrize("op", [operator.mul, operator.truediv, np.maximum, np.hypot], ids=lambda op: op.__name__)
def test_arguments_of_every_size_at_one_handle(op):
    """The arguments themselves change size: a dimension of one is another specialisation of the same object."""

    def f(x, y):
        return np.sum(op(x, y + 2.0) ** 2)

    gradient = ad.grad(f, argnums=(0, 1))
    for m in SIZES:
        for n in SIZES:
            for x, y in ((points(m, 0), points(n, 1)), (points(m, 0)[:, None], points(n, 1)[None, :])):
                if x.ndim == 1 and not compatible(m, n):
                    continue
                dx, dy = gradient(x, y)
                assert dx.shape == x.shape and dy.shape == y.shape
                along = (points(m, 2).reshape(x.shape), points(n, 3).reshape(y.shape))
                slope = float(np.sum(dx * along[0]) + np.sum(dy * along[1]))
                agrees = agrees_with_differences(f, (x, y), along, 1.0, slope, abs(slope))
                assert agrees is True, (m, n, agrees)


def sliced_sum(x, n):
    return np.sum(x[:n] * x[1:])


def sliced_matmul(a, b, k):
    return np.sum((a[:, :k] @ b[:k]) ** 2)


def sliced_outer(x, m, n):
    return np.sum(np.outer(x[:m], x[:n]) ** 2)


def sliced_where(x, m, n):
    return np.sum(np.where(x[:m] > 1.0, x[:m] * 2.0, x[:n] ** 2))


def sliced_concatenate(x, m, n):
    return np.sum(np.concatenate((x[:m], x[:n] * 2.0))[::2] ** 2)


def sliced_mean(x, m):
    return np.mean(x[:m]) * np.var(x[:m])


def sliced_dot(x, y, k):
    return np.dot(x[:k], y[:k]) + x[:k] @ y[:k]


def stacked(x, m, n):
    return np.sum(np.stack((x[:m], x[:m] * 3.0)) * x[:n])


OTHERS = [
    (sliced_sum, lambda: [(points(n, 0), n - 1) for n in (1, 2, 3, 6)] + [(points(n, 0), 1) for n in (2, 3, 6)]),
    (sliced_matmul, lambda: [(points(30, 0).reshape(6, 5), points(10, 1).reshape(5, 2), k) for k in SIZES]),
    (sliced_outer, lambda: [(points(6, 0), m, n) for m in SIZES for n in SIZES]),
    (sliced_where, lambda: [(points(6, 0), m, n) for m in SIZES for n in SIZES if compatible(m, n)]),
    (sliced_concatenate, lambda: [(points(6, 0), m, n) for m in SIZES for n in SIZES]),
    (sliced_mean, lambda: [(points(6, 0), m) for m in SMALL]),
    (sliced_dot, lambda: [(points(6, 0), points(6, 1), k) for k in SIZES]),
    (stacked, lambda: [(points(6, 0), m, n) for m in SIZES for n in SIZES if compatible(m, n)]),
]


@pytest.mark.parametrize("f, samples", OTHERS, ids=lambda v: getattr(v, "__name__", ""))
def test_other_functions_of_sizes_unknown(f, samples):
    gradient, calls = ad.grad(f), samples()
    found = []
    for args in calls:
        g = gradient(*args)
        found.append(bits(g))
        along = (np.random.default_rng(3).standard_normal(args[0].shape), *[None] * (len(args) - 1))
        slope = float(np.sum(g * along[0]))
        agrees = agrees_with_differences(f, args, along, 1.0, slope, abs(slope))
        assert agrees is True, (args[1:], agrees)
    ad.clear()
    for args, expected in zip(reversed(calls), reversed(found)):
        assert bits(ad.grad(f)(*args)) == expected, args[1:]
