"""Sample calls of Python's operators and builtins: {callable: [(args, kwargs), …]}."""

import operator

import numpy as np

from adcompile import runtime as rt

V = np.array([0.3, -1.2, 2.5])
W = np.array([1.5, 0.4, -0.7])
P = np.array([0.3, 1.2, 2.5])
M = np.array([[0.3, -1.2, 2.5], [1.1, 0.6, -0.4]])
COLUMN = np.array([[1.5], [-0.5]])
V32 = V.astype(np.float32)
Z = np.array([0.3 + 0.4j, -1.2 + 0.1j])

_TWO = [
    ((1.3, -0.7), {}),
    ((np.float64(1.3), 2), {}),
    ((np.float32(1.3), np.float32(0.5)), {}),
    ((V, W), {}),
    ((M, W), {}),
    ((M, COLUMN), {}),
    ((V32, 1.5), {}),
    ((1.5, V), {}),
]
_COMPLEX = [((1.3 + 0.2j, 0.5 - 1j), {}), ((Z, 0.5 + 1j), {}), ((Z, Z[::-1]), {}), ((0.5, Z), {})]
_ONE = [((1.3,), {}), ((-0.7,), {}), ((np.float32(1.3),), {}), ((M,), {}), ((V32,), {})]

SAMPLES = {
    operator.add: _TWO + _COMPLEX,
    operator.iadd: [((1.3, -0.7), {}), ((np.float64(1.3), 2.0), {})],
    operator.sub: _TWO + _COMPLEX,
    operator.isub: [((1.3, -0.7), {})],
    operator.mul: _TWO + _COMPLEX,
    operator.imul: [((1.3, -0.7), {})],
    operator.truediv: _TWO + _COMPLEX,
    operator.itruediv: [((1.3, -0.7), {})],
    rt.added: _TWO + _COMPLEX,
    rt.subtracted: _TWO + _COMPLEX,
    rt.multiplied: _TWO + _COMPLEX,
    rt.divided: _TWO + _COMPLEX,
    operator.mod: [((7.3, 2.5), {}), ((-7.3, 2.5), {}), ((M, 0.7), {}), ((M, 0.77 * P), {}), ((5.2, V), {})],
    operator.imod: [((7.3, 2.5), {})],
    operator.pow: [
        ((1.3, 2), {}),
        ((-1.3, 3), {}),
        ((1.3, 2.7), {}),
        ((2.0, 0.0), {}),
        ((P, 2), {}),
        ((M, 3), {}),
        ((P, W), {}),
        ((2.5, V), {}),
        ((P.astype(np.float32), 1.5), {}),
        ((np.array([0.0, 1.0, 2.0]), 2), {}),
        ((Z, 2), {}),
        ((Z, 0.5 + 0.25j), {}),
        ((1.5 + 0.5j, 1.3), {}),
    ],
    operator.ipow: [((1.3, 2.5), {})],
    pow: [((1.3, 2.5), {}), ((P, 3), {})],
    operator.neg: _ONE + [((Z,), {})],
    operator.pos: _ONE + [((Z,), {})],
    operator.abs: _ONE + [((Z,), {}), ((1.3 - 2j,), {})],
    abs: _ONE + [((Z,), {}), ((1.3 - 2j,), {})],
    divmod: [((7.3, 2.5), {}), ((-7.3, 2.5), {}), ((M, 0.7), {})],
    float: [((1.3,), {}), ((np.float64(1.5),), {}), ((np.array(0.7),), {})],
    complex: [((1.3, 0.4), {}), ((1.3,), {}), ((1.3 + 2j,), {})],
    max: [((1.3, 0.4), {}), ((0.4, 1.3), {}), ((0.4, 1.3, -2.0), {}), ((np.float64(0.3), 0.1), {})],
    min: [((1.3, 0.4), {}), ((0.4, 1.3), {}), ((0.4, 1.3, -2.0), {})],
}
