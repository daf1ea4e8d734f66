"""Sample calls of the rules in adcompile/rules/numpy/select.py."""

import numpy as np

from tests.rules.samples.numbers import complexes, real, single

SAMPLES = {
    np.sort: [
        ((real(5),), {}),
        ((real(3, 4),), {}),
        ((real(3, 4),), {"axis": 0}),
        ((real(3, 4),), {"axis": None}),
        ((single(5),), {}),
        ((complexes(4),), {}),
        ((real(0),), {}),
    ],
    np.partition: [
        ((real(6), 2), {}),
        ((real(3, 4), 1), {"axis": 0}),
        ((real(3, 4), (1, 2)), {}),
        ((real(3, 4), 5), {"axis": None}),
    ],
    np.unique: [
        ((real(5),), {}),
        ((real(2, 3),), {"return_inverse": True, "return_counts": True}),
        ((real(3, 2), True), {"axis": 0}),
        ((complexes(4),), {"return_index": True}),
        ((single(5),), {}),
        ((real(0),), {}),
    ],
    np.union1d: [((real(3), real(2, 2)), {})],
    np.diag: [
        ((real(3),), {}),
        ((real(3), 1), {}),
        ((real(3, 3),), {}),
        ((real(3, 4),), {"k": -1}),
        ((complexes(2, 3), 1), {}),
    ],
    np.diagflat: [((real(2, 2),), {}), ((real(3), -1), {})],
    np.diagonal: [
        ((real(3, 3),), {}),
        ((real(3, 4), 1), {}),
        ((real(2, 3, 4),), {}),
        ((real(2, 3, 4), -1, 1, 2), {}),
        ((real(2, 3, 4),), {"axis1": 0, "axis2": 2}),
        ((real(2, 3, 4),), {"axis1": 2, "axis2": 0, "offset": 1}),
    ],
    np.ndarray.diagonal: [((real(3, 3),), {}), ((real(3, 3), 1), {})],
    np.linalg.diagonal: [((real(2, 3, 4),), {"offset": 1})],
    np.linalg.trace: [((real(2, 3, 3),), {}), ((real(2, 3, 4),), {"offset": 1}), ((real(3, 3),), {})],
    np.tril: [((real(3, 3),), {}), ((real(2, 3, 4), 1), {}), ((real(3),), {})],
    np.triu: [((real(3, 3),), {}), ((real(3, 4), -1), {}), ((complexes(2, 2),), {})],
    np.pad: [
        ((real(3), 2), {}),
        ((real(2, 3), (1, 2)), {"constant_values": 1.5}),
        ((real(2, 3), ((1, 0), (2, 1)), "edge"), {}),
        ((real(4), 2, "reflect"), {}),
        ((real(2, 3), 2, "symmetric"), {}),
        ((real(3), (4, 2)), {"mode": "wrap"}),
    ],
    np.delete: [
        ((real(5), 1), {}),
        ((real(5), [0, 3]), {}),
        ((real(2, 3), 1), {"axis": 1}),
        ((real(2, 3), slice(0, 4, 2)), {}),
    ],
    np.insert: [
        ((real(4), 1, 2.5), {}),
        ((real(4), [0, 2], real(2)), {}),
        ((real(4), 2, real(3)), {}),
        ((real(2, 3), 1, real(2)), {"axis": 1}),
        ((real(2, 3), 0, real(3), 0), {}),
        ((real(2, 3), [1, 2], real(2, 2), 1), {}),
        ((real(2, 3), 3, 1.5), {}),
        ((real(2, 3), 3, 1.5, 1), {}),
    ],
    np.resize: [((real(3), (2, 4)), {}), ((real(2, 3), 4), {}), ((real(3), 7), {})],
}
