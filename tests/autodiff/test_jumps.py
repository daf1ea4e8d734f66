"""Numbers without a derivative that an iteration leaves unused when it jumps."""

import numpy as np
import pytest

import adcompile as ad


def roots_until(x, weights):
    last = x
    for k in weights:
        t = np.sqrt(x * k)
        if k == 0:
            break
        last = last * t
    return np.sum(last)


def roots_in_turn(x, weights):
    k, last = 0, x
    while True:
        t = np.sqrt(x * weights[k]) + x
        if weights[k] == 0:
            break
        k += 1
        last = last + t * last
    return np.sum(last)


def roots_returned(x, weights):
    last = x
    for k in weights:
        t = np.sqrt(x * k)
        if k == 0:
            return np.sum(last * last)
        last = last * t
    return np.sum(last)


def roots_within(x, weights):
    """Two loops, and a jump behind a branch."""
    total = 0.0
    for j in range(2):
        for k in weights:
            t = np.sqrt(x * k) * (j + 1)
            if j == 1:
                t = t + x
            if k == 0:
                continue
            total = total + np.sum(t * x)
    return total


@pytest.mark.parametrize("f", [roots_until, roots_in_turn, roots_returned, roots_within])
@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_used_has_no_part_in_the_gradient(f, backend):
    x, weights = np.array([0.3, 0.5]), [2, 0, 3]
    steps = 1e-6 * np.eye(2)
    expected = [(f(x + h, weights) - f(x - h, weights)) / 2e-6 for h in steps]
    assert np.allclose(ad.grad(f, backend=backend)(x, weights), expected, rtol=1e-7)
    second = [(ad.grad(f)(x + h, weights) - ad.grad(f)(x - h, weights)) / 2e-6 for h in steps]
    assert np.allclose(ad.jacfwd(ad.grad(f, backend=backend))(x, weights), second, rtol=1e-6, atol=1e-8)
