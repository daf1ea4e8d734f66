"""The rule model of Mooncake in forward mode: rows 10 to 15; test_s1.py has the others.

What is not possible yet is marked: such a test fails as soon as it passes.
"""


import numpy as np
import pytest

import adcompile as ad
from adcompile.tangents import add_to_primal, dot, randn_like, scale
from tests.checks import bits
from tests.systems.common import X, rng, smooth

# 10: any number of arguments


def weighted(*xs, power=2, **others):
    total = others.get("offset", 0.0)
    for i, x in enumerate(xs):
        total = total + (i + 1.0) * x**power
    return total


@pytest.mark.parametrize("n", [1, 2, 3])
def test_s1_10_varargs(n):
    xs = tuple(0.5 + k for k in range(n))
    tangent = ad.jvp(weighted, xs, (1.0,) * n)[1]
    assert tangent == pytest.approx(sum(2 * (k + 1) * x for k, x in enumerate(xs)))


def test_s1_10_mixed_and_nested_splats():
    def f(x, n, rest):
        return weighted(x, *(n, x), *rest, **{"offset": x, "power": n})

    h = 1e-6

    def g(x):
        return f(x, 3, (x, 2.0))

    assert ad.jvp(g, (0.7,), (1.0,))[1] == pytest.approx((g(0.7 + h) - g(0.7 - h)) / (2 * h))


def test_s1_10_inert_varargs():
    def f(x, *sizes):
        return x * len(sizes) * sizes[0]

    assert ad.jvp(f, (2.0, 3, 4), (1.0, None, None)) == (12.0, 6.0)


# 11: higher order by every nesting


def energy(x):
    return np.sum(np.sin(x) * x[::-1] ** 2) + x[0] * x[1] * x[2]


def test_s1_11_hessian_by_every_nesting():
    v, w = randn_like(X, rng(1)), randn_like(X, rng(2))
    grad = ad.grad(energy)

    def push(x):
        return ad.jvp(energy, (x,), (v,))[1]

    found = [
        w @ ad.jvp(grad, (X,), (v,))[1],  # forward over reverse
        w @ ad.grad(push)(X),  # reverse over forward
        ad.jvp(push, (X,), (w,))[1],  # forward over forward
        w @ ad.grad(lambda x: np.sum(grad(x) * v))(X),  # reverse over reverse
    ]
    assert np.allclose(found, v @ ad.hessian(energy)(X) @ w, rtol=1e-10, atol=0)
    h = 1e-5
    assert found[0] == pytest.approx(w @ (grad(X + h * v) - grad(X - h * v)) / (2 * h), rel=1e-6)


def test_s1_11_no_perturbation_confusion():
    def outer(x):
        return x * ad.grad(lambda y: x + y)(2.0)

    assert ad.grad(outer)(1.0) == 1.0
    assert ad.jvp(outer, (1.0,), (1.0,))[1] == 1.0
    assert ad.grad(lambda x: x * ad.jvp(lambda y: x + y, (2.0,), (1.0,))[1])(1.0) == 1.0


def test_s1_11_third_derivative():
    def f(x):
        return x**5

    assert ad.grad(ad.grad(ad.grad(f)))(2.0) == pytest.approx(60.0 * 4.0)


def writes_twice(x):
    y = x.copy()
    for i in range(1, 3):
        y[i] = y[i] * y[i - 1] ** 2
    x[0] = y[2]
    return y[2] * x[1] + x[0]


def grad_columns(f, h=1e-5):
    """The Hessian by differences of the gradient."""
    g = ad.grad(f)
    return [(g(X + h * unit) - g(X - h * unit)) / (2 * h) for unit in np.eye(3)]


def test_s1_11_second_derivative_through_writes():
    for unit, column in zip(np.eye(3), grad_columns(writes_twice)):
        assert np.allclose(ad.jvp(ad.grad(writes_twice), (X.copy(),), (unit,))[1], column, rtol=1e-6, atol=1e-7)


def test_s1_11_hessian_through_writes():
    assert np.allclose(ad.hessian(writes_twice)(X.copy()), grad_columns(writes_twice), rtol=1e-6, atol=1e-7)


# 12: batches of tangents


def test_s1_12_jacobian_is_the_columns():
    jacobian = ad.jacfwd(smooth)(X, X[::-1].copy())
    for k, unit in enumerate(np.eye(3)):
        column = ad.jvp(smooth, (X, X[::-1].copy()), (unit, None))[1]
        assert np.allclose(jacobian[:, k], column, rtol=1e-14)


def test_s1_12_one_call_for_a_batch_of_tangents():
    value, tangents = ad.jvp_batched(smooth, (X, X), (np.eye(3), None))
    assert np.array_equal(value, smooth(X, X))
    assert np.allclose(tangents.T, ad.jacfwd(smooth)(X, X))


# 13: how a rule is tested


def test_s1_13_states_match_and_inner_products_agree():
    def f(x, y):
        x[1:] = y[:-1] * x[0]
        y *= x
        return np.sum(x * y)

    def after(x, y):
        return f(x, y), x, y

    args, primal = (X.copy(), X[::-1].copy()), (X.copy(), X[::-1].copy())
    along = (randn_like(X, rng(1)), randn_like(X, rng(2)))
    expected = after(*primal)
    value, tangent = ad.jvp(after, args, along)
    assert bits(value) == bits(expected) and bits(args) == bits(primal)
    probe = randn_like(value, rng(3))

    def at(h):
        return dot(probe, after(*(add_to_primal(a, scale(h, t)) for a, t in zip((X, X[::-1]), along))))

    h = 1e-5
    assert dot(probe, tangent) == pytest.approx((at(h) - at(-h)) / (2 * h), rel=1e-7)


# 14: no restrictions on types


def checked(x: float, buffer=None):
    if not isinstance(x, float):
        raise TypeError("a float is needed")
    buffer = np.empty(2, dtype=np.float64)
    buffer[0] = x
    buffer[1] = x * x
    return float(buffer.sum())


def test_s1_14_functions_that_insist_on_floats():
    assert ad.jvp(checked, (0.5,), (1.0,)) == (0.75, 2.0)
    assert ad.grad(checked)(0.5) == 2.0


def test_s1_14_preallocated_buffers_and_any_arity():
    def f(x, y, z, n, table):
        out = np.zeros(3)
        np.multiply(x, y, out=out)
        out[n] += z
        return float(out @ table["w"])

    args = (X, X[::-1].copy(), 0.5, 1, {"w": np.ones(3)})
    h = 1e-6
    expected = (f(X + h, *args[1:]) - f(X - h, *args[1:])) / (2 * h)
    assert ad.jvp(f, args, (np.ones(3), None, None, None, None))[1] == pytest.approx(expected)


# 15: what nobody uses is left as it is


def test_s1_15_unused_effects_run_as_they_are_written(capsys):
    def f(x):
        print(len(x))
        x[0] * 3.0
        return np.sum(x)

    assert ad.jvp(f, (X,), (np.ones(3),))[1] == 3.0
    assert capsys.readouterr().out == "3\n"
    assert np.array_equal(ad.grad(f)(X), np.ones(3))
    assert capsys.readouterr().out == "3\n"


def test_s1_15_captured_lists_grow():
    seen = []

    def f(x):
        seen.append(len(x))
        return np.sum(x)

    assert ad.jvp(f, (X,), (np.ones(3),))[1] == 3.0
    assert seen == [3]


def test_s1_15_unused_statements_may_raise():
    def f(x):
        x[7]
        return x[0]

    with pytest.raises(IndexError):
        ad.jvp(f, (X,), (np.ones(3),))
