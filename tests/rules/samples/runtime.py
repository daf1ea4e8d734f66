"""Sample calls of the helpers of derivative code, which is differentiated again."""

import numpy as np

from adcompile import runtime as rt
from tests.rules.samples.numbers import complexes, real, regular

ROW, COLUMN = real(1, 3), real(2, 1)
WHERE = np.array([0, 2, 2])

SINGULAR = np.outer(real(3), real(3)) + np.outer(real(3), real(3))  # of rank 2
TURNED = SINGULAR * np.exp(1j * real(3))

SAMPLES = {
    rt.unbroadcast: [
        ((real(2, 3), real(3)), {}),
        ((real(2, 3), COLUMN), {}),
        ((real(4, 2, 3), ROW), {}),
        ((real(2, 3), 0.5), {}),
        ((real(3), real(3)), {}),
        ((complexes(2, 3), real(3)), {}),
    ],
    rt.broadcast_like: [((real(3), real(2, 3)), {}), ((0.5, real(2, 3)), {}), ((COLUMN, real(2, 3)), {})],
    rt.expand: [
        ((real(3), real(2, 3), 0), {}),
        ((0.5, real(2, 3)), {}),
        ((real(2), real(2, 3), 1), {}),
        ((real(1, 3), real(2, 3), 0, True), {}),
    ],
    rt.contract: [((real(1, 3), real(3)), {}), ((real(2, 1), real(2)), {}), ((real(3), real(3)), {})],
    rt.sum_over: [((real(2, 3),), {}), ((real(2, 3), 0), {}), ((real(2, 3), 1, True), {})],
    rt.quotient: [((0.7, 1.5), {}), ((np.float64(0.7), 1.5), {}), ((real(3), 1.5), {})],
    rt.power: [((0.7, 1.5), {}), ((1.3, 3), {}), ((real(3), 2), {})],
    rt.inverse: [((regular(3, 3),), {}), ((regular(2, 2, 2),), {})],
    rt.cofactors: [
        ((regular(3, 3),), {}),
        ((SINGULAR,), {}),
        ((np.stack((SINGULAR, regular(3, 3))),), {}),
        ((TURNED,), {}),
    ],
    rt.cofactors_bar: [((real(3, 3), regular(3, 3)), {}), ((real(3, 3), SINGULAR), {})],
    rt.direction: [((complexes(3),), {}), ((real(3),), {})],
    rt.selected_product: [((real(3), real(3)), {}), ((real(2, 3), complexes(3)), {}), ((0.7, 1.3), {})],
    rt.parts_to_num: [((complexes(3),), {}), ((complexes(2, 3),), {"nan": 0.3})],
    rt.as_complex: [((complexes(3),), {})],
    rt.as_found: [((complexes(3), complexes(3)), {})],
    rt.einsum_bar: [
        ((real(2, 3), real(2, 4), None, [0, 1], real(3, 4), [1, 2]), {}),
        ((real(3, 4), real(4), real(1, 3), [0, 1], None, [1, 2], [2]), {}),
        ((complexes(2, 3), complexes(2, 2), None, [0, 1], complexes(3, 2), [1, 2], [2, 0]), {}),
    ],
    rt.like: [((real(3), real(3)), {}), ((0.5, real(3)), {}), ((np.float64(0.5), 0.7), {}), ((0.5, 0.7), {})],
    rt.fitted: [((real(3), real(3)), {}), ((np.float64(0.5), 0.7), {}), ((0.5, 0.7), {})],
    rt.partial: [((real(3),), {}), ((0.5,), {})],
    rt.own: [((real(3), real(3)), {}), ((0.5, real(3)), {}), ((0.5, 0.7), {})],
    rt.scatter: [
        ((real(4), WHERE, real(3)), {}),
        ((real(4), 1, 0.5), {}),
        ((real(4), slice(1, 3), real(2)), {}),
        ((real(2, 3), (0, slice(None)), real(3)), {}),
    ],
    rt.gather: [((real(4), WHERE), {}), ((real(4), 1), {}), ((real(2, 3), (0, slice(None))), {})],
    rt.diagonal_of: [((real(3, 3),), {}), ((real(2, 3, 4), -1, 1, 2), {}), ((real(3, 4),), {"offset": 1})],
    rt.copy: [((real(3),), {}), ((0.5,), {})],
    rt.same_layout: [((real(3),), {}), ((complexes(2, 2),), {})],
    rt.replica: [((real(3),), {}), ((complexes(2, 2),), {})],
    rt.snapshot: [((real(3),), {}), ((complexes(2, 2),), {})],
    rt.number: [((real(3),), {}), ((0.5,), {})],
    rt.operand: [((real(3),), {}), ((0.5,), {}), ((complexes(2, 2),), {})],
    rt.apart: [((real(3),), {}), ((complexes(2, 2),), {})],
    rt.fit: [((real(4), 2, 0), {}), ((real(4), 6, 0), {}), ((real(2, 3), 4, 1), {})],
    rt.unjoin: [((np.concatenate, real(5), (real(2), real(3))), {})],
}
