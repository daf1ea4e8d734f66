"""Sample calls of the rules in adcompile/rules/scipy/linalg.py."""

import numpy as np
from scipy import linalg

from tests.rules.samples.numbers import complexes, definite, real, regular

C3 = regular(3, 3) + 1j * real(3, 3)
BANDED = np.array([[0.7, 0.3, 0.4, -0.2], [4.0, 5.0, 3.0, 2.5], [0.5, -0.6, 0.7, 0.1]])
LU, LU_COMPLEX = linalg.lu_factor(regular(4, 4)[::-1]), linalg.lu_factor(C3[[1, 2, 0]])
CUT = np.array([[4.0, 1.0, 0.3], [0.7, 3.0, -0.2], [0.1, 0.5, 1.0]])  # singular values 4.5, 2.6 and 1.0
SAMPLES = {
    linalg.inv: [((regular(3, 3),), {}), ((C3,), {})],
    linalg.det: [((regular(3, 3),), {})],
    linalg.solve: [
        ((regular(3, 3), real(3)), {}),
        ((C3, complexes(3, 2)), {}),
        ((regular(3, 3), real(3, 2)), {"transposed": True}),
        *[((definite(3, 3), real(3, 2)), {"assume_a": "pos", "lower": lower}) for lower in (True, False)],
        *[((definite(3, 3), real(3)), {"assume_a": "sym", "lower": lower}) for lower in (True, False)],
        ((C3 @ C3.conj().T, complexes(3)), {"assume_a": "her"}),
        ((C3 + C3.T, complexes(3)), {"assume_a": "sym", "lower": True}),
    ],
    linalg.solve_banded: [
        (((1, 1), BANDED, real(4)), {}),
        (((1, 1), BANDED, real(4, 2)), {}),
        (((2, 0), BANDED, real(4)), {}),
        (((0, 2), BANDED[::-1].copy(), real(4)), {}),
        (((1, 1), BANDED + 0.2j, complexes(4)), {}),
    ],
    linalg.solve_sylvester: [
        ((regular(3, 3), regular(2, 2), real(3, 2)), {}),
        ((C3, complexes(3, 3), complexes(3, 3)), {}),
    ],
    linalg.solve_triangular: [
        *[((regular(3, 3), real(3)), {"lower": lower, "trans": t}) for lower in (True, False) for t in (0, 1, 2)],
        ((C3, complexes(3, 2), 1), {"lower": True}),
        ((C3, complexes(3, 2), 2), {}),
        ((C3, complexes(3, 2)), {}),
        ((regular(3, 3), real(3, 2)), {"lower": True, "unit_diagonal": True}),
    ],
    linalg.cholesky: [((definite(3, 3),), {}), ((definite(3, 3), True), {})],
    linalg.cho_solve: [
        (((np.tril(regular(3, 3)), True), real(3)), {}),
        (((np.triu(regular(3, 3)), False), real(3, 2)), {}),
    ],
    linalg.lu_factor: [((regular(4, 4)[::-1].copy(),), {}), ((C3[[1, 2, 0]],), {})],
    linalg.lu_solve: [
        *[((LU, real(4), trans), {}) for trans in (0, 1, 2)],
        *[((LU_COMPLEX, complexes(3, 2)), {"trans": trans}) for trans in (0, 1, 2)],
    ],
    linalg.sqrtm: [((definite(3, 3),), {}), ((C3,), {})],
    linalg.norm: [((real(4),), {}), ((real(3, 4),), {}), ((real(3, 4), 1), {"axis": 0}), ((complexes(4),), {})],
    linalg.eigh: [  # by default it gives vectors whose signs change with the last bits of the matrix on some machines
        ((definite(3, 3),), {"driver": "ev"}),
        ((regular(3, 3),), {"lower": False, "driver": "evd"}),
        ((definite(3, 3),), {"eigvals_only": True}),
    ],
    linalg.eigvalsh: [((definite(3, 3),), {}), ((regular(3, 3),), {"lower": False})],
    linalg.svd: [
        ((real(4, 3), False), {}),
        ((real(3, 4),), {"full_matrices": False, "lapack_driver": "gesvd"}),
        ((real(3, 3),), {}),
        ((real(4, 3),), {"compute_uv": False}),
    ],
    linalg.svdvals: [((real(4, 3),), {})],
    linalg.pinv: [
        ((real(4, 3),), {}),
        ((CUT,), {"atol": 1.2}),
        ((CUT[:, :2],), {"rtol": 0.4}),
        ((regular(3, 3),), {"check_finite": False}),
    ],
    linalg.qr: [((real(4, 3),), {"mode": "economic"}), ((real(3, 3),), {}), ((real(3, 5),), {})],
    linalg.expm: [((real(3, 3),), {}), ((0.3 * C3,), {})],
}


def lower_factor(a):
    c, lower = linalg.cho_factor(a, lower=True)
    return np.tril(c) if lower else None


def upper_factor(a):
    return np.triu(linalg.cho_factor(a)[0])


def solution(a, b):
    return linalg.cho_solve(linalg.cho_factor(a, True), b)


# the triangle that the factor leaves alone holds anything
WRAPPED = {
    linalg.cho_factor: [
        (lower_factor, (definite(3, 3),)),
        (upper_factor, (definite(3, 3),)),
        (lower_factor, (C3 @ C3.conj().T,)),
        (upper_factor, (C3 @ C3.conj().T,)),
        (solution, (definite(3, 3), real(3, 2))),
    ]
}
