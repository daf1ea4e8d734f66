"""Cheap arithmetic is done again in the reverse sweep; what costs more is kept."""

import math

import numpy as np
import pytest

import adcompile as ad


def products(x, a, n):
    for _ in range(n):
        t = a * x
        x = x + 0.01 * t * x
    return x


def sines(x, n):
    for _ in range(n):
        x = math.sin(x)
    return x


def chain(x):
    if x < 1.0:
        y = x * x
    elif x * x < 6.0:
        y = 3.0 * x * x
    elif math.sin(x) < 0.5:
        y = x**3
    else:
        y = x
    return y


def slope(f, x, *rest):
    h = 1e-6
    return (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)


def test_products_of_kept_values_are_not_kept():
    source = ad.source(ad.grad(products), 0.5, 1.5, 10)
    assert source.count("append") == 1
    assert ad.grad(products)(0.5, 1.5, 10) == pytest.approx(slope(products, 0.5, 1.5, 10), rel=1e-7)


def test_calls_are_kept():
    assert ad.source(ad.grad(sines), 0.5, 10).count("append") == 1


def test_tests_of_branches_are_made_again():
    source = ad.source(ad.grad(chain), 0.5)
    assert source.count("math.sin") == 1
    assert "= x * x < 6.0" not in source
    for x in (0.5, 2.0, 2.8, 7.5):
        assert ad.grad(chain)(x) == pytest.approx(slope(chain, x), rel=1e-6)


def test_pullbacks_too():
    value, pullback = ad.vjp(chain, 2.0)
    assert value == chain(2.0)
    assert pullback(1.0) == pytest.approx((slope(chain, 2.0),), rel=1e-6)
    assert np.isfinite(pullback(2.0)[0])


def ranged(x, flags):
    s = 0.0
    for i in range(len(x)):
        if flags[i] > 0:
            p = 1.0
            for j in range(i, min(len(x), i + 3)):
                p = p * x[j]
            s += p
    return s


def indexed(a, x):
    s = 0.0
    for i in range(len(x)):
        k, m = int(x[i]), int(2.0 * x[i])
        s += a[k, m] * a[k + 1, m] * x[i]
    return s


def sliced(a, flags):
    u = a * 1.0
    for i in range(1, len(flags)):
        if flags[i] > 0:
            u[i, 1:-1] = u[i, 1:-1] * u[i - 1, :-2]
    return np.sum(u * u)


@pytest.mark.parametrize(
    ("f", "args", "kept"),
    [
        (ranged, (np.array([0.5, 1.5, 2.5]), np.array([1, 0, 1])), {"range("}),
        (indexed, (np.ones((4, 6)), np.array([0.5, 1.5])), {"append((", "k, m)"}),
        (sliced, (np.ones((3, 5)), np.array([1, 0, 1])), {"slice(", "append((", "(i, ", "None, "}),
    ],
    ids=["range", "tuple", "slice"],
)
def test_indices_and_ranges_are_made_again_of_their_numbers(f, args, kept):
    g = ad.grad(f)
    g(*args)
    forward = ad.source(g, *args).partition("reversed(")[0]
    lines = [line for line in forward.splitlines() if not line.lstrip().startswith("for ")]
    assert not any(text in line for line in lines for text in kept)


def clipped(x, some):
    """A window that ends where the array does, on one path alone."""
    total = 0.0
    for i in range(len(x)):
        if some[i] != 1:
            continue
        s = 0.0
        for j in range(max(0, i - 2), min(len(x), i + 3)):
            s += np.exp(x[j])
        total += x[i] - np.log(s)
    return total


def test_smaller_and_larger_integers_are_asked_again():
    x, some = np.linspace(-0.5, 0.8, 7), np.array([1, 0, 1, 1, 0, 0, 1])
    source = ad.source(ad.grad(clipped), x, some)
    assert source.count("min(") == source.count("max(") == 2
    ad.check_grads(clipped, (x, some), order=1)
