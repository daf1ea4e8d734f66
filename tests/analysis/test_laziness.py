"""Iterators whose items would be made too early: what is refused, and what is not."""

import itertools

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.6, -0.7, 1.2, 0.5])


def pairs(x):
    y = list(x)
    total = 0.0
    for a, b in itertools.pairwise(y):
        y[2] = a * b
        total += a * b
    return total


def sums(x):
    y = x.copy()
    total = 0.0
    for v in itertools.accumulate(y, lambda a, b: a * b + 1):
        y[3] = v + y[3]
        total += v
    return total


def products(x):
    y = x.copy()
    total = 0.0
    for a, b in itertools.product(y, y):
        y[3] = a
        total += a * b
    return total


def products_later(x):
    y = x.copy()
    both = itertools.product(y, y)
    y[3] = x[0]
    total = 0.0
    for a, b in both:
        total += a * b
    return total


def chained(x):
    y = x.copy()
    total = 0.0
    for v in itertools.chain(y, x):
        y[2] = v * x[0]
        total += v
    return total


def taken_before(x):
    y = list(x)
    items = iter(y)
    first = next(items)
    y[1] = x[0] * first
    return next(items) * first


@pytest.mark.parametrize("function", [pairs, sums, products, products_later, chained, taken_before])
@pytest.mark.parametrize("transform", ["grad", "jvp"])
def test_what_is_written_into_too_late_is_refused(function, transform):
    with pytest.raises(ad.AdcompileError, match=r"writes into what its iterator|after the iterator was made") as error:
        if transform == "grad":
            ad.grad(function)(X)
        else:
            ad.jvp(function, (X,), (X,))
    assert "test_laziness.py" in str(error.value)


def elsewhere(x):
    """A loop that writes into other memory, and keeps what the items are made of."""
    out, scale, kept = np.zeros(len(x)), x[0], []
    for k, v in enumerate(itertools.accumulate(map(lambda v: v * scale, x))):
        out[k] = v * v
        kept.append(v)
    for a, b in itertools.product(x, x):
        out[0] += a * b
    for v in itertools.chain(x, kept):
        out[1] += v
    return np.sum(out) * kept[1]


def test_what_is_written_elsewhere_is_not_refused():
    step = 1e-6
    slopes = [(elsewhere(X + step * e) - elsewhere(X - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(ad.grad(elsewhere)(X), slopes, rtol=1e-7)
