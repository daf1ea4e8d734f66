"""Sample calls of NumPy's elementwise functions."""

import numpy as np

from adcompile.runtime import special
from tests.rules.samples.mathematics import ANY, POSITIVE, Z, unary
from tests.rules.samples.python import SAMPLES as OPERATORS

TWO = [
    ((ANY, POSITIVE), {}),
    ((ANY, 0.45), {}),
    ((0.7, -1.2), {}),
    ((ANY.astype(np.float32), np.float32(0.5)), {}),
]
MASK = np.array([[True, False, True], [False, False, True]])
WITH_NAN = np.array([0.3, np.nan, -1.5, np.inf])
_OPERATOR = {f.__name__: calls for f, calls in OPERATORS.items()}
_HALF = np.array([0.5, 1.5, -0.25])

SAMPLES = {
    np.add: _OPERATOR["add"],
    np.subtract: _OPERATOR["sub"],
    np.multiply: _OPERATOR["mul"],
    np.divide: _OPERATOR["truediv"],
    np.remainder: _OPERATOR["mod"],
    np.power: [call for call in _OPERATOR["pow"] if not isinstance(call[0][0], int)],
    np.float_power: [((POSITIVE, 2.5), {}), ((POSITIVE, ANY), {})],
    np.negative: unary(ANY, 0.7),
    np.positive: unary(ANY, 0.7),
    np.absolute: unary(ANY, 0.7),
    np.fabs: unary(ANY, 0.7, complex_=False),
    np.square: unary(ANY, 0.7),
    np.reciprocal: unary(ANY, 0.7),
    np.divmod: [((ANY, 0.7), {}), ((7.3, 2.5), {})],
    np.logaddexp: TWO,
    np.logaddexp2: TWO,
    np.fmod: [((ANY, 0.7), {}), ((7.3, 2.5), {}), ((ANY, 0.77 * POSITIVE), {})],
    np.copysign: TWO,
    np.nextafter: TWO[:3],
    np.ldexp: [((ANY, 3), {}), ((1.3, -2), {}), ((POSITIVE, np.array([0, 2, -1])), {})],
    np.frexp: unary(ANY, 0.7, complex_=False),
    np.modf: unary(ANY, 0.7, complex_=False),
    np.maximum: TWO,
    np.minimum: TWO,
    np.fmax: TWO + [((WITH_NAN[:3], _HALF), {})],
    np.fmin: TWO + [((WITH_NAN[:3], _HALF), {})],
    np.clip: [
        ((ANY, -0.5, 1.0), {}),
        ((ANY, None, 1.0), {}),
        ((ANY, -0.5, None), {}),
        ((ANY, POSITIVE - 1.0, POSITIVE), {}),
        ((0.7, 0.0, 0.5), {}),
        ((ANY.astype(np.float32), -0.5, 1.0), {}),
        ((ANY, 1.5, -1.0), {}),
    ],
    np.ndarray.clip: [((ANY, -0.5, 1.0), {}), ((ANY, -0.5), {}), ((ANY, None, 0.5), {})],
    np.where: [
        ((MASK, ANY, POSITIVE), {}),
        ((MASK, ANY, 0.0), {}),
        ((MASK, 1.5, 0.5), {}),
        ((MASK, ANY.astype(np.float32), 0.0), {}),
        ((True, ANY, 2.0), {}),
        ((MASK[0], Z, 1.5), {}),
    ],
    np.nan_to_num: [((ANY,), {}), ((0.7,), {}), ((Z,), {}), ((ANY,), {"nan": 1.0})],
    np.sinc: unary(np.array([0.3, -1.2, 0.0, 0.01, 1.0]), 0.7, complex_=False),
    np.heaviside: TWO,
    np.i0: [((ANY,), {}), ((0.7,), {}), ((np.array([0.0, 12.0, -3.0]),), {})],
    special.bessel_i: [((0, ANY), {}), ((1, ANY), {}), ((2, 0.7), {})],
    np.real: [((Z,), {}), ((ANY,), {}), ((0.7,), {}), ((0.7 + 0.2j,), {})],
    np.imag: [((Z,), {}), ((ANY,), {}), ((0.7 + 0.2j,), {})],
    np.conjugate: [((Z,), {}), ((ANY,), {}), ((0.7,), {}), ((0.7 + 0.2j,), {})],
    np.ndarray.conj: [((Z,), {}), ((ANY,), {})],
    np.ndarray.conjugate: [((Z,), {}), ((ANY,), {})],
    np.generic.conj: [((np.float64(0.7),), {}), ((np.complex128(0.7 + 1j),), {})],
    np.generic.conjugate: [((np.float64(0.7),), {}), ((np.complex128(0.7 + 1j),), {})],
    np.generic.clip: [((np.float64(0.7), 0.0, 1.0), {})],
    complex.conjugate: [((0.7 + 1j,), {})],
    float.conjugate: [((0.7,), {})],
    np.real_if_close: [((Z,), {}), ((ANY,), {})],
    np.angle: [((Z,), {}), ((Z,), {"deg": True}), ((Z, True), {}), ((ANY,), {}), ((0.7 - 0.2j,), {})],
}

# attributes: the callable is the descriptor of the class, the call is the look-up
for _cls, _value in ((np.ndarray, Z), (np.generic, np.complex128(0.7 + 1j)), (complex, 0.7 + 1j), (float, 0.7)):
    SAMPLES[_cls.real] = [((_value,), {})]
    SAMPLES[_cls.imag] = [((_value,), {})]
