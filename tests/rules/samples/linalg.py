"""Sample calls of the rules in adcompile/rules/numpy/linalg.py and factor.py."""

import numpy as np

from tests.rules.samples.numbers import complexes, definite, real, regular

SINGULAR = np.array([[1.0, 2.0, 0.5], [2.0, 4.0, 1.0], [0.3, -0.7, 1.1]])
C3 = regular(3, 3) + 1j * real(3, 3)
HERMITIAN = C3 @ np.conj(C3).T + np.diag([1.0, 5.0, 9.0])
NORMS = [None, 1, 2, 3, 0.5, np.inf, -np.inf]
MATRIX_NORMS = [None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf]

CUT = np.array([[4.0, 1.0, 0.3], [0.7, 3.0, -0.2], [0.1, 0.5, 1.0]])  # singular values 4.5, 2.6 and 1.0
SAMPLES = {
    np.linalg.inv: [((regular(3, 3),), {}), ((regular(2, 3, 3),), {}), ((C3,), {}), ((regular(1, 1),), {})],
    np.linalg.det: [
        ((regular(3, 3),), {}),
        ((SINGULAR,), {}),
        ((np.zeros((2, 2)),), {}),
        ((regular(2, 3, 3),), {}),
        ((C3,), {}),
        ((regular(1, 1),), {}),
    ],
    np.linalg.slogdet: [((regular(3, 3),), {}), ((regular(2, 3, 3),), {}), ((C3,), {})],
    np.linalg.solve: [
        ((regular(3, 3), real(3)), {}),
        ((regular(3, 3), real(3, 2)), {}),
        ((regular(2, 3, 3), real(3)), {}),
        ((regular(2, 3, 3), real(3, 2)), {}),
        ((regular(3, 3), real(2, 3, 2)), {}),
        ((regular(4, 1, 3, 3), real(2, 3, 2)), {}),
        ((C3, complexes(3)), {}),
        ((C3, real(3, 2)), {}),
    ],
    np.linalg.pinv: [
        ((real(3, 2),), {}), ((real(2, 3),), {}), ((real(2, 4, 3),), {}), ((complexes(3, 2),), {}),
        ((regular(3, 3),), {"hermitian": True}), ((CUT, 0.4), {}), ((CUT[:, :2] + 0.2j,), {"rcond": 0.4}),
    ],
    np.linalg.lstsq: [
        ((CUT, real(3)), {"rcond": 0.4}),
        ((real(5, 2), real(5)), {}),
        ((real(5, 2), real(5, 3)), {}),
        ((real(2, 4), real(2)), {}),
        ((complexes(4, 2), complexes(4)), {}),
    ],
    np.linalg.tensorinv: [((regular(6, 6).reshape(2, 3, 6),), {}), ((regular(4, 4).reshape(4, 2, 2),), {"ind": 1})],
    np.linalg.tensorsolve: [
        ((regular(6, 6).reshape(2, 3, 6), real(2, 3)), {}),
        ((regular(6, 6).reshape(2, 3, 6), real(6)), {"axes": (0, 1)}),
    ],
    np.linalg.matrix_power: [
        *[((regular(3, 3), n), {}) for n in (0, 1, 2, 3, 5, -1, -3)],
        ((regular(2, 3, 3), 4), {}),
        ((C3, 3), {}),
    ],
    np.linalg.multi_dot: [
        (([real(2, 3), real(3, 4), real(4, 2)],), {}),
        (([real(3), real(3, 4), real(4)],), {}),
        (((real(2, 3), real(3, 4)),), {}),
        (([complexes(3), complexes(3, 2), complexes(2, 4), complexes(4, 2)],), {}),
    ],
    np.linalg.eigh: [((definite(3, 3),), {}), ((regular(3, 3),), {"UPLO": "U"}), ((definite(2, 3, 3),), {})],
    np.linalg.eigvalsh: [((definite(3, 3),), {}), ((HERMITIAN,), {}), ((regular(3, 3), "U"), {})],
    np.linalg.eig: [((definite(3, 3) + 0.1 * real(3, 3),), {})],
    np.linalg.eigvals: [((regular(3, 3),), {}), ((C3,), {}), ((regular(2, 3, 3),), {})],
    np.linalg.svd: [
        ((real(4, 3),), {"full_matrices": False}),
        ((real(3, 4),), {"full_matrices": False}),
        ((real(3, 3),), {}),
        ((real(2, 4, 3), False), {}),
        ((real(4, 3),), {"compute_uv": False}),
        ((regular(3, 3),), {"compute_uv": False, "hermitian": True}),
        ((complexes(3, 4),), {"compute_uv": False}),
    ],
    np.linalg.svdvals: [((real(4, 3),), {}), ((complexes(2, 3, 3),), {})],
    np.linalg.cholesky: [
        ((definite(3, 3),), {}),
        ((definite(2, 3, 3),), {}),
        ((HERMITIAN,), {}),
        ((definite(1, 1),), {}),
    ],
    np.linalg.qr: [
        ((real(4, 3),), {}),
        ((real(3, 3),), {}),
        ((real(3, 5),), {}),
        ((real(2, 4, 3),), {}),
        ((real(4, 3), "r"), {}),
        ((real(3, 5),), {"mode": "r"}),
        ((complexes(4, 3),), {}),
        ((complexes(3, 4),), {}),
    ],
    np.linalg.norm: [
        *[((real(4),), {"ord": p}) for p in NORMS],
        *[((real(3, 4),), {"ord": p}) for p in MATRIX_NORMS],
        *[((real(3, 4),), {"ord": p, "axis": 1}) for p in NORMS],
        *[((real(2, 3, 4),), {"ord": p, "axis": (0, 2)}) for p in MATRIX_NORMS],
        ((real(3, 4), None, 0, True), {}),
        ((real(3, 4),), {"ord": "nuc", "axis": (1, 0), "keepdims": True}),
        ((real(2, 3, 2),), {}),
        ((real(2, 3),), {"keepdims": True}),
        ((complexes(4),), {}),
        ((complexes(4), 3), {}),
        ((complexes(4), 1), {}),
        ((complexes(2, 3), "nuc"), {}),
    ],
    np.linalg.matrix_norm: [((real(2, 3, 4),), {}), ((real(3, 4),), {"ord": "nuc", "keepdims": True})],
    np.linalg.vector_norm: [
        ((real(2, 3),), {}),
        ((real(2, 3),), {"ord": 3, "axis": 1}),
        ((real(2, 3),), {"keepdims": True}),
    ],
    np.linalg.cond: [
        ((regular(3, 3),), {}),
        ((real(4, 3),), {}),
        ((regular(3, 3), -2), {}),
        ((regular(3, 3), "fro"), {}),
        ((regular(2, 3, 3), 1), {}),
        ((regular(2, 3, 3),), {}),
    ],
}
