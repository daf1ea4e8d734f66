"""Where a function has a value, its derivative raises nothing: at the edge of a domain it is what
NumPy gives for the slope, inf or nan."""

import cmath
import math

import numpy as np
import pytest

import adcompile as ad
from adcompile.frontend.source import synthesise

INF, NAN = math.inf, math.nan
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

# an expression in x and p, where, and the slope along x there (None: whatever it is)
CASES = [
    ("math.sqrt(x)", (0.0,), INF),
    ("math.asin(x)", (1.0,), INF),
    ("math.acos(x)", (-1.0,), -INF),
    ("math.acosh(x)", (1.0,), INF),
    ("x ** 0.5", (0.0,), INF),
    ("x ** p", (0.0, 0.5), INF),
    ("x ** p", (0.0, 0.0), 0.0),
    ("x ** -2", (1e-150,), -INF),
    ("math.pow(x, p)", (0.0, 0.5), INF),
    ("pow(x, p)", (0.0, 0.5), INF),
    ("math.atan2(x, p)", (0.0, 0.0), NAN),
    ("math.hypot(x, p)", (0.0, 0.0), 0.0),
    ("math.dist([x, p], [0.0, 0.0])", (0.0, 0.0), 0.0),
    ("math.ldexp(x, 1030)", (1e-300,), INF),
    ("math.fmod(x, p)", (1e308, 1e-308), 1.0),
    ("math.remainder(x, p)", (1e308, 1e-308), 1.0),
    ("math.lgamma(x)", (1e-308,), None),
    ("math.gamma(x)", (1e-308,), -INF),
    ("math.log1p(x)", (-1 + 1e-16,), None),
    ("cmath.sqrt(complex(x, p)).real", (0.0, 0.0), None),
    ("np.sqrt(x)", (0.0,), INF),
    ("np.log(x)", (0.0,), INF),
    ("np.log2(x)", (0.0,), INF),
    ("np.log10(x)", (0.0,), INF),
    ("np.log1p(x)", (-1.0,), INF),
    ("np.arcsin(x)", (1.0,), INF),
    ("np.arccosh(x)", (1.0,), INF),
    ("np.arctanh(x)", (1.0,), INF),
    ("np.cbrt(x)", (0.0,), INF),
    ("np.arctan2(x, p)", (0.0, 0.0), NAN),
    ("np.power(x, p)", (0.0, -1.0), -INF),
    ("np.divide(x, p)", (1.0, 0.0), INF),
    ("np.reciprocal(x)", (0.0,), -INF),
    ("np.float64(x) / p", (1.0, 0.0), INF),
    ("np.sum(np.ones(2) * x / p)", (1.0, 0.0), INF),
    ("(np.float64(x) if x > 0.5 else x) / p", (1.0, 0.0), INF),
    ("max(np.float64(x), 0.5 * x) / p", (1.0, 0.0), None),
    ("sum([np.float64(x), 2.0 * x], 0.0) / p", (1.0, 0.0), INF),
    ("-((np.float64(x) if x > 0.5 else x) / p) / 3.0", (1.0, 0.0), -INF),
    ("np.sinh(x)", (1000.0,), INF),
    ("np.cosh(x)", (1000.0,), INF),
    ("np.exp(x)", (1000.0,), INF),
    ("np.log(-x)", (1.0,), None),
    ("np.sqrt(-x)", (1.0,), NAN),
]
if hasattr(math, "cbrt"):
    CASES.append(("math.cbrt(x)", (0.0,), INF))


def function(text, args):
    names = {"math": math, "cmath": cmath, "np": np}
    return synthesise("edge", ", ".join("xp"[: len(args)]), [f"return {text}"], names)


@pytest.mark.parametrize("text, args, slope", CASES, ids=[f"{text} at {args}" for text, args, _ in CASES])
def test_derivatives_do_not_raise(text, args, slope):
    f = function(text, args)
    f(*args)  # has a value
    every = tuple(range(len(args)))
    found = ad.grad(f, argnums=every)(*args)
    ad.jvp(f, args, (1.0,) * len(args))
    ad.hessian(f, argnums=0)(*args)
    if slope is not None:
        assert np.array_equal(found[0], slope, equal_nan=True)
        assert np.array_equal(ad.jvp(f, args, (1.0, None)[: len(args)])[1], slope, equal_nan=True)


@pytest.mark.parametrize("a", [np.zeros((2, 2)), np.ones((3, 3)), np.stack((np.eye(2), np.zeros((2, 2))))])
def test_functions_of_singular_matrices(a):
    def logarithm(a):
        return np.sum(np.linalg.slogdet(a)[1])

    def condition(a):
        return np.sum(np.linalg.cond(a, 1))

    for f in (logarithm, condition):
        f(a)
        assert ad.grad(f)(a).shape == a.shape
        ad.jvp(f, (a,), (np.ones_like(a),))
    whole = ad.grad(logarithm)(a)
    if a.ndim == 3:
        assert np.array_equal(whole[0], np.eye(2)) and not np.isfinite(whole[1]).any()
