"""scipy.stats: densities and distribution functions, as functions of the numbers and of the parameters.

The derivative is that of the formula, inside of the support; outside it is zero, and at the ends of the support it is
the one from within. SciPy's own result stays the value, so that constants outside of the support do not matter.
Probabilities of counts have no derivative by the counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from adcompile import runtime as rt
from adcompile.ir.types import UNKNOWN, Known, Type
from adcompile.rules.kinds import composite, constant
from adcompile.rules.numpy.dims import Dims, array, broadcast, dims_of, element
from adcompile.runtime.marks import stop_gradient


def broadcast_result(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """float64, of the shape that all arguments but the distribution have together."""
    dims = broadcast([dims_of(t) for t in (*args[1:], *kwargs.values())])
    return element(np.dtype(float)) if dims == () else array(np.dtype(float), dims)


# -- the distributions in their standard forms, by what is asked of them: logpdf, cdf, logcdf, sf, logsf -------------


def norm(which: Any, z: Any) -> Any:
    if which == "logpdf":
        return -0.5 * z * z - np.log(rt.ROOT_2PI)
    signed = z if which == "cdf" or which == "logcdf" else -z
    return special.ndtr(signed) if which == "cdf" or which == "sf" else special.log_ndtr(signed)


def t(which: Any, z: Any, df: Any) -> Any:
    if which == "logpdf":
        return special.betaln(0.5, 0.5 * df) * -1.0 - 0.5 * np.log(df) - 0.5 * (df + 1.0) * np.log1p(z * z / df)
    value = special.stdtr(df, z if which == "cdf" or which == "logcdf" else -z)
    return value if which == "cdf" or which == "sf" else np.log(value)


def beta(which: Any, z: Any, a: Any, b: Any) -> Any:
    if which == "logpdf":
        return special.xlog1py(b - 1.0, -z) + special.xlogy(a - 1.0, z) - special.betaln(a, b)
    # from the other end, for the upper tail
    value = special.betainc(a, b, z) if which == "cdf" or which == "logcdf" else special.betainc(b, a, 1.0 - z)
    return value if which == "cdf" or which == "sf" else np.log(value)


def gamma(which: Any, z: Any, a: Any) -> Any:
    if which == "logpdf":
        return special.xlogy(a - 1.0, z) - z - special.gammaln(a)
    value = special.gammainc(a, z) if which == "cdf" or which == "logcdf" else special.gammaincc(a, z)
    return value if which == "cdf" or which == "sf" else np.log(value)


def chi2(which: Any, z: Any, df: Any) -> Any:
    value = gamma(which, 0.5 * z, 0.5 * df)
    return value - rt.LOG_2 if which == "logpdf" else value


def expon(which: Any, z: Any) -> Any:
    if which == "logpdf" or which == "logsf":
        return -z
    if which == "sf":
        return np.exp(-z)
    value = -np.expm1(-z)
    return value if which == "cdf" else np.log(value)


def uniform(which: Any, z: Any) -> Any:
    if which == "logpdf":
        return 0.0 * z
    value = z if which == "cdf" or which == "logcdf" else 1.0 - z
    return value if which == "cdf" or which == "sf" else np.log(value)


def lognorm(which: Any, z: Any, s: Any) -> Any:
    log = np.log(z)
    return norm("logpdf", log / s) - np.log(s) - log if which == "logpdf" else norm(which, log / s)


# -- their parameters, as SciPy takes them --------------------------------------------------------------------------


def without_shape(loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return (), loc, scale


def with_a(a: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return (a,), loc, scale


def with_a_and_b(a: Any, b: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return (a, b), loc, scale


def with_df(df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return (df,), loc, scale


def with_s(s: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    return (s,), loc, scale


LINE, HALF, UNIT = (-np.inf, np.inf), (0.0, np.inf), (0.0, 1.0)
FORMS: dict[Any, Any] = {
    type(stats.norm): (norm, without_shape, LINE),
    type(stats.t): (t, with_df, LINE),
    type(stats.beta): (beta, with_a_and_b, UNIT),
    type(stats.gamma): (gamma, with_a, HALF),
    type(stats.chi2): (chi2, with_df, HALF),
    type(stats.expon): (expon, without_shape, HALF),
    type(stats.uniform): (uniform, without_shape, UNIT),
    type(stats.lognorm): (lognorm, with_s, HALF),
}


def form_of(cls: Any) -> Any:
    return FORMS.get(cls)


def form_type(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """Of a class that is known when compiling; other objects have none."""
    return Known(form_of(args[0].value) if isinstance(args[0], Known) else None)


constant(form_of, typing=form_type, total=True)


def measured(self: Any, which: Any, x: Any, args: Any, kwds: Any) -> Any:
    found = form_of(type(self))
    if found is None:
        raise NotImplementedError("the derivative of this distribution of scipy.stats; write its formula")
    form, parameters, support = found
    shapes, loc, scale = parameters(*args, **kwds)
    z = (x - loc) / scale
    name = "logpdf" if which == "pdf" else which
    if support[0] == -np.inf:
        value = form(name, z, *shapes)
        return np.exp(value) / scale if which == "pdf" else value - np.log(scale) if which == "logpdf" else value
    inside = (z >= support[0]) & (z <= support[1])
    value = form(name, np.where(inside, z, 0.5), *shapes)
    if which == "pdf":
        return np.where(inside, np.exp(value), 0.0) / scale
    return np.where(inside, value - np.log(scale) if which == "logpdf" else value, 0.0)


@composite(stats.rv_continuous.pdf, typing=broadcast_result)
def pdf(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return measured(self, "pdf", x, args, kwds)


@composite(stats.rv_continuous.logpdf, typing=broadcast_result)
def logpdf(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return measured(self, "logpdf", x, args, kwds)


@composite(stats.rv_continuous.cdf, typing=broadcast_result)
def cdf(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return measured(self, "cdf", x, args, kwds)


@composite(stats.rv_continuous.logcdf, typing=broadcast_result)
def logcdf(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return measured(self, "logcdf", x, args, kwds)


@composite(stats.rv_continuous.sf, typing=broadcast_result)
def sf(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return measured(self, "sf", x, args, kwds)


@composite(stats.rv_continuous.logsf, typing=broadcast_result)
def logsf(self: Any, x: Any, *args: Any, **kwds: Any) -> Any:
    return measured(self, "logsf", x, args, kwds)


# -- counts ---------------------------------------------------------------------------------------------------------


def poisson(k: Any, mu: Any) -> Any:
    return special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu


def binom(k: Any, n: Any, p: Any) -> Any:
    ways = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return ways + special.xlogy(k, p) + special.xlog1py(n - k, -p)


def with_mu(mu: Any, loc: Any = 0.0) -> Any:
    return np.inf, (mu,), loc


def with_n_and_p(n: Any, p: Any, loc: Any = 0.0) -> Any:
    whole = stop_gradient(n)
    return whole, (whole, p), loc


FORMS[type(stats.poisson)] = poisson, with_mu
FORMS[type(stats.binom)] = binom, with_n_and_p


def counted(self: Any, logarithm: Any, k: Any, args: Any, kwds: Any) -> Any:
    found = form_of(type(self))
    if found is None:
        raise NotImplementedError("the derivative of this distribution of scipy.stats; write its formula")
    form, parameters = found
    most, shapes, loc = parameters(*args, **kwds)
    count = stop_gradient(k - loc)
    inside = (count >= 0) & (count <= most) & (count == np.floor(count))
    value = form(np.where(inside, count, 0.0), *shapes)
    return np.where(inside, value if logarithm else np.exp(value), 0.0)


@composite(stats.rv_discrete.pmf, typing=broadcast_result)
def pmf(self: Any, k: Any, *args: Any, **kwds: Any) -> Any:
    return counted(self, False, k, args, kwds)


@composite(stats.rv_discrete.logpmf, typing=broadcast_result)
def logpmf(self: Any, k: Any, *args: Any, **kwds: Any) -> Any:
    return counted(self, True, k, args, kwds)


# -- the normal distribution of vectors -----------------------------------------------------------------------------


def normal_result(args: list[Type], kwargs: dict[str, Type]) -> Type:
    """SciPy drops axes of length 1."""
    dims = dims_of(args[1]) if len(args) > 1 else dims_of(kwargs["x"]) if "x" in kwargs else None
    if dims is None or not dims or any(d not in ("one", "many") for d in dims[:-1]):
        return UNKNOWN
    left: Dims = tuple(d for d in dims[:-1] if d != "one")
    return array(np.dtype(float), left) if left else element(np.dtype(float))


def log_normal(x: Any, mean: Any, cov: Any, allow_singular: Any) -> Any:
    """By the Cholesky factor, which reads the lower triangle, as SciPy does."""
    if allow_singular or isinstance(cov, stats.Covariance):
        raise NotImplementedError("the derivative of multivariate_normal with a singular or structured covariance")
    if np.ndim(x) == 0 or np.ndim(cov) == 0 and mean is None:
        raise NotImplementedError("the derivative of multivariate_normal in one dimension; use scipy.stats.norm")
    matrix = cov if np.ndim(cov) == 2 else np.diag(cov) if np.ndim(cov) == 1 else cov * np.eye(np.size(mean))
    n = len(matrix)
    if n == 1:
        raise NotImplementedError("the derivative of multivariate_normal in one dimension; use scipy.stats.norm")
    away = x * 1.0 if mean is None else x * 1.0 - mean  # a difference of integers wraps around
    factor = np.linalg.cholesky(matrix)
    whitened = np.linalg.solve(factor, np.reshape(away, (-1, n)).T)
    value = -0.5 * np.sum(whitened * whitened, axis=0) - np.sum(np.log(np.diag(factor))) - n * np.log(rt.ROOT_2PI)
    return np.squeeze(np.reshape(value, away.shape[:-1]))


NORMAL = type(stats.multivariate_normal)


@composite(NORMAL.logpdf, typing=normal_result)
def normal_logpdf(self: Any, x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    return log_normal(x, mean, cov, allow_singular)


@composite(NORMAL.pdf, typing=normal_result)
def normal_pdf(self: Any, x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    return np.exp(log_normal(x, mean, cov, allow_singular))
