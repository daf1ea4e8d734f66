"""Sample calls of the rules in adcompile/rules/numpy/products.py."""

import operator

import numpy as np

from tests.rules.samples.numbers import complexes, real, single

MATMUL = [
    (real(3), real(3)),
    (real(2, 3), real(3)),
    (real(3), real(3, 2)),
    (real(2, 3), real(3, 4)),
    (real(5, 2, 3), real(3, 4)),
    (real(2, 3), real(5, 3, 4)),
    (real(4, 1, 2, 3), real(5, 3, 2)),
    (real(1, 2, 3), real(5, 3, 2)),
    (real(3), real(5, 3, 4)),
    (real(5, 2, 3), real(3)),
    (real(2, 0), real(0, 3)),
    (real(1, 1), real(1, 1)),
    (complexes(2, 3), complexes(3, 2)),
    (complexes(3), real(3, 2)),
    (complexes(5, 2, 3), complexes(3)),
    (complexes(3), complexes(5, 3, 2)),
    (complexes(5, 2, 3), complexes(3, 4)),
    (complexes(2, 3), complexes(5, 3, 2)),
    (real(2, 3), real(2, 4, 3, 2)),
    (real(2, 4, 1, 3), real(3, 2)),
    (real(0, 2, 3), real(3, 2)),
    (single(2, 3), single(3, 2)),
]
DOT = [
    *[pair for pair in MATMUL if np.ndim(pair[0]) < 3 and np.ndim(pair[1]) < 3],
    (real(2, 3), 2.5),
    (1.5, real(3)),
    (1.5, 2.5),
    (real(2, 2, 3), real(3)),
    (real(2, 2, 3), real(3, 4)),
    (real(3), real(2, 3, 4)),
    (complexes(2, 2, 3), complexes(2, 3, 4)),
]
EINSUM = [
    ("ij,jk->ik", real(2, 3), real(3, 4)),
    ("ij,jk", real(2, 3), real(3, 4)),
    ("ij->ji", real(2, 3)),
    ("ij->", real(2, 3)),
    ("ij->i", real(2, 3)),
    ("ii->", real(3, 3)),
    ("ii", real(3, 3)),
    ("ii->i", real(3, 3)),
    ("iij->ij", real(3, 3, 2)),
    ("i,i,i->", real(3), real(3), real(3)),
    ("i,j->ij", real(2), real(3)),
    ("...ij,...jk->...ik", real(5, 2, 3), real(3, 4)),
    ("...ij,...jk", real(5, 2, 3), real(1, 3, 4)),
    ("i...,i...->...", real(3, 2), real(3, 1)),
    ("bij,bjk,bk->i", real(2, 3, 2), real(2, 2, 2), real(2, 2)),
    ("i,ij", 1.5 * real(2), real(2, 3)),
    (",i->i", 2.5, real(3)),
    ("ij, ij -> i", real(2, 3), real(1, 3)),
    ("ij,jk->ik", complexes(2, 3), complexes(3, 2)),
    ("ii,ij->j", complexes(2, 2), real(2, 3)),
]
CROSS = [
    (real(3), real(3)),
    (real(4, 3), real(3)),
    (real(2, 1, 3), real(4, 3)),
    (complexes(3), complexes(3)),
]
if np.lib.NumpyVersion(np.__version__) < "2.5.0":  # which takes vectors of three numbers alone
    CROSS += [(real(4, 3), real(4, 2)), (real(2), real(3)), (real(4, 2), real(2))]

SAMPLES = {
    operator.matmul: [(pair, {}) for pair in MATMUL],
    np.matmul: [(pair, {}) for pair in MATMUL],
    np.ndarray.__matmul__: [((real(2, 3), real(3)), {})],
    np.linalg.matmul: [((real(2, 3), real(3, 4)), {})],
    np.dot: [(pair, {}) for pair in DOT],
    np.ndarray.dot: [((real(2, 3), real(3, 2)), {}), ((real(2, 3), 2.0), {})],
    np.inner: [
        (pair, {})
        for pair in [
            (real(3), real(3)),
            (real(2, 3), real(3)),
            (real(3), real(2, 3)),
            (real(2, 3), real(4, 2, 3)),
            (real(3), 2.5),
            (complexes(2, 3), complexes(3)),
        ]
    ],
    np.outer: [
        ((real(3), real(2)), {}),
        ((real(2, 2), real(3)), {}),
        ((1.5, real(2)), {}),
        ((complexes(2), complexes(3)), {}),
    ],
    np.linalg.outer: [((real(3), real(2)), {})],
    np.vdot: [((real(3), real(3)), {}), ((complexes(2, 2), complexes(2, 2)), {}), ((complexes(3), real(3)), {})],
    np.tensordot: [
        ((real(2, 3, 4), real(3, 4, 5)), {}),
        ((real(2, 3), real(3, 4)), {"axes": 1}),
        ((real(2), real(3)), {"axes": 0}),
        ((real(2, 3, 4), real(4, 5, 2)), {"axes": ((0, 2), (2, 0))}),
        ((real(2, 3, 4), real(4, 5, 2)), {"axes": ([2, 0], [0, 2])}),
        ((real(2, 3), real(4, 3)), {"axes": (1, 1)}),
        ((complexes(2, 3), complexes(3, 2), ((-1, 0), (0, 1))), {}),
    ],
    np.linalg.tensordot: [((real(2, 3), real(3, 4)), {"axes": 1})],
    np.einsum: [
        *[(call, {}) for call in EINSUM],
        (("ij,jk,kl->il", real(2, 3), real(3, 2), real(2, 2)), {"optimize": True}),
        (("ij,jk->", real(2, 3), real(3, 2)), {"optimize": True}),
        (("ij,j->", real(2, 3), real(3)), {"optimize": "greedy"}),
        (("i,i,j->", real(2), real(2), real(3)), {"optimize": True}),
        ((real(2, 3), [0, 1], real(3, 4), [1, 2]), {}),
        ((real(2, 3), [0, 1], real(3, 4), [1, 2], [2, 0]), {}),
    ],
    np.kron: [
        ((real(2), real(3)), {}),
        ((real(2, 3), real(3, 2)), {}),
        ((real(2), real(2, 3)), {}),
        ((complexes(2, 2), complexes(2)), {}),
        ((1.5, real(2)), {}),
    ],
    np.cross: [
        *[(pair, {}) for pair in CROSS],
        ((real(3, 4), real(3, 4)), {"axis": 0}),
        ((real(3, 4), real(4, 3)), {"axisa": 0, "axisc": 0}),
    ],
    np.linalg.cross: [((real(4, 3), real(4, 3)), {}), ((real(3, 4), real(3, 4)), {"axis": 0})],
}
VECTORS = [(real(3), real(3)), (real(2, 3), real(3)), (complexes(2, 3), complexes(2, 3))]
if hasattr(np, "vecdot"):
    SAMPLES[np.vecdot] = [
        *[(pair, {}) for pair in VECTORS],
        ((real(3, 2), real(3, 2)), {"axis": 0}),
        ((real(3, 2), real(3)), {"axis": 0}),
        ((complexes(3), complexes(3, 2)), {"axis": 0, "keepdims": True}),
        ((real(2, 3), real(3)), {"keepdims": True}),
    ]
    SAMPLES[np.linalg.vecdot] = [((real(2, 3), real(3)), {}), ((real(4, 3, 3), real(3, 3)), {"axis": 1})]
if hasattr(np, "matvec"):
    SAMPLES[np.matvec] = [((real(2, 3), real(3)), {}), ((complexes(4, 2, 3), complexes(3)), {})]
    SAMPLES[np.vecmat] = [((real(2), real(2, 3)), {}), ((complexes(2), complexes(4, 2, 3)), {})]
