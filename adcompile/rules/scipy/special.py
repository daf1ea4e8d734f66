"""scipy.special: error functions, gamma and beta, Bessel functions, entropies, log-sum-exp.

Derivatives by an order or a shape parameter that have no closed form are refused when needed. Numbers that may be
integers are made floats before they are added to or given to a function alone: those of NumPy wrap around, and small
ones have logarithms in half precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from adcompile import runtime as rt
from adcompile.ir.types import Known, Type
from adcompile.rules.kinds import composite, constant, elementwise, vjps
from adcompile.rules.numpy.dims import Dims, argument, array, axes_of, dims_of, dtype_of, element, keep
from adcompile.rules.typing import broadcast_type

constant(special.gammasgn)

# -- exponentials, logarithms and roots, as NumPy has them --------------------------------------


@elementwise(special.expm1)
def expm1(y: Any, x: Any) -> Any:
    return y + 1.0


@elementwise(special.log1p)
def log1p(y: Any, x: Any) -> Any:
    return 1.0 / (1.0 + x)


@elementwise(special.cosm1)
def cosm1(y: Any, x: Any) -> Any:
    return -np.sin(x)


@elementwise(special.exp2)
def exp2(y: Any, x: Any) -> Any:
    return rt.LOG_2 * y


@elementwise(special.exp10)
def exp10(y: Any, x: Any) -> Any:
    return rt.LOG_10 * y


@elementwise(special.cbrt)
def cbrt(y: Any, x: Any) -> Any:
    return 1.0 / (3.0 * y * y)


# -- error functions and the normal distribution ---------------------------------------------


@elementwise(special.erf)
def erf(y: Any, x: Any) -> Any:
    return 2.0 / rt.ROOT_PI * np.exp(-x * x)


@elementwise(special.erfc)
def erfc(y: Any, x: Any) -> Any:
    return -2.0 / rt.ROOT_PI * np.exp(-x * x)


@elementwise(special.erfcx)
def erfcx(y: Any, x: Any) -> Any:
    return 2.0 * x * y - 2.0 / rt.ROOT_PI


@elementwise(special.erfinv)
def erfinv(y: Any, x: Any) -> Any:
    return rt.ROOT_PI / 2.0 * np.exp(y * y)


@elementwise(special.erfcinv)
def erfcinv(y: Any, x: Any) -> Any:
    return -rt.ROOT_PI / 2.0 * np.exp(y * y)


@elementwise(special.ndtr)
def ndtr(y: Any, x: Any) -> Any:
    return np.exp(-0.5 * x * x) / rt.ROOT_2PI


@elementwise(special.log_ndtr)
def log_ndtr(y: Any, x: Any) -> Any:
    return np.exp(-0.5 * x * x - y) / rt.ROOT_2PI


@elementwise(special.ndtri)
def ndtri(y: Any, x: Any) -> Any:
    return rt.ROOT_2PI * np.exp(0.5 * y * y)


# -- gamma, beta -----------------------------------------------------------------------------


@elementwise(special.gamma)
def gamma(y: Any, x: Any) -> Any:
    return y * special.psi(x)


@elementwise(special.rgamma)
def rgamma(y: Any, x: Any) -> Any:
    return -y * special.psi(x)


@elementwise(special.gammaln, special.loggamma)
def gammaln(y: Any, x: Any) -> Any:
    return special.psi(x)


@elementwise(special.psi)
def psi(y: Any, x: Any) -> Any:
    return rt.like(special.polygamma(1, x), y)


@elementwise(special.poch)
def poch(y: Any, x: Any, m: Any) -> Any:
    both = special.psi(x + m)
    return y * (both - special.psi(x)), y * both


@elementwise(special.binom)
def binom(y: Any, n: Any, k: Any) -> Any:
    rest = special.psi(n - k + 1.0)
    return y * (special.psi(n + 1.0) - rest), y * (rest - special.psi(k + 1.0))


def within(N: Any, k: Any) -> Any:
    """Ways to choose k of N, none where there are fewer than k: what SciPy gives there."""
    some = (k <= N) & (N >= 0) & (k >= 0)
    return np.where(some, special.binom(N, np.where(some, k, 0.0)), 0.0)


# SciPy before 1.17 gives 0 for less than one kind to repeat, SciPy since then the continuation.
repeated = within if special.comb(0.5, 2.0, repetition=True) == 0 else special.binom


@composite(special.comb)
def comb(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:
    return repeated(N + k - 1, k) if repetition else within(N, k)


@composite(special.factorial)
def factorial(n: Any, exact: Any = False, extend: Any = "zero") -> Any:
    return np.where(n >= 0, special.gamma(n + 1.0), 0.0)


def polygamma_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    order = broadcast_type(np.true_divide, [args[0], Known(1)])  # an order of ints gives floats
    return broadcast_type(np.add, [order, args[1]])


@elementwise(special.polygamma, typing=polygamma_type)
def polygamma(y: Any, n: Any, x: Any) -> Any:
    return rt.no_derivative("polygamma with respect to its order"), special.polygamma(n + 1.0, x)


@elementwise(special.zeta)
def zeta(y: Any, x: Any, q: Any = None) -> Any:
    refused = rt.no_derivative("zeta with respect to its first argument")
    return refused, (refused if q is None else -1.0 * x * special.zeta(x + 1.0, q))


@elementwise(special.beta)
def beta(y: Any, a: Any, b: Any) -> Any:
    both = special.psi(a + b)
    return y * (special.psi(a) - both), y * (special.psi(b) - both)


@elementwise(special.betaln)
def betaln(y: Any, a: Any, b: Any) -> Any:
    both = special.psi(a + b)
    return special.psi(a) - both, special.psi(b) - both


@elementwise(special.gammainc)
def gammainc(y: Any, a: Any, x: Any) -> Any:
    refused = rt.no_derivative("gammainc with respect to a")
    return refused, np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a * 1.0))


@elementwise(special.gammaincc)
def gammaincc(y: Any, a: Any, x: Any) -> Any:
    refused = rt.no_derivative("gammaincc with respect to a")
    return refused, -np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a * 1.0))


@elementwise(special.betainc)
def betainc(y: Any, a: Any, b: Any, x: Any) -> Any:
    refused = rt.no_derivative("betainc with respect to a or b")
    log_density = special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a * 1.0, b)
    return refused, refused, np.exp(log_density)


@elementwise(special.stdtr)
def stdtr(y: Any, df: Any, t: Any) -> Any:
    df = df * 1.0
    log_density = -0.5 * np.log(df) - special.betaln(0.5, 0.5 * df) - 0.5 * (df + 1.0) * np.log1p(t * t / df)
    return rt.no_derivative("stdtr with respect to the degrees of freedom"), np.exp(log_density)


# -- logistic and entropies ------------------------------------------------------------------


@elementwise(special.expit)
def expit(y: Any, x: Any) -> Any:
    return y * (1.0 - y)


@elementwise(special.logit)
def logit(y: Any, x: Any) -> Any:
    return 1.0 / (x * (1.0 - x))


@elementwise(special.log_expit)
def log_expit(y: Any, x: Any) -> Any:
    return special.expit(-x)


@elementwise(special.xlogy)
def xlogy(y: Any, x: Any, log_of: Any) -> Any:
    return np.log(log_of * 1.0), x / log_of


@elementwise(special.xlog1py)
def xlog1py(y: Any, x: Any, log_of: Any) -> Any:
    return np.log1p(log_of * 1.0), x / (1.0 + log_of)


@elementwise(special.entr)
def entr(y: Any, x: Any) -> Any:
    return -np.log(x) - 1.0


@elementwise(special.rel_entr)
def rel_entr(y: Any, p: Any, q: Any) -> Any:
    return np.log(p / q) + 1.0, -(p / q)


@elementwise(special.kl_div)
def kl_div(y: Any, p: Any, q: Any) -> Any:
    return np.log(p / q), 1.0 - p / q


@elementwise(special.huber)
def huber(y: Any, delta: Any, r: Any) -> Any:
    r, delta = r * 1.0, delta * 1.0
    return np.maximum(np.abs(r) - delta, 0.0), np.clip(r, -delta, delta)


@elementwise(special.pseudo_huber)
def pseudo_huber(y: Any, delta: Any, r: Any) -> Any:
    slope = r / np.sqrt(1.0 + (r / delta) * (r / delta))
    return (2.0 * y - r * slope) / delta, slope


# -- Bessel functions ------------------------------------------------------------------------


@elementwise(special.j0)
def j0(y: Any, x: Any) -> Any:
    return -special.j1(x)


@elementwise(special.j1)
def j1(y: Any, x: Any) -> Any:
    return 0.5 * (special.j0(x) - special.jv(2, x))


@elementwise(special.y0)
def y0(y: Any, x: Any) -> Any:
    return -special.y1(x)


@elementwise(special.y1)
def y1(y: Any, x: Any) -> Any:
    return 0.5 * (special.y0(x) - special.yv(2, x))


@elementwise(special.i0)
def i0(y: Any, x: Any) -> Any:
    return special.i1(x)


@elementwise(special.i1)
def i1(y: Any, x: Any) -> Any:
    return 0.5 * (special.i0(x) + special.iv(2, x))


@elementwise(special.i0e)
def i0e(y: Any, x: Any) -> Any:
    return special.i1e(x) - np.sign(x) * y


@elementwise(special.i1e)
def i1e(y: Any, x: Any) -> Any:
    return 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y


@elementwise(special.k0)
def k0(y: Any, x: Any) -> Any:
    return -special.k1(x)


@elementwise(special.k1)
def k1(y: Any, x: Any) -> Any:
    return -0.5 * (special.k0(x) + special.kv(2, x))


@elementwise(special.jv)
def jv(y: Any, v: Any, z: Any) -> Any:
    return rt.no_derivative("jv with respect to its order"), 0.5 * (special.jv(v - 1.0, z) - special.jv(v + 1.0, z))


@elementwise(special.yv)
def yv(y: Any, v: Any, z: Any) -> Any:
    return rt.no_derivative("yv with respect to its order"), 0.5 * (special.yv(v - 1.0, z) - special.yv(v + 1.0, z))


@elementwise(special.yn)
def yn(y: Any, n: Any, x: Any) -> Any:
    return None, 0.5 * (special.yn(n - 1.0, x) - special.yn(n + 1.0, x))


@elementwise(special.iv)
def iv(y: Any, v: Any, z: Any) -> Any:
    return rt.no_derivative("iv with respect to its order"), 0.5 * (special.iv(v - 1.0, z) + special.iv(v + 1.0, z))


@elementwise(special.ive)
def ive(y: Any, v: Any, z: Any) -> Any:
    refused = rt.no_derivative("ive with respect to its order")
    return refused, 0.5 * (special.ive(v - 1.0, z) + special.ive(v + 1.0, z)) - np.sign(z) * y


@elementwise(special.kv)
def kv(y: Any, v: Any, z: Any) -> Any:
    return rt.no_derivative("kv with respect to its order"), -0.5 * (special.kv(v - 1.0, z) + special.kv(v + 1.0, z))


# -- elliptic integrals, hypergeometric ------------------------------------------------------


@elementwise(special.ellipk)
def ellipk(y: Any, m: Any) -> Any:
    return (special.ellipe(m) / (1.0 - m) - y) / (2.0 * m)


@elementwise(special.ellipe)
def ellipe(y: Any, m: Any) -> Any:
    return (y - special.ellipk(m)) / (2.0 * m)


@elementwise(special.hyp2f1)
def hyp2f1(y: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    refused = rt.no_derivative("hyp2f1 with respect to its parameters")
    return refused, refused, refused, a * 1.0 * b / c * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)


# -- log-sum-exp and softmax -----------------------------------------------------------------


def logsumexp_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    axis, keepdims = argument(args, kwargs, 1, "axis"), argument(args, kwargs, 3, "keepdims", False)
    dtype, dims = dtype_of(args[0]), dims_of(args[0])
    signed = argument(args, kwargs, 4, "return_sign", False) != Known(False)
    if dtype is None or dims is None or keepdims not in (Known(False), Known(True)) or signed:
        return array(None, None)
    gone = tuple(range(len(dims))) if axis == Known(None) else axes_of(axis, len(dims))
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    if gone is None or not dims and keepdims == Known(True):  # of a number: an axis more, or not
        return array(dtype, None)
    if keepdims == Known(True):
        kept: Dims = tuple("one" if k in gone else d for k, d in enumerate(dims))
        return array(dtype, kept)
    left: Dims = tuple(d for k, d in enumerate(dims) if k not in gone)
    return array(dtype, left) if left else element(dtype)


@vjps(special.logsumexp, wrt=(0, 2), typing=logsumexp_type)
def logsumexp(
    y_bar: Any, y: Any, a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    if return_sign:
        raise NotImplementedError("the derivative of logsumexp with return_sign=True")
    wide, g = rt.expand(y, a, axis, keepdims), rt.expand(y_bar, a, axis, keepdims)
    share = np.exp(a - wide)
    if b is None:
        return rt.unbroadcast(g * share, a), None, None
    return rt.unbroadcast(g * share * b, a), None, rt.unbroadcast(g * share, b)


def same_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    def change(dims: Dims) -> Dims | None:
        return dims

    return keep(args[0], change)


@vjps(special.softmax, wrt=(0,), typing=same_type)
def softmax(y_bar: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return y * (y_bar - np.sum(y * y_bar, axis=axis, keepdims=True))


@vjps(special.log_softmax, wrt=(0,), typing=same_type)
def log_softmax(y_bar: Any, y: Any, x: Any, axis: Any = None) -> Any:
    return y_bar - np.exp(y) * np.sum(y_bar, axis=axis, keepdims=True)
