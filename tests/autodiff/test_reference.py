"""Forward mode of arrays by reference: tangents lie in memory as their arrays do."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.rules import registry

X = np.array([0.3, 0.7, 1.1, 0.45])
V = np.array([1.0, -2.0, 0.5, 0.7])
A = np.linspace(0.2, 1.7, 12).reshape(3, 4)


def agrees(f, x, v):
    def at(h):
        y = np.empty_like(x)
        y[...] = x + h * v
        return np.asarray(f(y))

    h = 1e-5
    slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    y = x.copy(order="K")
    value, tangent = ad.jvp(f, (y,), (v,))
    z = x.copy(order="K")
    np.testing.assert_allclose(value, f(z), rtol=1e-14)
    assert np.array_equal(y, z), "the state is the function's"
    np.testing.assert_allclose(tangent, slope, rtol=1e-7, atol=1e-9)
    return value, tangent


def returned_argument(x):
    x *= x
    return x


def returned_view(x):
    x[0] = x[1] ** 2
    return x[::-1]


def unchanged_tangent(x):
    """The tangent of y is that of a, as it was."""
    a = x * 2.0
    y = a + 5.0
    a *= 3.0
    return y * a


@pytest.mark.parametrize("f", [returned_argument, returned_view, unchanged_tangent], ids=lambda f: f.__name__)
def test_results(f):
    value, tangent = agrees(f, X, V)
    assert not np.shares_memory(value, tangent)
    before = tangent.copy()
    value += 1.0
    assert np.array_equal(tangent, before)


def test_the_tangent_given_is_not_written():
    v = V.copy()
    _, tangent = ad.jvp(returned_argument, (X.copy(),), (v,))
    assert np.array_equal(v, V) and not np.shares_memory(tangent, v)


def layouts(a):
    b = np.tanh(a.T)  # in the order of Fortran where a has that of C
    b[0] = b[1] ** 2
    c = np.where(b > 0.5, b, 0.1)
    flat = c.ravel()
    flat[1] = b[0, 0]
    d = b.reshape(-1)
    d[2] = 3.0
    return np.sum(b * c * d.reshape(b.shape))


@pytest.mark.parametrize("order", ["C", "F"])
def test_tangents_have_the_layout_of_their_arrays(order):
    agrees(layouts, np.array(A, order=order), np.cos(A))


def made_complex(x):
    z = x + 0j
    z.imag += x[::-1]
    z *= 1j
    return np.sum(np.abs(z) ** 2 * x)


def made_single(x):
    a = np.zeros(4)
    a[:] = x
    a += np.float32(2.0)
    return np.sum(a**2)


@pytest.mark.parametrize("f", [made_complex, made_single], ids=lambda f: f.__name__)
def test_tangents_have_the_dtype_of_their_arrays(f):
    agrees(f, X, V)


def test_rules_of_users_give_arrays_that_are_written():
    def cubes(x):
        return x**3

    @ad.rules.frule(cubes)
    def cubes_rule(x, x_dot):
        return x**3, 3.0 * x**2 * x_dot

    def f(x):
        y = cubes(x)
        y[0] = y[1] * x[2]
        return np.sum(y * x)

    try:
        agrees(f, X, V)
    finally:
        registry.unregister(cubes)


def test_second_tangents_of_memory():
    def f(x):
        a = x * 2.0
        a /= a + 5.0
        b = a[1:]
        b *= x[0]
        return np.sum(a**2)

    def along(x):
        return ad.jvp(f, (x,), (V,))[1]

    agrees(along, X, V)
    agrees(lambda x: ad.grad(f)(x) @ V, X, V)
    agrees(ad.grad(along), X, V)


def test_a_sum_back_to_a_shape_may_be_the_array_itself():
    """Where shapes are met at run time, `rt.unbroadcast` may give the shadow that a later iteration writes."""

    def squares(x, w):
        d = np.empty((len(x), 2))
        total = 0.0
        for i in range(len(x)):
            d[:] = x - x[i]
            total += np.sum(w * np.einsum("ij,ij->i", d, d) ** 2)
        return total

    x, w = np.array([[0.1, 1.2], [-0.4, 0.3], [0.8, -0.5]]), np.array([1.0, 0.5, 0.7])
    v, u = np.cos(x), np.sin(3.0 * x)
    expected = np.sum(ad.hvp(lambda y: squares(y, w), (x,), (v,)) * u)
    along = ad.grad(lambda y: ad.jvp(squares, (y, w), (v, None))[1])(x)
    np.testing.assert_allclose(np.sum(along * u), expected, rtol=1e-12)
