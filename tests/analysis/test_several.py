"""Each of several arguments is followed by itself: a view of an array, memory of its own for a number or a list."""

import numpy as np
import pytest

import adcompile as ad


@pytest.mark.parametrize("fn", [np.atleast_1d, np.atleast_2d, np.atleast_3d])
def test_views_and_new_memory(fn):
    def f(x, s):
        a, b, c = fn(x, s, [s, x[0]])
        a *= 2.0
        b *= s
        c += b
        return np.sum(a * a) + np.sum(x * b) + np.sum(c * c)

    x, s, h = np.array([0.5, 1.5]), 0.7, 1e-6
    by_x, by_s = ad.grad(f, (0, 1))(x.copy(), s)
    for k, unit in enumerate(np.eye(2)):
        slope = (f(x + h * unit, s) - f(x - h * unit, s)) / (2 * h)
        assert by_x[k] == pytest.approx(slope, rel=1e-7)
    assert by_s == pytest.approx((f(x.copy(), s + h) - f(x.copy(), s - h)) / (2 * h), rel=1e-7)
    assert ad.jvp(f, (x.copy(), s), (np.ones(2), 1.0))[1] == pytest.approx(np.sum(by_x) + by_s, rel=1e-12)


def test_the_result_is_what_numpy_gives():
    assert ad.grad(lambda x: float(type(np.atleast_1d(x, 2.0)) is type(np.atleast_1d(0, 0))) * x)(3.0) == 1.0
