"""SciPy's solvers in functions of a user: roots, fixed points, minima, integrals and differential equations, of functions
that capture what is differentiated, or get it in `args`. None without SciPy."""

import functools
import importlib.util

import numpy as np

import adcompile as ad

HERE = importlib.util.find_spec("scipy") is not None
if HERE:
    from scipy import integrate, optimize

_P = np.array([1.2, 0.7])
_TIMES = np.linspace(0.0, 1.0, 4)
_FINE = {"rtol": 1e-13, "atol": 1e-15}  # forward and reverse mode agree as far as the solver does
_SCALE = np.array([1.1, 0.8])


def root_between(p):
    return optimize.brentq(lambda x: np.cos(x) - p[0] * x, 0.0, 2.0, xtol=1e-14) ** 2 * p[1]


def _balance(x, a, b):
    return np.cos(x) - a * x * b


def roots_with_args(p):
    r, told = optimize.brentq(_balance, 0.0, 2.0, args=(p[0], p[1]), xtol=1e-14, full_output=True)
    if not told.converged:
        raise ValueError("no root")
    return r * optimize.bisect(_balance, 0.0, 2.0, args=(p[1], 1.0), xtol=1e-15)


def root_of_module_data(p):
    return optimize.ridder(lambda x: np.cos(x) - p[0] * x * _SCALE[0], 0.0, 2.0, xtol=1e-14) * p[1]


def newton_numbers(p):
    r = optimize.newton(lambda x, a: x**3 - a * x - p[1], 1.5, args=(p[0],), tol=1e-13)
    s = optimize.root_scalar(lambda x: (x**3 - p[0], 3 * x**2), x0=1.5, fprime=True, xtol=1e-13)
    return r**2 * s.root


def newton_arrays(p):
    start = np.array([1.5, 1.3])
    return np.sum(optimize.newton(lambda x: x**3 - p * x - 1, start, fprime=lambda x: 3 * x**2 - p, tol=1e-13) ** 2)


def fixed_points(p):
    many = optimize.fixed_point(lambda x: np.cos(p * x), np.array([0.5, 0.6]), xtol=1e-13)
    return np.sum(many**2) + optimize.fixed_point(lambda x: np.cos(p[0] * x), 0.5, xtol=1e-13)


def _system(z, p):
    out = np.empty(2)
    out[0] = z[0] ** 3 - p[0] * z[1]
    out[1] = z[1] ** 2 - p[1] * z[0]
    return out


def system_written_in_place(p):
    s = np.ones(2)
    for _ in range(2):
        s = optimize.fsolve(_system, np.ones(2), args=(p * s,), xtol=1e-13)
    return np.sum(s**2)


def implicit_steps(p):
    y = np.array([1.0, 0.5])
    for _ in range(3):
        y = optimize.root(lambda z: z - y - 0.1 * np.array([-p[0] * z[1] ** 2, p[1] * z[0]]), y, tol=1e-13).x
    return np.sum(y**2)


def steps_that_run_again(p):
    y = np.ones(2)
    for _ in ad.checkpointed_range(4, snaps=2):
        y = optimize.fsolve(lambda z: z - y - 0.1 * np.sin(z) * p, y, xtol=1e-13)
    return np.sum(y**2)


def root_of_roots(p):
    def inner(x):
        return optimize.brentq(lambda y: y**3 + y - x * p[0], 0.0, 5.0, xtol=1e-14) - p[1]

    return optimize.brentq(inner, 0.0, 5.0, xtol=1e-14) ** 2


def data_written_afterwards(p):
    a, s = p.copy(), 0.0
    for _ in range(2):
        s += optimize.brentq(lambda x: np.cos(x) - a[0] * x, 0.0, 2.0, xtol=1e-14) ** 2
        a[0] += s * a[1]
    return s * a[0]


class Spring:
    def __init__(self, p):
        self.p = p

    def force(self, x):
        return np.cos(x) - self.p[0] * x

    def rest(self):
        return optimize.brentq(self.force, 0.0, 2.0, xtol=1e-14) * self.p[1]


def methods_and_partials(p):
    return Spring(p).rest() + optimize.brentq(functools.partial(_balance, a=p[0], b=1.0), 0.0, 2.0, xtol=1e-14)


def minimum(p):
    m = optimize.minimize(lambda u: np.sum((u - p) ** 2 * (1 + u**2)), np.zeros(2), tol=1e-12)
    return np.sum(m.x**2) + m.fun


def minimum_at_bounds(p):
    options = {"ftol": 1e-16, "gtol": 1e-10}
    within = [(0.0, 0.5 * p[1]), (0.0, None)]

    def both(u):
        return np.sum((u - p) ** 2 * (1 + u**2)), 2 * (u - p) * (1 + u**2) + 2 * u * (u - p) ** 2

    m = optimize.minimize(both, np.full(2, 0.1), jac=True, bounds=within, options=options)
    return np.sum(m.x**2) + m["fun"]


def minimum_of_one(p):
    m = optimize.minimize_scalar(lambda u: (u - p[0]) ** 2 * (1 + p[1] * u**2), tol=1e-10)
    n = optimize.minimize_scalar(lambda u: (u - p[1]) ** 2 + u**4, bounds=(0.0, 3.0), options={"xatol": 1e-10})
    return m.x**2 + n.x


def fit(p):
    k = np.arange(3.0)
    data = np.array([1.0, 1.6, 3.0]) * p[0] + p[1] * k**2

    def slopes(q, y):
        return np.stack((2 * q[0] * k, np.ones(3)), axis=1)

    q = optimize.least_squares(lambda q, y: q[0] ** 2 * k + q[1] - y, np.ones(2), slopes, method="lm", args=(data,))
    return q.x[0] * q.x[1]


def integral_and_limits(p):
    return integrate.quad(lambda s: np.exp(-p[1] * s**2), 0.0, p[0])[0]


def integral_with_args(p):
    value, error = integrate.quad(lambda s, a, b: np.exp(-a * s * s) * b, -np.inf, np.inf, args=(p[0], p[1]))
    return value if error < 1.0 else 0.0


def integrals_in_a_loop(p):
    t = 0.0
    for _ in range(3):
        t = t + integrate.quad(lambda s: np.sum(np.sin(s * p)) + t, 0.0, 1.0 + t)[0]
    return t


def integral_of_integrals(p):
    def inner(s):
        return integrate.quad(lambda u: np.exp(-u * s * p[0]), 0.0, s)[0] * p[1]

    return integrate.quad(inner, 0.0, 1.0)[0]


def decay(p):
    y = integrate.odeint(lambda y, t: -p[0] * y + p[1] * t, np.array([1.0, 0.5]), _TIMES, **_FINE)
    return np.sum(y**2)


def _predators(y, t, a, b):
    return [a * y[0] - y[0] * y[1], b * y[0] * y[1] - y[1]]


def from_a_moving_start(p):
    return np.sum(integrate.odeint(_predators, p, _TIMES, args=(p[1], 0.5), **_FINE)[:, 1] ** 2)


def pendulum(p):
    s = integrate.solve_ivp(
        lambda t, y: np.array([y[1], -p[0] * np.sin(y[0])]), (0.0, 1.0), [p[1], 0.0], "DOP853", _TIMES, **_FINE
    )
    return np.sum(s.y[0] * s.t)


def one_after_the_other(p):
    y = np.array([1.0, 0.5])
    for k in range(2):
        y = integrate.solve_ivp(lambda t, y: -p * y**2 * (k + 1), (0.0, 0.5), y, "DOP853", **_FINE).y[:, -1]
    return np.sum(y**2)


def solvers_by_name_in_solvers(p):
    f = lambda x: x**2 - p[0]
    g = lambda x: optimize.brentq(f, 0.0, 9.0) * x - p[1]
    return optimize.brentq(g, 0.0, 9.0) * integrate.quad(lambda s: integrate.quad(f, 0.0, s)[0], 0.0, 1.0)[0]


def quantile(p):
    density = lambda s: np.exp(-p[0] * s * s)
    cdf = lambda x: integrate.quad(density, -5.0, x)[0] / integrate.quad(density, -5.0, 5.0)[0]
    return optimize.brentq(lambda x: cdf(x) - 0.3 * p[1], -4.0, 4.0, xtol=1e-14)


def shooting(p):
    def equation(t, y):
        return [y[1], -p[0] * y[0]]

    def end(v):
        return integrate.solve_ivp(equation, (0.0, 1.0), [0.0, v], "DOP853", **_FINE).y[0, -1] - p[1]

    return optimize.brentq(end, 0.1, 15.0, xtol=1e-14)


def _equals(x, solved, bound):
    return x * optimize.brentq(solved, 0.0, 9.0) - bound


def function_among_args(p):
    return optimize.brentq(_equals, 0.0, 9.0, args=(lambda y: y**2 - p[0], p[1]))


def equation_written_in_place(p):
    def lorenz(y, t):
        d = np.zeros(3)
        d[0] = p[0] * (y[1] - y[0])
        d[1] = y[0] * (p[1] - y[2]) - y[1]
        d[2] += y[0] * y[1] - y[2]
        return d

    return np.sum(integrate.odeint(lorenz, [1.0, 0.5, 1.0], _TIMES, **_FINE)[-1] ** 2)


def residual_summed_up(p):
    def f(x):
        s, terms = 0.0, []
        for k in range(2):
            s += p[k] * x ** (k + 1)
            terms.append(s)
        return terms[0] + terms[1] - 3.0

    return optimize.brentq(f, 0.0, 5.0, xtol=1e-14)


def best_of_several_starts(p):
    best = optimize.root(lambda x: x**3 + x - p, np.zeros(2), tol=1e-14)
    for k in range(1, 3):
        other = optimize.root(lambda x: x**3 + x - 2.0 * p, np.ones(2) * k, tol=1e-14)
        if np.sum(other.x) > np.sum(best.x):
            best = other
    return np.sum(best.x**2)


SAMPLES = {
    name: [(_P,)]
    for name in (
        "root_between roots_with_args root_of_module_data newton_numbers newton_arrays fixed_points "
        "system_written_in_place implicit_steps steps_that_run_again root_of_roots data_written_afterwards "
        "methods_and_partials minimum minimum_at_bounds minimum_of_one fit integral_and_limits integral_with_args "
        "integrals_in_a_loop integral_of_integrals decay from_a_moving_start pendulum one_after_the_other "
        "solvers_by_name_in_solvers quantile shooting function_among_args equation_written_in_place "
        "residual_summed_up best_of_several_starts"
    ).split()
}
SAMPLES = SAMPLES if HERE else {}
