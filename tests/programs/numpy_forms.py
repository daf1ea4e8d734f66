"""Forms of NumPy's functions that types alone do not decide: what is meant shows in values."""

import numpy as np

_A = np.array([[0.5, 1.5, 0.7], [0.3, -0.4, 0.9]])
_S = np.array([[2.0, 0.3, 0.1], [0.4, 1.5, 0.2], [0.1, 0.6, 3.0]])
_TURN = np.array([[0.4, -1.3], [1.1, 0.6]])
_T = np.array([0.0, 0.4, 1.1])


def _cubed(x):
    return x * x * x


def _halved(x):
    return 0.5 * np.sin(x)


def functions_or_numbers(x, terms):
    total = 0.0
    for term in terms:
        total = total + (term(x) if callable(term) else term * x)
    return total


def pieces(x, functions):
    return np.sum(np.piecewise(x, [x < 0, x < 1], functions) * x)


def eigenvalues_of_real_matrix(a):
    return np.sum(np.abs(np.linalg.eigvals(a)) ** 3)


def eigenvectors_of_real_matrix(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.abs(v) ** 4 * np.real(w * w))


def integral_over_axis(y, t, axis):
    return np.sum(np.trapezoid(y, t, axis=axis) ** 2)


def fitted_polynomial(x, y, degree):
    return np.sum(np.polyfit(x, y, degree) ** 2)


def periodic_interpolation(x, xp, fp, period):
    return np.sum(np.interp(x, xp, fp, period=period) ** 2 * np.arange(1.0, 1.0 + len(x)))


def extrema_of_ufuncs(x, bound):
    most = np.maximum.reduce(x, axis=0, initial=bound) ** 2
    return np.sum(most) + np.minimum.reduce(x, axis=None, initial=0.0 * bound, where=x < bound)


def einsum_by_lists(a, b, first, second, result):
    return np.sum(np.einsum(a, first, b, second, result) ** 2)


def einsum_with_lengths_of_one(a, b):
    return np.sum(np.einsum("ij,ij->j", a, b) ** 2 + np.einsum("ij,kj->j", a, b))


def copies_of_a_number(x):
    return x.copy() * x.astype(np.float64) + x.reshape(1)[0] * x.squeeze() + x.item() ** 2


def where_of_a_condition_alone(a):
    i, j = np.where(a > 0.4)
    b = a * 1.0
    b[i, j] *= b[j, i]
    b[np.where(a < 0.4)] += 1.0
    return np.sum(b[i] * 2.0) + np.sum(b**2) + len(np.where(a)[0]) + np.sum(a[0][np.where(a[0] > 0.4)])


def exponents_in_a_list(x, n):
    return np.sum(np.ldexp(x, [1, -2, 3]) * x + np.ldexp(x, n))


def bools_as_numbers(x, t):
    angles = np.sum(np.arctan2(x > 1, x) + np.arctan2(x, x > 1))
    between = np.sum(np.interp(x, t, t > 0.5) + np.interp(x > 0, t, t * x))
    return angles + between + np.trapezoid(x * x, t > 0.1) + np.trapezoid(x > 0, x)


SAMPLES = {
    "exponents_in_a_list": [(np.array([0.3, 0.8, 1.1]), [0, 1, 2])],
    "periodic_interpolation": [
        (np.array([0.3, 2.9, -4.1, 7.7]), np.array([0.7, 5.1, -1.3]), np.array([0.5, -1.5, 2.0]), 2.5),
        (np.array([0.3, 2.6]), np.array([0.7]), np.array([0.5]), -2.5),
    ],
    "extrema_of_ufuncs": [(_A, 0.6), (_A, np.float64(-1.0))],
    "bools_as_numbers": [(_T + 0.3, _T + 0.2), (2.0 * _T - 0.3, _T + 0.2)],
    "where_of_a_condition_alone": [(np.array([[0.3, 0.7], [0.9, 0.2]]),)],
    "functions_or_numbers": [(0.7, [_cubed, _halved, 2]), (0.7, [_cubed, 0.5])],
    "pieces": [(_T - 0.3, [_cubed, _halved, 2]), (2 * _T - 0.3, [_cubed, _halved, _cubed]), (_T - 0.3, [0.5, _halved])],
    "eigenvalues_of_real_matrix": [(_S,), (_TURN,)],
    "eigenvectors_of_real_matrix": [(_S,), (_TURN,)],
    "integral_over_axis": [(_A.T, _T, 0), (_A, _T, 1), (_A, _A**2, 0)],
    "fitted_polynomial": [(np.array([0.1, 0.5, 0.9, 1.6]), np.array([0.3, -0.4, 0.9, 0.2]), 2)],
    "einsum_by_lists": [(_A, _S, [0, 1], [1, 2], [2, 0]), (_A, _S, [0, 1], [1, 2], [2])],
    "einsum_with_lengths_of_one": [(_A, _A[:1]), (_A[:1], _A), (_A[:, :1], _A)],
    "copies_of_a_number": [(np.float64(0.7),)],
}
