"""Sample calls of the rules in adcompile/rules/scipy/sparse.py and sparse_linalg.py."""

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from adcompile.rules.scipy.sparse import owner
from tests.rules.samples.numbers import complexes, real

DENSE = np.array([[2.0, 0.0, 1.5], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])
ROWS, COLUMNS = sparse.csr_matrix(DENSE), sparse.csc_array(DENSE + 1j * (DENSE > 3.5))
WIDE = sparse.csr_array(DENSE[:2])

METHODS = {
    owner(sparse.csr_matrix, "_matmul_dispatch"): [
        ((ROWS, real(3)), {}),
        ((WIDE, real(3, 2)), {}),
        ((COLUMNS, complexes(3, 2)), {}),
    ],
    owner(sparse.csr_matrix, "_rmatmul_dispatch"): [((ROWS, real(3)), {}), ((WIDE, real(4, 2)), {})],
    linalg.spsolve: [
        ((ROWS.tocsc(), real(3)), {}),
        ((COLUMNS, complexes(3)), {}),
        ((ROWS.tocsc(), real(3, 2)), {}),
    ],
}
