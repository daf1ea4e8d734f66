"""Products, solves, determinants, norms."""

import numpy as np

_A = np.array([[0.5, -0.7, 1.2], [0.1, 0.9, -0.3]])
_S = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [0.3, -0.2, 1.8]])
_V = np.array([0.5, -0.7, 1.2])


def quadratic_form(x, s):
    return x @ s @ x


def matrix_vector(a, x):
    return np.sum(np.tanh(a @ x)) + np.sum((x @ a.T) ** 2)


def matrix_matrix(a, b):
    return np.sum((a @ b) ** 2)


def dot_forms(a, x):
    return np.dot(x, x) + np.sum(np.dot(a, x) ** 2) + np.sum(a.dot(x)) + np.dot(2.0, x[0])


def inner_outer_vdot(x, y):
    return np.inner(x, y) * np.vdot(x, x) + np.sum(np.outer(x, y) ** 2)


def batched_matmul(a):
    b = np.stack([a, 2.0 * a])
    return np.sum(np.matmul(b, a.T) ** 2) + np.sum((b @ a[0]) ** 3)


def einsum_forms(a, s):
    return (
        np.einsum("ij,ij->", a, a)
        + np.sum(np.einsum("ij,jk->ik", a, s) ** 2)
        + np.einsum("ii", s)
        + np.sum(np.einsum("ij->ji", a)[0] ** 2)
        + np.einsum("i,ij,j", s[0], s, s[1])
    )


def tensordot_forms(a, s):
    return np.tensordot(a, a) + np.sum(np.tensordot(a, s, axes=1) ** 2) + np.sum(np.tensordot(a, a, axes=([0], [0])))


def kron_product(a, s):
    return np.sum(np.kron(a, s[:2, :2]) ** 2 * np.arange(24.0).reshape(4, 6))


def cross_product(x, y):
    return np.sum(np.cross(x, y) ** 2)


def solve_vector(s, x):
    return np.sum(np.linalg.solve(s, x) ** 2)


def solve_matrix(s, a):
    return np.sum(np.linalg.solve(s, a.T) ** 2)


def inverse(s):
    return np.sum(np.linalg.inv(s) ** 2)


def determinant(s):
    return np.linalg.det(s) ** 2


def log_determinant(s):
    sign, logdet = np.linalg.slogdet(s)
    return sign * logdet


def norms(x, a):
    return np.linalg.norm(x) * np.linalg.norm(a) + np.linalg.norm(x, 3) + np.sum(np.linalg.norm(a, axis=1) ** 3)


def cholesky_factor(s):
    spd = s @ s.T
    return np.sum(np.linalg.cholesky(spd) ** 3)


def power_method(s, x):
    for _ in range(4):
        x = s @ x
        x = x / np.linalg.norm(x)
    return x @ s @ x


def trace_of_powers(s):
    return np.trace(s @ s @ s) + np.trace(np.linalg.matrix_power(s, 2))


def least_squares_normal_equations(a, y):
    g = a @ a.T + 0.1 * np.eye(2)
    w = np.linalg.solve(g, a @ y)
    return np.sum((a.T @ w - y) ** 2)


def matmul_chain_rebinding(x, a, b):
    h = x
    for w in (a, b):
        h = np.maximum(w @ h, 0.1 * (w @ h))
    return np.sum(h)


def contraction_over_given_axes(a, b, axes, weights):
    return np.sum(np.tensordot(a, b, axes) * weights)


SAMPLES = {
    "contraction_over_given_axes": [
        (np.array([[0.5, 1.5, 0.7]]), np.array([0.3, -0.4]), 0, np.ones((1, 3, 2))),
        (np.array([[0.5, 1.5]]), np.array([[0.3, -0.4], [0.2, 0.9]]), 1, np.ones((1, 2))),
    ],
    "quadratic_form": [(_V, _S), (_V[:1], _S[:1, :1])],
    "matrix_vector": [(_A, _V)],
    "matrix_matrix": [(_A, _S), (_A.T, _A)],
    "dot_forms": [(_A, _V)],
    "inner_outer_vdot": [(_V, _V[::-1] * 0.5)],
    "batched_matmul": [(_A,)],
    "einsum_forms": [(_A, _S)],
    "tensordot_forms": [(_A, _S)],
    "kron_product": [(_A, _S)],
    "cross_product": [(_V, np.array([0.2, 0.4, -0.9]))],
    "solve_vector": [(_S, _V)],
    "solve_matrix": [(_S, _A)],
    "inverse": [(_S,)],
    "determinant": [(_S,)],
    "log_determinant": [(_S,)],
    "norms": [(_V, _A)],
    "cholesky_factor": [(_S,)],
    "power_method": [(_S, _V)],
    "trace_of_powers": [(_S,)],
    "least_squares_normal_equations": [(_A, _V)],
    "matmul_chain_rebinding": [(_V, _A, _A.T)],
}
