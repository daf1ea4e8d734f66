"""Sample calls of the rules in adcompile/rules/numpy/fft.py."""

import numpy as np

from tests.rules.samples.numbers import complexes, real, single

NORMS = ("backward", "ortho", "forward")
LINES = [
    *[((complexes(5),), {"norm": norm}) for norm in NORMS],
    ((real(4),), {}),
    ((complexes(2, 4), 3), {}),
    ((complexes(2, 4), 6), {}),
    ((complexes(3, 2),), {"axis": 0}),
    ((complexes(1),), {}),
]
HALF = [
    *[((real(5),), {"norm": norm}) for norm in NORMS],
    ((real(4),), {}),
    ((real(2, 4), 3), {}),
    ((real(2, 4), 6), {}),
    ((real(3, 2),), {"axis": 0}),
    ((real(1),), {}),
    ((single(6),), {}),
]
INVERSE = [
    *[((complexes(4),), {"norm": norm}) for norm in NORMS],
    ((complexes(4), 7), {}),
    ((complexes(4), 5), {}),
    ((complexes(4), 10), {}),
    ((complexes(3, 2),), {"axis": 0}),
]
PLANES = [
    *[((complexes(2, 3, 4),), {"norm": norm}) for norm in NORMS],
    ((complexes(2, 3),), {"s": (3, 2)}),
    ((complexes(2, 3),), {"s": (3, 2), "axes": (1, 0)}),
    ((complexes(2, 3, 2),), {"axes": (0, 2)}),
]
HALF_PLANES = [((a.real.copy(), *rest), kwargs) for (a, *rest), kwargs in PLANES]
TWO = [case for case in PLANES if case[0][0].ndim > 1]
SAMPLES = {
    np.fft.fftfreq: [((5, 0.4), {})],
    np.fft.rfftfreq: [((5, 0.4), {}), ((4,), {"d": 1.5})],
    np.fft.fft: LINES,
    np.fft.ifft: LINES,
    np.fft.rfft: HALF,
    np.fft.irfft: INVERSE,
    np.fft.hfft: INVERSE,
    np.fft.ihfft: HALF,
    np.fft.fftn: [*PLANES, ((complexes(3),), {})],
    np.fft.ifftn: PLANES,
    np.fft.rfftn: [*HALF_PLANES, ((real(3),), {})],
    np.fft.irfftn: PLANES,
    np.fft.fft2: TWO,
    np.fft.ifft2: TWO,
    np.fft.rfft2: HALF_PLANES,
    np.fft.irfft2: TWO,
    np.fft.fftshift: [((real(5),), {}), ((real(2, 3),), {"axes": 1}), ((real(2, 3), (0, 1)), {})],
    np.fft.ifftshift: [((real(5),), {}), ((complexes(2, 3), 0), {})],
}
