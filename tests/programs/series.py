"""Coefficients of polynomials: numpy.polynomial's functions."""

import numpy as np
from numpy.polynomial import chebyshev, hermite, laguerre, legendre, polynomial

_C = np.array([0.4, 1.3, -0.7])
_D = np.array([-1.2, 0.3, 0.9, 0.5])


def product_and_sum(c, d):
    both = polynomial.polymul(c, polynomial.polyadd(c, d))
    return polynomial.polyval(0.3, both) + np.sum(polynomial.polysub(both, d) ** 2)


def slope_of_chebyshev_series(c, x):
    return np.sum(chebyshev.chebval(x, chebyshev.chebder(chebyshev.chebmul(c, c)))) + np.sum(chebyshev.chebint(c) ** 2)


def powers_by_a_loop(c):
    total, power = 0.0, c
    for k in range(3):
        power = legendre.legmul(power, c)
        total += legendre.legval(0.2, power) * (k + 1)
    return total + legendre.legval(0.1, legendre.legpow(c, 3))


def series_of_a_list(x):
    c = hermite.hermder([x[0], x[1] * x[0], 3.0, x[2]])
    return np.sum(hermite.hermint(c, lbnd=0.4) ** 2)


def values_on_a_grid(c, x):
    return np.sum(laguerre.laggrid2d(x, x[:2], np.outer(c, c)) ** 2)


SAMPLES = {
    "product_and_sum": [(_C, _D)],
    "slope_of_chebyshev_series": [(_C, _D)],
    "powers_by_a_loop": [(_C,)],
    "series_of_a_list": [(_C,)],
    "values_on_a_grid": [(_C, _D)],
}
