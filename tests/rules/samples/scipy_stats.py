"""Sample calls of the rules in adcompile/rules/scipy/stats.py."""

import numpy as np
from scipy import stats

from tests.rules.samples.numbers import definite, positive, real

LINE, ABOVE, UNIT = real(4), positive(4), np.array([0.12, 0.35, 0.62, 0.85])
# a whole number for a parameter by which distribution functions have no derivative; loc and scale behind it
CONTINUOUS = [
    ((stats.norm, LINE), {}),
    ((stats.norm, LINE, UNIT, 1.3), {}),
    ((stats.t, LINE, 3), {"loc": 0.2, "scale": 1.4}),
    ((stats.beta, UNIT, 2, 3), {}),
    ((stats.gamma, ABOVE, 2), {"scale": 1.4}),
    ((stats.chi2, ABOVE, 3), {}),
    ((stats.expon, np.array([0.1, 0.5, 1.8]), 0.02, 1.3), {}),
    ((stats.uniform, UNIT, -0.2, 1.3), {}),
    ((stats.lognorm, ABOVE, 0.8), {"loc": -0.1}),
    ((stats.norm, 0.4), {}),
]
DENSITIES = [
    ((stats.t, LINE, np.array([2.5, 3.5, 4.5, 9.0]), 0.1, ABOVE), {}),
    ((stats.beta, UNIT, ABOVE, 2.6, -0.05, 1.2), {}),
    ((stats.gamma, ABOVE, 1.7, -0.2, 1.3), {}),
    ((stats.chi2, np.array([[0.4], [2.1]]), np.array([1.4, 3.3, 4.2])), {}),
    ((stats.lognorm, ABOVE, 0.8, -0.1, 1.2), {}),
]
OUTSIDE = [
    ((stats.gamma, LINE, 2), {}),
    ((stats.uniform, LINE, 0.02, 1.1), {}),
    ((stats.expon, LINE), {"scale": 0.7}),
    ((stats.beta, LINE, 2, 3), {}),
]
COUNTS = [
    ((stats.poisson, np.array([[0], [3], [7]]), np.array([0.4, 2.3])), {}),
    ((stats.binom, np.array([[0], [2], [5]]), 5, np.array([0.3, 0.6])), {}),
    ((stats.poisson, 3, 2.3), {"loc": 1}),
]
NORMAL, C = stats.multivariate_normal, definite(3, 3)
VECTORS = [
    ((NORMAL, real(4, 3), real(3), C), {}),
    ((NORMAL, real(3), real(3), C), {}),
    ((NORMAL, real(2, 2, 3)), {"cov": C}),
    ((NORMAL, real(4, 3), real(3), positive(3)), {}),
    ((NORMAL, real(4, 3), real(3), 1.4), {}),
    ((NORMAL, real(1, 3), real(3), C), {}),
]

METHODS = {
    stats.rv_continuous.pdf: [*CONTINUOUS, *DENSITIES, *OUTSIDE],
    stats.rv_continuous.logpdf: [*CONTINUOUS, *DENSITIES],
    stats.rv_continuous.cdf: [*CONTINUOUS, *OUTSIDE],
    stats.rv_continuous.logcdf: CONTINUOUS,
    stats.rv_continuous.sf: [*CONTINUOUS, *OUTSIDE],
    stats.rv_continuous.logsf: CONTINUOUS,
    stats.rv_discrete.pmf: [*COUNTS, ((stats.poisson, np.array([-1, 2]), 1.3), {}), ((stats.binom, 7, 5, 0.3), {})],
    stats.rv_discrete.logpmf: COUNTS,
    type(NORMAL).logpdf: VECTORS,
    type(NORMAL).pdf: VECTORS,
}
