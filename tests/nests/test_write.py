"""The statements of nests: accumulators, reductions by row, conversions, what stands outside a loop."""

import numpy as np

from tests.nests.lowered import both
from tests.nests.test_lower import random


def totals(x, y):
    z = x * y + 1.0
    return np.sum(z * z) / (1.0 + np.sum(z))


def by_row(x):
    s = np.sum(x * x, axis=1)
    m = np.max(x, axis=1, keepdims=True)
    return np.sum((x - m) ** 2 / (s[:, None] + 1.0)) + np.sum(np.min(x * 2.0, axis=-1))


def test_sums_and_extremes():
    assert both(totals, random(7), random(7)).agree(random(7), random(7))
    assert both(totals, random(3, 4), random(3, 4)).agree(random(3, 4), random(3, 4))
    assert both(by_row, random(3, 4)).agree(random(3, 4))
    made = both(by_row, random(3, 4), kind="primal")
    assert made.agree(random(3, 4)) and not made.agree(random(3, 0)), "NumPy raises"


def weighted(x, n, f):
    y = x * n + f
    return np.sum(np.where(y > n, y * f, 0.0) + (x > f) * y)


def test_numbers_take_the_dtype_of_arrays():
    for dtype in (np.float64, np.float32):
        x = random(5).astype(dtype)
        made = both(weighted, x, 2, 0.5)
        assert made.agree(x, 2, 0.5)
    assert "np.float32" in made.text


def outer_values(x, w):
    y = x * w[:, None] + w[:, None] ** 2
    return np.sum(y * y)


def test_what_does_not_change_is_read_outside():
    made = both(outer_values, random(3, 4), random(3), kind="primal")
    lines = made.text.splitlines()
    inner = max(k for k, line in enumerate(lines) if "for " in line)
    assert any("w[i]" in line for line in lines[:inner]) and made.agree(random(3, 4), random(3))
