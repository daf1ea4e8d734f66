"""A loop that is tried in several ways leaves nothing of those that failed."""

import numpy as np

import adcompile as ad


def growing(x):
    items, seen = [], {}
    for k in range(len(x)):
        if k > 0:
            items.append(items[-1] * x[k])
        else:
            items = [x[0]]
        seen["last"] = items[-1]
    return sum(items) * seen["last"]


def test_a_loop_that_is_run_again():
    x = np.array([0.6, -0.7, 1.2])
    step = 1e-6
    slopes = [(growing(x + step * e) - growing(x - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(ad.grad(growing)(x), slopes, rtol=1e-7)
    assert ad.source(ad.grad(growing), x).count("for k in ") == 2
