"""Sample calls of the rules in adcompile/rules/numpy/index.py."""

import operator

import numpy as np

from tests.rules.samples.numbers import complexes, real, single

MASK = np.array([True, False, True])
INDICES = [
    (real(5), 2),
    (real(5), -1),
    (real(5), slice(1, 4)),
    (real(5), slice(None, None, -2)),
    (real(5), slice(3, 3)),
    (real(5), np.array([0, 2, 2, -1])),
    (real(5), [0, 1]),
    (real(5), np.array([[0, 1], [1, 4]])),
    (real(3), MASK),
    (real(3), ()),
    (real(3), Ellipsis),
    (real(3), None),
    (real(3), True),
    (real(2, 3), (1, 2)),
    (real(2, 3), 1),
    (real(2, 3), (slice(None), 1)),
    (real(2, 3), (slice(None), MASK)),
    (real(2, 3), (Ellipsis, 0)),
    (real(2, 3), (None, slice(0, 1), None)),
    (real(2, 3), ([0, 1, 1], [0, 2, 2])),
    (real(2, 3), np.ones((2, 3), bool)),
    (real(2, 3, 4), (0, slice(None), np.array([0, 0, 3]))),
    (real(2, 3, 4), (slice(None), 1, np.array([0, 0]))),
    (real(2, 3, 4), (np.array([[0], [1]]), np.array([1, 1, 2]))),
    (real(2, 3, 4), (np.array([0, 1]), Ellipsis, np.array([1, 1]))),
    (complexes(4), np.array([1, 1])),
    (single(4), slice(0, 2)),
    (real(1, 1), (0, 0)),
]

SAMPLES = {
    operator.getitem: [((a, index), {}) for a, index in INDICES],
    np.ndarray.__getitem__: [((real(3), 1), {})],
    np.take: [
        ((real(5), [0, 2, 2]), {}),
        ((real(2, 3), 4), {}),
        ((real(2, 3), np.array([[0, 1]])), {"axis": 1}),
        ((real(2, 3), 1), {"axis": 0}),
        ((real(2, 3, 4), [1, 1]), {"axis": 1}),
        ((real(3), [4, -1, 7]), {"mode": "wrap"}),
        ((real(3), [4, -1, 1]), {"mode": "clip"}),
    ],
    np.ndarray.take: [((real(5), [0, 2, 2]), {}), ((real(2, 3), [0, 1], 1), {})],
    np.take_along_axis: [
        ((real(2, 3), np.array([[0, 2], [1, 1]])), {"axis": 1}),
        ((real(2, 3), np.array([[0, 1, 1]])), {"axis": 0}),
        ((real(2, 3), np.array([0, 5, 5]), None), {}),
    ],
    np.compress: [((MASK, real(3)), {}), ((MASK, real(2, 3)), {"axis": 1}), (([False, True], real(2, 2)), {})],
    np.ndarray.compress: [((real(3), MASK), {}), ((real(2, 3), MASK, 1), {})],
    np.extract: [((MASK, real(3)), {}), ((np.eye(2) > 0, real(2, 2)), {})],
    np.choose: [
        (([1, 0, 1], (real(3), real(3))), {}),
        ((np.array([[0], [1]]), [real(3), 2.5]), {}),
        ((np.array([0, 3, -1]), (real(3), real(3))), {"mode": "wrap"}),
        ((np.array([1, 0, 1]), real(2, 3)), {}),
    ],
    np.select: [
        (([MASK, ~MASK], [real(3), real(3)]), {}),
        (([MASK, np.array([True, True, False])], [real(3), real(2, 3)], 1.5), {}),
        (([np.array([False, False, True])], [real(3)], real(3)), {}),
    ],
}
