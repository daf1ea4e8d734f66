"""Sample calls of reductions, scans, order statistics and the methods of ufuncs."""

import numpy as np

from adcompile.runtime import scans
from tests.rules.samples.mathematics import ANY, POSITIVE, Z
from tests.rules.samples.numbers import complexes

CUBE = np.sin(1.0 + np.arange(24.0)).reshape(2, 3, 4)
NANS = CUBE.copy()
NANS[0][CUBE[0] > 0.9] = np.nan
MASK = np.cos(np.arange(24.0)).reshape(2, 3, 4) > -0.5
MASK[:, 0, :] = True
ZEROS = np.array([[0.0, 1.2, 2.5], [0.0, 0.0, -0.4], [1.5, 0.3, 2.0]])
A32 = ANY.astype(np.float32)

_AXES = [
    ((CUBE,), {}),
    ((CUBE, 1), {}),
    ((CUBE,), {"axis": -1, "keepdims": True}),
    ((CUBE,), {"axis": (0, 2)}),
    ((CUBE,), {"axis": (0, 2), "keepdims": True}),
    ((A32,), {"axis": 0}),
    ((A32,), {}),
]
_WHERE = [((CUBE,), {"where": MASK, "axis": 1}), ((CUBE,), {"where": MASK})]
_LIMITED = [((CUBE,), {"where": MASK, "axis": 1, "initial": -5.0})]
_COMPLEX = [((Z,), {}), ((Z.reshape(3, 1),), {"axis": 0})]
_ZEROS = [((ZEROS, None), {}), ((ZEROS, 0), {}), ((ZEROS, 1), {}), ((ZEROS,), {"initial": 2.0})]
_DDOF = [((CUBE,), {"axis": 1, "ddof": 1}), ((CUBE,), {"ddof": 1})]
_NAN = [((NANS,), {}), ((NANS, 1), {}), ((NANS,), {"axis": (0, 2), "keepdims": True})]
_METHOD = [((CUBE,), {}), ((CUBE, 1), {}), ((CUBE,), {"axis": (0, 2), "keepdims": True})]
_SCAN = [((CUBE,), {}), ((CUBE, 1), {}), ((CUBE,), {"axis": -1}), ((A32, 0), {})]
_SCALAR = [((np.float64(0.7),), {})]
_Q = [
    ((CUBE, 0.3), {}),
    ((CUBE, 0.3), {"axis": 1}),
    ((CUBE, np.array([0.1, 0.55])), {"axis": 2, "keepdims": True}),
    ((CUBE, 0.3), {"axis": (0, 1)}),
    ((CUBE, 0.4), {"axis": 0, "method": "hazen"}),
    ((CUBE, 0.37), {"method": "lower"}),
    ((CUBE, 0.37), {"method": "averaged_inverted_cdf"}),
]


def percent(calls):
    return [((args[0], 100.0 * args[1]), kwargs) for args, kwargs in calls]


def with_nans(calls):
    return [((NANS, *args[1:]), kwargs) for args, kwargs in calls]


_CUT = [((complexes(2, 3),), {"axis": 1, "dtype": np.float64})]
STARTS = np.array([1, 0])

SAMPLES = {
    np.sum: _AXES + _WHERE + _COMPLEX + [((0.7,), {})],
    np.mean: _AXES + _WHERE + _COMPLEX,
    np.var: _AXES + _WHERE + _COMPLEX + _DDOF + _CUT,
    np.std: _AXES + _WHERE + _COMPLEX + _DDOF + _CUT,
    np.prod: _AXES + _WHERE + _COMPLEX + _ZEROS + _CUT,
    np.max: _AXES + _LIMITED,
    np.min: _AXES + [((CUBE,), {"where": MASK, "axis": 1, "initial": 5.0})],
    np.nansum: _AXES + _NAN,
    np.nanmean: _AXES + _NAN,
    np.nanvar: _AXES + _NAN + _DDOF,
    np.nanstd: _AXES + _NAN + _DDOF,
    np.nanprod: _AXES + _NAN,
    np.nanmax: _AXES + _NAN,
    np.nanmin: _AXES + _NAN,
    np.ptp: _AXES,
    np.average: [
        ((CUBE,), {}),
        ((CUBE,), {"axis": 1, "weights": np.array([0.2, 0.5, 1.5])}),
        ((CUBE,), {"weights": CUBE + 2.0}),
        ((CUBE,), {"axis": 2, "weights": CUBE + 2.0, "keepdims": True}),
        ((CUBE, 1, np.array([0.2, 0.5, 1.5]), True), {}),
        ((POSITIVE, 0), {}),
    ],
    np.trace: [((ANY,), {}), ((CUBE, 1), {}), ((CUBE,), {"axis1": 1, "axis2": 2})],
    np.ndarray.trace: [((ANY,), {})],
    np.cumsum: _SCAN + _COMPLEX,
    np.nancumsum: _SCAN + [((NANS,), {"axis": 1})],
    np.cumprod: _SCAN + _COMPLEX + [((ZEROS,), {}), ((ZEROS, 0), {}), ((ZEROS, 1), {})],
    np.nancumprod: _SCAN + [((NANS,), {"axis": 1})],
    np.median: [((CUBE,), {}), ((CUBE, 1), {}), ((CUBE,), {"axis": (0, 2), "keepdims": True}), ((POSITIVE,), {})],
    np.nanmedian: [((NANS,), {}), ((NANS, 1), {}), ((NANS,), {"axis": (0, 2), "keepdims": True})],
    np.quantile: _Q,
    np.percentile: percent(_Q),
    np.nanquantile: with_nans(_Q),
    np.nanpercentile: percent(with_nans(_Q)),
    scans.recurrence: [((ANY, ANY + 1.0), {}), ((POSITIVE, POSITIVE), {})],
    scans.some_rows: [((ZEROS,), {}), ((ZEROS[:0],), {})],
    scans.quantile_position: [((np.array([0.3, 0.6]), np.array([4, 6]), "linear"), {})],
    np.add.reduce: [((ANY,), {}), ((ANY,), {"axis": 1, "keepdims": True})],
    np.multiply.reduce: [((ANY,), {}), ((ZEROS,), {"axis": 1})],
    np.maximum.reduce: [
        ((ANY,), {}),
        ((ANY,), {"axis": 1}),
        ((ANY,), {"axis": 1, "initial": 0.3, "keepdims": True}),
        ((CUBE,), {"axis": 1, "initial": -2.0, "where": MASK}),
    ],
    np.minimum.reduce: [((ANY,), {}), ((ANY,), {"axis": None})],
    np.logaddexp.reduce: [((ANY,), {}), ((ANY,), {"axis": 1, "keepdims": True})],
    np.add.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.multiply.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.subtract.reduce: [((ANY,), {}), ((ANY,), {"axis": 1, "keepdims": True})],
    np.subtract.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.divide.reduce: [((ANY,), {}), ((ANY,), {"axis": 1, "keepdims": True})],
    np.divide.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.maximum.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.minimum.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.logaddexp.accumulate: [((ANY,), {}), ((ANY,), {"axis": 1})],
    np.hypot.reduce: [((ANY,), {}), ((ANY,), {"axis": 1, "keepdims": True})],
    **{
        fn.reduceat: [((ANY, STARTS), {}), ((ANY, STARTS), {"axis": 1})]
        for fn in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp)
    },
    **{
        fn.outer: [((POSITIVE, 0.3 * POSITIVE), {})]
        for fn in (np.fmax, np.fmin, np.hypot, np.arctan2, np.logaddexp, np.logaddexp2, np.copysign, np.float_power)
    },
    np.remainder.outer: [((POSITIVE, 0.3 * POSITIVE), {})],
    np.fmod.outer: [((POSITIVE, 0.3 * POSITIVE), {})],
    np.add.outer: [((ANY, POSITIVE), {})],
    np.subtract.outer: [((ANY, POSITIVE), {})],
    np.multiply.outer: [((ANY, POSITIVE), {}), ((POSITIVE, Z), {})],
    np.divide.outer: [((ANY, POSITIVE), {})],
    np.power.outer: [((POSITIVE, ANY), {})],
    np.maximum.outer: [((ANY, POSITIVE), {})],
    np.minimum.outer: [((ANY, POSITIVE), {})],
}

for _name in ("sum", "mean", "var", "std", "prod", "max", "min", "cumsum", "cumprod"):
    SAMPLES[getattr(np.ndarray, _name)] = _METHOD if not _name.startswith("cum") else _SCAN
    SAMPLES[getattr(np.generic, _name)] = _SCALAR
SAMPLES |= {np.amax: SAMPLES[np.max], np.amin: SAMPLES[np.min]}
if hasattr(np, "cumulative_sum"):
    _CUMULATIVE = [((POSITIVE,), {}), ((ANY,), {"axis": 1}), ((ANY,), {"axis": 0, "include_initial": True})]
    SAMPLES |= {np.cumulative_sum: _CUMULATIVE, np.cumulative_prod: _CUMULATIVE}
