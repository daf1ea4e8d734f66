"""Differential equations: what is refused, and that the times of a solution are its constants."""

import numpy as np
import pytest

import adcompile as ad

integrate = pytest.importorskip("scipy.integrate")
X = np.array([1.2, 0.7])
RATES = np.array([0.3, 0.4])


def test_times_that_the_solver_chooses_are_constants():
    def f(x):
        s = integrate.solve_ivp(lambda t, y: -x[0] * y, (0.0, 1.0), [x[1]], rtol=1e-10, atol=1e-12)
        return np.sum(s.y[0, -1] * s.t[-1])

    expected = [-X[1] * np.exp(-X[0]), np.exp(-X[0])]
    np.testing.assert_allclose(ad.grad(f)(X), expected, rtol=1e-7)


def until(x):
    return integrate.solve_ivp(lambda t, y: -y, (0.0, x[0]), [1.0]).y[0, -1]


def at_moving_times(x):
    return integrate.odeint(lambda y, t: -y, 1.0, np.array([0.0, x[0]]))[-1, 0]


def at_times_asked_for(x):
    s = integrate.solve_ivp(lambda t, y: -y, (0.0, 3.0), [1.0], t_eval=[0.5, x[0]])
    return s.y[0, 1]


def on_a_moving_grid(x):
    return np.sum(integrate.solve_ivp(lambda t, y: -y, (0.0, 3.0), [1.0], t_eval=np.linspace(0.0, x[0], 4)).y)


def last_time(x):
    return integrate.solve_ivp(lambda t, y: -y, (0.0, x[0]), [1.0]).t[-1]


def with_an_event(x):
    return integrate.solve_ivp(lambda t, y: -x[0] * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0] - 0.5).y[0, -1]


def by_module(x):
    return integrate.odeint(lambda y, t: -x[0] * y * RATES, np.ones(2), np.array([0.0, 1.0]))[-1, 0]


def test_a_tuple_of_unknown_length_is_refused_on_the_way_back():
    def f(x):
        return integrate.odeint(lambda y, t, a, b: [a * y[1], -b * y[0]], X, [0.0, 1.0], args=tuple(x))[1, 0]

    value, dot = ad.jvp(f, (X,), (np.array([1.0, 0.0]),))
    h = np.array([1e-5, 0.0])
    assert dot == pytest.approx((f(X + h) - f(X - h)) / 2e-5, rel=1e-6)
    with pytest.raises(ad.Unsupported, match="of unknown length that a differential equation"):
        ad.grad(f)(X)


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (until, "times"),
        (at_moving_times, "with respect to its times"),
        (at_times_asked_for, "times"),
        (on_a_moving_grid, "times"),
        (last_time, "the times of a solution"),
        (with_an_event, "a solution with events"),
        (by_module, "reads an array or an object of a module"),
    ],
)
def test_refused_in_both_modes(f, text):
    for derivative in (lambda: ad.grad(f)(X), lambda: ad.jvp(f, (X,), (X,))):
        with pytest.raises(ad.AdcompileError, match=text):
            derivative()
