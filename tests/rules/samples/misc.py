"""Sample calls of the rules in adcompile/rules/numpy/misc.py."""

import numpy as np

from tests.rules.samples.numbers import complexes, positive, real, single

GRID = np.cumsum(positive(6))
PLACES = np.array([0, 2, 2, 1])

SAMPLES = {
    np.linspace: [
        ((0.5, 2.5, 5), {}),
        ((0.5, 2.5), {"num": 4, "endpoint": False}),
        ((real(3), 2.0, 4), {}),
        ((real(3), real(2, 3), 4), {"axis": 1}),
        ((0.5, 2.5, 5), {"retstep": True}),
    ],
    np.logspace: [((0.5, 1.5, 4), {}), ((0.5, 1.5), {"num": 4, "base": 2.0})],
    np.kaiser: [((5, 1.25), {}), ((4, 0.5), {}), ((1, 0.5), {})],
    np.ix_: [((real(3), real(2)), {})],
    np.arange: [((0.5, 3.0, 0.75), {}), ((0.5, 3.2), {}), ((3.2,), {})],
    np.diff: [
        ((real(5),), {}),
        ((real(2, 4), 2), {}),
        ((real(4, 2, 3),), {"axis": 0}),
        ((real(2, 4, 3),), {"axis": 1}),
        ((real(4),), {"prepend": 0.5}),
        ((real(4),), {"prepend": real(2), "append": 1.5}),
        ((real(1),), {}),
        ((real(3), 0), {}),
        ((complexes(3),), {}),
        ((single(4),), {}),
    ],
    np.ediff1d: [((real(4),), {}), ((real(2, 2),), {"to_begin": 1.5, "to_end": real(2)})],
    np.trapezoid: [
        ((real(5),), {}),
        ((real(5), GRID[:5]), {}),
        ((real(5),), {"dx": 0.5}),
        ((real(3, 4), np.array([0.0, 1.0, 3.0])), {"axis": 0}),
        ((real(2, 4), np.cumsum(positive(2, 4), axis=1)), {}),
        ((real(2, 3, 2), np.cumsum(positive(2, 3), axis=1)), {"axis": 1}),
        ((real(3, 2), real(4, 3, 2)), {"axis": -2}),
        ((real(3, 2),), {"dx": positive(2, 2), "axis": 0}),
    ],
    np.gradient: [
        ((real(6),), {}),
        ((real(6), 0.5), {}),
        ((real(6), GRID), {}),
        ((real(6), GRID), {"edge_order": 2}),
        ((real(6),), {"edge_order": 2}),
        ((real(3, 4),), {}),
        ((real(3, 4), 0.5, GRID[:4]), {}),
        ((real(3, 4),), {"axis": 1}),
        ((real(2),), {}),
    ],
    np.unwrap: [((np.array([0.1, 3.0, -3.0, 2.0, -2.5]),), {}), ((2.5 * real(2, 4),), {"axis": 0})],
    np.interp: [
        ((positive(5) + GRID[0], GRID, real(6)), {}),
        ((GRID[2] + 0.1, GRID, real(6)), {}),
        ((real(4) * 9, GRID, real(6)), {}),
        ((real(4) * 9, GRID, real(6), -1.5, 2.5), {}),
        ((real(2, 2) * 5, GRID, complexes(6)), {}),
        ((real(2, 2) * 5, real(4) * 3, complexes(4)), {"period": 2.5}),
        ((1.7, real(4) * 3, real(4), None, None, -2.5), {}),
    ],
    np.convolve: [
        *[
            ((real(n), real(m)), {"mode": mode})
            for n, m in ((5, 3), (3, 5), (6, 4), (4, 4), (1, 3), (2, 5), (7, 2))
            for mode in ("full", "same", "valid")
        ],
        ((complexes(4), complexes(3), "same"), {}),
    ],
    np.correlate: [
        *[
            ((real(n), real(m)), {"mode": mode})
            for n, m in ((5, 3), (3, 5), (6, 4), (4, 4), (1, 3), (2, 5), (7, 2))
            for mode in ("full", "same", "valid")
        ],
        ((complexes(4), complexes(3)), {}),
        ((complexes(2), complexes(5), "same"), {}),
    ],
    np.cov: [
        ((real(3, 5),), {}),
        ((real(5),), {}),
        ((real(5), real(5)), {}),
        ((real(5, 2),), {"rowvar": False}),
        ((real(3, 5),), {"bias": True}),
        ((real(3, 5),), {"ddof": 0}),
        ((real(2, 4),), {"aweights": positive(4)}),
        ((real(2, 4),), {"fweights": np.array([1, 2, 1, 3])}),
    ],
    np.corrcoef: [((real(3, 5),), {}), ((real(5), real(5)), {})],
    np.bincount: [
        ((PLACES, real(4)), {}),
        ((PLACES,), {"weights": real(4), "minlength": 5}),
        ((PLACES, real(4), 5), {}),
    ],
    np.histogram: [
        ((GRID, 4, None, None, real(6)), {}),
        ((GRID, np.array([1.0, 2.5, 4.0]), None, True, positive(6)), {}),
    ],
}
if "trapz" in np.__dict__:  # until NumPy 2.3
    SAMPLES[np.trapz] = SAMPLES[np.trapezoid]
