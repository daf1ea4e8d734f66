"""Arrays that may be None and are written in place: their shadows are None where they are. And read-only arrays, which
other paths write into."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.testing import check_grads
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


TABLE = np.array([1.0, 2.0, 3.0])
TABLE.flags.writeable = False


def on_one_path(x, b):
    if x[0] > 100.0:
        b[0] = x[1]
    return np.sum(x * b)


def under_another_name(x, b):
    c = b if x[0] > 100.0 else x * 1.0
    c *= 2.0
    return np.sum(c * x * b)


def of_the_module(x, b):
    y = TABLE if x[0] > 100.0 else x * b
    y *= x[1]
    return np.sum(y * TABLE)


def in_a_loop_without_turns(x, b):
    for i in range(int(b[0]) - 1):
        b[i] = x[i]
    return np.sum(x * x * b)


def in_a_list(x, b):
    buffers = [b, x * 1.0]
    buffers[1 if x[0] < 100.0 else 0] *= x
    return np.sum(buffers[1]) + np.sum(b * x)


def by_a_view(x, b):
    w = b.reshape(1, -1)
    if x[0] > 50.0:
        w += x
    return np.sum(w * x)


def as_a_buffer(x, b):
    if x[0] > 50.0:
        np.exp(x, out=b)
    return np.sum(b * x * x)


def within(x, b):
    return np.sum(ad.grad(lambda z: on_one_path(z * z, b))(x) * x) + ad.vjp(on_one_path, x, b)[1](1.0)[0][1] * x[0]


READ_ONLY = [on_one_path, under_another_name, of_the_module, in_a_loop_without_turns, in_a_list, by_a_view, as_a_buffer]
READ_ONLY += [within]


@pytest.mark.parametrize("f", READ_ONLY)
def test_read_only_arrays_that_other_paths_write_into(f):
    b = np.ones(3)
    check_grads(f, (X, b))
    expected = ad.grad(f)(X, b)
    b.flags.writeable = False
    assert np.array_equal(ad.grad(f)(X, b), expected)
    pullback = ad.vjp(f, X, b)[1]
    assert all(np.array_equal(pullback(1.0)[0], expected) for _ in range(2))
    assert np.array_equal(b, np.ones(3)) and not b.flags.writeable
    tangent = ad.jvp(ad.grad(f), (X, b), (X, np.zeros(3)))[1]
    assert np.allclose(tangent, (ad.grad(f)(X * (1 + 1e-6), b) - ad.grad(f)(X * (1 - 1e-6), b)) / 2e-6, atol=1e-6)


def test_a_read_only_array_that_is_written_into_raises_what_the_function_raises():
    b = np.ones(3)
    b.flags.writeable = False
    for f in (on_one_path, by_a_view, as_a_buffer):
        with pytest.raises(ValueError) as expected:
            f(X + 200.0, b)
        with pytest.raises(ValueError) as caught:
            ad.grad(f)(X + 200.0, b)
        assert str(caught.value) == str(expected.value)
