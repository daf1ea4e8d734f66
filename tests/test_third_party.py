"""Functions of installed packages, unmodified: their argument checks, try statements and lists run as they are."""

import cmath
import colorsys
import statistics
import sys
from importlib.metadata import version

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, laguerre, legendre, polynomial

import adcompile as ad
from adcompile.rules.registry import lookup
from tests.programs import some

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")
windows = pytest.importorskip("scipy.signal.windows")
waveforms = pytest.importorskip("scipy.signal")
distance = pytest.importorskip("scipy.spatial.distance")
distributions = pytest.importorskip("scipy.stats._continuous_distns")
SCIPY = tuple(map(int, version("scipy").split(".")[:2]))

RNG = np.random.default_rng(20)
SIZES = [int(n) for n in np.linspace(2, 50, 8)]


@pytest.mark.parametrize("n", SIZES)
def test_rosen(n):
    x = RNG.standard_normal(n)
    value, gradient = ad.value_and_grad(optimize.rosen)(x)
    exact = optimize.rosen_der(x)
    assert value == optimize.rosen(x)
    np.testing.assert_allclose(gradient, exact, rtol=0, atol=1e-12 * np.max(np.abs(exact)))
    exact = optimize.rosen_hess(x)
    np.testing.assert_allclose(ad.hessian(optimize.rosen)(x), exact, rtol=0, atol=1e-12 * np.max(np.abs(exact)))
    v = RNG.standard_normal(n)
    exact = optimize.rosen_hess_prod(x, v)
    np.testing.assert_allclose(
        ad.hvp(optimize.rosen, (x,), (v,)), exact, rtol=0, atol=1e-12 * np.max(np.abs(exact))
    )


def test_rosen_is_followed_and_its_gradient_reads_well():
    assert lookup(optimize.rosen) is None
    text = ad.source(ad.grad(optimize.rosen), np.ones(4))
    assert "def rosen_grad(x):" in text and len(text.splitlines()) < 40


def test_minimize_with_our_gradient():
    found = optimize.minimize(optimize.rosen, np.full(6, 1.3), jac=ad.grad(optimize.rosen), method="BFGS")
    np.testing.assert_allclose(found.x, np.ones(6), atol=1e-4)


U, V = RNG.uniform(0.1, 0.9, 5), RNG.uniform(0.1, 0.9, 5)
C = RNG.standard_normal(5)

FOLLOWED = [
    (polynomial.polyval, (0.7, C)),
    (chebyshev.chebval, (0.7, C)),
    (legendre.legval, (0.7, C)),
    (hermite.hermval, (0.7, C)),
    (laguerre.lagval, (0.7, C)),
    (distance.cosine, (U, V)),
    (distance.correlation, (U, V)),
    (distance.braycurtis, (U, V)),
    (distance.sqeuclidean, (U, V)),
    (distance.mahalanobis, (U, V, np.eye(5) + 0.1)),
    (distance.jensenshannon, (U, V)),
    (distributions._norm_pdf, (0.4,)),
    (distributions._norm_logpdf, (0.4,)),
    (colorsys.rgb_to_hsv, (0.2, 0.4, 0.6)),
    (colorsys.hls_to_rgb, (0.2, 0.4, 0.6)),
    (np.vander, (C,)),
    *([(statistics.fmean, ([0.3, 0.5, 0.9],))] if sys.version_info >= (3, 11) else []),  # before, an active try
    (statistics.median, ([0.3, 0.5, 0.9, 0.1],)),
    (statistics.covariance, ([0.3, 0.5, 0.9], [0.1, 0.9, 0.2])),
    (statistics.quantiles, ([0.3, 0.5, 0.9, 1.2],)),
    (cmath.polar, (0.3 + 0.4j,)),
    (colorsys.rgb_to_hls, (0.2, 0.4, 0.6)),
    (colorsys.hsv_to_rgb, (0.2, 0.4, 0.6)),
    (colorsys.rgb_to_yiq, (0.2, 0.4, 0.6)),
    (distance.minkowski, (U, V, 3)),
    (distance.chebyshev, (U, V)),
    *([(integrate.simpson, (C,))] if SCIPY < (1, 18) else []),  # later it writes through an array API that is refused
    (windows.kaiser, (7, 1.3)),
    (windows.tukey, (7, 0.3)),
    (waveforms.chirp, (U, 1.0, 1.0, 2.0)),
    (polynomial.polyval2d, (U, V, np.outer(C, U))),
    (hermite.hermweight, (U,)),
    (chebyshev.chebweight, (U,)),
    (distributions.logistic._logpdf, (0.4,)),
    (distributions.weibull_min._cdf, (0.4, 1.3)),
    (distributions.lognorm._cdf, (0.4, 0.8)),
]


TWICE = [f for f, _ in some(FOLLOWED, 5) if f.__module__ != "colorsys"]


@pytest.mark.parametrize("f, args", FOLLOWED, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of the checks, at the complex arguments they try
@pytest.mark.filterwarnings("ignore:Complex:DeprecationWarning")  # the same, of SciPy before 1.17
def test_other_functions(f, args):
    """Every third to second order."""
    value, _ = ad.vjp(f, *args)
    assert repr(value) == repr(f(*args))
    ad.check_grads(f, args, order=2 if f in TWICE else 1)
