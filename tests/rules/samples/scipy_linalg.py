"""Sample calls of the rules in adcompile/rules/scipy/linalg.py."""

import numpy as np
from scipy import linalg

from tests.rules.samples.numbers import complexes, definite, real, regular

C3 = regular(3, 3) + 1j * real(3, 3)
SAMPLES = {
    linalg.inv: [((regular(3, 3),), {}), ((C3,), {})],
    linalg.det: [((regular(3, 3),), {})],
    linalg.solve: [((regular(3, 3), real(3)), {}), ((C3, complexes(3, 2)), {})],
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
    linalg.norm: [((real(4),), {}), ((real(3, 4),), {}), ((real(3, 4), 1), {"axis": 0}), ((complexes(4),), {})],
    linalg.expm: [((real(3, 3),), {}), ((0.3 * C3,), {})],
}
