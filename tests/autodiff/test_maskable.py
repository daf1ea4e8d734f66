"""Where a value was not selected its cotangent is zero, even if a partial is infinite or nan."""

import math

import numpy as np
import pytest

import adcompile as ad

X = np.array([-1.0, 0.0, 0.5, 2.0])
KEPT = X > 0.0


def where_log(x):
    return np.where(x > 0.0, np.log(np.where(x > 0.0, x, 1.0)), 0.0)


def where_sqrt(x):
    return np.where(x > 0.0, np.sqrt(np.abs(x)), x)


def masked(x):
    y = 1.0 / x
    return y[KEPT]


def maximum(x):
    return np.maximum(np.exp(x), 2.0) + np.where(x > 0.0, x, 0.0) ** 1.5


def selected(x):
    return (np.sqrt(np.abs(x)) / x)[2:]


def trace_of_roots(x):
    return np.trace(np.sqrt((x + 2.0) * np.eye(4)))


def triangle_of_roots(x):
    return np.triu(np.sqrt((x + 2.0) * np.tri(4).T))


@pytest.mark.parametrize("f", [where_log, where_sqrt, masked, maximum, selected, trace_of_roots, triangle_of_roots])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_gradients_are_finite_and_right(f):
    gradient = ad.grad(lambda x: np.sum(f(x)))(X)
    assert np.all(np.isfinite(gradient))
    h = 1e-6
    for i in np.flatnonzero(KEPT):
        step = np.where(np.arange(len(X)) == i, h, 0.0)
        difference = (np.sum(f(X + step)) - np.sum(f(X - step))) / (2 * h)
        assert gradient[i] == pytest.approx(difference, rel=1e-6, abs=1e-8)


def test_plain_arithmetic_gets_no_guard():
    def f(x):
        return np.sum(np.sin(x) * x)

    assert "where" not in ad.source(ad.grad(f), X)


def test_numbers_by_branch():
    def f(x):
        return math.sqrt(x) if x > 0.0 else 0.0 * x

    assert ad.grad(f)(0.0) == 0.0
    assert math.isfinite(ad.grad(f)(0.25))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_number_that_where_leaves_out():
    assert ad.grad(lambda x: np.where(x > 0.0, np.log(x), 0.0))(0.0) == 0.0
    assert ad.grad(lambda x: np.where(x > 0.0, np.log(x), 0.0) * 2.0 + np.sin(x))(np.float64(0.0)) == 1.0
    assert ad.grad(lambda x: np.where(x > 0.0, np.log(x), 0.0))(0.5) == 2.0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "f, first",
    [
        (lambda x: np.sum(np.minimum(np.exp(x), 5.0)), 800.0),
        (lambda x: np.sum(np.where(x < 5.0, np.exp(x) * x, 1.0)), 800.0),
        (lambda x: np.sum(np.log(x)[1:] * x[1:]), 0.0),
    ],
)
def test_what_a_loop_adds_up_is_left_out_too(f, first):
    """The reverse of a loop over columns: what each of them leaves out is infinite behind the loop."""
    x = np.array([first, 0.5, 1.0])
    second = ad.jacrev(ad.jacfwd(f))(x)
    assert np.all(np.isfinite(second)) and second[0, 0] == 0.0
    np.testing.assert_allclose(second, ad.jacfwd(ad.jacrev(f))(x), rtol=1e-12)


def test_what_a_loop_adds_to_dense_values_is_not_guarded():
    def f(x):
        y = 1.0 / x
        s = np.sum(y)
        for k in range(2):
            s = s + np.sum(np.where(x > k, y, 0.0))
        return s

    assert "== 0.0" not in ad.source(ad.grad(f), X).split("for k in")[-1].split("x_bar")[-1]
