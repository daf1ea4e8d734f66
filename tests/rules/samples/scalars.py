"""Sample calls of the methods that NumPy's scalars share with arrays."""

import numpy as np

from tests.rules.samples.numbers import real

X, Z = np.float64(0.7), np.complex128(0.7 + 0.2j)

SAMPLES = {
    np.generic.reshape: [((X, 1), {}), ((X, (1, 1)), {}), ((Z, (1, 1)), {})],
    np.generic.ravel: [((X,), {}), ((Z,), {})],
    np.generic.flatten: [((X,), {}), ((Z,), {})],
    np.generic.squeeze: [((X,), {}), ((Z,), {})],
    np.generic.transpose: [((X,), {}), ((Z,), {})],
    np.generic.T: [((X,), {}), ((Z,), {})],
    np.generic.repeat: [((X, 3), {}), ((Z, 2), {})],
    np.generic.astype: [((X, np.float32), {}), ((X, np.float64), {}), ((X, complex), {})],
    np.generic.copy: [((X,), {}), ((Z,), {})],
    np.generic.item: [((X,), {}), ((Z,), {})],
    np.generic.tolist: [((X,), {}), ((Z,), {})],
    np.float16: [((0.5,), {}), ((X,), {})],
    np.float32: [((0.7,), {}), ((X,), {}), ((np.array(0.7),), {})],
    np.float64: [((0.7,), {}), ((np.float32(0.7),), {}), ((np.array(0.7),), {})],
    np.longdouble: [((0.7,), {})],
    np.complex64: [((0.7 + 0.2j,), {}), ((Z,), {})],
    np.complex128: [((0.7 + 0.2j,), {}), ((0.7,), {})],
    np.ndarray.choose: [((np.array([0, 1, 1]), (real(3), real(3))), {}), ((np.array([1, 0]), [real(2), 0.5]), {})],
}
