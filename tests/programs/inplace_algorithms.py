"""Numerical methods as they are written down in place."""

import numpy as np

X = np.array([0.3, 0.7, 1.1, 0.45])
Y = np.array([-0.6, 1.3, 0.2, 0.9])


def cholesky_in_place_by_columns(x):
    A = np.outer(x, x) + np.eye(4)
    for k in range(4):
        A[k, k] = np.sqrt(A[k, k])
        A[k + 1 :, k] /= A[k, k]
        for j in range(k + 1, 4):
            A[j:, j] -= A[j:, k] * A[j, k]
    return np.sum(np.tril(A) ** 2 * np.arange(16.0).reshape(4, 4))


def gram_schmidt_by_columns(x):
    A = np.outer(x, x) + np.eye(4) * 2
    Q = np.zeros_like(A)
    R = np.zeros((4, 4))
    for k in range(4):
        n = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(n)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, 4):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q * np.arange(16.0).reshape(4, 4)) + np.sum(R**2)


def lu_in_place(x):
    A = np.outer(x, x) + np.eye(4) * 2
    for i in range(4):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, 4):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(np.log(np.abs(np.diag(A)))) + np.sum(A**2)


def levinson_durbin(x):
    r = x * 0.3
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, 4):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y**2)


def recurrence_in_an_empty_array(x):
    n = len(x)
    y = np.empty(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = y[i - 1] * x[i] + np.exp(-y[i - 1])
    return y[-1]


def exponential_series(x):
    a = np.eye(4)
    t = np.eye(4)
    m = np.outer(x, x) * 0.2
    for k in range(1, 6):
        t = t @ m / k
        a += t
    return np.sum(a**2)


def standardised(x):
    a = np.outer(x, x)
    a -= a.mean(axis=0)
    a /= a.std(axis=1, keepdims=True) + 1.0
    return np.sum(a**3)


def normalised_then_projected(x):
    y = x.copy()
    y /= np.linalg.norm(y)
    y -= y @ x * x
    return np.sum(y**3)


def solves_in_a_loop(x):
    a = np.outer(x, x) + np.eye(4)
    b = x.copy()
    for i in range(3):
        b[:] = np.linalg.solve(a, b)
        a[i, i] += b[i]
    return np.sum(b**2)


def table_in_lists(x):
    t = [[0.0] * 3 for _ in range(3)]
    for i in range(3):
        for j in range(3):
            t[i][j] = x[i] * x[j] + (t[i - 1][j] if i else 0.0)
    return sum(sum(r) for r in t) * t[2][2]


def table_in_a_list(x):
    d = [0.0] * 5
    for i in range(4):
        d[i + 1] = d[i] * x[i] + np.sin(x[i])
    d[0] = d[4] ** 2
    return sum(d)


def argument_scaled(x):
    x *= 2.0
    return np.sum(np.sin(x))


SAMPLES = {
    "cholesky_in_place_by_columns": [(X,)],
    "gram_schmidt_by_columns": [(X,)],
    "lu_in_place": [(X,)],
    "levinson_durbin": [(X,)],
    "recurrence_in_an_empty_array": [(X,)],
    "exponential_series": [(X,)],
    "standardised": [(X,)],
    "normalised_then_projected": [(X,)],
    "solves_in_a_loop": [(X,)],
    "table_in_lists": [(X,)],
    "table_in_a_list": [(X,)],
    "argument_scaled": [(X,)],
}
