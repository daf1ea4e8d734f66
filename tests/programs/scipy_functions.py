"""SciPy's factorisations, filters, densities, splines and sparse systems in functions of a user; none without SciPy."""

import importlib.util

import numpy as np

HERE = importlib.util.find_spec("scipy") is not None
if HERE:
    from scipy import fft, interpolate, linalg, signal, sparse, special, stats
    from scipy.sparse import linalg as sparse_linalg

    _SPARSE = sparse.csr_matrix(np.array([[2.0, 0.0, 1.5], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]]))
    _SPLINE = interpolate.CubicSpline(np.array([0.0, 0.5, 1.1, 1.9, 3.0]), np.array([0.3, -0.4, 0.9, 1.2, 0.1]))

_S = np.array([[2.0, 0.3, -0.4], [0.3, 1.5, 0.2], [-0.4, 0.2, 1.8]])
_A = np.array([[0.2, 1.3, -0.4], [2.1, 0.5, 0.2], [0.3, -0.2, 1.8]])
_V = np.array([0.5, -0.7, 1.2])


def gaussian_process(s, y):
    factor = linalg.cho_factor(s, lower=True)
    fit = y @ linalg.cho_solve(factor, y)
    return 0.5 * fit + np.sum(np.log(np.diag(factor[0])))


def factored_once(s, y):
    c, low = linalg.cho_factor(s)
    x = linalg.cho_solve((c, low), y)
    for _ in range(2):
        x = linalg.cho_solve((c, low), x + y)
    return np.sum(x**2)


def pivoted(a, y):
    lu, piv = linalg.lu_factor(a)
    x = linalg.lu_solve((lu, piv), y)
    return np.sum(x**2) + np.sum(linalg.lu_solve((lu, piv), x, trans=1)) + np.sum(np.log(np.abs(np.diag(lu))))


def rows_of_factors_exchanged(a, y):
    total = 0.0
    for k in range(len(y)):
        factors = linalg.lu_factor(np.roll(a, k, axis=0))
        total += linalg.lu_solve(factors, y)[k] ** 2
    return total


def bands(a, y):
    x = linalg.solve_banded((1, 1), np.stack([a[0], 3.0 + a[1] ** 2, a[2]]), y)
    return np.sum(x**2)


def matrix_equations(a, s):
    x = linalg.solve_sylvester(a + 3.0 * np.eye(3), s, a)
    return np.sum(x**2) + np.sum(linalg.sqrtm(s @ s.T + np.eye(3)).real ** 3)


def symmetric_system(s, y):
    return np.sum(linalg.solve(s, y, assume_a="pos") ** 2) + np.sum(linalg.solve(s, y, assume_a="sym", lower=True))


def filtered(b, x):
    y, state = signal.lfilter(b, np.array([1.0, -0.3, 0.1]), x, zi=0.5 * b)
    return np.sum(y**2) + np.sum(state) + np.sum(signal.fftconvolve(x, b, mode="same") * signal.convolve(x, b)[:3])


def likelihood(x, mu, sigma):
    total = np.sum(stats.norm.logpdf(x, mu, sigma)) + stats.expon.logsf(sigma) + np.sum(stats.norm.cdf(x, loc=mu))
    return total + stats.multivariate_normal.logpdf(x, mean=mu * x, cov=_S) + stats.poisson.logpmf(2, sigma)


def along_a_spline(x):
    inside = np.abs(x)
    table = interpolate.interp1d([0.0, 1.0, 2.0], [0.3, 1.4, -0.2])
    return np.sum(_SPLINE(inside) ** 2 * table(inside)) + np.sum(_SPLINE(inside, 1))


def sparse_system(x):
    y = _SPARSE @ x
    z = sparse_linalg.spsolve(_SPARSE.T.tocsc(), y * y)
    return np.sum(z * (x @ _SPARSE)) + np.sum(_SPARSE.dot(z))


def low_frequencies(x, n):
    spectrum = fft.rfft(x, norm="ortho", workers=1)
    spectrum[n:] = 0.0
    smooth = fft.irfft(spectrum, len(x), norm="ortho")
    return np.sum((x - smooth) ** 4) + np.sum(fft.fftshift(np.abs(fft.fft2(np.outer(x, smooth)))) ** 2)


def poisson_by_sines(f):
    modes = np.arange(1, f.shape[0] + 1)[:, None] ** 2 + np.arange(1, f.shape[1] + 1) ** 2
    u = fft.idstn(fft.dstn(f, type=1) / modes, type=1)
    return np.sum(u**2 * fft.dct(f, axis=0, norm="ortho"))


def of_unsigned_parameters(x, k):
    """Their negatives wrap around, and so does one less than none; their logarithms are in half precision."""
    y = special.huber(k, -70.0 * x) + special.huber(70.0 * x, k) + special.rel_entr(k, x) + special.xlogy(x, k)
    return np.sum(y + special.xlog1py(x, k) + special.yn(k // 50, x))


def of_integer_points(s, x, m):
    return stats.multivariate_normal.logpdf(x, m, s)


SAMPLES = {
    "of_unsigned_parameters": [(np.array([0.37, 1.82, 1.43]), k) for k in (np.array([3, 20, 61], np.uint8), np.int8(17))],
    "of_integer_points": [(_S, np.array([1, 2, 3], np.uint8), np.array([2, 1, 5], np.uint8))],
    "gaussian_process": [(_S, _V)],
    "factored_once": [(_S, _V)],
    "pivoted": [(_A, _V)],
    "rows_of_factors_exchanged": [(_A, _V)],
    "bands": [(_A, _V)],
    "matrix_equations": [(_A, _S)],
    "symmetric_system": [(_S, _V)],
    "filtered": [(np.array([0.5, 0.2]), _V)],
    "likelihood": [(_V, 0.3, 1.4)],
    "along_a_spline": [(_V,)],
    "sparse_system": [(_V,)],
    "low_frequencies": [(np.array([0.5, -0.7, 1.2, 0.3, 0.9]), 2)],
    "poisson_by_sines": [(_A,)],
}
SAMPLES = SAMPLES if HERE else {}
