"""Linear algebra by loops that overwrite their arguments."""

import numpy as np


def _spd(n, seed=0):
    a = np.random.default_rng(seed).uniform(-1.0, 1.0, (n, n))
    return a @ a.T + n * np.eye(n)


def _dominant(n, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, n)) + n * np.eye(n)


def _some(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.2, 1.0, shape)


def cholesky(a):
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return np.sum(np.tril(a) ** 3)


def cholesky_by_columns(a):
    n = a.shape[0]
    for k in range(n):
        a[k, k] **= 0.5
        a[k + 1 :, k] /= a[k, k]
        for j in range(k + 1, n):
            a[j:, j] -= a[j:, k] * a[j, k]
    return np.sum(np.log(np.diag(a))) + a[n - 1, 0]


def lu(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return np.sum(a * np.cos(a))


def lu_pivoted_solve(a, b):
    """Gaussian elimination with row swaps, then back substitution, all in place."""
    n = a.shape[0]
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        b[i] = (b[i] - a[i, i + 1 :] @ b[i + 1 :]) / a[i, i]
    return np.sum(b**2)


def trisolv(lower, x, b):
    for i in range(x.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return np.sum(x * x)


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y**2)


def gramschmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]), dtype=a.dtype)
    for k in range(a.shape[1]):
        nrm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(nrm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return np.sum(r * r * r) + np.sum(q[0] * a[1])


def thomas(lower, diagonal, upper, d):
    """A tridiagonal system, overwriting diagonal and right-hand side."""
    n = len(d)
    for i in range(1, n):
        w = lower[i - 1] / diagonal[i - 1]
        diagonal[i] = diagonal[i] - w * upper[i - 1]
        d[i] = d[i] - w * d[i - 1]
    d[-1] = d[-1] / diagonal[-1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - upper[i] * d[i + 1]) / diagonal[i]
    return np.sum(np.exp(d))


def conjugate_gradient(a, b):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rr = r @ r
    for _ in range(3):
        q = a @ p
        step = rr / (p @ q)
        x += step * p
        r -= step * q
        new = r @ r
        p *= new / rr
        p += r
        rr = new
    return np.sum(x**3)


def householder_qr(a):
    m, n = a.shape
    for k in range(n):
        v = a[k:, k].copy()
        v[0] += np.copysign(np.sqrt(v @ v), v[0])
        v /= np.sqrt(v @ v)
        a[k:, k:] -= 2.0 * np.outer(v, v @ a[k:, k:])
    return np.sum(np.triu(a[:n]) ** 3)


def givens_rotation(a):
    n = a.shape[0]
    for j in range(n - 1):
        for i in range(n - 1, j, -1):
            c, s = a[i - 1, j], a[i, j]
            h = np.hypot(c, s)
            c, s = c / h, s / h
            top = c * a[i - 1] + s * a[i]
            a[i] = c * a[i] - s * a[i - 1]
            a[i - 1] = top
    return np.sum(np.abs(np.diag(a)))


def power_iteration_in_place(a, v):
    for _ in range(4):
        np.matmul(a, v.copy(), out=v)
        v /= np.linalg.norm(v)
    return v @ a @ v


def symm(alpha, beta, c, a, b):
    temp = np.empty((c.shape[1],), dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            temp[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * temp
    return np.sum(c * c)


def trmm(alpha, a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha
    return np.sum(b**2)


def covariance_in_place(data):
    data -= np.mean(data, axis=0)
    m = data.shape[1]
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:, i] = data[:, i] @ data[:, i:] / (data.shape[0] - 1.0)
        cov[i, i:] = cov[i:, i]
    return np.sum(cov**2)


SAMPLES = {
    "cholesky": [(_spd(4),), (_spd(1),)],
    "cholesky_by_columns": [(_spd(4, 1),)],
    "lu": [(_dominant(4),)],
    "lu_pivoted_solve": [(np.array([[0.1, 2.0, 0.4], [1.5, 0.3, 0.2], [0.3, 0.6, 1.9]]), _some(3))],
    "trisolv": [(np.tril(_dominant(4)), np.zeros(4), _some(4))],
    "durbin": [(np.array([0.4, 0.2, -0.1, 0.15]),)],
    "gramschmidt": [(_some(4, 3) + np.eye(4, 3),)],
    "thomas": [(_some(4), 3.0 + _some(5, seed=1), _some(4, seed=2), _some(5, seed=3))],
    "conjugate_gradient": [(_spd(4, 2), _some(4))],
    "householder_qr": [(_some(4, 3) + np.eye(4, 3),)],
    "givens_rotation": [(_some(3, 3) + np.eye(3),)],
    "power_iteration_in_place": [(_spd(3), _some(3))],
    "symm": [(1.2, 0.7, _some(3, 2), _some(3, 3, seed=1), _some(3, 2, seed=2))],
    "trmm": [(0.8, _some(3, 3), _some(3, 2, seed=1))],
    "covariance_in_place": [(_some(5, 3),)],
}
