"""Sample calls of the rules in adcompile/rules/numpy/join.py."""

import numpy as np

from tests.rules.samples.numbers import complexes, real, single

SAMPLES = {
    np.array: [
        ((real(3),), {}),
        (([1.5, 2.5],), {}),
        (([real(2), real(2)],), {}),
        (([[1.0, 2.0], [3.0, 4.0]],), {}),
        (([[[1.0], [2.0]], [[3.0], [4.0]]],), {}),
        (([1.0, np.float64(2.0), 3],), {}),
        ((2.5,), {}),
        (([1.5, 2.5],), {"ndmin": 3}),
        ((real(3),), {"ndmin": 2}),
        ((complexes(2),), {}),
        (([1.5] * 20,), {}),
    ],
    np.asarray: [((real(3),), {}), (([real(2), real(2)],), {}), ((2.5,), {})],
    np.asanyarray: [((real(3),), {})],
    np.ascontiguousarray: [((real(2, 3).T,), {}), ((2.5,), {}), (([1.0, 2.0],), {})],
    np.asfortranarray: [((real(2, 3),), {})],
    np.ndarray.astype: [((single(3), float), {}), ((real(3), complex), {}), ((real(3), np.float64), {"copy": False})],
    np.astype: [((single(3), np.float64), {})],
    np.copy: [((real(2, 3),), {}), (([1.0, 2.0],), {})],
    np.ndarray.copy: [((real(2, 3),), {})],
    np.ndarray.item: [((real(1, 1),), {}), ((real(3), 1), {}), ((real(2, 3), 4), {}), ((real(2, 3), 1, 2), {})],
    np.concatenate: [
        (((real(2), real(3)),), {}),
        (([real(2, 3), real(1, 3), real(0, 3)],), {}),
        (((real(2, 3), real(2, 1)), 1), {}),
        (((real(2, 3), real(2, 1)),), {"axis": -1}),
        (((real(2, 1, 3), real(2, 2, 3)), 1), {}),
        (((real(2, 3), real(2, 2)), None), {}),
        ((real(2, 3, 4),), {"axis": 1}),
        (([real(2) for _ in range(20)],), {}),
        (([real(2, 1) for _ in range(20)],), {"axis": None}),
        (((complexes(2), real(3)),), {}),
        (((single(2), single(3)),), {}),
    ],
    np.concat: [(((real(2), real(3)),), {})],
    np.stack: [
        (((real(3), real(3)),), {}),
        (([real(3), real(3)],), {"axis": 1}),
        (((real(2, 3), real(2, 3)), -2), {}),
        ((real(2, 3),), {"axis": 1}),
        (([real(2) for _ in range(20)], 1), {}),
    ],
    np.hstack: [(((real(2), real(3)),), {}), (((real(2, 1), real(2, 3)),), {}), (([1.5, real(2)],), {}), (([real(2)] * 20,), {})],
    np.vstack: [(((real(3), real(2, 3)),), {}), (([real(2), real(2)],), {}), ((real(2, 3),), {}), (([real(2)] * 20,), {})],
    np.column_stack: [(((real(3), real(3, 2)),), {}), (([real(2)] * 20,), {})],
    np.dstack: [(((real(3), real(3)),), {}), (((real(2, 3), real(2, 3, 2)),), {}), (([real(2)] * 20,), {})],
    np.block: [
        (([real(2), real(3)],), {}),
        (([[real(2, 2), real(2, 1)], [real(1, 2), real(1, 1)]],), {}),
        (([[real(2, 2)], [1.5 * real(1, 2)]],), {}),
    ],
    np.append: [((real(2), real(3)), {}), ((real(2, 3), 1.5), {}), ((real(2, 3), real(1, 3), 0), {})],
    np.full: [((3, 1.5), {}), (((2, 3), real(3)), {}), (((), 2.5), {})],
    np.full_like: [((np.zeros((2, 3)), 1.5), {}), ((np.zeros((2, 3)), real(3)), {})],
}
