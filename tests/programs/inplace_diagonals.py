"""Diagonals are views that nobody writes into, of matrices that are written in place."""

import numpy as np


def diagonal_before_and_after(a):
    d = np.diag(a)
    y = np.sum(d * a[0])
    a *= 0.5
    y += np.sum(d**3)
    a[1] = a[0] * a[2]
    return y + np.sum(d * d) + np.trace(a)


def beside_the_diagonal(a):
    d, e = a.diagonal(1), np.diag(a, k=-1)
    a[0] = a[1] * a[2]
    y = np.sum(d * e)
    a[:, 1] *= a[:, 0]
    return y + np.sum(d**2) + np.sum(np.diagonal(a, offset=-1) * e)


def diagonals_of_a_stack(a):
    t = np.stack([a, a * 2.0])
    d = np.diagonal(t, 0, 1, 2)
    t[0] *= a
    y = np.sum(d * d)
    t[1, 0] = a[1] * a[2]
    return y + np.sum(d[1] * d[0]) + np.sum(np.diagonal(t, axis1=0, axis2=2) ** 2)


def diagonal_in_a_loop(a):
    s = 0.0
    for i in range(3):
        d = np.diag(a)[::-1]
        a[i] = a[i] * d
        s = s + np.sum(d * np.diag(a))
    return s


def factor_of_which_the_diagonal_is_read(a):
    n = a.shape[0]
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                a[i, j] -= a[i, k] * a[j, k]
        a[j, j] = np.sqrt(a[j, j] + 2.0)
        for i in range(j + 1, n):
            a[i, j] /= a[j, j]
    return np.sum(np.log(np.diag(a))) + np.sum(np.tril(a) ** 2)


def matrix_of_a_diagonal(v):
    m = np.diag(v)
    m[0, 1] = v[2]
    v[0] = 2.0 * v[1]
    return np.sum(m * m) + v[0] ** 2 + np.sum(np.diag(np.diag(m)) * m)


_A = np.random.default_rng(11).uniform(0.3, 1.2, (3, 3))

def diagonals_shown_while_it_changes(a, n):
    """Each turn shows diagonals anew, or still looks at one that was shown before."""
    first, total = np.diag(a), 0.0
    for i in range(n):
        d, e = np.diag(a[:, 1:]), np.diag(a.T[1:], -1)
        a[i % 3, i % 3] = np.sin(d[0]) * e[0]
        a[0] *= first[2]
        total += np.sum(first * first) + np.sum(d) * a.diagonal(offset=1)[0]
    return total


def matrices_made_of_diagonals(a, n):
    v = a[0] * a[1]
    for _ in range(n):
        d = np.diag(v * v)
        d[0, 1] = v[2]
        v = d @ v * 0.5 + np.diag(d, k=1).sum() + np.diagonal(d, -1)[0]
    return np.sum(v * np.diag(np.diag(v))[1])


SAMPLES = {
    "diagonals_shown_while_it_changes": [(_A, 4), (_A, 2)],
    "matrices_made_of_diagonals": [(_A, 3)],
    "diagonal_before_and_after": [(_A,)],
    "beside_the_diagonal": [(_A,)],
    "diagonals_of_a_stack": [(_A,)],
    "diagonal_in_a_loop": [(_A,)],
    "factor_of_which_the_diagonal_is_read": [(_A,)],
    "matrix_of_a_diagonal": [(np.array([0.4, 0.7, 1.1]),)],
}
