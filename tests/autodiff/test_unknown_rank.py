"""Items of arrays of a rank known when the code runs: rows are followed, numbers that become new are refused."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([1.17, 2.21, 1.37])


def _either(x, n):
    """A vector where n is 1, else a matrix."""
    y = x * 1.0
    if n > 1:
        y = np.outer(x, x)
    return y


def item_scaled(x, n):
    y = np.squeeze(np.outer(x, x)[[0] * n])  # a vector where n is 1
    s = y[0]
    t = s
    s *= x[1]
    return np.sum(s * s * t) + np.sum(y)


def item_of_either(x, n):
    y = _either(x, n)
    s = y[0]
    t = s
    s -= x[1]
    return np.sum(s * t)


def index_of_either(x, n):
    s = x[0 if n == 1 else [0, 1]]
    t = s
    s *= x[1]
    return np.sum(s * t)


def viewed_and_written(x, n):
    y = _either(x, n)
    s = y[0]
    t = s[None]
    t *= 2.0
    return np.sum(t * s)


def changed_by_name(x, n):
    y = _either(x, n)
    t = y[1]
    t += y[0]
    t *= 2.0
    return np.sum(t * t)


def spread_and_written(x, n):
    y = _either(x, n)
    s = np.broadcast_to(y[0], (3,))
    y[0] = 7.0
    return np.sum(s * s)


FUNCTIONS = (item_scaled, item_of_either, index_of_either, viewed_and_written, changed_by_name, spread_and_written)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_rows_are_followed(f):
    h = 1e-6
    slopes = [(f(X + h * e, 2) - f(X - h * e, 2)) / (2 * h) for e in np.eye(3)]
    assert np.allclose(ad.grad(f)(X, 2), slopes, rtol=1e-6)
    assert ad.jvp(f, (X, 2), (np.ones(3), None))[1] == pytest.approx(sum(slopes), rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_numbers_are_refused_where_they_are_met(f):
    for run in (lambda: ad.grad(f)(X, 1), lambda: ad.jvp(f, (X, 1), (np.ones(3), None)), lambda: ad.vjp(f, X, 1)):
        with pytest.raises(ad.Unsupported, match=r"becomes something new .*test_unknown_rank\.py:\d") as found:
            run()
        assert found.value.place is not None and "bind the name anew" in found.value.remedy


def stored_back(x, n):
    y = _either(x, n)
    y[0] -= x[0]
    for k in range(3):
        y[k] *= x[1]
    return np.sum(y * y)


def test_items_that_are_stored_back_are_followed():
    for n in (1, 2):
        h = 1e-6
        slopes = [(stored_back(X + h * e, n) - stored_back(X - h * e, n)) / (2 * h) for e in np.eye(3)]
        assert np.allclose(ad.grad(stored_back)(X, n), slopes, rtol=1e-6)


def dotted(x):
    o = np.zeros(())
    r = np.dot(x, x, out=o)
    r *= 2.0
    return r * o


def clipped(x):
    o = np.zeros(())
    r = np.clip(x[0], 0.0, 5.0, out=o)
    return r * o


@pytest.mark.parametrize("f", [dotted, clipped])
def test_out_without_axes_beside_a_number(f):
    """The result is a number, and not what `out` is."""
    with pytest.raises(ad.Unsupported, match="out= of an array without axes") as found:
        ad.grad(f)(X)
    assert found.value.place is not None


def item_bound_anew(x, n):
    y = _either(x, n)
    s = y[0]
    t = s
    s = s * x[1]
    return np.sum(s * t)


@pytest.mark.parametrize("n", [1, 2])
def test_bound_anew_they_are_followed(n):
    h = 1e-6
    slopes = [(item_bound_anew(X + h * e, n) - item_bound_anew(X - h * e, n)) / (2 * h) for e in np.eye(3)]
    assert np.allclose(ad.grad(item_bound_anew)(X, n), slopes, rtol=1e-6)


@pytest.mark.parametrize("make", [np.squeeze, np.transpose, lambda s: np.reshape(s, ()), np.flip])
@pytest.mark.parametrize("cls", [float, np.float64, np.array])
def test_arrays_without_axes(make, cls):
    """A Python number becomes one, where a number of NumPy's stays what it is."""

    def f(s):
        a = make(s)
        b = a
        a *= 1.5
        return a * b * s

    value, gradient = ad.value_and_grad(f)(cls(1.3))
    h = 1e-6
    assert value == f(cls(1.3))
    assert gradient == pytest.approx((f(cls(1.3 + h)) - f(cls(1.3 - h))) / (2 * h), rel=1e-7)
    assert ad.jvp(f, (cls(1.3),), (cls(1.0),))[1] == pytest.approx(float(gradient), rel=1e-12)


def summed_neighbours(x, n):
    rows = [x * j for j in range(n)]
    return np.sum((np.sum(rows, axis=0) + x) ** 2)


def pairs_of_any_number(x, n):
    return np.sum(np.array([(x[j], x[0]) for j in range(n)]).sum(axis=0) * x[1])


@pytest.mark.parametrize("transform", [ad.grad, ad.jacfwd, ad.hessian])
@pytest.mark.parametrize("function", [summed_neighbours, pairs_of_any_number])
def test_an_array_of_an_empty_list_is_refused_when_it_is_met(transform, function):
    """It has one axis, and sums to a number: other shapes than those of the items."""
    assert np.any(transform(function)(X, 2))
    with pytest.raises(ad.Unsupported, match="an array of an empty list") as found:
        transform(function)(X, 0)
    assert found.value.place is not None and found.value.remedy


# -- which class such an item has ------------------------------------------------------------------


def asked_of_instance(x, n):
    s = _either(x, n)[0]
    return np.sum(s * s) if isinstance(s, np.ndarray) else s * 3.0


def asked_of_several(x, n):
    s = _either(x, n)[0]
    return np.sum(s * s) if isinstance(s, (list, tuple, np.ndarray)) else s * 3.0


def asked_of_number(x, n):
    s = _either(x, n)[0]
    return s * 3.0 if isinstance(s, float) else np.sum(s * s)


def asked_of_type(x, n):
    s = _either(x, n)[0]
    return np.sum(s * s) if type(s) is np.ndarray else s * 3.0


def asked_of_attribute(x, n):
    s = _either(x, n)[0]
    return np.sum(s * s) if hasattr(s, "__setitem__") else s * 3.0


def asked_with_default(x, n):
    s = _either(x, n)[0]
    return s * 3.0 if getattr(s, "is_integer", None) is not None else np.sum(s * s)


def asked_of_numpy(x, n):
    s = _either(x, n)[0]
    return s * 3.0 if np.isscalar(s) else np.sum(s * s)


def asked_of_reduced(x, n):
    s = np.sum(np.outer(x, x), axis=tuple(range(n)))
    return np.sum(s * s) if isinstance(s, np.ndarray) else s * 3.0


ASKED = (
    asked_of_instance, asked_of_several, asked_of_number, asked_of_type, asked_of_attribute, asked_with_default,
    asked_of_numpy, asked_of_reduced,
)  # fmt: skip


@pytest.mark.parametrize("f", ASKED)
@pytest.mark.parametrize("n", [1, 2])
def test_their_class_is_asked_when_the_code_runs(f, n):
    h = 1e-6
    slopes = [(f(X + h * e, n) - f(X - h * e, n)) / (2 * h) for e in np.eye(3)]
    value, gradient = ad.value_and_grad(f)(X, n)
    assert value == f(X, n) and np.allclose(gradient, slopes, rtol=1e-6)
    value, slope = ad.jvp(f, (X, n), (np.ones(3), None))
    assert value == f(X, n) and slope == pytest.approx(sum(slopes), rel=1e-6)


# -- what carries nothing --------------------------------------------------------------------------

M = np.outer(X, X)


def constant_scaled(x, n):
    s = np.sum(M, axis=tuple(range(n)))
    t = s
    s *= 2.0
    return np.sum(t * x)


def constants_scaled_in_a_loop(x, n):
    found = 0.0
    for k in range(n):
        s = np.sum(M, axis=tuple(range(n)))
        t = s
        s += k
        found = found + np.sum(t)
    return np.sum(x) * found


def constant_behind_a_view(x, n):
    s = np.sum(M, axis=tuple(range(n)))
    t = s[None]
    t *= 2.0
    return np.sum(s) * np.sum(x)


@pytest.mark.parametrize("f", [constant_scaled, constants_scaled_in_a_loop, constant_behind_a_view])
def test_constants_are_looked_at_too(f):
    """The value rests on what the write changes, whatever carries derivatives."""
    h = 1e-6
    slopes = [(f(X + h * e, 1) - f(X - h * e, 1)) / (2 * h) for e in np.eye(3)]
    assert np.allclose(ad.grad(f)(X, 1), slopes, rtol=1e-6)
    for run in (lambda: ad.grad(f)(X, 2), lambda: ad.jvp(f, (X, 2), (np.ones(3), None)), lambda: ad.vjp(f, X, 2)):
        with pytest.raises(ad.Unsupported, match=r"becomes something new .*test_unknown_rank\.py:\d"):
            run()
