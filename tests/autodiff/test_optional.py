"""Arrays that may be None and are written in place: their shadows are None where they are."""

import numpy as np
import pytest

import adcompile as ad
from tests.programs.optional_arrays import SAMPLES, buffer_made_lazily, captured_by_a_derivative

X = np.array([1.3, 0.7, 2.1])


def doubled_or_none(x, n):
    out = x if n > 1 else None
    if out is not None:
        out *= x[0]
    return out


def unless_made(x, n, which):
    buf = None
    if n > 1:
        buf = x * 1.0
        buf *= x
    if which == "attribute":
        return buf.sum()
    if which == "shape":
        return x[0] * len(buf.shape)
    if which == "added":
        buf += x
        return x[0]
    return buf[0]


@pytest.mark.parametrize("which", ["attribute", "shape", "added", "item"])
@pytest.mark.parametrize("mode", [ad.grad(unless_made), lambda *a: ad.jvp(unless_made, a, (X, None, None))])
def test_what_none_raises_is_raised(which, mode):
    with pytest.raises(Exception) as expected:
        unless_made(X, 1, which)
    with pytest.raises(type(expected.value)) as found:
        mode(X.copy(), 1, which)
    assert str(found.value) == str(expected.value)


def test_results_and_restoration():
    for n in (1, 2):
        x = X.copy()
        value, pullback = ad.vjp(doubled_or_none, x, n)
        assert (value is None) == (n == 1)
        (bar, _) = pullback(None if n == 1 else np.ones(3))
        assert np.array_equal(x, X)
        assert np.allclose(bar, 0.0 if n == 1 else X[0] + np.array([np.sum(X), 0.0, 0.0]))


@pytest.mark.parametrize("n", [0, 1, 4])
def test_debug_mode_looks_at_them(n):
    with ad.config(debug=True):
        found = ad.grad(buffer_made_lazily)(X, n), ad.jacrev(ad.grad(buffer_made_lazily))(X, n)
    assert np.array_equal(found[0], ad.grad(buffer_made_lazily)(X, n))
    assert np.allclose(found[1], ad.hessian(buffer_made_lazily)(X, n))


@pytest.mark.parametrize("args", SAMPLES["captured_by_a_derivative"])
def test_a_derivative_puts_back_what_it_captured(args):
    assert ad.value_and_grad(captured_by_a_derivative)(*args)[0] == captured_by_a_derivative(*args)
