"""Sample calls of the rules in adcompile/rules/scipy/signal.py."""

import numpy as np
from scipy import signal

from tests.rules.samples.numbers import complexes, real

B, A = np.array([0.5, 0.3]), np.array([1.2, -0.4, 0.1])
SHAPES = [((5,), (3,)), ((3,), (5,)), ((4,), (4,)), ((3, 4), (2, 3))]

SAMPLES = {
    signal.convolve: [
        *[((real(*n), real(*m)), {"mode": mode}) for n, m in SHAPES for mode in ("full", "same", "valid")],
        ((complexes(2, 4), real(2, 3)), {"mode": "same", "method": "direct"}),
        ((real(3, 4), real(2, 3)), {"method": "fft"}),
        ((np.array(0.7), np.array(1.3)), {}),
    ],
    signal.fftconvolve: [
        *[((real(*n), real(*m)), {"mode": mode}) for n, m in SHAPES for mode in ("full", "same", "valid")],
        *[((real(3, 4), real(1, 2)), {"mode": mode, "axes": 1}) for mode in ("full", "same", "valid")],
        ((real(1, 4), real(3, 2)), {"mode": "same", "axes": [-1]}),
        ((complexes(2, 4), complexes(2, 3)), {"mode": "same"}),
    ],
    signal.lfilter: [
        ((B, A, real(6)), {}),
        ((B, A, real(4, 3)), {"axis": 0}),
        ((B, A, real(2, 5, 2), 1, real(2, 2, 2)), {}),
        ((np.array([0.4, 0.1, -0.3]), B, real(5)), {"zi": real(2)}),
        ((B, A, real(3, 5)), {"zi": real(1, 2)}),
        ((B, A, real(1)), {"zi": real(2)}),
        ((B + 0.1j, A, complexes(6)), {}),
        ((B + 0.1j, A - 0.2j, complexes(6)), {"zi": complexes(2)}),
    ],
}
