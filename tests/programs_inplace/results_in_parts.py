"""Writes into one of several arrays that a function of NumPy gives, which has none of the others' memory."""

import numpy as np

_M = np.array([[1.2, 0.3, -0.4], [0.2, 1.7, 0.6], [-0.3, 0.5, 2.1]])
_X = np.array([1.2, 0.7, 2.1])


def negative_eigenvalues_cut(m):
    w, v = np.linalg.eigh(m + m.T - 3.0 * np.eye(3))
    w[w < 0] = 0.0
    return np.sum((v * w) @ v.T * m)


def truncated(m):
    u, s, vt = np.linalg.svd(m)
    s[2:] = 0.0
    s *= s
    return np.sum((u * s) @ vt * m)


def signs_normalised(m):
    q, r = np.linalg.qr(m)
    signs = np.sign(np.diag(r))
    q *= signs
    r *= signs[:, None]
    return np.sum(q * m) + np.sum(r**3)


def grid_moved(p):
    x, y = np.meshgrid(np.arange(3.0), np.arange(2.0))
    x -= p[0]
    y *= p[1]
    return np.sum(x * y + x**2)


def grid_of_values(p):
    x, y = np.meshgrid(p, p * 2)
    view = x[1:]
    view -= p[0]
    y *= x
    return np.sum(x * y + x**2)


def fraction_scaled(p):
    fraction, whole = np.modf(p * 3.1)
    fraction *= p
    fraction += whole
    return np.sum(fraction * p)


def slopes_masked(m):
    gx, gy = np.gradient(m)
    gx *= m
    gy[0] = 0.0
    return np.sum(gx * gy)


def slopes_as_they_come(m):
    g = np.gradient(m)
    g[0][...] *= m
    return np.sum(g[0] * g[1]) + np.sum(g[0])


def solution_scaled(m):
    x, *_ = np.linalg.lstsq(m, m[:, 0] * m[0], rcond=None)
    x *= m[0]
    return np.sum(x**2)


def eigenvalues_by_name(m):
    found = np.linalg.eigh(m + m.T)
    w = found.eigenvalues
    w *= w
    return np.sum(found.eigenvalues * w) + np.sum(found[0])


def iterated(m, n):
    total = 0.0
    for k in range(n):
        q, r = np.linalg.qr(m)
        r += np.eye(3)
        if k > 0:
            q *= total
        m = r @ q
        total = total + np.sum(r)
    return np.sum(m) + total


def on_one_path(m, k):
    w, v = np.linalg.eigh(m + m.T)
    if k > 0:
        w += m[0]
    return np.sum((v * w) @ v.T * m)


def _normalised(m):
    q, r = np.linalg.qr(m)
    q *= np.sign(np.diag(r))
    return q, r


def by_a_helper(m):
    q, r = _normalised(m)
    r[0] *= q[0]
    return np.sum(q @ r * m)


def parts_kept_in_a_list(m):
    kept = []
    for k in range(2):
        w, v = np.linalg.eigh((m + m.T) * (k + 1.0))
        w *= k + 0.5
        kept.append(w)
        kept.append(v[0] ** 2)
    return sum(np.sum(a**2) for a in kept)


SAMPLES = {
    "negative_eigenvalues_cut": [(_M,)],
    "truncated": [(_M,)],
    "signs_normalised": [(_M,)],
    "grid_moved": [(_X,)],
    "grid_of_values": [(_X,)],
    "fraction_scaled": [(_X,)],
    "slopes_masked": [(_M,)],
    "slopes_as_they_come": [(_M,)],
    "solution_scaled": [(_M,)],
    "eigenvalues_by_name": [(_M,)],
    "iterated": [(_M, 3), (_M, 0)],
    "on_one_path": [(_M, 1), (_M, 0)],
    "by_a_helper": [(_M,)],
    "parts_kept_in_a_list": [(_M,)],
}
