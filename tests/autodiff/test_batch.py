"""Tangent code for several tangents at once, against one jvp for each."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import tangents
from adcompile.autodiff import jacobians
from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.tangents import randn_like, tangent_type
from tests.checks import bits

X = np.array([0.3, -0.7, 1.1])
M = np.arange(6.0).reshape(2, 3) / 5 + 0.1


def rng(seed=0):
    return np.random.default_rng(seed)


def columns_of(args, count=3):
    draw = rng(1)
    return [tuple(randn_like(a, draw) if tangents.has_tangent(a) else None for a in args) for _ in range(count)]


def stacked(items):
    if tangents.is_container(items[0]):
        return tangents.rebuild(items[0], [stacked(parts) for parts in zip(*map(tangents.children, items))])
    return None if tangents.is_absent(items[0]) else np.stack(items)


def check(f, *args, tolerance=1e-12):
    columns = columns_of(args)
    value, found = ad.jvp_batched(f, args, tuple(map(stacked, zip(*columns))))
    expected = stacked([ad.jvp(f, args, column)[1] for column in columns])
    assert bits(value) == bits(f(*args))
    assert tangent_type(found) == tangent_type(expected)
    assert tangents.allclose(found, expected, tolerance, tolerance)
    return found


# -- what crosses -------------------------------------------------------------------------------


def test_numbers_get_arrays():
    value, found = ad.jvp_batched(lambda x, n: x**n, (2.0, 3), (np.array([1.0, -1.0]), None))
    assert value == 8.0 and type(value) is float
    assert found.tolist() == [12.0, -12.0]


def test_structures_of_arguments_and_results():
    def f(pair, table):
        return {"a": pair[0] * table["w"], "b": (pair[1], table["n"])}

    check(f, (X, 2.0), {"w": M[:, :3] * 1.0, "n": 3})


def test_dtypes_are_those_of_the_result():
    def f(x, s):
        return 0.5 * x * s, np.sum(x), s * 2.0

    found = check(f, X.astype(np.float32), 1.5, tolerance=1e-6)
    assert [t.dtype for t in found] == [np.float32, np.float32, np.float64]
    check(lambda z: (z * np.conj(z), np.abs(z), z.real, np.exp(1j * z)), X + 0.5j)
    check(lambda s, x: np.float32(s) * x, 0.3, X.astype(np.float32), tolerance=1e-6)


def test_aux_and_no_tangents():
    value, found, aux = ad.jvp_batched(lambda x: (np.sum(x), "aux"), (X,), (np.eye(3),), has_aux=True)
    assert value == np.sum(X) and aux == "aux" and found.tolist() == [1.0, 1.0, 1.0]
    value, found = ad.jvp_batched(lambda x: x * 2.0, (X,), (np.zeros((0, 3)),))
    assert np.array_equal(value, 2.0 * X) and found.shape == (0, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None,), "no tangents"),
        ((np.ones(3),), "is needed"),
        ((2.0,), "a batch of tangents is needed"),
        ((np.ones((2, 4)),), "is needed"),
        ((np.ones((2, 3)) * 1j,), "is needed"),
    ],
)
def test_tangents_that_do_not_fit(given, message):
    with pytest.raises(NotDifferentiable, match=message):
        ad.jvp_batched(lambda x: x * 2.0, (X,), given)


def test_batches_have_one_length():
    with pytest.raises(NotDifferentiable, match="is needed"):
        ad.jvp_batched(lambda x, y: x * y, (X, X), (np.eye(3), np.eye(2, 3)))


# -- control flow -------------------------------------------------------------------------------


def test_the_function_runs_once():
    calls = []

    def f(x):
        calls.append(1)
        return x * np.sum(x)

    ad.jvp_batched(f, (X,), (np.eye(3),))
    assert len(calls) == 1


def branches(x, s):
    t = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            t = t + s * x[i]
        elif x[i] < -10.0:
            break
        else:
            s = s * 0.5
    while t < 5.0:
        t = t * 1.7 + 0.3
    return t


def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


def pair(x, n):
    if n == 0:
        return x, np.sum(x)
    a, b = pair(np.sin(x), n - 1)
    return a * b, b + 1.0


def grown(x):
    items = []
    for i in range(x.shape[0]):
        items.append(x[i] * x)
    total = items[0]
    for item in items[1:]:
        total = total + item
    return total, np.array(items)


def in_place(x, a):
    y = np.zeros((2, 3))
    y[0] = x
    y[1, 1:] = x[0]
    y[:, 0] += 2.0 * x[1]
    row = y[1]
    row *= a
    y[[0, 0], [1, 2]] = x[:2]
    np.add.at(y, ([1, 1], 2), x[0])
    return y


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (branches, (X, 1.3)),
        (lambda x: power(x, 3), (X,)),
        (lambda x: power(x, 3), (0.7,)),
        (lambda x: pair(x, 2), (X,)),
        (grown, (X,)),
        (in_place, (X, 1.5)),
    ],
)
def test_programs(f, args):
    check(f, *args)


def test_written_arguments_are_left_as_the_function_leaves_them():
    def f(x):
        x[1:] = x[0] * x[:-1]
        return np.sum(x * x)

    x, expected = X.copy(), X.copy()
    value, found = ad.jvp_batched(f, (x,), (np.eye(3),))
    assert value == f(expected) and np.array_equal(x, expected)
    assert np.allclose(found, [ad.jvp(f, (X.copy(),), (unit,))[1] for unit in np.eye(3)], rtol=1e-14)


def test_arguments_that_share_memory():
    def f(a, b):
        a[0] = b[1] * b[0]
        return np.sum(a * b)

    whole = np.arange(1.0, 6.0)
    units = np.eye(5)
    x = whole.copy()
    found = ad.jvp_batched(f, (x[:4], x[1:]), (units[:, :4], units[:, 1:]))[1]
    for unit, tangent in zip(units, found):
        x = whole.copy()
        assert tangent == ad.jvp(f, (x[:4], x[1:]), (unit[:4], unit[1:]))[1]


def test_layouts_are_mirrored():
    def f(a):
        b = a.T.reshape(-1)
        c = a.reshape(-1)
        c[0] = 2.0 * c[1] * c[3]
        return b * c, np.sum(a * a)

    for order in "CF":
        a = np.array(M, order=order)
        units = rng().standard_normal((4, *M.shape))
        found = ad.jvp_batched(f, (a.copy(order="K"),), (units,))[1]
        for k, unit in enumerate(units):
            tangent = ad.jvp(f, (a.copy(order="K"),), (unit,))[1]
            assert np.allclose(found[0][k], tangent[0], rtol=1e-14) and np.isclose(found[1][k], tangent[1], rtol=1e-14)


def test_what_is_refused():
    class Pair:
        def __init__(self, a):
            self.a = a

    with pytest.raises(NotDifferentiable, match=r"test_batch\.py:\d+:\d+: a batch of tangents of a Pair"):
        ad.jvp_batched(lambda p: p.a * 2.0, (Pair(2.0),), (Pair(np.ones(2)),))


def test_inside_derivatives_it_is_refused():
    with pytest.raises(Unsupported, match=r"jvp_batched\(\) inside a derivative"):
        ad.grad(lambda x: np.sum(ad.jvp_batched(np.sin, (x,), (np.eye(3),))[1]))(X)


# -- Jacobians ----------------------------------------------------------------------------------


def refuse(*args):
    raise Unsupported("none at once", None, "")


def by_columns(monkeypatch, call):
    """What the same code for one tangent after the other gives."""
    monkeypatch.setattr(jacobians, "in_batches", refuse)
    ad.clear()
    out = call()
    monkeypatch.undo()
    ad.clear()
    return out


def vector(x):
    y = np.cumsum(np.sin(x) * x)
    return np.outer(y, x[:2]) / (1.0 + y[-1] ** 2)


@pytest.mark.parametrize("f", [vector, lambda x: (np.sum(x), x, {"m": x[None] * x[:, None]}), lambda x: x[0] * x[1]])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_jacobians_are_those_of_the_columns(monkeypatch, f, dtype):
    for n in (3, 40):
        x = rng().standard_normal(n).astype(dtype)
        found = ad.jacfwd(f)(x)
        expected = by_columns(monkeypatch, lambda x=x: ad.jacfwd(f)(x))
        assert tangent_type(found) == tangent_type(expected)
        tolerance = 1e-12 if dtype is np.float64 else 1e-5
        assert tangents.allclose(found, expected, tolerance, tolerance)


def test_more_columns_than_one_batch(monkeypatch):
    monkeypatch.setattr("adcompile.runtime.batches.ELEMENTS", 64)
    x = rng().standard_normal(21)
    assert np.allclose(ad.jacfwd(vector)(x), by_columns(monkeypatch, lambda: ad.jacfwd(vector)(x)), rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_jacobians_of_nothing(dtype):
    x = np.zeros(0, dtype)
    found = ad.jacfwd(lambda x: (x * 2.0, np.array([np.sum(x), 1.0], x.dtype)))(x)
    assert found[0].shape == (0, 0) and found[1].shape == (2, 0)
    assert found[0].dtype == found[1].dtype == dtype


def test_hessians_and_functions_that_write(monkeypatch):
    def f(x):
        y = x.copy()
        for i in range(1, x.shape[0]):
            y[i] = y[i] * y[i - 1] ** 2 + x[0]
        return np.sum(y * x)

    x = rng().standard_normal(5) / 2
    assert np.allclose(ad.hessian(f)(x), by_columns(monkeypatch, lambda: ad.hessian(f)(x)), rtol=1e-12)
    assert "rt.units" in ad.source(ad.hessian(f), x)


def test_jacobians_that_are_differentiated_have_a_loop():
    def f(x):
        return np.sum(ad.jacfwd(lambda x: x * x * x)(x))

    assert np.allclose(ad.grad(f)(X), 6.0 * X, rtol=1e-14)
    outer = ad.jacfwd(lambda x: ad.jacfwd(lambda y: y * y * y)(x))
    assert np.allclose(np.einsum("iii->i", outer(X)), 6.0 * X, rtol=1e-14)
    assert "rt.units" in ad.source(outer, X)


def test_elementwise_grad_around_a_jacobian():
    found = ad.elementwise_grad(lambda x: np.sum(ad.jacfwd(lambda y: y**3)(x), axis=0))(X)
    assert np.allclose(found, 6.0 * X, rtol=1e-14)


def test_values_that_are_known_to_be_numbers_behind_a_test():
    def f(x, limit):
        r = None if x[2] > limit else x[0]
        if r is None:
            r = x
        elif x[0] > 0:
            r = r * x
        return np.sum(r * x)

    x = np.array([0.7, -1.2, 0.3])
    assert np.allclose(ad.hessian(f)(x, 0.0), 2.0 * np.eye(3), rtol=1e-14)
    expected = np.array([[3 * x[0], x[1], x[2]], [x[1], x[0], 0.0], [x[2], 0.0, x[0]]]) * 2.0
    assert np.allclose(ad.hessian(f)(x, 1.0), expected, rtol=1e-14)
