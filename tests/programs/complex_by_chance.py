"""Eigenvalues of real matrices, which are complex or not as the numbers want, where cotangents are added up in place."""

import numpy as np


def eigenvalues_scaled_in_place(x):
    w = np.linalg.eigvals(x)
    w *= 2.0
    w[0] = w[0] + w[1]
    return np.sum(np.abs(w) ** 2)


def eigenvalues_one_by_one(x):
    w = np.linalg.eigvals(x)
    s = 0.0
    for k in range(len(w)):
        s = s + abs(w[k]) ** 3
    return s


def largest_eigenvalue(x):
    w = np.linalg.eigvals(x)
    m = w[np.argmax(np.abs(w))]
    return abs(m) if m.imag == 0 else m.real * m.imag


def product_of_eigenvalues(x):
    w = np.linalg.eigvals(x)
    t = w[0] * w[1]
    t += w[0] * (1.0 + 2.0j)
    return t.real


def eigenvalues_in_complex_array(x):
    s = np.zeros(2, dtype=complex)
    for k in range(2):
        s[k:] += np.linalg.eigvals(x)[k] * (1.0 - 0.5j)
    return np.sum(np.abs(s) ** 2)


def eigenvalues_listed(x):
    found = []
    for k in range(2):
        found.append(np.linalg.eigvals(x * (k + 1.0)))
    s = 0.0
    for i, w in enumerate(found):
        s = s + np.sum(np.abs(w) ** 3) * (i + 1)
    return s


def eigenvalues_by_key(x):
    found = {k: np.linalg.eigvals(x * k) for k in (1, 2)}
    found[1] += 1.0
    return np.sum(np.abs(found[1] * found[2]))


def radius_divided_by(x):
    for _ in range(3):
        x = x / np.max(np.abs(np.linalg.eigvals(x))) + 0.1
    return np.sum(x**2)


def eigenvectors_in_turns(x):
    s = 0.0
    for k in range(3):
        if k == 1:
            continue
        w, v = np.linalg.eig(x)
        s = s + np.sum(np.abs(w) ** 2 * np.abs(v[0]))
        x = x + 0.1 * x[::-1] * k
    return s


def eigenvalues_where(x, y):
    w, u = np.linalg.eigvals(x), np.linalg.eigvals(y)
    z = np.where(np.abs(w) > 1.5, w, u)
    z[1] += w[0] * u[1]
    return np.sum(np.abs(z) ** 2) + np.sum(np.abs(w - u) ** 3)


REAL = np.array([[1.3, 0.7], [0.2, 2.2]])
COMPLEX = np.array([[1.3, 0.7], [-0.9, 1.2]])
EITHER = [[REAL], [COMPLEX]]

SAMPLES = {
    "eigenvalues_scaled_in_place": EITHER,
    "eigenvalues_one_by_one": EITHER,
    "largest_eigenvalue": EITHER,
    "product_of_eigenvalues": EITHER,
    "eigenvalues_in_complex_array": EITHER,
    "eigenvalues_listed": EITHER,
    "eigenvalues_by_key": EITHER,
    "radius_divided_by": EITHER,
    "eigenvectors_in_turns": EITHER,
    "eigenvalues_where": [[REAL, COMPLEX], [COMPLEX, REAL], [REAL, REAL + 0.3], [COMPLEX, COMPLEX + 0.2]],
}
