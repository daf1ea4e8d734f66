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
    np.ndarray.choose: [((np.array([0, 1, 1]), (real(3), real(3))), {}), ((np.array([1, 0]), [real(2), 0.5]), {})],
}
