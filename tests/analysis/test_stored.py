"""Calls that store: `out=` by name and position, in a tuple, and parts of arrays."""

import functools

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.3, 0.7, 1.1, 0.45])
M = np.array([[0.3, 0.7], [1.1, 0.45]])


def into(call, shape):
    """A function that lets `call` store into an array, and reads that."""

    def stored(x):
        out = np.full(shape, 0.5)
        call(x, out)
        return np.sum(out**3)

    return stored


OUT = {
    "ufunc by name": into(lambda x, o: np.exp(x, out=o), 4),
    "ufunc by position": into(lambda x, o: np.multiply(x, x, o), 4),
    "in a tuple": into(lambda x, o: np.sin(x, out=(o,)), 4),
    "into a view": into(lambda x, o: np.tanh(x, out=o[1]), (2, 4)),
    "with where": into(lambda x, o: np.multiply(x, x, out=o, where=x > 0.5), 4),
    "reduction": into(lambda x, o: np.sum(np.outer(x, x), axis=0, out=o), 4),
    "reduction by position": into(lambda x, o: np.sum(np.outer(x, x), 1, None, o), 4),
    "method": into(lambda x, o: np.outer(x, x).mean(axis=1, out=o), 4),
    "method by position": into(lambda x, o: np.outer(x, x).max(0, o), 4),
    "scan": into(lambda x, o: x.cumsum(out=o), 4),
    "clip": into(lambda x, o: x.clip(0.4, 0.9, o), 4),
    "dot": into(lambda x, o: np.dot(np.outer(x, x), x, o), 4),
    "matmul": into(lambda x, o: np.matmul(np.outer(x, x), x, out=o), 4),
    "concatenate": into(lambda x, o: np.concatenate([x, x * x], 0, o), 8),
    "ufunc.reduce": into(lambda x, o: np.multiply.reduce(np.outer(x, x), 1, None, o), 4),
    "ufunc.accumulate": into(lambda x, o: np.add.accumulate(x, 0, None, o), 4),
    "no out": into(lambda x, o: np.exp(x, out=None), 4),
}


@pytest.mark.parametrize("name", OUT)
def test_out(name):
    ad.check_grads(OUT[name], (X,), order=2)


def test_the_result_is_what_was_given():
    def f(x):
        o = np.empty_like(x)
        r = np.exp(x, out=o)
        r[0] = x[1]
        return np.sum(o * r)

    ad.check_grads(f, (X,), order=2)


def parts(x):
    z = x + 0j
    z.real = x * x
    z.imag[1] = x[0]
    z.imag += 0.5
    a = np.outer(x, x)
    a.flat[1] = x[2]
    return np.sum(np.abs(z) ** 2) + np.sum(a**2)


def matrix_product(a):
    b = a * 2.0
    b @= a
    return np.sum(b**2)


def product_of_no_array(a):
    b = functools.reduce(lambda s, t: s @ t, [a, a])
    b = b[0] @ b[1]
    return b * 2.0


@pytest.mark.parametrize(("f", "x"), [(parts, X), (matrix_product, M), (product_of_no_array, M)])
def test_parts(f, x):
    ad.check_grads(f, (x,), order=2)


def several_by_position(x):
    whole, rest = np.zeros(4), np.zeros(4)
    np.modf(x * 2.0, rest, whole)
    return np.sum(rest * x)


def several_by_name(x):
    whole, rest = np.zeros(4), np.zeros(4)
    np.divmod(x, 0.3, out=(whole, rest))
    return np.sum(rest * x)


@pytest.mark.parametrize("f", [several_by_position, several_by_name])
def test_several_arrays_are_refused(f):
    with pytest.raises(ad.Unsupported, match="out=") as caught:
        ad.grad(f)(X)
    assert caught.value.place is not None and caught.value.remedy


def test_flat_is_read_as_the_array_is_by_then():
    def f(x):
        y = x * 1.0
        v = y.flat
        y[0] = 7.0
        return np.sum(v) + 2.0 * np.max(list(v))

    x = np.array([1.5, 2.0])
    value, gradient = ad.value_and_grad(f)(x)
    assert value == f(x) and gradient.tolist() == [0.0, 1.0]


def test_flat_that_depends_on_the_path_is_refused():
    def f(x):
        y, z = x * 1.0, x * 2.0
        v = y.flat
        if x[0] > 0.0:
            v = z.flat
        v[0] = 5.0
        return np.sum(y * y) + np.sum(z * z)

    with pytest.raises(ad.Unsupported, match=r"test_stored\.py:\d+:\d+: an a\.flat"):
        ad.grad(f)(np.array([1.5, 2.0]))


FLATS = {
    "in a list of unknown length": lambda y: sum(f[0] for f in [y.flat for _ in range(len(y))]),
    "in a list that a loop fills": lambda y: sum(sum(f) for f in fills(y)),
    "of the rows of an array": lambda y: sum(sum(f) for f in [r.flat for r in np.outer(y, y)]),
    "asked for its next": lambda y: next(y.flat),
    "in a call of itself": lambda y: again(y.flat, 2),
    "in enumerate": lambda y: sum(v for _, v in enumerate(y.flat)),
    "in a tuple": lambda y: (y.flat, 1)[0][0],
}


def fills(y):
    out = []
    for _ in y:
        out.append(y.flat)
    return out


def again(f, n):
    return f[0] if n == 0 else again(f, n - 1)


@pytest.mark.parametrize("name", FLATS)
def test_flat_goes_nowhere_it_is_not_followed(name):
    made = FLATS[name]

    def f(x):
        y = x * 2.0
        first = made(y)
        y[0] = 5.0 * x[1]
        return first * made(y)

    def g(x):
        y = x * 2.0
        later = [y.flat for _ in range(len(y))]
        y[0] = 5.0 * x[1]
        return made(y) + sum(v[0] for v in later)

    x = np.array([1.5, 2.0])
    for fn in (f, g):
        try:
            value, gradient = ad.value_and_grad(fn)(x)
        except ad.Unsupported as error:
            assert error.place is not None and error.remedy
            continue
        assert np.isclose(value, fn(x))
        np.testing.assert_allclose(gradient, [(fn(x + e) - fn(x - e)) / 2e-6 for e in 1e-6 * np.eye(2)], rtol=1e-6)
