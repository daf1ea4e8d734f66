"""Sample calls of the rules in adcompile/rules/numpy/series.py."""

from adcompile.rules.numpy.series import BASES
from tests.rules.samples.numbers import complexes, real

SAMPLES = {}
for name, module in BASES.items():
    for operation in ("add", "sub", "mul"):
        SAMPLES[getattr(module, name + operation)] = [
            ((real(3), real(4)), {}),
            ((complexes(4), complexes(2)), {}),
        ]
    SAMPLES[getattr(module, f"{name}der")] = [
        ((real(5),), {}),
        ((real(3, 4), 2), {"scl": 0.7, "axis": 1}),
        ((real(2), 3), {}),
    ]
    SAMPLES[getattr(module, f"{name}int")] = [
        ((real(4),), {}),
        ((real(3, 2), 2), {"lbnd": 0.3, "scl": 1.4}),
        ((real(3), 1), {"k": [2.5]}),
    ]
    SAMPLES[getattr(module, f"{name}pow")] = [((real(3), 3), {}), ((real(3), 1), {})]
    SAMPLES[getattr(module, f"{name}grid2d")] = [((real(3), real(2), real(4, 3)), {})]
    SAMPLES[getattr(module, f"{name}grid3d")] = [((real(2), real(1), real(2), real(2, 2, 2)), {})]
